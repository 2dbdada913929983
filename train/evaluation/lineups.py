"""The line-ups of a tournament: which agents share a table.

A *line-up* is a tuple of indices into the list of agents, one for each seat. Every deal is played once from each
rotation of the line-up. With two players, every pair of agents meets. At larger tables there are two ways:

``mixed``
    Different agents share a table: every possible choice of agents, as long as these are at most :data:`MANY`;
    otherwise about :data:`MANY` choices in which all pairs meet about equally often. If there are fewer agents than
    seats, all get the same number of seats, with a line-up for each way to give away the seats that are left over.
``against``
    One agent plays against a table full of another, for every ordered pair of agents. ``uno evaluate`` measures this.
"""

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Sequence

Lineup = tuple[int, ...]

TABLES = ("mixed", "against")
MANY = 120
"""The largest number of line-ups of a mixed tournament; there are more only if some pairs would not meet otherwise."""


def make_lineups(agents: int, players: int, tables: str = "mixed") -> list[Lineup]:
    """The line-ups of a tournament, ``mixed`` or ``against``; the module's docstring describes them. For two players
    both give every pair once. Raises ValueError if there are fewer than 2 agents, or ``tables`` is another text.
    """
    if tables not in TABLES:
        raise ValueError(f"tables={tables!r} is not allowed: choose {' or '.join(TABLES)}")
    if agents < 2:
        raise ValueError(f"{agents} agent{'' if agents == 1 else 's'} cannot play a tournament: name 2 or more")
    if players > 2 and tables == "against":
        return [against(one, other, players) for one, other in itertools.permutations(range(agents), 2)]
    if agents < players:
        every, over = divmod(players, agents)
        chosen = itertools.combinations(range(agents), over)
        return [tuple(sorted([*list(range(agents)) * every, *more])) for more in chosen]
    if players == 2 or math.comb(agents, players) <= MANY:
        return list(itertools.combinations(range(agents), players))
    return _balanced(agents, players)


def against(agent: int, opponent: int, players: int) -> Lineup:
    """The line-up of one agent whose opponents are all the same agent."""
    return (agent, *[opponent] * (players - 1))


def meetings(lineups: Iterable[Sequence[int]]) -> Counter[tuple[int, int]]:
    """The number of line-ups with both agents, for each pair of agents, the lower index first."""
    return Counter(pair for lineup in lineups for pair in itertools.combinations(sorted(set(lineup)), 2))


def _balanced(agents: int, players: int) -> list[Lineup]:
    """Line-ups in which all pairs meet about equally often.

    Each seat goes to the agent that has met the agents already at the table least often.
    """
    met: Counter[tuple[int, int]] = Counter()
    seated: Counter[int] = Counter()
    lineups: list[Lineup] = []
    pairs = math.comb(agents, 2)
    while len(lineups) < MANY or len(met) < pairs:
        lineup: list[int] = []
        while len(lineup) < players:
            free = [agent for agent in range(agents) if agent not in lineup]
            shared = {each: sum(met[min(each, other), max(each, other)] for other in lineup) for each in free}
            lineup.append(min(free, key=lambda each: (shared[each], seated[each], each)))
        seated.update(lineup)
        met.update(meetings([lineup]))
        lineups.append(tuple(sorted(lineup)))
    return lineups
