"""The official editions against each other: length, luck, points and time at the table."""

from collections.abc import Mapping, Sequence
from typing import Any

from train.study import variants
from train.study.blocks import NUMBERS, cell, curves, holm, table
from train.study.question import Page, Part, Question, Row, StudyPlan, pick, values
from train.study.tables import SECONDS, STRONG, WHO
from train.study.variants import MEASURES, SKILL, compared, difference, measure

BASE = "1971"
EDITIONS: Mapping[str, Mapping[str, Any]] = {
    BASE: {"preset": "classic"},
    "2018": {"preset": "edition_2018"},
    "2022": {"preset": "edition_2022"},
    "H2O": {"preset": "h2o"},
}
"""The preset of each edition."""

COLUMNS = ("decisions", "minutes", "points", "beginner", "skill", "comeback")


def parts(plan: StudyPlan) -> list[Part]:
    """A part for each edition, number of players and kind of table, and for luck."""
    return variants.parts(plan, "editions", EDITIONS)


def page(rows: Sequence[Row]) -> Page:
    """The page, from rows alone."""
    lengths = pick(rows, measure="decisions", table=STRONG)
    lines = {
        name: [(each["players"], each) for each in pick(lengths, variant=name)] for name in values(rows, "variant")
    }
    figure = curves(lines, "players", "decisions a hand")
    caption = f"Length of a hand by the official editions, `{STRONG}` at all seats."
    whos = [name for name in values(rows, "table") if name != SKILL]
    sections = [_section(rows, players, whos) for players in values(rows, "players")]
    text = "\n\n".join(["{figure:length}", _LEGEND, *sections])
    return Page(_summary(rows), text, {"length": figure}, {"length": caption})


_LEGEND = f"""{WHO} Minutes take {SECONDS} seconds for each decision, which is assumed, not measured. The
sheet of 2022 makes every hand stand alone; its points are counted here as in 1971. The strong player is one `{STRONG}`
among `random-play`, on duplicate deals; it stands in the rows of `{STRONG}`. A value is called not told apart if it
does not differ from that of {BASE} by Holm's method over the editions."""


def _section(rows: Sequence[Row], players: int, whos: Sequence[str]) -> str:
    lines = []
    for who in whos:
        columns = [compared(rows, name, BASE, False, players=players, table=who) for name in COLUMNS]
        skill = COLUMNS.index("skill")
        for edition in values(pick(rows, players=players, table=who), "variant"):
            cells = [column.get(edition, "–") for column in columns]
            cells[skill] = cells[skill] if who == STRONG else "–"
            lines.append([edition, who, *cells])
    headings = ["edition", "players of the kind", *(MEASURES[name] for name in COLUMNS)]
    return f"## {players} players\n\n{table(headings, lines, 2)}"


def _summary(rows: Sequence[Row]) -> str:
    counts = values(rows, "players")
    players = 4 if 4 in counts else counts[-1]
    lengths = {each["variant"]: each for each in pick(rows, players=players, table=STRONG, measure="decisions")}
    skills = {each["variant"]: each for each in pick(rows, players=players, table=SKILL)}
    said = ", ".join(f"{cell(each, 1, scale=1)} in {name}" for name, each in lengths.items())
    sentences = [f"Among {NUMBERS[players]} good players a hand takes so many decisions: {said}."]
    told = holm([difference(each, skills[BASE]) for name, each in skills.items() if name != BASE])
    others = [name for name in skills if name != BASE]
    luck = [name for name, yes in zip(others, told, strict=True) if yes]
    if luck:
        which = ", ".join(f"{cell(skills[name])} in {name}" for name in luck)
        sentences.append(
            f"A strong player among weak ones wins {cell(skills[BASE])} % of the hands of {BASE}, and {which}."
        )
    same = [name for name in others if name not in luck]
    if same:
        sentences.append(f"In luck {', '.join(same)} and {BASE} are not told apart.")
    return " ".join(sentences)


QUESTION = Question(
    name="editions", title="How do the official editions differ?", parts=parts, measure=measure, page=page
)
