"""Agents of one's own: a function, and a class with an option, in a tournament with ours.

    uno tournament examples/my_agent.py:eager "examples/my_agent.py:Saver?wild=0.5" greedy random-play --deals 500
    uno play examples/my_agent.py:Saver

Run as a script, this file plays that tournament. agents/custom_agents.py says what else an agent may be and have.
"""

import numpy as np

from train.evaluation.tournament_report import show
from train.evaluation.tournament_setup import new_tournament
from uno_env import Rules, actions

IDLE = [actions.DRAW, actions.PASS]
WILD = [action for action in range(actions.NUM_ACTIONS) if actions.name(action).startswith("w")]


def eager(observation, mask):
    """The first legal action that is not idle. ``observation`` is float32 [D], ``mask`` bool [A]."""
    legal = np.flatnonzero(mask)
    busy = np.setdiff1d(legal, IDLE)
    return (busy if busy.size else legal)[0]


class Saver:
    """Lays any card, but wild ones only with a weight of ``wild`` against 1, and does nothing idle if it can."""

    def __init__(self, seed: int = 0, wild: float = 0.1) -> None:
        self.weights = np.ones(actions.NUM_ACTIONS)
        self.weights[WILD], self.weights[IDLE] = wild, 1e-6
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Start the random generator again."""
        self.rng = np.random.default_rng(seed)

    def act_batch(self, observations, masks):
        """Ids of actions [N] for observations float32 [N, D] and masks bool [N, A]."""
        return (self.rng.random(masks.shape) * self.weights * masks).argmax(axis=1)


def main(deals: int = 500, workers: int = 0) -> dict:
    """Play the tournament, shared by ``workers`` processes (0: one for each core), and show its tables."""
    players = [f"{__file__}:eager", f"{__file__}:Saver?wild=0.5", "greedy", "random-play"]
    report = new_tournament(players, Rules.preset("duel"), deals=deals).play(workers)
    show(report)
    return report


if __name__ == "__main__":
    main()
