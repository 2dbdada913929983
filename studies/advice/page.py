"""The page about advice, from rows alone."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from studies.advice.pieces import ADVICE
from studies.blocks import dots, grid, holm, legend_below, table
from studies.question import Row, StudyPage, pick, values
from train.plots.style import new_figure

ITSELF = "itself"
"""A table of the player's own kind."""
MEASURES = {"win": ("Hands won", "points of win rate", 100.0), "points": ("Points", "points of a hand", 1.0)}
"""The name of each measure, its unit on the page, and its scale."""


def page(rows: Sequence[Row]) -> StudyPage:
    """The page."""
    placed = [{**each, "place": _place(each)} for each in rows]
    own = pick(placed, rules="classic", table=ITSELF)
    others = [each for each in pick(placed, rules="classic") if each["table"] != ITSELF]
    elsewhere = [each for each in pick(placed, table=ITSELF) if each["rules"] != "classic"]
    sections = [
        "{figure:gain}",
        f"## What each piece says\n\n{_sayings(own)}",
        *(_section(own, name, "among players of one's own kind, classic rules") for name in MEASURES),
        *(_section(others, name, "among others, classic rules") for name in MEASURES),
        *(_section(elsewhere, name, "under other rules, among players of one's own kind") for name in MEASURES),
    ]
    caption = "What each habit gains or costs among players of one's own kind, under the classic rules."
    return StudyPage(_summary(own), "\n\n".join(filter(None, sections)), {"gain": _figure(own)}, {"gain": caption})


def _place(each: Row) -> str:
    """The player with the habit, and the table: the heading of a column."""
    rules = "" if each["rules"] == "classic" else f", {each['rules']}"
    against = "" if each["table"] == ITSELF else f" v {each['table']}"
    return f"{each['player']}{against}, {each['players']} players{rules}"


def _sayings(own: Sequence[Row]) -> str:
    """The habits in words, and how often each had a say."""
    places = values(own, "place")
    lines = []
    for name, (text, _) in ADVICE.items():
        changed = {each["place"]: f"{100 * each['changed']:.1f}" for each in pick(own, habit=name)}
        lines.append([name, text, *(changed.get(place, "–") for place in places)])
    return f"""{table(["habit", "what it says", *places], lines, 2)}

The figures say how many of 100 decisions the habit changed. If the habit allows several actions, the player chooses
among them as usual."""


def _section(rows: Sequence[Row], measured: str, title: str) -> str:
    """A table of all habits at some tables; nothing if they were not measured."""
    here, (name, unit, scale) = pick(rows, measure=measured), MEASURES[measured]
    if not here:
        return ""
    return f"""## {name}, {title}

{grid(here, "habit", "place", scale)}

The figures are {unit}. Above 0, the habit pays. Holm's method over this table says which differences are clear."""


def _summary(own: Sequence[Row]) -> str:
    """The habits that cost most, those that pay, and those without a clear difference."""
    wins, points = (_verdicts(pick(own, measure=measured)) for measured in MEASURES)
    findings = []
    if wins["costs"]:
        (worst, most), *others = wins["costs"]
        said = f" Next come {_listed([habit for habit, _ in others[:3]])}." if others else ""
        findings.append(
            "**Most habits cost wins.** We made a strong player follow one habit at a time, without thinking. The "
            f"one that costs most is *{worst}*: {ADVICE[worst][0]}. At the table where it costs most, the player wins "
            f"{100 * abs(most):.0f} fewer of 100 hands.{said}"
        )
    if wins["pays"] or points["pays"]:
        said = " ".join(
            [f"At its best table, *{habit}* wins {100 * mean:.0f} more of 100 hands." for habit, mean in wins["pays"]]
            + [f"At its best table, *{habit}* brings {mean:.0f} more points a hand." for habit, mean in points["pays"]]
        )
        findings.append(f"**Few habits pay.** {said}")
    if wins["open"]:
        said = _listed([habit for habit, _ in wins["open"]])
        findings.append(f"**Some habits make no clear difference** to the hands won: {said}.")
    return "\n\n".join(findings)


def _listed(habits: Sequence[str]) -> str:
    """Names of habits in a sentence."""
    *before, last = [f"*{habit}*" for habit in habits]
    return f"{', '.join(before)} and {last}" if before else last


def _verdicts(here: Sequence[Row]) -> dict[str, list[tuple[str, float]]]:
    """Habits that pay, cost or do neither clearly at the tables of these rows, each with its largest effect, largest
    first; habits that pay at some tables and cost at others are in none of the three."""
    told = dict(zip(map(id, here), holm(here), strict=True))
    found: dict[str, list[tuple[str, float]]] = {"pays": [], "costs": [], "open": []}
    for habit in values(here, "habit"):
        effects = [float(each["mean"]) for each in pick(here, habit=habit) if told[id(each)]]
        largest = max(effects, key=abs, default=0.0)
        if not effects or min(effects) > 0 or max(effects) < 0:
            found["pays" if largest > 0 else "costs" if largest < 0 else "open"].append((habit, largest))
    return {verdict: sorted(habits, key=lambda item: -abs(item[1])) for verdict, habits in found.items()}


def _figure(own: Sequence[Row]) -> Figure:
    """A panel for each measure: a line for each habit, a mark for each player with 2 and with 4 at the table."""
    shown = [each for each in own if each["players"] in (2, 4)]
    figure = new_figure(10, 1.5 + 0.42 * len(ADVICE))
    for axes, (measured, (_, unit, scale)) in zip(figure.subplots(1, 2, sharey=True), MEASURES.items(), strict=True):
        here = pick(shown, measure=measured)
        dots(axes, {place: pick(here, place=place) for place in values(here, "place")}, "habit", scale)
        axes.axvline(0, color="0.4", linewidth=1, linestyle=(0, (1, 2)))
        axes.set_xlabel(f"{unit} gained, 95 % interval")
    legend_below(figure)
    return figure
