"""The line-ups of a tournament: which agents share a table.

A *line-up* is a tuple of indices into the list of agents, one for each seat. A deal is played from every rotation of
its line-up, so the line-up says who sits around the table, and not who sits where.

Two players: every pair meets. At larger tables there are two ways:

``mixed``
    Different agents share a table. With as many agents as seats there is one line-up; with more, every choice of agents
    if those are at most :data:`MANY`, else as many choices, such that all pairs meet about as often; with fewer, each
    agent takes as many seats as another, and what is left over goes to each in turn, or to each set of them.
``against``
    One agent against a table of another, for every two agents in both roles: what ``uno evaluate`` measures.
"""

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Sequence

Lineup = tuple[int, ...]

TABLES = ("mixed", "against")
MANY = 120
"""Line-ups of a mixed tournament at most, unless so many do not suffice for all pairs to meet."""


def make_lineups(agents: int, players: int, tables: str = "mixed") -> list[Lineup]:
    """The line-ups of a tournament of ``agents`` agents at tables of ``players``, as the module says.

    Raises:
        ValueError: there are fewer than 2 agents, or there is no such way.
    """
    if tables not in TABLES:
        raise ValueError(f"tables={tables!r} is not allowed: choose {' or '.join(TABLES)}")
    if agents < 2:
        raise ValueError(f"{agents} agent{'' if agents == 1 else 's'} cannot play a tournament: name 2 or more")
    if players > 2 and tables == "against":
        return [against(one, other, players) for one, other in itertools.permutations(range(agents), 2)]
    if agents < players:
        return _repeated(agents, players)
    if players == 2 or math.comb(agents, players) <= MANY:
        return list(itertools.combinations(range(agents), players))
    return _balanced(agents, players)


def against(agent: int, opponent: int, players: int) -> Lineup:
    """One agent at a table of another."""
    return (agent, *[opponent] * (players - 1))


def meetings(lineups: Iterable[Sequence[int]]) -> Counter[tuple[int, int]]:
    """How many of the line-ups each two agents share."""
    return Counter(pair for lineup in lineups for pair in itertools.combinations(sorted(set(lineup)), 2))


def _repeated(agents: int, players: int) -> list[Lineup]:
    every, over = divmod(players, agents)
    chosen = list(itertools.combinations(range(agents), over))
    return [tuple(sorted([*list(range(agents)) * every, *more])) for more in chosen]


def _balanced(agents: int, players: int) -> list[Lineup]:
    """Line-ups one after the other, each filled with who has met the least those who sit there already."""
    met: Counter[tuple[int, int]] = Counter()
    seated: Counter[int] = Counter()
    lineups: list[Lineup] = []
    pairs = math.comb(agents, 2)
    while len(lineups) < MANY or len(met) < pairs:
        lineup: list[int] = []
        while len(lineup) < players:
            free = [agent for agent in range(agents) if agent not in lineup]
            lineup.append(min(free, key=lambda agent: (_met(met, agent, lineup), seated[agent], agent)))
        seated.update(lineup)
        met.update(meetings([lineup]))
        lineups.append(tuple(sorted(lineup)))
    return lineups


def _met(met: Counter[tuple[int, int]], agent: int, others: Sequence[int]) -> int:
    return sum(met[min(agent, other), max(agent, other)] for other in others)
