"""Evaluations of a run while it trains: when one is due, what it measures, and who does it.

A run is evaluated at its beginning, every ``eval_every`` decisions, and :data:`EARLY` times before the first of these:
after 1/64, 1/32 … 1/2 of them, since a policy learns fastest at first. This hangs on the decisions alone, also in a
resumed run. The last one measures the policy that is saved at the end, unless a signal ended the run.

* At the beginning, actions are drawn with their probabilities (:class:`DrawingPlayer`): the most probable actions of a
  network that has learnt nothing can be to draw cards for ever. Afterwards the policy plays as it will.
* Early evaluations take a few per cent of a run of three minutes: they have a quarter of the deals, and hands that go
  on for too long are cut off (:data:`EARLY_HAND`), which counts as a hand that nobody won.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from train.evaluation.duplicate import Evaluation, evaluate
from train.evaluation.game_recorder import Recorder
from train.runs.run_config import RunConfig
from uno_env.core.arrays import Array
from uno_env.player import Player, as_player
from uno_env.replay import Replay
from uno_env.rules import Rules

EARLY = 6
"""Evaluations between the beginning and the first ``eval_every`` decisions."""
EARLY_HAND = 250
"""Decisions a player after which an early evaluation cuts a hand off: ten times what a beginner needs."""


@dataclass(frozen=True)
class RunEvaluation:
    """An evaluation against each opponent of a run."""

    decisions: int
    """Decisions that the policy had been trained for."""
    pairs: Sequence[tuple[Evaluation, Sequence[Replay]]]
    """Each result, and the games of it that are saved."""


class Evaluator:
    """Measures a policy while it trains, for a ``with`` block: at once, in this process. A subclass can do it beside
    the training.
    """

    def __init__(self, config: RunConfig) -> None:
        self._config = config
        self._finished: list[RunEvaluation] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """End the work beside the training."""

    def begin(self, policy: Player, decisions: int) -> None:
        """Measure a policy as it is now, after ``decisions`` decisions."""
        pairs = [evaluate_player(policy, *pairing, self._config, decisions) for pairing in pairings(self._config)]
        self._finished.append(RunEvaluation(decisions, pairs))

    def finished(self, wait: bool) -> list[RunEvaluation]:
        """Return new finished results, in the order of their start. With ``wait``, wait for all that have begun."""
        finished, self._finished = self._finished, []
        return finished


class DrawingPlayer(Player):
    """Draws another player's actions with their probabilities, from a ``seed``; one without probabilities, or that
    remembers hands, plays as it does.
    """

    obs_dtype = "uint8"

    def __init__(self, player: Player, seed: int) -> None:
        player = as_player(player)
        self.player, self.name, self.history, self.state_size = player, player.name, player.history, player.state_size
        self.probabilities, self.values = player.probabilities, player.values  # type: ignore[method-assign]
        self.act_recurrent = player.act_recurrent  # type: ignore[method-assign]
        self._rng = np.random.default_rng(seed)

    def act_batch(
        self, observations: Array, action_masks: Array, histories: Array | None = None
    ) -> npt.NDArray[np.int64]:
        """Same as :meth:`uno_env.player.Player.act_batch`."""
        shown = () if histories is None else (histories,)
        probabilities = self.player.probabilities(observations, action_masks, *shown)
        if probabilities is None:
            return self.player.act_batch(observations, action_masks, *shown)
        up_to = probabilities.cumsum(axis=1, dtype=np.float64)
        drawn = self._rng.random((len(up_to), 1)) * up_to[:, -1:]
        return (up_to > drawn).argmax(axis=1)


def is_due(config: RunConfig, before: int, after: int) -> bool:
    """Return whether a run that has gone on from ``before`` to ``after`` decisions is to be evaluated."""
    every = config.eval_every
    early = (every >> halving for halving in range(1, EARLY + 1))
    return crosses(every, before, after) or (every > 0 and any(before < place <= after for place in early))


def crosses(every: int, before: int, after: int) -> bool:
    """True if a multiple of ``every`` decisions lies between two numbers of them; never for 0."""
    return every > 0 and before // every != after // every


def pairings(config: RunConfig) -> list[tuple[str, Rules]]:
    """The opponents and rules that a run's policy is measured with."""
    return [(opponent, rules) for rules in config.all_rules() for opponent in config.eval_against]


def evaluate_player(
    player: Player, opponent: str, rules: Rules, config: RunConfig, decisions: int
) -> tuple[Evaluation, list[Replay]]:
    """The result of a policy against an opponent as the run's config says, and the games to keep."""
    recorder = Recorder(config.save_games) if config.save_games else None
    deals = config.eval_deals
    if decisions < config.eval_every:
        deals = max(2, deals // 4)
        rules = rules.replace(max_decisions=min(rules.max_decisions, EARLY_HAND * rules.players))
    result = evaluate(
        player if decisions else DrawingPlayer(player, config.seed),
        opponent,
        rules,
        deals=deals,
        seed=config.seed,
        threads=config.threads,
        recorder=recorder,
    )
    return result, recorder.replays() if recorder is not None else []
