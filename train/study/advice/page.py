"""The page about advice, from rows alone."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from train.plots.style import new_figure
from train.study.advice.pieces import ADVICE
from train.study.blocks import cell, dots, grid, holm, legend_below, table
from train.study.question import Page, Row, pick, values

ITSELF = "itself"
"""A table of the player's own kind."""
MEASURES = {"win": ("Hands won", "points of win rate", 100.0), "points": ("Points", "points of a hand", 1.0)}
"""What is measured: its name, its unit on the page, and its scale."""


def page(rows: Sequence[Row]) -> Page:
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
        *(_section(elsewhere, name, "by other rules, among players of one's own kind") for name in MEASURES),
    ]
    caption = "What each habit gains or costs among players of one's own kind by the classic rules."
    return Page(_summary(own), "\n\n".join(filter(None, sections)), {"gain": _figure(own)}, {"gain": caption})


def _place(each: Row) -> str:
    """Who has the habit, and where: the heading of a column."""
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

The figures say how many of 100 decisions the habit changed: who has it plays by its own judgement wherever the habit
leaves a choice."""


def _section(rows: Sequence[Row], measured: str, title: str) -> str:
    """A table of all habits at some tables; nothing if they were not measured."""
    here, (name, unit, scale) = pick(rows, measure=measured), MEASURES[measured]
    if not here:
        return ""
    return f"""## {name}, {title}

{grid(here, "habit", "place", scale)}

In {unit}; above 0 the habit pays. What is told apart, Holm's method over this table says."""


def _summary(own: Sequence[Row]) -> str:
    """What pays, what costs and what is not told apart, for hands won and for points."""
    parts = []
    for measured, (name, unit, scale) in MEASURES.items():
        here = pick(own, measure=measured)
        told = dict(zip(map(id, here), holm(here), strict=True))
        found: dict[str, list[tuple[float, str]]] = {}
        for habit in values(here, "habit"):
            mine = pick(here, habit=habit)
            signs = {each["mean"] > 0 for each in mine if told[id(each)]}
            verdict = "open" if not signs else "mixed" if len(signs) > 1 else "pays" if signs == {True} else "costs"
            most = max(mine, key=lambda each: told[id(each)] * abs(each["mean"]))
            text = habit if verdict == "open" else f"{habit} (up to {cell(most, 1, '+', scale)})"
            found.setdefault(verdict, []).append((-abs(most["mean"]), text))
        said = [
            f"- {_VERDICTS[verdict]}: {', '.join(text for _, text in sorted(found[verdict]))}."
            for verdict in _VERDICTS
            if verdict in found
        ]
        intro = f"{name} ({unit}), if one strong player among others of its kind changes to a habit (the most first):"
        parts.append("\n".join([intro, "", *said]))
    return "\n\n".join(parts)


_VERDICTS = {
    "pays": "It pays",
    "mixed": "It depends on who plays, and on how many",
    "costs": "It costs",
    "open": "Not told apart from no effect",
}


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
