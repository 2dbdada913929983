"""A league to train against: agents by name and past selves, the harder ones more often.

* **Joining.** The named agents are members from the beginning and for good. The learner joins at the beginning, and
  again whenever ``every`` decisions have been made since the last time, as a *past self*, which draws its actions.
* **Leaving.** If there are more than ``size`` past selves, the one with the highest relative win rate of the learner
  leaves, the oldest of equals.
* **Opponents.** Before each iteration every group of games draws the opponent for the hands that begin in it: member i
  with a probability in proportion to (1 − p_i) ** ``hardness``, p_i being the learner's win rate against it.
* **Win rates** are those of the training games, of about the last ``WINDOW`` hands against a member. ``PRIOR`` hands
  with a win rate of 1 / players are added. Each number of players has its own. A hand without a winner counts as
  1 / players.

Source of playing the harder ones more often: O. Vinyals et al., "Grandmaster level in StarCraft II using multi-agent
reinforcement learning", 2019.
"""

import copy
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from msgspec import Meta

import agents
from train.algorithms.parts.opponents import WinRecord
from train.algorithms.parts.past_self import PastSelf
from train.algorithms.parts.rollout import Rollout
from train.networks.policy_network import Network
from train.runs.checkpoint import under
from train.runs.tensorboard_log import label_of
from uno_env.common.validation import convert
from uno_env.core.arrays import Array
from uno_env.player import Player
from uno_env.rules import Rules

WINDOW = 3_000
PRIOR = 100


@dataclass
class Member:
    """A possible opponent: an agent by name, or a past self with its network."""

    number: int
    name: str
    decisions: int = 0
    """The decisions that had been played when it joined."""
    network: Network | None = None
    records: dict[int, WinRecord] = field(default_factory=dict)
    """Results of the hands against it, by number of players."""

    def player(self, rules: Rules) -> Player:
        """A new player that plays as this member."""
        return agents.load(self.name, rules=rules) if self.network is None else PastSelf(self.network)

    def win_rate(self, players: int) -> float:
        """The learner's win rate against it. The winner's reward is 1 and those of the others add up to −1."""
        record = self.records.get(players, WinRecord())
        return (1 + (players - 1) * record.reward / (record.hands + PRIOR)) / players

    def relative_win_rate(self) -> float:
        """The learner's win rate against it times the players, 1 for equal, the mean over numbers of players."""
        return sum(self.win_rate(players) * players for players in self.records) / max(1, len(self.records))

    def add_record(self, players: int, record: WinRecord) -> None:
        """Add to its record. Hands before the last :data:`WINDOW` count less and less."""
        mine = self.records.setdefault(players, WinRecord())
        mine.add(record)
        share = min(1.0, WINDOW / max(1.0, mine.hands))
        mine.hands, mine.reward = share * mine.hands, share * mine.reward


_Count = Annotated[int, Meta(ge=0, le=2**62)]


@dataclass(frozen=True)
class _SavedMember:
    number: _Count
    name: str
    decisions: _Count
    records: tuple[tuple[Annotated[int, Meta(ge=2, le=10)], float, float], ...]
    """Players, hands and reward."""


@dataclass(frozen=True)
class _SavedLeague:
    """A league as plain values, without the weights of its past selves."""

    members: Annotated[tuple[_SavedMember, ...], Meta(min_length=1)]
    joined: _Count


class League:
    """Members, their records, and how opponents are drawn from them; see the module.

    ``learners`` are the seats that learn in a game with an opponent; a member plays all others. ``every`` counts
    decisions. With ``size`` 0 no past self joins; with ``hardness`` 0 all members are equally likely.
    """

    def __init__(
        self, named: Sequence[str], every: int, size: int, hardness: float, share: float = 1.0, learners: int = 1
    ) -> None:
        self.members = [Member(number, name) for number, name in enumerate(named)]
        self.share, self.learners = share, learners
        self._every, self._size, self._hardness = every, size, hardness
        self._joined = len(named)

    @property
    def past_selves(self) -> list[Member]:
        """The members that are past selves, the oldest first."""
        return [member for member in self.members if member.network is not None]

    def admit(self, network: Network, decisions: int) -> None:
        """Let the learner join if it is time."""
        selves = self.past_selves
        if not self._size or (selves and decisions - selves[-1].decisions < self._every):
            return
        if len(selves) >= self._size:
            self.members.remove(max(selves, key=Member.relative_win_rate))
        self.members.append(Member(self._joined, f"self-{decisions}", decisions, _frozen(network)))
        self._joined += 1

    def draw_opponents(self, rollouts: Sequence[Rollout], rng: np.random.Generator) -> None:
        """Draw the opponent of each of the groups of games."""
        for rollout in rollouts:
            rules = rollout.games.rules
            probabilities = self.probabilities(rules.players)
            drawn = [self.members[int(rng.choice(len(probabilities), p=probabilities))].number for _ in rollout.rngs]
            makers = {member.number: partial(member.player, rules) for member in self.members}
            rollout.set_opponents(makers, *drawn)

    def probabilities(self, players: int) -> npt.NDArray[np.float64]:
        """The probability of each member to be drawn for a table of this number of players."""
        weights = np.array([(1 - member.win_rate(players)) ** self._hardness for member in self.members])
        return weights / weights.sum() if weights.sum() > 0 else np.full(len(weights), 1 / len(weights))

    def record_hands(self, rollouts: Sequence[Rollout]) -> dict[str, float]:
        """Count the hands that ended, and return the win rates against their opponents, by tag."""
        played: dict[tuple[int, int], WinRecord] = {}
        for rollout in rollouts:
            for number, record in rollout.records.items():
                played.setdefault((number, rollout.games.rules.players), WinRecord()).add(record)
        several = len({rollout.games.rules.players for rollout in rollouts}) > 1
        figures = {}
        for member in self.members:
            for (number, players), record in played.items():
                if number == member.number and record.hands:
                    member.add_record(players, record)
                    label = label_of(member.name, players, several)
                    figures[f"league/win_rate_vs_{label}"] = member.win_rate(players)
        return figures

    def get_state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """The weights of the past selves, and the rest as plain values."""
        arrays = {
            f"{member.number}.{name}": weight
            for member in self.past_selves
            if member.network is not None
            for name, weight in member.network.state().items()
        }
        members = []
        for each in self.members:
            records = [[players, record.hands, record.reward] for players, record in each.records.items()]
            members.append({"number": each.number, "name": each.name, "decisions": each.decisions, "records": records})
        return arrays, {"members": members, "joined": self._joined}

    def set_state(self, arrays: Mapping[str, Array], values: dict[str, Any], network: Network) -> None:
        """Continue from a state of :meth:`get_state`; ``network`` has the shape of the past selves. Members without
        weights get their names from the config: a checkpoint must not name agents. Raises ValueError if the state is
        not one of such a league.
        """
        saved, named = convert(values, _SavedLeague), {member.number: member.name for member in self.members}
        numbers = [member.number for member in saved.members]
        if len(set(numbers)) < len(numbers) or max(numbers) >= saved.joined:
            raise ValueError(f"the league's members are numbered {numbers}, where {saved.joined} have joined")
        members = []
        for each in saved.members:
            weights, past, name = under(f"{each.number}.", arrays), None, named.get(each.number)
            if weights:
                past, name = _frozen(network), f"self-{each.decisions}"
                past.load_weights(weights)
            if name is None or not all(abs(reward) <= hands + 1e-6 <= 2 * WINDOW for _, hands, reward in each.records):
                raise ValueError(
                    f"member {each.number} of the league is neither named nor a past self, or its record is impossible"
                )
            records = {players: WinRecord(hands, reward) for players, hands, reward in each.records}
            members.append(Member(each.number, name, each.decisions, past, records))
        self._joined, self.members = saved.joined, members


def _frozen(network: Network) -> Network:
    return copy.deepcopy(network).requires_grad_(False)


def check_partners(field: str, specs: Sequence[str], tables: Sequence[Rules]) -> None:
    """Raise :class:`ValueError` if an agent in a config's ``field`` cannot play in the network's games."""
    for spec, rules in itertools.product(specs, tables):
        agent = agents.load(spec, rules=rules)
        problem = f"{field}={spec!r} is not allowed"
        if agent.sees_all_hands:
            raise ValueError(f"{problem}: an agent that sees all hands plays only where games are evaluated")
        if agent.state_size:
            raise ValueError(f"{problem}: it remembers the hand it is in, and only evaluations keep its memory")
        if agent.history:
            raise ValueError(f"{problem}: it reads past events, and only evaluations show them")
