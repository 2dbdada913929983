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
        "exploitability": _exact_figure(pick(rows, measure="exploitability")),
        "frequency": _frequency_figure(pick(learned, measure="bluffed", by="hand")),
    }
    captions = {
        "exploitability": "What a best answer wins against each way to play on tiny decks, solved exactly.",
        "frequency": "How often players bluff where they could, by the cards in the hand.",
    }
    text = _BREAK.join([_exact_section(rows), _learned_section(learned), _habit_section(learned)])
    summary = _BREAK.join(filter(None, (_exact_summary(rows), _learned_summary(learned), _habit_summary(learned))))
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
    cards = "; ".join(
        f"{deck}: `{DECKS[deck][0]}`, {DECKS[deck][1]} cards each, {DECKS[deck][2]} decisions, "
        f"{pick(rows, measure='nodes', deck=deck)[0]['mean']:,.0f} nodes"
        for deck in decks
    )
    return f"""## Solved exactly: tiny decks

{{figure:exploitability}}

{table(["way to play", *decks], lines)}

Wins of 100 hands that a best answer gains on each way to play, mean of both seats. The first line is the equilibrium as
CFR has found it; every other one changes one habit of it, and leaves the rest as it is. Two players; {cards}. A hand
that is not over after the last decision is drawn.

How often the equilibrium bluffs where it could, and challenges where the other still holds a card; in brackets how
often it leaves the decision to chance:

{table(["deck", "decision", *(f"hand of {size}" if size else "any hand" for size in sizes)], shares, 2)}

Per cent, weighted by how often the decision comes up. Where both answers are worth the same, an equilibrium may say
anything: the lines "never mix" show whether leaving it to chance is of any use."""


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
    bluffs = _span([100 * each["mean"] for each in pick(rows, measure="bluff", hand=0)], ".0f")
    pure = max(lost["never mix over bluffs and challenges"])
    decks = len(values(exploited, "deck"))
    said = [
        f"**On tiny decks, bluffing is part of best play.** {decks} decks of a few cards, for two players, were solved "
        f"exactly. Best play bluffs in {bluffs} % of its chances there; it depends on the deck.",
        _dearest({name: max(lost[name]) for name in costly}) if costly else "",
        f"It costs nothing there to {' or to '.join(free)}." if free else "",
        f"On these {decks} decks, nothing is gained by leaving the decision to chance."
        if pure <= max(lost["equilibrium"]) + FREE
        else f"A player that never leaves the decision to chance can lose {pure:.1f} of 100 hands.",
        "This says nothing about larger decks.",
    ]
    return " ".join(filter(None, said))


def _dearest(costs: Mapping[str, float]) -> str:
    """A sentence about the habit that loses most on any deck."""
    worst = max(costs, key=costs.__getitem__)
    return f"The dearest habit is to {worst}: a best response wins up to {costs[worst]:.0f} more of 100 hands."


_HABITS = ("never bluff", "always bluff", "never challenge", "always challenge")


def _span(found: Sequence[float], form: str) -> str:
    low, high = (format(end, form) for end in (min(found), max(found)))
    return low if low == high else f"{low} to {high}"


# --- the full deck ----------------------------------------------------------------------------------------------------

_NAMES = {"bluffed": "bluffs", "challenged": "challenges", "guilty": "found guilty, or would be"}
_TITLES = {
    "all": "",
    "hand": "By the cards in the hand that lays the Wild Draw Four:",
    "colour": "By the cards of the active colour in it:",
    "seen": "By the cards of the colour asked for that who may challenge has seen:",
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

The players of a table are of one kind, under the classic rules. A player can bluff with a Wild Draw Four and a card of
the active colour in the hand. The tables show how often players bluff then, how often they challenge while the other
still holds a card, and how many of these Wild Draw Fours were bluffs. "Greedy" takes the most probable action;
"sampled" draws an action by its probability.

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
        said = {each["measure"]: cell(each, 1) for each in pick(greedy, players=players)}
        if len(said) == len(_NAMES):
            findings.append(
                f"**With all cards and {NUMBERS[players]} players**, the best policy bluffs in {said['bluffed']} % of "
                f"its chances. It challenges {said['challenged']} % of the Wild Draw Fours, and {said['guilty']} % of "
                "those are bluffs."
            )
    return _BREAK.join(findings)


def _habit_section(learned: Sequence[Row]) -> str:
    here = [each for each in learned if "habit" in each]
    return f"""## What deviating costs

What a player with a habit gets more than its share among others of its kind, on duplicate deals: points of win rate,
and points of a hand. A player that always bluffs lays a Wild Draw Four as soon as it can, so it also spends a wild
early.

{grid(pick(here, measure="win"), "habit", "who")}

{grid(pick(here, measure="points"), "habit", "who", 1)}"""


def _habit_summary(learned: Sequence[Row]) -> str:
    findings = []
    for players in values(learned, "players"):
        here = [each for each in pick(learned, player=BEST, measure="win", players=players) if each["habit"] in _HABITS]
        clear = [each for each, told in zip(here, holm(here), strict=True) if told and each["mean"] < 0]
        if clear:
            worst = min(clear, key=lambda each: float(each["mean"]))
            findings.append(
                f"with {NUMBERS[players]} players, to {worst['habit']} costs {about(worst)} points of win rate"
            )
    said = "; ".join(findings)
    return f"**The dearest habit with all cards:** {said}." if findings else ""
