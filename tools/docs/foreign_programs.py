"""What learners of other libraries reach on ``starter`` in ten minutes of one core, with their own options.

``python -m tools.docs.foreign_programs`` trains each of :data:`PROGRAMS` against players who draw their actions, as the
library's own examples do, and measures it against ``random-play`` on the way. ``python -m tools.docs.foreign_programs
NAME`` does so with one of them. The win rates are saved in ``tools/docs/figures/foreign_programs.json``.
"""

import contextlib
import io
import random
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
import torch

import uno_env
from tools.benchmark.cleanrl_ppo import CleanRLConfig, CleanRLPPO
from tools.docs.saved_curves import Curve, curves_table, read_curves, save_curve
from tools.docs.saved_figures import FOLDER
from train.evaluation.duplicate import evaluate
from train.plots.style import Point
from uno_env.core.arrays import Array
from uno_env.observation import float_form
from uno_env.player import Player

FIGURES = FOLDER / "foreign_programs.json"
RULES = "starter"
SECONDS, PARTS, DEALS = 600.0, 5, 1_000
"""Processor time of a training, without measurements; number of measurements; deals of each."""
REPLAY = 50_000
"""Transitions that SB3's DQN keeps: its default of a million would take 7.6 GB."""


class Stopwatch:
    """Measures a player after each part of the training time.

    Attributes:
        points: what was measured.
        seconds: processor time of the training so far, without the measurements.
    """

    def __init__(self, seconds: float = SECONDS, parts: int = PARTS, deals: int = DEALS) -> None:
        self.points: list[Point] = []
        self.seconds = 0.0
        self._part, self._parts, self._deals = seconds / parts, parts, deals
        self._last = time.process_time()

    def goes_on(self, decisions: int, player: Player) -> bool:
        """Measure the player if a part is over, after so many decisions of its own; whether there is time left."""
        self.seconds += time.process_time() - self._last
        if self.seconds >= self._part * (len(self.points) + 1):
            result = evaluate(player, "random-play", RULES, self._deals)
            self.points.append(Point(decisions, result.win_rate, result.low, result.high))
            print(f"{decisions:>9,} decisions, {self.seconds:.0f} s: {result.win_rate:.1%}", flush=True)
        self._last = time.process_time()
        return len(self.points) < self._parts


class Learnt(Player):
    """What a library has learnt, as a player: a function of observations float32 [N, D] and masks uint8 [N, A]."""

    name = "learnt"

    def __init__(self, choose: Callable[[Array, Array], Array]) -> None:
        self._choose = choose

    def act_batch(self, observations: Array, masks: Array, histories: Array | None = None) -> Array:
        """Ids of actions [N] for observations [N, D] in either form and masks [N, A]."""
        return self._choose(float_form(observations), masks)


def maskable_ppo(watch: Stopwatch) -> None:
    """sb3-contrib's MaskablePPO on eight games of its vector environment."""
    from sb3_contrib import MaskablePPO

    from uno_env.sb3 import UnoVecEnv

    model = MaskablePPO("MlpPolicy", UnoVecEnv(8, opponents="random", seed=0), seed=0)
    player = Learnt(lambda rows, masks: model.predict(rows, action_masks=masks, deterministic=True)[0])
    model.learn(10**9, callback=lambda *_: watch.goes_on(model.num_timesteps, player))


def dqn(watch: Stopwatch) -> None:
    """SB3's DQN on the Gymnasium environment. It knows no masks: whoever takes an illegal action loses the hand."""
    from stable_baselines3 import DQN

    env = gymnasium.make("uno_env/Uno-v0", opponents="random")
    model = DQN("MlpPolicy", env, buffer_size=REPLAY, seed=0)

    @torch.inference_mode()
    def choose(rows: Array, masks: Array) -> Array:
        values = model.q_net(torch.as_tensor(rows)).masked_fill(torch.as_tensor(masks) == 0, -torch.inf)
        return np.asarray(values.argmax(1))

    model.learn(1_000_000, callback=lambda *_: watch.goes_on(model.num_timesteps, Learnt(choose)))


def rlcard_agents(kind: str, env: Any, seed: int, **options: Any) -> dict[str, Any]:
    """RLCard's learner ``DQN`` or ``NFSP`` at the first seat of a PettingZoo environment, and its random agent at the
    other. ``options`` are arguments of the learner.
    """
    from rlcard.agents import pettingzoo_agents as theirs

    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 (RLCard draws from it)
    torch.manual_seed(seed)
    learner, other = env.possible_agents
    size = env.action_space(learner).n
    shape, device = env.observation_space(learner)["observation"].shape, torch.device("cpu")
    layers = {"DQN": {"mlp_layers": [64, 64]}, "NFSP": {"hidden_layers_sizes": [64, 64], "q_mlp_layers": [64, 64]}}
    agent = getattr(theirs, f"{kind}AgentPettingZoo")(
        num_actions=size, state_shape=shape, device=device, **layers[kind], **options
    )
    return {learner: agent, other: theirs.RandomAgentPettingZoo(num_actions=size)}


def rlcard(kind: str, watch: Stopwatch) -> None:
    """RLCard's agents on the PettingZoo environment with RLCard's runner, as RLCard's program for PettingZoo has it."""
    from rlcard.utils.pettingzoo_utils import reorganize_pettingzoo, run_game_pettingzoo

    env = uno_env.env(RULES)
    env.reset(seed=0)
    table = rlcard_agents(kind, env, seed=0)
    learner = env.possible_agents[0]
    agent = table[learner]

    def choose(rows: Array, masks: Array) -> Array:
        states = [{"observation": row, "action_mask": mask} for row, mask in zip(rows, masks, strict=True)]
        return np.array([agent.eval_step(state)[0] for state in states])

    decisions = 0
    while watch.goes_on(decisions, Learnt(choose)):
        if kind == "NFSP":
            agent.sample_episode_policy()
        steps = reorganize_pettingzoo(run_game_pettingzoo(env, table, is_training=True))[learner]
        with contextlib.redirect_stdout(io.StringIO()):  # it prints each loss
            for step in steps:
                agent.feed(step)
        decisions += len(steps)


def cleanrl(watch: Stopwatch) -> None:
    """PPO in the manner of CleanRL on ``BatchedGames``, with CleanRL's options, for all seats."""
    learner = CleanRLPPO(CleanRLConfig(rules=RULES, threads=1))
    while watch.goes_on(learner.decisions, learner.policy()):
        learner.iterate(watch.seconds / SECONDS)


PROGRAMS: Mapping[str, Callable[[Stopwatch], None]] = {
    "MaskablePPO (sb3-contrib)": maskable_ppo,
    "DQN (Stable-Baselines3)": dqn,
    "DQN (RLCard)": lambda watch: rlcard("DQN", watch),
    "NFSP (RLCard)": lambda watch: rlcard("NFSP", watch),
    "PPO in the manner of CleanRL": cleanrl,
}
"""Each program by its name on the page."""


def curves() -> Mapping[str, Curve]:
    """The saved curves of those that were measured, in the order of the programs."""
    saved = read_curves(FIGURES)
    return {name: saved[name] for name in PROGRAMS if name in saved}


def table() -> str:
    """The table of the page."""
    return curves_table(curves(), "program")


def main(arguments: Sequence[str]) -> int:
    """Train, and save what was measured; the exit code."""
    for name in arguments:
        if name not in PROGRAMS:
            print(f"{name!r} is none of the programs: there are {', '.join(PROGRAMS)}", file=sys.stderr)
            return 2
    torch.set_num_threads(1)
    for name in arguments or PROGRAMS:
        print(name, flush=True)
        watch: Any = Stopwatch()
        PROGRAMS[name](watch)
        save_curve(FIGURES, name, Curve(watch.seconds, watch.points))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
