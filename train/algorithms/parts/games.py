"""The games that a network plays against itself and against a league: :class:`SelfPlayGames`.

A seat's chain of choices in a hand is an episode of its own: the next value is that of the same seat's next choice,
γ = 1, and the reward at the end is the seat's own, whichever seat made the hand's last decision.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from train.algorithms.parts import threads as parallel
from train.algorithms.parts.config import SelfPlayConfig
from train.algorithms.parts.league import League
from train.algorithms.parts.rollout import Evaluate, Rollout, RolloutStats
from train.algorithms.parts.rollout_buffer import RolloutBuffer
from train.networks.policy_network import Network
from train.runs.checkpoint import as_bytes, from_bytes, under
from uno_env import BatchedGames, Rules
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


class RandomTables(NamedTuple):
    """Tables with rules drawn at random: the last groups. Each iteration deals one of them anew with new rules."""

    tables: int
    draw: Callable[[int], Rules]
    """The rules of one number in the endless list of the run."""


class SelfPlayGames:
    """Groups of games, those of :func:`game_groups` by default, which threads share, with the choices that they store.

    The ``buffer`` has the choices of all ``rollouts``. A ``league`` plays in a share of the games. So many
    ``random_tables`` have rules drawn at random. There is one warning if the first hands are too long
    (:class:`uno_env.envs.hand_length.HandLengthCheck`).
    """

    def __init__(
        self,
        config: SelfPlayConfig,
        network: Network,
        groups: Sequence[Group] | None = None,
        league: League | None = None,
        random_tables: RandomTables | None = None,
    ) -> None:
        self.config, self.network, self.league = config, network, league
        self._random_tables = random_tables
        self.device = torch.device(config.device)
        groups = game_groups(config) if groups is None else groups
        rows = [group.num_games * config.num_steps for group in groups]
        sizes = sum(rows), network.width, len(network.actions)
        self.buffer = RolloutBuffer.empty(*sizes, pinned=self.device.type == "cuda")
        self.rollouts: list[Rollout] = []
        for group, end in zip(groups, np.cumsum(rows, dtype=int).tolist(), strict=True):
            part = self.buffer.part(slice(end - group.num_games * config.num_steps, end))
            self.rollouts.append(self._deal(group.rules, group.num_games, part, group.number))
        self._hand_length = new_check(config)

    def begin_iteration(self, decisions: int, rng: np.random.Generator) -> None:
        """Replace one of the tables with random rules, and draw the opponents in the hands that begin next.

        ``decisions`` are those played so far in the run.
        """
        self._replace_table(self._iterations(decisions))
        if self.league is not None:
            self.league.admit(self.network, decisions)
            self.league.draw_opponents(self.rollouts, rng)

    def prepared_evaluate(self) -> Evaluate:
        """:meth:`evaluate` with the weights as they are now, for many calls."""
        with torch.inference_mode():
            return partial(self.evaluate, layers=self.network.prepared_layers())

    def check_hand_length(self, stats: RolloutStats) -> None:
        """Count the hands of a rollout, and warn once if the first ones were too long."""
        self._hand_length.decisions += stats.decisions
        self._hand_length.hands += stats.hands
        self._hand_length.warn_if_due()

    @torch.inference_mode()
    def evaluate(self, obs: Tensor, layers: Sequence[tuple[Tensor, Tensor]] | None = None) -> tuple[Tensor, Tensor]:
        """Logits float32 [N, A] and values float32 [N] for observations uint8 [N, C], on the CPU.

        ``layers``: the result of :meth:`train.networks.policy_network.Network.prepared_layers` for the same weights.
        """
        logits, values = self.network(obs.to(self.device, non_blocking=True), layers)
        return logits.cpu(), values.cpu()

    def record_hands(self) -> dict[str, float]:
        """Count the hands that ended for the league; the win rates against its members, by tag."""
        return {} if self.league is None else self.league.record_hands(self.rollouts)

    def get_state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """The games and the league's weights; each group's generator of random numbers and the league's records."""
        arrays: dict[str, Array] = {}
        values: dict[str, Any] = {"rng_states": []}
        for number, rollout in enumerate(self.rollouts):
            state = rollout.get_state()
            arrays |= {f"games.{number}.{name}": as_bytes(array) for name, array in state["games"].items()}
            values["rng_states"].append(state["rng"])
        if self.league is not None:
            weights, values["league"] = self.league.get_state()
            arrays |= {LEAGUE + name: weight for name, weight in weights.items()}
        return arrays, values

    def set_state(self, arrays: Mapping[str, Array], values: Mapping[str, Any], decisions: int) -> None:
        """Continue from a state that :meth:`get_state` gave after so many decisions; other arrays are ignored."""
        iterations = self._iterations(decisions)
        tables = self._random_tables.tables if self._random_tables else 0
        for iteration in range(max(0, iterations - tables), iterations):
            self._replace_table(iteration)
        for number, rollout in enumerate(self.rollouts):
            own = rollout.get_state()["games"]
            games = {name: from_bytes(array, own[name]) for name, array in under(f"games.{number}.", arrays).items()}
            rollout.set_state({"games": games, "rng": values["rng_states"][number]})
        if self.league is not None:
            self.league.set_state(under(LEAGUE, arrays), values["league"], self.network)

    def _iterations(self, decisions: int) -> int:
        """How many iterations are done."""
        return decisions // (self.config.num_envs * self.config.num_steps)

    def _replace_table(self, iteration: int) -> None:
        """Deal one of the tables with random rules, in turn, with new rules; not before the first iteration."""
        if self._random_tables and self._random_tables.tables and iteration:
            tables, draw = self._random_tables
            group = len(self.rollouts) - tables + (iteration - 1) % tables
            rules = draw(tables + iteration - 1)
            old = self.rollouts[group]
            self.rollouts[group] = self._deal(rules, old.games.num_games, old.buffer, group, iteration)

    def _deal(self, rules: Rules, num_games: int, buffer: RolloutBuffer, *number: int) -> Rollout:
        """New games of the same rules; their seeds are derived from the run's and the group's ``number``."""
        config, league, network = self.config, self.league, self.network
        path = [config.seed, 1, *number]
        seed, rollout_seed = np.random.SeedSequence(path).generate_state(2, np.uint64).tolist()
        return Rollout(
            BatchedGames(num_games, rules, seed, obs_dtype="uint8"),
            network.columns,
            network.actions,
            buffer,
            np.random.default_rng(rollout_seed),
            opponent_share=0.0 if league is None else league.share,
            learners=1 if league is None else league.learners,
            symmetry=network.symmetry,
            truncated_is_lost=config.truncated_is_lost,
        )


def game_groups(config: SelfPlayConfig, process: int = 0) -> list[Group]:
    """The groups of a run's games, of at most ``GROUP`` games each; those of all processes are numbered on."""
    tables = config.training_rules()
    shares = zip(tables, _even_sizes(config.num_envs, len(tables)), strict=True)
    sizes = [(rules, size) for rules, share in shares for size in _even_sizes(share, -(-share // parallel.GROUP))]
    return [Group(process * len(sizes) + index, *each) for index, each in enumerate(sizes)]


def new_check(config: SelfPlayConfig) -> HandLengthCheck:
    """The check of the length of hands for all games of a run, whose warning names the option of the config."""
    tables = config.training_rules()
    rules = next((each for each in tables if each.voluntary_draw), tables[0])
    cost = "raise choice_cost" if config.choice_cost else f"set choice_cost={CHOICE_COST}"
    return HandLengthCheck(rules, config.num_envs * getattr(config, "workers", 1), cost)


def _even_sizes(number: int, parts: int) -> list[int]:
    """``number`` as a sum of so many parts, all about the same."""
    return [number // parts + (part < number % parts) for part in range(parts)]
