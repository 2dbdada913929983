"""Asking what advice is worth.

Whoever has a habit plays by its own judgement wherever the habit leaves it a choice (:mod:`studies.habits`), and is
measured on duplicate deals: in hands won, and in points. At a table of its own kind it would reach the par but for the
habit; elsewhere, it is compared with itself without the habit on the same deals.
"""

from studies.advice.page import ITSELF, page
from studies.advice.pieces import ADVICE
from studies.habits import Array, Habit, no_habit, play_table, point_margins
from studies.question import Row, StudyPart, StudyPlan, StudyQuestion, row
from studies.tables import STRONG, best_policy, deals_for, kind
from train.evaluation.duplicate import agent_scores
from train.evaluation.estimate import Estimate
from uno_env import Rules

OTHERS = (("edition_2018", 4), ("edition_2022", 4), ("h2o", 4), ("house", 2), ("house", 4), ("house", 6))
"""Other rules than ``classic``, and numbers of players."""
QUICK = 1_000
"""Deals of a plan below which only the first table is asked."""


def parts(plan: StudyPlan) -> list[StudyPart]:
    """A part for each table: rules, players, who has the habit, and who sits at all other seats."""
    found = []
    tables = [("classic", players) for players in plan.players]
    tables += [(preset, players) for preset, players in OTHERS if players in plan.players]
    for preset, players in tables if plan.deals >= QUICK else tables[:1]:
        policy = best_policy(Rules.preset(preset, players=players))
        specs = [STRONG, *([policy] if policy else [])]
        for spec in specs:
            for opponent in specs:
                deals = max(2, deals_for(plan.deals, spec, opponent) * 2 // players)
                labels = {"rules": preset, "players": players, "spec": spec, "opponent": opponent, "deals": deals}
                name = "-".join((preset, str(players), *(kind(each).split()[-1] for each in (spec, opponent))))
                found.append(StudyPart.of(plan, "advice", name, **labels))
    return found


def measure(part: StudyPart) -> list[Row]:
    """Measure the gain of each habit at a table, and the share of the decisions that it changes."""
    spec, opponent = part["spec"], part["opponent"]
    rules = Rules.preset(part["rules"], players=part["players"])
    labels = {"rules": part["rules"], "players": part["players"], "player": kind(spec), "spec": spec,
              "table": ITSELF if spec == opponent else kind(opponent)}  # fmt: skip

    def scores(habit: Habit) -> tuple[dict[str, Array], float]:
        played, seating, player = play_table(spec, opponent, rules, part["deals"], part.seed, (habit, no_habit))
        games = {"win": agent_scores(played, seating) - 1 / rules.players}
        if rules.scoring != "hand":
            games["points"] = point_margins(played, seating)
        deals = {name: each.reshape(-1, rules.players).mean(axis=1) for name, each in games.items()}
        return deals, player.changed / max(player.decisions, 1)

    without = {} if spec == opponent else scores(no_habit)[0]
    rows = []
    for name, (_, habit) in ADVICE.items():
        deals, changed = scores(habit)
        for measured, each in deals.items():
            gain = Estimate.of(each - without.get(measured, 0.0))
            rows.append(row(measured, gain, **labels, habit=name, changed=changed))
    return rows


QUESTION = StudyQuestion(
    name="advice",
    title="What is the advice worth?",
    at_the_table="Never draw a card while you can play one, and do not play your highest card first.",
    parts=parts,
    measure=measure,
    page=page,
)
