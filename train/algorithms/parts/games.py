"""The games that a network plays against itself and against a league: :class:`SelfPlayGames`.

A seat's chain of choices in a hand is an episode of its own: the next value is that of the same seat's next choice,
γ = 1, and the reward at the end is the seat's own, whichever seat made the hand's last decision.
"""

import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from train.algorithms.parts import backends
from train.algorithms.parts.config import SelfPlayConfig
from train.algorithms.parts.league import League
from train.algorithms.parts.rollout import Evaluate, Rollout, RolloutStats
from train.algorithms.parts.trainer import RolloutBuffer
from train.common import replicas
from train.networks.policy_network import Network
from train.runs.checkpoint import as_bytes, from_bytes, under
from uno_env import BatchedGames, Rules
from uno_env.common.numbers import checked_whole
from uno_env.core.arrays import Array
from uno_env.envs.hand_length import CHOICE_COST, HandLengthCheck

LEAGUE = "league."
"""Prefix of the names of the past selves' weights in a checkpoint."""


class Group(NamedTuple):
    """Games of the same rules, played by one thread at a time."""

    number: int
    """The seeds of the games are derived from it and the run's seed."""
    rules: Rules
    num_games: int
    table: int
    """Groups of one table have the same rules; some backends play them together."""


class RandomTables(NamedTuple):
    """Tables with rules drawn at random: the last groups. Each iteration deals one of them anew with new rules."""

    tables: int
    draw: Callable[[int], Rules]
    """The rules of one number in the endless list of the run."""


class SelfPlayGames:
    """Groups of games, those of :func:`game_groups` by default, with the choices that they store.

    The ``buffer`` has the choices of all ``rollouts``. A ``league`` plays in a share of the games. So many
    ``random_tables`` have rules drawn at random. There is one warning if the first hands are too long
    (:class:`uno_env.envs.hand_length.HandLengthCheck`).
    """

    def __init__(
        self,
        config: SelfPlayConfig,
        backend: backends.Backend,
        network: Network,
        groups: Sequence[Group] | None = None,
        league: League | None = None,
        random_tables: RandomTables | None = None,
    ) -> None:
        self.config, self.backend, self.network, self.league = config, backend, network, league
        self._random_tables = random_tables
        groups = game_groups(config, replicas.rank()) if groups is None else groups
        self._numbers = [group.number for group in groups]
        together = backend.together(groups)
        rows = [sum(group.num_games for group in each) * config.num_steps for each in together]
        self.buffer = RolloutBuffer.empty(sum(rows), network.width, len(network.actions), device=backend.device)
        self.rollouts: list[Rollout] = []
        for each, end, size in zip(together, np.cumsum(rows, dtype=int).tolist(), rows, strict=True):
            part = self.buffer.part(slice(end - size, end))
            self.rollouts.append(self._deal(each, part))
        with torch.inference_mode():
            self._layers = network.prepared_layers()
        self._evaluate = partial(self.evaluate, layers=self._layers)
        self._hand_length = new_check(config)
        self._iterations = 0

    def begin_iteration(self, decisions: int, rng: np.random.Generator) -> None:
        """Replace one of the tables with random rules, and draw the opponents in the hands that begin next.

        ``decisions`` are those played so far in the run.
        """
        self._replace_table(self._iterations)
        self._iterations += 1
        if self.league is not None:
            self.league.admit(self.network, decisions)
            self.league.draw_opponents(self.rollouts, rng)

    @torch.inference_mode()
    def prepared_evaluate(self) -> Evaluate:
        """:meth:`evaluate` with the weights as they are now, for many calls: always the same function, which reads
        the same tensors.
        """
        layers = self.network.prepared_layers()
        for old, new in zip(itertools.chain(*self._layers), itertools.chain(*layers), strict=True):
            if old is not new:
                old.copy_(new)
        return self._evaluate

    def play(self, play_group: Callable[[Rollout, Evaluate], RolloutStats]) -> RolloutStats:
        """Play in all games: with each rollout by a function of it and the network. Returns the counts and results of
        all, those of other processes too.
        """
        evaluate = self.prepared_evaluate()
        played = self.backend.map(lambda each: play_group(each, evaluate), self.rollouts)
        stats = sum(played, start=RolloutStats())
        decisions, choices, hands, hand_decisions, reward = replicas.total([*vars(stats).values()])
        return RolloutStats(int(decisions), int(choices), int(hands), int(hand_decisions), reward)

    def check_hand_length(self, stats: RolloutStats) -> None:
        """Count the hands of a rollout, and warn once if the first ones were too long."""
        self._hand_length.decisions += stats.decisions
        self._hand_length.hands += stats.hands
        self._hand_length.warn_if_due()

    @torch.inference_mode()
    def evaluate(self, obs: Tensor, layers: Sequence[tuple[Tensor, Tensor]] | None = None) -> tuple[Tensor, Tensor]:
        """Logits float32 [N, A] and values float32 [N] for observations uint8 [N, C].

        ``layers``: the result of :meth:`train.networks.policy_network.Network.prepared_layers` for the same weights.
        """
        logits, values = self.network(obs, layers)
        return logits, values

    def record_hands(self) -> dict[str, float]:
        """Count the hands that ended for the league, and return the win rates against its members, by tag."""
        return {} if self.league is None else self.league.record_hands(self.rollouts)

    def get_state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """The games and the league's weights; each group's generator of random numbers, the league's records, and how
        many iterations were begun.
        """
        arrays: dict[str, Array] = {}
        values: dict[str, Any] = {"rng_states": [], "iterations": self._iterations}
        states = [state for rollout in self.rollouts for state in rollout.get_states()]
        for number, state in enumerate(states):
            arrays |= {f"games.{number}.{name}": as_bytes(array) for name, array in state["games"].items()}
            values["rng_states"].append(state["rng"])
        if self.league is not None:
            weights, values["league"] = self.league.get_state()
            arrays |= {LEAGUE + name: weight for name, weight in weights.items()}
        return arrays, values

    def set_state(self, arrays: Mapping[str, Array], values: Mapping[str, Any]) -> None:
        """Continue from a state that :meth:`get_state` gave; other arrays are ignored.

        The games of a state are those of the first process. Others (:mod:`train.common.replicas`) keep their own.
        """
        self._iterations = checked_whole("iterations", values["iterations"], 0, 2**62)
        tables = self._random_tables.tables if self._random_tables else 0
        for iteration in range(max(0, self._iterations - tables), self._iterations):
            self._replace_table(iteration)
        numbers = itertools.count()
        for rollout in self.rollouts if replicas.rank() == 0 else ():
            given = [(own["games"], next(numbers)) for own in rollout.get_states()]
            games = [
                {name: from_bytes(array, own[name]) for name, array in under(f"games.{number}.", arrays).items()}
                for own, number in given
            ]
            rngs = [values["rng_states"][number] for _, number in given]
            rollout.set_states([{"games": each, "rng": rng} for each, rng in zip(games, rngs, strict=True)])
        if self.league is not None:
            self.league.set_state(under(LEAGUE, arrays), values["league"], self.network)

    def _replace_table(self, iteration: int) -> None:
        """Deal one of the tables with random rules, in turn, with new rules. The first iteration replaces none."""
        if self._random_tables and self._random_tables.tables and iteration:
            tables, draw = self._random_tables
            turn = (iteration - 1) % tables - tables
            rules, old = draw(tables + iteration - 1), self.rollouts[turn]
            new = Group(self._numbers[turn], rules, old.games.num_games, turn)
            self.rollouts[turn] = self._deal([new], old.buffer, iteration)

    def _deal(self, groups: Sequence[Group], buffer: RolloutBuffer, *number: int) -> Rollout:
        """New games of groups by the same rules; their seeds are derived from the run's, the group's and ``number``."""
        config, league, network = self.config, self.league, self.network
        paths = [[config.seed, 1, group.number, *number] for group in groups]
        seeds = [np.random.SeedSequence(path).generate_state(2, np.uint64).tolist() for path in paths]
        batches = [
            BatchedGames(group.num_games, group.rules, seed, obs_dtype="uint8")
            for group, (seed, _) in zip(groups, seeds, strict=True)
        ]
        return Rollout(
            self.backend.deal(batches),
            network.columns,
            network.actions,
            buffer,
            [np.random.default_rng(seed) for _, seed in seeds],
            [group.num_games for group in groups],
            opponent_share=0.0 if league is None else league.share,
            learners=1 if league is None else league.learners,
            symmetry=network.symmetry,
            truncated_is_lost=config.truncated_is_lost,
            repeated=self.backend.repeated,
        )


def game_groups(config: SelfPlayConfig, process: int = 0) -> list[Group]:
    """The groups of a run's games, of at most ``GROUP`` games each; those of all processes are numbered on."""
    tables = config.training_rules()
    shares = zip(tables, _even_sizes(config.num_envs, len(tables)), strict=True)
    sizes = [
        (rules, size, table)
        for table, (rules, share) in enumerate(shares)
        for size in _even_sizes(share, -(-share // backends.GROUP))
    ]
    return [Group(process * len(sizes) + index, *each) for index, each in enumerate(sizes)]


def new_check(config: SelfPlayConfig) -> HandLengthCheck:
    """The check of the length of hands for all games of a run, whose warning names the option of the config."""
    tables = config.training_rules()
    rules = next((each for each in tables if each.voluntary_draw), tables[0])
    cost = "raise choice_cost" if config.choice_cost else f"set choice_cost={CHOICE_COST}"
    return HandLengthCheck(rules, config.num_envs * getattr(config, "workers", 1), cost)


def _even_sizes(number: int, parts: int) -> list[int]:
    """``number`` as a sum of ``parts`` parts, all about the same."""
    return [number // parts + (part < number % parts) for part in range(parts)]
