"""One run of an algorithm on a deck, measured exactly as it goes: :func:`learn`, :func:`solve`."""

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tools.exact_curves.decks import AveragePolicy, Deck
from train.algorithms.registry import config_of, find_algorithm
from train.common.processes import torch_threads
from train.evaluation.exact.solver import Solver
from train.networks.policy_network import NetworkPlayer
from uno_env.core.arrays import Array

Progress = Callable[[float], object]
COMMON: Mapping[str, Any] = {"threads": 1, "hidden": (64, 64), "eval_every": 0, "eval_against": ()}
SELF_PLAY: Mapping[str, Any] = {
    **COMMON, "num_envs": 256, "num_steps": 32, "minibatch_size": 1024, "precision": "float32", "learning_rate": 0.002,
}  # fmt: skip
DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "ppo": {**SELF_PLAY, "algorithm": "ppo"},
    "mmd": {**SELF_PLAY, "algorithm": "mmd"},
    "dmc": {**SELF_PLAY, "algorithm": "dmc"},
    "sb3_ppo": {**COMMON, "algorithm": "sb3_ppo", "num_envs": 256, "num_steps": 16, "minibatch_size": 1024,
                "learning_rate": 0.002},
}  # fmt: skip
"""The config of each algorithm, but for rules, seed and budget."""


class Itself(NetworkPlayer):
    """Draws from the probabilities of a network that is learning: with it at the other seat, an algorithm that learns
    at one seat plays against itself."""

    only_reads = True

    def reset(self, seed: int) -> None:
        """Seed the draws."""
        self._rng = np.random.default_rng(seed)

    def act_batch(self, observations: Array, masks: Array, histories: Array | None = None) -> Array:
        """An action for each row."""
        shares = self.probabilities(np.asarray(observations), np.asarray(masks)).cumsum(axis=1)
        drawn = self._rng.random((len(shares), 1)) * shares[:, -1:]
        return np.asarray((shares > drawn).argmax(axis=1))


def learn(
    deck: Deck, algorithm: str, changes: Mapping[str, Any], seed: int, decisions: int, points: int, progress: Progress
) -> dict[str, Any]:
    """Train on a deck; after each of ``points`` equal parts measure the last policy and the average of those so far.

    Args:
        deck: the deck.
        algorithm: one of :data:`DEFAULTS`.
        changes: fields of the config that differ from the defaults; ``opponents=("itself",)`` for SB3.
        seed: of all randomness.
        decisions: of all seats.
        points: how often to measure.
        progress: called with the share that is done.

    Returns:
        A ``curve`` of decisions, exploitability of the last policy and of the average; that of the ``greedy`` one at
        the end; ``seconds`` of training alone.
    """
    values = {**DEFAULTS[algorithm], **changes}
    alone = values.get("opponents") == ["itself"]
    if alone:
        values["opponents"] = ("random",)
    values |= {"rules": deck.tree.rules.to_dict(), "seed": seed, "total_timesteps": decisions}
    config = config_of(values).resolved()
    curve: list[tuple[int, float, float]] = []
    average, seconds = AveragePolicy(deck.tree), 0.0
    greedy = algorithm == "dmc"
    with torch_threads(1), _learner_class(algorithm)(config) as learner:
        learner.begin()
        for games in learner.env.tables if alone else ():
            games.opponents.agents[0] = Itself(learner.network)
        while learner.decisions < decisions:
            began = time.perf_counter()
            learner.iterate(learner.decisions / decisions)
            seconds += time.perf_counter() - began
            if learner.decisions * points >= (len(curve) + 1) * decisions:
                policy = deck.network_policy(learner.network, greedy)
                average.add(policy)
                last, mean = deck.exploitability(policy), deck.exploitability(average.policy())
                curve.append((learner.decisions, round(last, 6), round(mean, 6)))
                progress(learner.decisions / decisions)
        purified = deck.exploitability(deck.network_policy(learner.network, greedy=True))
    return {"curve": curve, "greedy": round(purified, 6), "seconds": round(seconds, 1)}


def _learner_class(algorithm: str) -> type[Any]:
    """The class of an algorithm; SB3 is imported only if it is asked for."""
    if algorithm != "sb3_ppo":
        return find_algorithm(algorithm)
    from tools.exact_curves.sb3_ppo import ExactSB3PPO

    return ExactSB3PPO


def solve(deck: Deck, iterations: int) -> dict[str, Any]:
    """The solver's ``curve`` of iterations, exploitability of the last policy and of the average, and ``seconds``."""
    Solver(deck.tree).iterate()  # compiles
    solver, curve, seconds = Solver(deck.tree), [], 0.0
    for number in range(1, iterations + 1):
        began = time.perf_counter()
        solver.iterate()
        seconds += time.perf_counter() - began
        if number & (number - 1) == 0 or number == iterations:
            curve.append((round(seconds, 3), number, solver.measure().exploitability))
    return {"curve": curve, "seconds": round(seconds, 1)}
