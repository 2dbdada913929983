"""The results of learners of other libraries on ``starter`` in ten minutes of one core, with their own options.

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
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import torch

import uno_env
from tools import ROOT
from tools.benchmark.cleanrl_ppo import CleanRLPPO
from tools.docs.saved_curves import Curve, curves_table, read_curves, save_curve
from tools.docs.saved_figures import FOLDER
from train.algorithms.registry import find_algorithm
from train.evaluation.duplicate import evaluate
from train.plots.style import Point
from uno_env.core.arrays import Array
from uno_env.player import Player

FIGURES = FOLDER / "foreign_programs.json"
RULES = "starter"
SECONDS, PARTS, DEALS = 600.0, 5, 1_000
"""Processor time of a training, without measurements; number of measurements; deals of each."""
REPLAY = 50_000
"""Transitions that SB3's DQN keeps: its default of a million would take 7.6 GB."""


class Stopwatch:
    """Measures a player after each part of the training time.

    Args:
        save: is called with the curve so far after each measurement.

    Attributes:
        points: what was measured.
        seconds: processor time of the training so far, without the measurements.
    """

    def __init__(
        self, save: Callable[[Curve], None], seconds: float = SECONDS, parts: int = PARTS, deals: int = DEALS
    ) -> None:
        self.points: list[Point] = []
        self.seconds = 0.0
        self._save = save
        self._part, self._parts, self._deals = seconds / parts, parts, deals
        self._last = time.process_time()

    def goes_on(self, decisions: int, player: Player) -> bool:
        """Measure the player after ``decisions`` of its own, if a part is over. Returns whether there is time left."""
        self.seconds += time.process_time() - self._last
        if self.seconds >= self._part * (len(self.points) + 1):
            result = evaluate(player, "random-play", RULES, self._deals)
            self.points.append(Point(decisions, result.win_rate, result.low, result.high))
            print(f"{decisions:>9,} decisions, {self.seconds:.0f} s: {result.win_rate:.1%}", flush=True)
            self._save(Curve(self.seconds, self.points))
        self._last = time.process_time()
        return len(self.points) < self._parts


class Learnt(Player):
    """The player that a library has learnt: a function of observations float32 [N, D] and masks bool [N, A]."""

    name = "learnt"

    def __init__(self, choose: Callable[[Array, Array], Array]) -> None:
        self._choose = choose

    def act_batch(self, observations: Array, masks: Array, histories: Array | None = None) -> Array:
        """Ids of actions [N] for observations float32 [N, D] and masks bool [N, A]."""
        return self._choose(observations, masks)


def maskable_ppo(watch: Stopwatch) -> None:
    """sb3-contrib's MaskablePPO on eight games of its vector environment."""
    from sb3_contrib import MaskablePPO

    from uno_env.sb3 import ModelPlayer, UnoVecEnv

    model = MaskablePPO("MlpPolicy", UnoVecEnv(8, opponents="random", seed=0), seed=0)
    model.learn(10**9, callback=lambda *_: watch.goes_on(model.num_timesteps, ModelPlayer(model)))


def dqn(watch: Stopwatch) -> None:
    """SB3's DQN on the Gymnasium environment. It knows no masks: whoever takes an illegal action loses the hand."""
    from stable_baselines3 import DQN

    from uno_env.sb3 import ModelPlayer

    env = gymnasium.make("uno_env/Uno-v0", opponents="random")
    model = DQN("MlpPolicy", env, buffer_size=REPLAY, seed=0)
    model.learn(1_000_000, callback=lambda *_: watch.goes_on(model.num_timesteps, ModelPlayer(model)))


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

    decisions, learns = 0, True
    while learns:
        if kind == "NFSP":
            agent.sample_episode_policy()
        steps = reorganize_pettingzoo(run_game_pettingzoo(env, table, is_training=True))[learner]
        with contextlib.redirect_stdout(io.StringIO()):  # it prints each loss
            for step in steps:
                agent.feed(step)
        decisions += len(steps)
        learns = watch.goes_on(decisions, Learnt(choose))


def cleanrl(kind: Any, watch: Stopwatch) -> None:
    """PPO in the manner of CleanRL, ``kind`` is its class, with CleanRL's options, for all seats."""
    learner = kind(kind.config_class(rules=RULES, threads=1))
    learns = True
    while learns:
        learner.iterate(watch.seconds / SECONDS)
        learns = watch.goes_on(learner.decisions, learner.policy())


def cleanrl_pettingzoo(watch: Stopwatch) -> None:
    """The same on PettingZoo environments, one for each game."""
    cleanrl(find_algorithm(f"{ROOT}/examples/cleanrl_pettingzoo.py:PettingZooPPO"), watch)


def torchrl(watch: Stopwatch) -> None:
    """PPO at one seat of the Gymnasium environment, as TorchRL's example of PPO for MuJoCo has it:
    its networks, losses and options, but without its running normalisation of observations, which lie in [0, 1].
    """
    from tensordict.nn import TensorDictModule
    from torch import nn
    from torchrl.collectors import Collector
    from torchrl.data import LazyTensorStorage, SamplerWithoutReplacement, TensorDictReplayBuffer
    from torchrl.modules import MLP, MaskedCategorical, ProbabilisticActor, ValueOperator
    from torchrl.objectives import ClipPPOLoss
    from torchrl.objectives.value import GAE

    torch.manual_seed(0)
    env = torchrl_environment()
    inputs, outputs = env.observation_spec["observation"].shape[-1], env.action_spec.n

    def network(outputs: int, gain: float) -> MLP:
        layers = MLP(inputs, outputs, num_cells=[64, 64], activation_class=nn.Tanh)
        for layer in layers.modules():
            if isinstance(layer, nn.Linear):
                nn.init.orthogonal_(layer.weight, gain)
                layer.bias.data.zero_()
        return layers

    actor = ProbabilisticActor(
        TensorDictModule(network(outputs, 1.0), ["observation"], ["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        spec=env.action_spec,
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )
    critic = ValueOperator(network(1, 0.01))
    gae = GAE(gamma=0.99, lmbda=0.95, value_network=critic)
    loss = ClipPPOLoss(actor, critic, clip_epsilon=0.2, entropy_coeff=0.0, critic_coeff=0.25, normalize_advantage=True)
    optimizer = torch.optim.Adam(loss.parameters(), 3e-4, eps=1e-5)
    storage = LazyTensorStorage(2048)
    buffer = TensorDictReplayBuffer(storage=storage, sampler=SamplerWithoutReplacement(), batch_size=64)

    @torch.inference_mode()
    def choose(rows: Array, masks: Array) -> Array:
        logits = actor[0].module(torch.as_tensor(rows)).masked_fill(torch.as_tensor(masks) == 0, -torch.inf)
        return np.asarray(logits.argmax(1))

    decisions = 0
    for played in Collector(env, actor, frames_per_batch=2048, total_frames=-1):
        for group in optimizer.param_groups:
            group["lr"] = 3e-4 * (1 - watch.seconds / SECONDS)
        for _ in range(10):
            with torch.no_grad():
                buffer.extend(gae(played).reshape(-1))
            for batch in buffer:
                parts = loss(batch)
                optimizer.zero_grad()
                (parts["loss_objective"] + parts["loss_critic"] + parts["loss_entropy"]).backward()
                optimizer.step()
        decisions += played.numel()
        if not watch.goes_on(decisions, Learnt(choose)):
            break


def torchrl_environment() -> Any:
    """The Gymnasium environment in TorchRL's wrapper, with the mask as an entry of type bool."""
    from torchrl.data import Categorical
    from torchrl.envs import DTypeCastTransform, GymWrapper, TransformedEnv
    from torchrl.envs.libs.gym import default_info_dict_reader

    env = GymWrapper(gymnasium.make("uno_env/Uno-v0", opponents="random"), categorical_action_encoding=True)
    mask = Categorical(2, shape=(env.action_spec.n,), dtype=torch.int8)
    env.set_info_dict_reader(default_info_dict_reader(["action_mask"], [mask]))
    env = TransformedEnv(env, DTypeCastTransform(torch.int8, torch.bool, in_keys=["action_mask"]))
    env.set_seed(0)
    return env


def rllib(watch: Stopwatch) -> None:
    """RLlib's PPO with the module of its example for masks, its options, and one policy for all seats."""
    import ray
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

    from uno_env.envs.rllib import UnoMultiAgentEnv

    heads = {"head_fcnet_hiddens": [64, 64], "head_fcnet_activation": "relu"}
    module = RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config=heads)
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    learner = (
        PPOConfig()
        .environment(UnoMultiAgentEnv, env_config={"rules": RULES})
        .env_runners(num_env_runners=0)  # this process plays and learns, so that its time is all that is used
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda agent, *_, **__: "shared")
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"shared": module}))
        .debugging(seed=0, log_level="ERROR")
        .build_algo()
    )

    @torch.inference_mode()
    def choose(rows: Array, masks: Array) -> Array:
        seen = {"observations": torch.as_tensor(rows), "action_mask": torch.as_tensor(masks).float()}
        logits = learner.get_module("shared").forward_inference({"obs": seen})["action_dist_inputs"]
        return np.asarray(logits.argmax(1))

    decisions, learns = 0, True
    while learns:
        decisions += int(learner.train()["env_runners"]["num_env_steps_sampled"])
        learns = watch.goes_on(decisions, Learnt(choose))
    learner.stop()
    ray.shutdown()


PROGRAMS: Mapping[str, Callable[[Stopwatch], None]] = {
    "MaskablePPO (sb3-contrib)": maskable_ppo,
    "DQN (Stable-Baselines3)": dqn,
    "DQN (RLCard)": lambda watch: rlcard("DQN", watch),
    "NFSP (RLCard)": lambda watch: rlcard("NFSP", watch),
    "PPO in the manner of CleanRL": lambda watch: cleanrl(CleanRLPPO, watch),
    "PPO in the manner of CleanRL, on PettingZoo": cleanrl_pettingzoo,
    "PPO (TorchRL)": torchrl,
    "PPO (RLlib)": rllib,
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
    """Train, and save what was measured; the exit code, which is 1 if a library was missing."""
    for name in arguments:
        if name not in PROGRAMS:
            print(f"{name!r} is none of the programs: there are {', '.join(PROGRAMS)}", file=sys.stderr)
            return 2
    torch.set_num_threads(1)
    left_out = 0
    for name in arguments or PROGRAMS:
        print(name, flush=True)
        try:
            PROGRAMS[name](Stopwatch(partial(save_curve, FIGURES, name)))
        except ImportError as error:
            print(f"left out, for its library cannot be imported here: {error}", file=sys.stderr)
            left_out += 1
    return min(left_out, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
