"""Asking how often one should bluff, and challenge: the parts, and what they measure."""

from typing import Any

from studies.bluffing.exact import DECKS, measure_deck
from studies.bluffing.learned import frequencies
from studies.bluffing.page import page
from studies.habits import (
    Habit,
    always_bluff,
    always_challenge,
    never_bluff,
    never_challenge,
    no_habit,
    play_table,
    point_margins,
)
from studies.question import Row, StudyPart, StudyPlan, StudyQuestion, row
from studies.tables import STRONG, best_policy, deals_for, kind
from train.evaluation.duplicate import agent_scores
from train.evaluation.estimate import Estimate
from uno_env import Rules

QUICK = 1_000
"""Deals of a plan below which the first deck alone is solved, and not for long."""
TABLES: dict[str, tuple[Habit, Habit]] = {
    "never bluff": (never_bluff, no_habit),
    "always bluff": (always_bluff, no_habit),
    "never challenge": (never_challenge, no_habit),
    "always challenge": (always_challenge, no_habit),
    "never bluff, and nobody else challenges": (never_bluff, never_challenge),
    "always bluff, and nobody else challenges": (always_bluff, never_challenge),
    "never bluff, and all others challenge": (never_bluff, always_challenge),
    "always bluff, and all others challenge": (always_bluff, always_challenge),
}
"""Habits of the player, and of all others at its table."""


def parts(plan: StudyPlan) -> list[StudyPart]:
    """A part for each deck, for each way to play on the full deck, and for each table with habits."""
    quick = plan.deals < QUICK
    found = [
        StudyPart.of(plan, "bluffing", name.replace(" ", "-"), deck=name, iterations=20 if quick else 60)
        for name in list(DECKS)[: 1 if quick else None]
    ]
    for players in [number for number in (2, 4) if number in plan.players] or plan.players[:1]:
        policy = best_policy(Rules.preset("classic", players=players))
        for spec in (STRONG, *([policy] if policy else [])):
            name = f"{players}-{kind(spec).split()[-1]}"
            labels: dict[str, Any] = {"players": players, "spec": spec, "deals": deals_for(plan.deals, spec)}
            for style in ("greedy",) if spec == STRONG else ("greedy", "sampled"):
                found.append(StudyPart.of(plan, "bluffing", f"{style}-{name}", style=style, **labels))
            found.append(StudyPart.of(plan, "bluffing", f"habits-{name}", **labels))
    return found


def measure(part: StudyPart) -> list[Row]:
    """The rows of a deck, of a way to play, or of a table with habits."""
    arguments = dict(part.arguments)
    if "deck" in arguments:
        return measure_deck(part["deck"], part["iterations"])
    rules = Rules.preset("classic", players=part["players"])
    labels = {"players": part["players"], "player": kind(part["spec"]), "spec": part["spec"]}
    if "style" in arguments:
        spec = f"{part['spec']}?sample=1" if part["style"] == "sampled" else part["spec"]
        rows = frequencies(spec, rules, part["deals"], part.seed)
        return [{**labels, "style": part["style"], **each} for each in rows]
    return [{**labels, **each} for each in _measure_habits(part, rules)]


def _measure_habits(part: StudyPart, rules: Rules) -> list[Row]:
    """Measure the gain of a player with a habit above its share, at a table of its own kind."""
    rows = []
    for name, habits in TABLES.items():
        played, seating, _ = play_table(part["spec"], part["spec"], rules, part["deals"], part.seed, habits)
        games = {"win": agent_scores(played, seating) - 1 / rules.players, "points": point_margins(played, seating)}
        for measured, each in games.items():
            gain = Estimate.of(each.reshape(-1, rules.players).mean(axis=1))
            rows.append(row(measured, gain, habit=name))
    return rows


QUESTION = StudyQuestion(
    name="bluffing",
    title="How often should one bluff, and challenge?",
    at_the_table="Do not bluff with a Wild Draw Four. Challenge it with two players, but seldom with four players.",
    parts=parts,
    measure=measure,
    page=page,
)
