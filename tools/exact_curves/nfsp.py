"""OpenSpiel's NFSP on a deck, played on our engine: :func:`learn`.

The two agents are those of ``open_spiel.python.pytorch.nfsp``. They read the same columns and choose among the same
actions as our networks. Settings are those of OpenSpiel's example for Leduc poker, but for smaller buffers, Adam, and
layers as those of the other algorithms. What is measured is the average policy, its result.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from tools.exact_curves.decks import Deck, softmax
from train.evaluation.exact.sweeps import Floats
from train.networks.policy_network import Network
from uno_env.core.arrays import Array
from uno_env.game import Game

SETTINGS: dict[str, Any] = {
    "hidden_layers_sizes": [64, 64], "reservoir_buffer_capacity": 200_000, "replay_buffer_capacity": 50_000,
    "anticipatory_param": 0.1, "batch_size": 128, "learn_every": 64, "min_buffer_size_to_learn": 1_000,
    "rl_learning_rate": 0.001, "sl_learning_rate": 0.001, "optimizer_str": "adam", "discount_factor": 1.0,
    "epsilon_start": 0.06, "epsilon_end": 0.001, "update_target_network_every": 1_000,
}  # fmt: skip


def learn(deck: Deck, seed: int, decisions: int, points: int, progress: Callable[[float], object]) -> dict[str, Any]:
    """Let two agents play each other; the curve and the seconds, as :func:`tools.exact_curves.learners.learn`."""
    from open_spiel.python.pytorch import nfsp
    from open_spiel.python.rl_environment import StepType, TimeStep

    rules = deck.tree.rules
    reads = Network(rules, (1,))
    scales = reads.scales.numpy()
    place = {int(action): number for number, action in enumerate(reads.actions)}
    settings = {**SETTINGS, "epsilon_decay_duration": decisions}
    seats = [
        nfsp.NFSP(seat, len(reads.columns), len(place), seed=seed * 100 + 10 * seat, **settings)
        for seat in range(rules.players)
    ]

    def told(game: Game, step_type: Any) -> Any:
        mover = game.to_move
        seen = np.zeros((rules.players, len(reads.columns)), np.float32)
        legal: list[list[int]] = [[] for _ in seats]
        for seat in range(rules.players):
            row = np.asarray(game.observe(seat, "uint8"))[None]
            seen[seat] = reads.canonical.rows(row, np.zeros(1, np.int64), None)[0] * scales
        if not game.over:
            legal[mover] = [place[action] for action in game.legal_actions()]
        observations = {"info_state": list(seen), "legal_actions": legal, "current_player": mover}
        return TimeStep(observations, game.rewards() if game.over else [0.0] * rules.players, None, step_type)

    curve: list[tuple[int, float, float]] = []
    seconds, played, hand = 0.0, 0, 0
    while played < decisions:
        began = time.perf_counter()
        game, step_type = Game(rules, seed=seed * 1_000_003 + hand), StepType.FIRST
        hand += 1
        while not game.over:
            chosen = seats[game.to_move].step(told(game, step_type)).action
            game.step(int(reads.actions[chosen]))
            step_type, played = StepType.MID, played + 1
        last = told(game, StepType.LAST)
        for agent in seats:
            agent.step(last)
        seconds += time.perf_counter() - began
        if played * points >= (len(curve) + 1) * decisions:
            value = deck.exploitability(average_policy(deck, seats, scales))
            curve.append((played, round(value, 6), round(value, 6)))
        if not hand % 100:
            progress(played / decisions)
    return {"curve": curve, "seconds": round(seconds, 1)}


def average_policy(deck: Deck, seats: list[Any], scales: Array) -> Floats:
    """The agents' average policies, each in the states of its seat: float64 [S]."""
    tree = deck.tree
    state = np.repeat(np.arange(len(tree)), tree.counts)
    with torch.inference_mode():
        inputs = torch.from_numpy(deck.rows * scales.astype(np.float32))
        logits = np.stack([agent._avg_network(inputs).numpy() for agent in seats])
    chosen = logits[tree.seats[state], state, deck.outputs[1:]].astype(np.float64)
    return np.append(1.0, softmax(chosen, tree.first))
