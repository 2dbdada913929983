"""Luck and skill: how often the better player wins a hand and a match, and how many it takes to tell."""

import math
from collections.abc import Sequence

from studies import oracle
from studies.blocks import NOT_TOLD, NUMBERS, about, bars, cell, first, table
from studies.habits import Array
from studies.match_length import MATCH
from studies.question import Row, StudyPage, StudyPart, StudyPlan, StudyQuestion, pick, row, values
from studies.tables import BEST, STRONG, WEAK, best_policy, deals_for, kind, play_duplicate, share
from train.evaluation.estimate import Z_95, Estimate
from uno_env import Rules

OPEN_HANDS = "cheat:flat?num_determinizations=30"
TELL = Z_95 + 0.841621
"""Standard errors between two players that are told apart with 95 % confidence in 80 % of the attempts."""
AHEAD = 0.674490
"""Standard errors by which who is better leads three times out of four."""

NAMES = {OPEN_HANDS: "open hands", oracle.SPEC: "all cards known"}


def _ladder(rules: Rules) -> tuple[list[str], list[str]]:
    """Players by some rules, from weak to strong as far as is known, and those among them whom others meet."""
    policy = best_policy(rules)
    if policy is None:
        return [WEAK, "greedy", STRONG, OPEN_HANDS, oracle.SPEC], [WEAK, STRONG]
    search = f"search:flat?num_determinizations=64&rollout={policy}&value={policy}&prior={policy}"
    searching = [search] if rules.players == 2 else []
    return [WEAK, "greedy", STRONG, policy, *searching, OPEN_HANDS, oracle.SPEC], [WEAK, STRONG, policy]


def parts(plan: StudyPlan) -> list[StudyPart]:
    """A part for each pair and number of players, for hands and, where nobody thinks long, for matches."""
    found = []
    for players in plan.players:
        ladder, opponents = _ladder(_rules(players))
        for opponent in opponents:
            for agent in ladder[ladder.index(opponent) + 1 :]:
                deals = deals_for(plan.deals, agent, opponent)
                labels = {"players": players, "agent": agent, "opponent": opponent}
                name = f"{players}-{called(agent)}-v-{called(opponent)}".replace(" ", "-")
                found.append(StudyPart.of(plan, "luck", f"{name}-hand", **labels, unit="hand", deals=deals))
                if not agent.startswith(("cheat", "search")):
                    matches = max(2, deals // MATCH)
                    found.append(StudyPart.of(plan, "luck", f"{name}-match", **labels, unit="match", deals=matches))
    return found


def called(spec: str) -> str:
    """The name of a player on the page."""
    return "the best policy, searching" if spec.startswith("search") else NAMES.get(spec, kind(spec))


def _rules(players: int) -> Rules:
    return Rules.preset("classic", players=players)


def measure(part: StudyPart) -> list[Row]:
    """The win rate of a pair, and what it takes to tell the two apart."""
    match = part["unit"] == "match"
    scores = play_duplicate(part["agent"], part["opponent"], _rules(part["players"]), part["deals"], part.seed, match)
    labels = {name: part[name] for name in ("players", "unit")}
    labels |= {name: called(part[name]) for name in ("agent", "opponent")}
    labels |= {"spec": part["agent"], "opponent_spec": part["opponent"]}
    means = scores.mean(axis=1)
    rate = Estimate.of(means).share() if means.std() else share(means)
    edge = rate - 1 / part["players"]
    rows = [row("win rate", rate, **labels), row("edge", edge, **labels)]
    return [*rows, *(row(name, each, **labels) for name, each in needed(scores, edge).items())]


def needed(scores: Array, edge: Estimate) -> dict[str, Estimate]:
    """Games that it takes to tell two players apart, plain and by duplicate deals, and until the better one leads.

    There are none where the interval of the edge covers 0.

    Args:
        scores: float64 [deals, players], each deal from every seat.
        edge: win rate above chance.
    """
    if edge.low <= 0 <= edge.high:
        return {}
    plain = float(scores.var())
    duplicate = float(scores.mean(axis=1).var()) * scores.shape[1]
    ways = {"to tell": (TELL, plain), "to tell, duplicate": (TELL, duplicate), "to lead": (AHEAD, plain)}
    return {name: _games(errors, variance, edge) for name, (errors, variance) in ways.items()}


def _games(errors: float, variance: float, edge: Estimate) -> Estimate:
    """Games after which an edge is ``errors`` standard errors, with the interval that the edge's own ends give."""
    games = [max(1, math.ceil(errors**2 * variance / gap**2)) for gap in (edge.mean, edge.low, edge.high)]
    return Estimate(games[0], math.nan, edge.n, min(games), max(games))


def page(rows: Sequence[Row]) -> StudyPage:
    """The page, from rows alone."""
    counts = values(rows, "players")
    two = 2 if 2 in counts else counts[0]
    rates = pick(rows, measure="win rate", players=two)
    named = {f"{each['agent']} v {each['opponent']}, {each['unit']}": each for each in rates}
    few = {_FEW[name]: rate for name, rate in named.items() if name in _FEW}
    axis = f"win rate in per cent, {two} players"
    figures = {name: bars(shown, axis, null=100 / two, scale=100) for name, shown in (("skill", few), ("rates", named))}
    caption = f"How often the better of {two} players wins a hand, or a match to 500 points. The line is chance."
    every = f"How often the better one of each pair of {two} players wins. The line is chance."
    sections = [_section(rows, players) for players in counts]
    text = "\n\n".join(["{figure:skill}", _LEGEND, "{figure:rates}", *sections, _compare(rows, two)])
    return StudyPage(_summary(rows, two), text, figures, {"skill": caption, "rates": every})


_FEW = {
    f"{STRONG} v {WEAK}, hand": "a hand, strong player v any card that fits",
    f"{STRONG} v {WEAK}, match": "a match, strong player v any card that fits",
    f"{BEST} v {STRONG}, hand": "a hand, best policy v strong player",
}
"""The lines of the first picture, in words: a hand and a match of the same two, and a hand of two who are closer."""


_LEGEND = f"""One player of the better kind sits among players of another kind. The rules are the classic ones. If all
players are of one kind, each of them wins the same share of the hands: that is chance.

- `{WEAK}` plays any card that fits. `greedy` and `{STRONG}` are scripted.
- "The best policy" is the trained network that is included for two and for four players. "Searching": it looks ahead.
- "Open hands" is a player who sees all hands. A player with "all cards known" also sees the draw pile. Both expect the
  others to play as `{STRONG}` does. A player who also knew how the others really play could win more.

[House rules](house_rules.md) and [editions](editions.md) have pages of their own.

"Games to tell" is the length of a series. In four of five such series, the 95 % interval of the win rate does not
include chance. In the column "duplicate", each deal is played from every seat. "Games to lead" is the number of games
after which the better player leads three times in four. The intervals in brackets follow from that of the win rate."""


def _section(rows: Sequence[Row], players: int) -> str:
    lines = []
    for rate in pick(rows, measure="win rate", players=players):
        same = {name: rate[name] for name in ("players", "unit", "agent", "opponent")}
        games = [first(pick(rows, measure=name, **same)) for name in ("to tell", "to tell, duplicate", "to lead")]
        lines.append([rate["agent"], rate["opponent"], rate["unit"], cell(rate), *map(_number, games)])
    headings = ["better", "others", "played", "win rate", "games to tell", "duplicate", "games to lead"]
    return f"## {players} players\n\nChance is {100 / players:.0f} %.\n\n{table(headings, lines, 3)}"


def _number(each: Row | None) -> str:
    """A number of games with its interval."""
    return NOT_TOLD if each is None else f"{each['mean']:,.0f} ({each['low']:,.0f} – {each['high']:,.0f})"


FIBS_POINTS = 175
"""A difference on FIBS that is worth 55 % of the games of one point."""
IMPS, IMPS_VARIANCE = 1.0, 31.7
POKER_HANDS = 1_471


def _compare(rows: Sequence[Row], players: int) -> str:
    lines = [
        [f"UNO, {each['agent']} v {each['opponent']}", f"{_number(each)} hands", "here"]
        for each in pick(rows, measure="to lead", players=players, unit="hand")
        if each["agent"] not in NAMES.values()
    ]
    points = (2_000 * math.log10(3) / FIBS_POINTS) ** 2
    boards = AHEAD**2 * IMPS_VARIANCE / IMPS**2
    lines += [
        [f"backgammon, {FIBS_POINTS} rating points of FIBS apart", f"a match to {points:.0f} points", "[1]"],
        ["poker, no limit hold'em, skilled v unskilled", f"{POKER_HANDS:,} hands", "[2]"],
        [f"bridge, teams {IMPS:.0f} IMP a board apart", f"{boards:.0f} boards", "[3]"],
    ]
    headings = ["players", "the better one leads three times in four after", "source"]
    return f"## Beside other games\n\n{_OTHERS}\n\n{table(headings, lines, 3)}\n\n{_SOURCES}"


_OTHERS = """Skill shows sooner if one player is much better. So this table compares examples, not games. Duplicate
bridge takes away the luck of the deal, as duplicate deals do here. In bridge, another team gets the same cards."""

_SOURCES = """1. The formula of the First Internet Backgammon Server, 1 / (1 + 10^(−D √n / 2000)) for ratings D apart
   and a match to n points: [P. Ellis, 2015](http://ellisp.github.io/blog/2015/08/07/fibs-elo-ratings-basics).
   Under this formula, a player who is 175 points ahead wins 55 % of matches to one point.
2. R. J. D. Potter van Loon, M. J. van den Assem, D. van Dolder, "Beyond Chance? The Persistence of Performance in
   Online Poker", [PLoS ONE 10(3): e0115479](https://doi.org/10.1371/journal.pone.0115479), 2015: about 1,500 hands;
   1,471 according to [an account of
   it](http://www.bluffeurope.com/poker-news/en/When-Does-Poker-Become-a-Game-of-Skill-_20168.aspx).
3. The variance of a board, 31.7 IMPs², over 2,959 boards on OKbridge: J. Goldsmith's study as quoted in
   [a discussion of 2013](https://open-chess.expr-i0.net/viewtopic.php?f=38&t=2444&view=print), whose table gives 68 %
   after 7 boards and 81 % after 24; the number of boards is worked out here."""


def _summary(rows: Sequence[Row], players: int) -> str:
    def rate(agent: str, opponent: str, unit: str, measure: str = "win rate") -> Row | None:
        return first(pick(rows, measure=measure, players=players, agent=agent, opponent=opponent, unit=unit))

    findings = []
    hand, match = (rate(STRONG, WEAK, unit) for unit in ("hand", "match"))
    if hand and match:
        findings.append(
            f"**A hand is mostly luck, a match is mostly skill.** At a table of {NUMBERS[players]}, a strong player "
            f"wins {about(hand)} of 100 hands against a player who lays any card that fits. Of 100 matches to 500 "
            f"points, the strong player wins {about(match)}."
        )
    tell, closest = rate(STRONG, WEAK, "hand", "to tell"), pick(rows, measure="to tell", players=players, unit="hand")
    if tell and closest:
        far = max(closest, key=lambda each: float(each["mean"]))
        findings.append(
            f"**If two players are close, it takes many hands to see who is better.** The two above are not close: a "
            f"series of {about(tell, 1)} hands shows the difference in four of five cases. {far['agent'].capitalize()} "
            f"is only a little better than {far['opponent']}: there, a series needs {about(far, 1)} hands."
        )
    opened, known = (rate(name, STRONG, "hand") for name in (NAMES[OPEN_HANDS], NAMES[oracle.SPEC]))
    if opened and known:
        findings.append(
            f"**Even a player who sees all hands does not always win.** Such a player wins about {about(opened)} of "
            f"100 hands against a strong player. A player who also knows the draw pile wins about {about(known)}."
        )
    return "\n\n".join(findings)


QUESTION = StudyQuestion(
    name="luck",
    title="How much is luck, how much is skill?",
    at_the_table="If the better player should win, play a match instead of one hand.",
    parts=parts,
    measure=measure,
    page=page,
)
