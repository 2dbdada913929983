"""The length of a match: to 500 points for the winners of hands, until one is left, or for the fewest points."""

from collections.abc import Sequence

from studies.blocks import NUMBERS, about, cell, curves, first, table
from studies.question import Row, StudyPage, StudyPart, StudyPlan, StudyQuestion, pick, row, values
from studies.tables import SECONDS, STRONG, WHO, deals_for, kind, play_alike, share, tables
from train.evaluation.estimate import Estimate
from uno_env import Rules

SCORINGS = {
    "winner_takes": "until one has 500 points",
    "elimination": "until only one is below 500",
    "lowest": "for the fewest points when one has 500",
}
"""Ways to count a match, and their names on the page."""

MATCH = 10
"""Deals for which a match is played: it takes about as many hands."""


def parts(plan: StudyPlan) -> list[StudyPart]:
    """A part for each way to count, number of players and kind of player."""
    found = []
    for scoring in SCORINGS:
        for players in plan.players:
            for spec in tables(_rules(scoring, players)):
                matches = max(2, deals_for(plan.deals, spec) // MATCH)
                labels = {"scoring": scoring, "players": players, "spec": spec, "matches": matches}
                name = f"{scoring}-{players}-{kind(spec).replace(' ', '-')}"
                found.append(StudyPart.of(plan, "match_length", name, **labels))
    return found


def _rules(scoring: str, players: int) -> Rules:
    return Rules.preset("classic", players=players, scoring=scoring)


def measure(part: StudyPart) -> list[Row]:
    """Hands and decisions of a match, decisions of a hand, minutes at a table."""
    rules = _rules(part["scoring"], part["players"])
    played = play_alike(part["spec"], rules, part["matches"], part.seed, match=True)
    labels = {"scoring": part["scoring"], "players": part["players"], "table": kind(part["spec"]),
              "spec": part["spec"]}  # fmt: skip
    samples = {
        "hands": played.hands.astype(float),
        "decisions": played.length.astype(float),
        "minutes": played.length * SECONDS / 60,
    }
    never = row("never ended", share((played.winner < 0).astype(float)), **labels)
    return [*(row(name, Estimate.of(each), **labels) for name, each in samples.items()), never]


def page(rows: Sequence[Row]) -> StudyPage:
    """The page, from rows alone."""
    strong = pick(rows, table=STRONG)
    sections = [_section(rows, scoring, title) for scoring, title in SCORINGS.items()]
    lines = {
        title: [(each["players"], each) for each in pick(strong, measure="minutes", scoring=scoring)]
        for scoring, title in SCORINGS.items()
    }
    caption = f"Minutes of a match by players, {SECONDS} seconds a decision, `{STRONG}` at all seats."
    text = "\n\n".join(["{figure:minutes}", *sections, _LEGEND])
    figure = curves(lines, "players", "minutes of a match")
    return StudyPage(_summary(strong), text, {"minutes": figure}, {"minutes": caption})


_LEGEND = f"""{WHO} A decision is one answer of a player: a card, a colour, a challenge, a call. Minutes assume
{SECONDS} seconds for each decision. This time was not measured."""


def _section(rows: Sequence[Row], scoring: str, title: str) -> str:
    here = pick(rows, scoring=scoring)
    kinds = values(here, "table")
    lines = [
        [
            str(players),
            *(
                cell(first(pick(here, players=players, table=each, measure=measure)), 1, scale=1)
                for measure in ("hands", "decisions")
                for each in kinds
            ),
            cell(first(pick(here, players=players, table=STRONG, measure="minutes")), 1, scale=1),
        ]
        for players in values(here, "players")
    ]
    headings = ["players", *(f"{measure}, {each}" for measure in ("hands", "decisions") for each in kinds), "minutes"]
    return f"## {title[0].upper()}{title[1:]}\n\n{table(headings, lines)}"


def _summary(strong: Sequence[Row]) -> str:
    """The answer for two and for four players, and for another way to count."""
    findings = []
    for players in (2, 4):
        hands, minutes = (
            {each["scoring"]: each for each in pick(strong, players=players, measure=measure)}
            for measure in ("hands", "minutes")
        )
        if "winner_takes" in hands:
            findings.append(
                f"**With {NUMBERS[players]} players, plan for {about(minutes['winner_takes'], 1)} minutes.** A match "
                f"{SCORINGS['winner_takes']} takes {about(hands['winner_takes'], 1)} hands."
            )
        slower = minutes.get("elimination")
        if slower and slower["low"] > minutes["winner_takes"]["high"]:
            findings.append(
                f"**With {NUMBERS[players]} players, it takes longer until only one is left.** A match "
                f"{SCORINGS['elimination']} takes {about(slower, 1)} minutes."
            )
    return "\n\n".join(findings)


QUESTION = StudyQuestion(
    name="match_length",
    title="How long is a match?",
    at_the_table="Plan half an hour for a match to 500 points.",
    parts=parts,
    measure=measure,
    page=page,
)
