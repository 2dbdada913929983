"""RLCard's neural fictitious self-play (NFSP), trained by RLCard itself, to measure our policies against.

:func:`train_nfsp` seats an ``NFSPAgent`` of RLCard, version 1.2.0, at each of the two positions of
``rlcard.make("uno")`` and trains them by RLCard's own loop (``run``, ``reorganize``, ``feed``), for a time instead of a
number of hands. Hyperparameters are its defaults; its networks have no default size, and two hidden
layers of 64 are those of RLCard's example.

Source: J. Heinrich and D. Silver, "Deep reinforcement learning from self-play in imperfect-information games", 2016.
"""

import contextlib
import io
import time
from collections.abc import Callable
from typing import Any

from tools.rlcard.network_file import POSITIONS, Weights
from tools.rlcard.nfsp_player import HIDDEN, weight_shapes


def train_nfsp(
    minutes: float, seed: int = 0, progress: Callable[[float], object] = lambda seconds: None
) -> tuple[Weights, dict[str, Any]]:
    """Train for some minutes, or until Ctrl-C.

    Args:
        minutes: how long.
        seed: of RLCard's environment and of all random numbers of NumPy, PyTorch and Python.
        progress: called after each hand with the seconds that have passed.

    Returns:
        The weights, by the names of :func:`tools.rlcard.nfsp_player.weight_shapes`, and a summary of the training.
    """
    import rlcard
    import torch
    from rlcard.agents.nfsp_agent import NFSPAgent
    from rlcard.utils import reorganize, set_seed

    set_seed(seed)
    env = rlcard.make("uno", config={"seed": seed})
    players = [
        NFSPAgent(env.num_actions, env.state_shape[0], [*HIDDEN], q_mlp_layers=[*HIDDEN], device=torch.device("cpu"))
        for _ in range(POSITIONS)
    ]
    env.set_agents(players)
    began, hands, frames = time.monotonic(), 0, 0
    with contextlib.suppress(KeyboardInterrupt):
        while (seconds := time.monotonic() - began) < 60 * minutes:
            progress(seconds)
            for player in players:
                player.sample_episode_policy()
            trajectories, payoffs = env.run(is_training=True)
            with contextlib.redirect_stdout(io.StringIO()):  # it says every loss
                for player, transitions in zip(players, reorganize(trajectories, payoffs), strict=True):
                    for transition in transitions:
                        player.feed(transition)
                        frames += 1
            hands += 1
    weights = {name: players[int(name[0])].policy_network.state_dict()[name[2:]].numpy() for name in weight_shapes()}
    summary = {"library": "rlcard 1.2.0", "frames": frames, "hands": hands, "seconds": time.monotonic() - began}
    return weights, {**summary, "seed": seed}
