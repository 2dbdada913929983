"""The page about bluffing, from rows alone."""

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from studies.blocks import NUMBERS, about, cell, curves, dots, grid, holm, legend_below, table
from studies.bluffing.exact import DECKS
from studies.bluffing.learned import BINS
from studies.question import Row, StudyPage, pick, values
from studies.tables import BEST
from train.plots.style import new_figure

FREE = 0.05
"""Wins of 100 hands above the equilibrium's own that count as nothing."""
_BREAK = "\n\n"


def page(rows: Sequence[Row]) -> StudyPage:
    """The page."""
    learned = [{**each, "who": _who(each)} for each in rows if "player" in each]
    figures = {
        "frequency": _frequency_figure(pick(learned, measure="bluffed", by="hand")),
        "exploitability": _exact_figure(pick(rows, measure="exploitability")),
    }
    captions = {
        "exploitability": "What a perfect opponent wins against each way to play, on tiny decks, solved exactly.",
        "frequency": "How often players bluff when they can, by the cards in the hand.",
    }
    text = _BREAK.join([_exact_section(rows), _learned_section(learned), _habit_section(learned)])
    summary = _BREAK.join(filter(None, (_habit_summary(learned), _learned_summary(learned), _exact_summary(rows))))
    return StudyPage(summary, text, figures, captions)


def _who(each: Row) -> str:
    style = f", {each['style']}" if each["player"] == BEST and "style" in each else ""
    return f"{each['player']}{style}, {each['players']} players"


# --- tiny decks -------------------------------------------------------------------------------------------------------


def _exact_section(rows: Sequence[Row]) -> str:
    lost = pick(rows, measure="exploitability")
    decks = values(lost, "deck")
    lines = [[name, *(f"{each['mean']:.2f}" for each in pick(lost, policy=name))] for name in values(lost, "policy")]
    sizes = sorted(set(values(rows, "hand")))
    shares = []
    for deck in decks:
        for question in ("bluff", "challenge"):
            found = {each["hand"]: f"{100 * each['mean']:.0f} ({100 * each['open']:.0f})"
                     for each in pick(rows, deck=deck, measure=question)}  # fmt: skip
            shares.append([deck, question, *(found.get(size, "–") for size in sizes)])
    cards = "\n".join(
        f"- {deck}: `{DECKS[deck][0]}`, {DECKS[deck][1]} cards each, {DECKS[deck][2]} decisions, "
        f"{pick(rows, measure='nodes', deck=deck)[0]['mean']:,.0f} nodes"
        for deck in decks
    )
    return f"""## Solved exactly: tiny decks

{{figure:exploitability}}

{table(["way to play", *decks], lines)}

The table says how many more of 100 hands a perfect opponent wins against each way to play, as the mean of both seats.
The first line is the equilibrium that CFR found. Every other line changes one habit of it, and leaves the rest as it
is. A hand that is not over after the last decision is a draw. Two players play with these decks:

{cards}

The next table says how often the equilibrium bluffs if it can, and how often it challenges while the other player still
holds a card. The number in brackets says how often it leaves the decision to chance:

{table(["deck", "decision", *(f"hand of {size}" if size else "any hand" for size in sizes)], shares, 2)}

The figures are per cent, weighted by how often the decision comes up. If both answers are worth the same, an
equilibrium may give either. The lines "never mix" show whether it helps to leave the decision to chance."""


def _exact_figure(lost: Sequence[Row]) -> Figure:
    figure = new_figure(8, 4)
    axes = figure.add_subplot()
    dots(axes, {deck: pick(lost, deck=deck) for deck in values(lost, "deck")}, "policy")
    axes.set_xlabel("wins of 100 hands that a best answer gains, exactly")
    legend_below(figure)
    return figure


def _exact_summary(rows: Sequence[Row]) -> str:
    exploited = pick(rows, measure="exploitability")
    lost = {name: [each["mean"] for each in pick(exploited, policy=name)] for name in values(exploited, "policy")}
    costly = [name for name in _HABITS if max(lost[name]) > FREE]
    free = [name for name in _HABITS if max(lost[name]) <= FREE]
    bluffs = _span([100 * each["mean"] for each in pick(rows, measure="bluff", hand=0)])
    pure = max(lost["never mix over bluffs and challenges"])
    decks = len(values(exploited, "deck"))
    said = [
        f"**On tiny decks, bluffing can be part of best play.** {NUMBERS[decks].capitalize()} tiny decks were "
        f"solved exactly, for two players. Best play bluffs in {bluffs} of 100 chances; it depends on the deck.",
        _dearest({name: max(lost[name]) for name in costly}) if costly else "",
        f"{' or '.join(map(_doing, free)).capitalize()} costs nothing there." if free else "",
        f"On these {NUMBERS[decks]} decks, a player loses nothing by leaving no decision to chance."
        if pure <= max(lost["equilibrium"]) + FREE
        else f"A player who never leaves the decision to chance can lose {pure:.1f} of 100 hands.",
        "Larger decks may differ.",
    ]
    return " ".join(filter(None, said))


def _dearest(costs: Mapping[str, float]) -> str:
    """A sentence about the habit that loses most on any deck."""
    worst = max(costs, key=costs.__getitem__)
    most = f"{costs[worst]:.0f} more of 100 hands"
    return f"{_doing(worst).capitalize()} costs most: on one of the decks, a perfect opponent wins {most}."


def _doing(habit: str) -> str:
    """A habit as the subject of a sentence: ``always bluffing``."""
    return habit.replace("bluff", "bluffing").replace("challenge", "challenging")


_HABITS = ("never bluff", "always bluff", "never challenge", "always challenge")


def _span(found: Sequence[float]) -> str:
    low, high = (f"{end:.0f}" for end in (min(found), max(found)))
    return low if low == high else f"{low} to {high}"


# --- the full deck ----------------------------------------------------------------------------------------------------

_NAMES = {"bluffed": "bluffs", "challenged": "challenges", "guilty": "found guilty, or would be"}
_TITLES = {
    "all": "",
    "hand": "By the number of cards in the hand that lays the Wild Draw Four:",
    "colour": "By the number of cards of the active colour in that hand:",
    "seen": "By the number of cards of the previous colour that the player who may challenge has seen:",
}


def _learned_section(learned: Sequence[Row]) -> str:
    tables = []
    for by, title in _TITLES.items():
        here = pick(learned, by=by)
        who = values(here, "who")
        lines = []
        for measured in values(here, "measure"):
            for at in sorted(set(values(pick(here, measure=measured), "at"))):
                cells = {each["who"]: cell(each, 0) for each in pick(here, measure=measured, at=at)}
                name = f"{_NAMES[measured]}{_bin(by, at)}"
                lines.append([name, *(cells.get(each, "–") for each in who)])
        tables += [title, table(["per cent", *who], lines)] if lines else []
    return f"""## Learned: the full deck

{{figure:frequency}}

The players of a table are of one kind, and the rules are the classic ones. A player who holds a Wild Draw Four and a
card of the active colour can bluff. The tables show how often players bluff then. They also show how often players
challenge while the other player still holds a card, and how many of these Wild Draw Fours are bluffs. "Greedy" takes
the most probable action. "Sampled" draws an action by its probability.

{_BREAK.join(filter(None, tables))}"""


def _bin(by: str, at: int) -> str:
    if by == "all":
        return ""
    edges = BINS[by]
    if at == edges[-1]:
        return f", {at} or more"
    last = edges[edges.index(at) + 1] - 1
    return f", {at}" if last == at else f", {at} to {last}"


def _frequency_figure(bluffs: Sequence[Row]) -> Figure:
    lines = {who: [(each["at"], each) for each in pick(bluffs, who=who)] for who in values(bluffs, "who")}
    return curves(lines, "cards in the hand, the last point: or more", "bluffs of all chances, per cent", 100)


def _learned_summary(learned: Sequence[Row]) -> str:
    findings = []
    greedy = pick(learned, by="all", player=BEST, style="greedy")
    for players in values(greedy, "players"):
        said = {each["measure"]: about(each) for each in pick(greedy, players=players)}
        if len(said) == len(_NAMES):
            guilty = "1 is a bluff" if said["guilty"] == "1" else f"{said['guilty']} are bluffs"
            findings.append(
                f"**With {NUMBERS[players]} players**, the best policy bluffs in {said['bluffed']} of 100 chances. Of "
                f"100 Wild Draw Fours that it can challenge, {guilty}, and it challenges {said['challenged']}."
            )
    return _BREAK.join(findings)


def _habit_section(learned: Sequence[Row]) -> str:
    here = [each for each in learned if "habit" in each]
    return f"""## What a habit costs

The tables say how much a player with a habit gains among players of its own kind, on duplicate deals. The first table
has points of win rate, and the second one has points of a hand. A player who always bluffs lays a Wild Draw Four as
soon as possible. So this player also spends a wild early.

{grid(pick(here, measure="win"), "habit", "who")}

{grid(pick(here, measure="points"), "habit", "who", 1)}"""


def _habit_summary(learned: Sequence[Row]) -> str:
    costs: dict[str, list[str]] = {}
    for players in values(learned, "players"):
        here = [each for each in pick(learned, player=BEST, measure="win", players=players) if each["habit"] in _HABITS]
        clear = [each for each, told in zip(here, holm(here), strict=True) if told and each["mean"] < 0]
        if clear:
            worst = min(clear, key=lambda each: float(each["mean"]))
            cost = f"{about(worst)} of 100 hands with {NUMBERS[players]} players"
            costs.setdefault(worst["habit"], []).append(cost)
    return " ".join(
        f"**{_doing(habit).capitalize()} costs many hands.** It costs the best policy {', and '.join(said)}."
        for habit, said in costs.items()
    )
