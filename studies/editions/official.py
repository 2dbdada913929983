"""The official editions against each other: length, luck, points and time at the table."""

from collections.abc import Mapping, Sequence
from typing import Any

from studies import variants
from studies.blocks import NUMBERS, about, curves, holm, table
from studies.question import Row, StudyPage, StudyPart, StudyPlan, StudyQuestion, pick, values
from studies.tables import SECONDS, STRONG, WHO
from studies.variants import MEASURES, SKILL, compared, difference, measure

BASE = "1971"
EDITIONS: Mapping[str, Mapping[str, Any]] = {
    BASE: {"preset": "classic"},
    "2018": {"preset": "edition_2018"},
    "2022": {"preset": "edition_2022"},
    "H2O": {"preset": "h2o"},
}
"""The preset of each edition."""

COLUMNS = ("decisions", "minutes", "points", "beginner", "skill", "comeback")


def parts(plan: StudyPlan) -> list[StudyPart]:
    """A part for each edition, number of players and kind of table, and for luck."""
    return variants.parts(plan, "editions", EDITIONS)


def page(rows: Sequence[Row]) -> StudyPage:
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
    return StudyPage(_summary(rows), text, {"length": figure}, {"length": caption})


_LEGEND = f"""{WHO}

Minutes assume {SECONDS} seconds for each decision. In 2022 every hand counts alone; here its points are counted as in
1971. The strong player is one `{STRONG}` among `random-play`, on duplicate deals. Its win rate is in the rows of
`{STRONG}`. The first player is the one who decides first. Holm's method over the editions says which differences from
{BASE} are clear."""


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
    others = [name for name in lengths if name != BASE]
    longest = max(others, key=lambda name: float(lengths[name]["mean"]))
    findings = [
        f"**The editions since {BASE} play much alike.** With {NUMBERS[players]} good players, a hand takes "
        f"{about(lengths[BASE], 1)} decisions in {BASE}"
        + "".join(f", {about(lengths[name], 1)} in {name}" for name in others if name != longest)
        + f". {longest} has the longest hands: {about(lengths[longest], 1)}."
    ]
    measured = [name for name in others if name in skills]
    told = holm([difference(skills[name], skills[BASE]) for name in measured])
    for name in (name for name, yes in zip(measured, told, strict=True) if yes):
        more = "more" if skills[name]["mean"] > skills[BASE]["mean"] else "less"
        findings.append(
            f"**In {name}, skill counts {more}.** A strong player among weak ones wins {about(skills[name])} of 100 "
            f"hands there, and {about(skills[BASE])} in {BASE}."
        )
    return "\n\n".join(findings)


QUESTION = StudyQuestion(
    name="editions",
    title="How do the official editions differ?",
    at_the_table="Play the edition that you own. If skill should count more, play H2O.",
    parts=parts,
    measure=measure,
    page=page,
)
