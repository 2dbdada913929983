"""Evaluations of a run while it trains: what one measures, and who does it."""

from collections.abc import Sequence
from dataclasses import dataclass

from train.evaluation.duplicate import Evaluation, evaluate
from train.evaluation.game_recorder import Recorder
from train.networks.policy_network import Network, NetworkPlayer
from train.runs.run_config import RunConfig
from uno_env.player import Player
from uno_env.replay import Replay
from uno_env.rules import Rules


@dataclass(frozen=True)
class RunEvaluation:
    """An evaluation against each opponent of a run."""

    decisions: int
    """Decisions that the policy had been trained for."""
    pairs: Sequence[tuple[Evaluation, Sequence[Replay]]]
    """Each result, and the games of it that are saved."""


class Evaluator:
    """Measures a policy while it trains: at once, in this process; a subclass can do it beside the training."""

    def __init__(self, config: RunConfig) -> None:
        self._config = config
        self._finished: list[RunEvaluation] = []

    def begin(self, policy: Player, decisions: int) -> None:
        """Measure a policy as it is now."""
        pairs = [evaluate_player(policy, *pairing, self._config) for pairing in pairings(self._config)]
        self._finished.append(RunEvaluation(decisions, pairs))

    def finished(self, wait: bool) -> list[RunEvaluation]:
        """What is done and has not been given yet, in the order in which it was begun; ``wait`` for what is not."""
        finished, self._finished = self._finished, []
        return finished


def pairings(config: RunConfig) -> list[tuple[str, Rules]]:
    """What a run's policy is measured against, and under which rules."""
    return [(opponent, rules) for rules in config.all_rules() for opponent in config.eval_against]


def evaluate_network(
    network: Network, opponent: str, rules: Rules, config: RunConfig
) -> tuple[Evaluation, list[Replay]]:
    """As :func:`evaluate_player`, for a network's most probable actions."""
    return evaluate_player(NetworkPlayer(network), opponent, rules, config)


def evaluate_player(player: Player, opponent: str, rules: Rules, config: RunConfig) -> tuple[Evaluation, list[Replay]]:
    """How a player fares against an opponent as a run's config says, and the games to keep."""
    recorder = Recorder(config.save_games) if config.save_games else None
    result = evaluate(
        player,
        opponent,
        rules,
        deals=config.eval_deals,
        seed=config.seed,
        threads=config.threads,
        recorder=recorder,
    )
    return result, recorder.replays() if recorder is not None else []
