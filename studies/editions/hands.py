"""The parts that the pages on editions with cards of their own share: length of hands, skill, the first player."""

from collections.abc import Sequence

from studies.blocks import NUMBERS, about, cell, first, grid, table
from studies.luck import needed
from studies.match_length import MATCH
from studies.question import Row, StudyPart, StudyPlan, pick, row, values
from studies.tables import SECONDS, STRONG, WEAK, best_policy, deals_for, kind, play_duplicate
from train.evaluation.duplicate import Played
from train.evaluation.estimate import Estimate
from uno_env import Rules

FEWER = 10
"""For the cards and for the win rates, one hand is played in so many."""


def skill_parts(plan: StudyPlan, preset: str, players: int) -> list[StudyPart]:
    """A part for each pair of players of different kinds, by hands and by matches."""
    found, policy = [], best_policy(Rules.preset(preset, players=players))
    for agent, opponent in [(STRONG, WEAK), *([(policy, STRONG)] if policy else [])]:
        deals = max(2, deals_for(plan.deals, agent, opponent) // FEWER // players)
        for unit, number in (("hand", deals), ("match", max(2, deals // MATCH))):
            name = f"{players}-{kind(agent)}-v-{kind(opponent)}-{unit}".replace(" ", "-")
            pair = {"agent": agent, "opponent": opponent, "unit": unit, "deals": number}
            found.append(StudyPart.of(plan, preset, name, what="skill", players=players, **pair))
    return found


def measure_skill(part: StudyPart, preset: str) -> list[Row]:
    """The win rate of a pair, and the games after which the better one leads."""
    rules, match = Rules.preset(preset, players=part["players"]), part["unit"] == "match"
    scores = play_duplicate(part["agent"], part["opponent"], rules, part["deals"], part.seed, match)
    labels = {"players": part["players"], "unit": part["unit"], "spec": part["agent"]}
    labels |= {"agent": kind(part["agent"]), "opponent": kind(part["opponent"]), "opponent_spec": part["opponent"]}
    rate = Estimate.of(scores.mean(axis=1)).share()
    games = needed(scores, rate - 1 / part["players"])
    return [
        row("win rate", rate, **labels),
        *(row(name, each, **labels) for name, each in games.items() if name == "to lead"),
    ]


def labels_of(part: StudyPart) -> dict[str, object]:
    """The labels of the rows of a part at one kind of table."""
    return {"players": part["players"], "table": kind(part["spec"]), "spec": part["spec"]}


def measure_length(part: StudyPart, played: Played) -> list[Row]:
    """Decisions and minutes of hands in which all players are of one kind."""
    samples = {"decisions": played.length, "minutes": played.length * SECONDS / 60}
    return [row(name, Estimate.of(each.astype(float)), **labels_of(part)) for name, each in samples.items()]


def length_section(rows: Sequence[Row], kinds: Sequence[str]) -> str:
    """The section on the length of hands."""
    cells = by_players(rows, [("decisions", each) for each in kinds] + [("minutes", STRONG)], 1, 1)
    return (
        "## Length\n\nA decision is one answer of a player: a card, a colour, a call. Minutes assume "
        f"{SECONDS} seconds for each. This time was not measured.\n\n"
        + table(["players", *(f"decisions, {each}" for each in kinds), f"minutes, {STRONG}"], cells)
    )


def by_players(rows: Sequence[Row], columns: Sequence[tuple[str, str]], digits: int, scale: float) -> list[list[str]]:
    """A line for each number of players, with a cell for each measure and table."""

    def shown(players: int, measure: str, who: str) -> str:
        return cell(first(pick(rows, players=players, measure=measure, table=who)), digits, scale=scale)

    return [[str(players), *(shown(players, *column) for column in columns)] for players in values(rows, "players")]


def luck_section(rows: Sequence[Row], target: int) -> str:
    """The section on win rates and luck; a match goes to ``target`` points."""
    lines = []
    for rate in pick(rows, measure="win rate"):
        same = {name: rate[name] for name in ("players", "unit", "agent", "opponent")}
        games = first(pick(rows, measure="to lead", **same))
        lead = cell(games, 0, scale=1)
        par = f"{100 / rate['players']:.0f}"
        lines.append([str(rate["players"]), rate["agent"], rate["opponent"], rate["unit"], par, cell(rate), lead])
    headings = ["players", "better", "others", "played", "chance", "win rate", "games to lead"]
    return (
        "## Luck\n\nOne player of a kind sits among others of another kind, on duplicate deals. After the games in the "
        f"last column, the better player leads three times in four. A match goes to {target:,} points.\n\n"
        f"{table(headings, lines, 4)}"
    )


def first_player_section(rows: Sequence[Row]) -> str:
    """The section on the first player."""
    begin = [above_chance(each) for each in pick(rows, measure="beginner")]
    return (
        "## What does playing first add?\n\nThe table says how much more often the first player wins than by chance, "
        f"in points of win rate.\n\n{grid(begin, 'table', 'players')}"
    )


def hands_that_never_end(rows: Sequence[Row]) -> str:
    """The sentence on hands that did not end."""
    never = max((each["mean"] for each in pick(rows, measure="never ended")), default=0)
    return "Every hand ended." if not never else f"Up to {100 * never:.1g} % of the hands never ended."


def above_chance(each: Row) -> Row:
    """A share of wins as the difference from that of chance."""
    return {**each, **{name: each[name] - 1 / each["players"] for name in ("mean", "low", "high")}}


def among_good_players(rows: Sequence[Row], measure: str, players: int) -> Row | None:
    """The row of a measure at the table of so many strong players, if there is one."""
    return first(pick(rows, measure=measure, players=players, table=STRONG))


def length_and_luck(rows: Sequence[Row], length: str, luck: str) -> list[str]:
    """The findings on the length of hands and on luck, as far as they were measured; each begins with its title."""
    counts, found = values(rows, "players"), []
    few, many = min(counts), max(counts)
    short, long = (among_good_players(rows, "decisions", players) for players in (few, many))
    if short and long:
        found.append(
            f"**{length}** With {NUMBERS[few]} good players a hand takes {about(short, 1)} decisions, with "
            f"{NUMBERS[many]} it takes {about(long, 1)}."
        )
    rate = first(pick(rows, measure="win rate", unit="hand", players=few, agent=STRONG, opponent=WEAK))
    if rate:
        found.append(
            f"**{luck}** At a table of {NUMBERS[few]}, a strong player wins {about(rate)} of 100 hands against a "
            "player who lays any card that fits."
        )
    return found
