"""RLlib's PPO on :class:`uno_env.envs.rllib.UnoMultiAgentEnv`: one policy plays all seats, and is saved like any other.

RLlib samples, learns and distributes; this file configures it, and its run has a folder as those of our own algorithms.
It needs ``ray[rllib]``, in an environment of its own: ``make test-adapters`` builds ``.venv-rllib``, and
``.venv-rllib/bin/uno train tools/configs/rllib_duel.yaml`` trains there, and ``uno benchmark run duel-2p --algorithms
tools/rllib_ppo.py:RLlibPPO`` measures it beside the others.

Checkpoints hold the weights and Adam's state; games that RLlib was playing are dealt anew when a run is resumed.

Source: E. Liang et al., "RLlib: abstractions for distributed reinforcement learning", 2018.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from gymnasium import spaces

from train.common.processes import cores, torch_threads
from train.networks.policy_network import VALUE_GAIN, Network
from train.runs.checkpoint import load_optimizer, optimizer_arrays, under
from train.runs.config import NonNegativeFloat, NonNegativeInt, PositiveInt, Share
from train.runs.learner import DivergedError, Learner
from train.runs.run_config import RunConfig
from uno_env.core.arrays import Array
from uno_env.observation import OBSERVATION_SIZE
from uno_env.policy_columns import policy_columns

POLICY = "shared"
"""RLlib's name of the one policy."""


@dataclass(frozen=True, kw_only=True)
class RLlibConfig(RunConfig):
    """The config of RLlib's PPO; RLlib's word for each is in brackets."""

    algorithm: str = "tools/rllib_ppo.py:RLlibPPO"
    workers: NonNegativeInt = 0
    """Processes that play; 0: the process that learns also plays (``num_env_runners``)."""
    games_per_worker: PositiveInt = 16
    """Games that each process plays at the same time (``num_envs_per_env_runner``)."""
    batch: PositiveInt = 8192
    """Decisions of all seats between two updates (``train_batch_size_per_learner``)."""
    minibatch_size: PositiveInt = 1024
    """Choices of a gradient step (``minibatch_size``)."""
    n_epochs: PositiveInt = 2
    """Number of times that each decision is learnt from (``num_epochs``)."""
    learning_rate: NonNegativeFloat = 1e-3
    """Adam's learning rate at the beginning (``lr``); it falls linearly to 0."""
    ent_coef: NonNegativeFloat = 0.015
    """Weight of the entropy bonus (``entropy_coeff``)."""
    gae_lambda: Share = 0.95
    """λ of the advantage estimates (``lambda_``)."""
    clip_range: NonNegativeFloat = 0.2
    """The furthest that the ratio of probabilities may move from 1 within an iteration (``clip_param``)."""
    truncated_is_lost: bool = False
    """True if a truncated hand counts, in training, as lost by every seat: −1 / (players − 1) for each."""
    symmetry: bool = True
    """True if observations, masks and actions are in canonical form (:mod:`uno_env.symmetry`)."""

    def check(self) -> None:
        """Raise :class:`ValueError` if RLlib is not installed here, or the rules cannot be played."""
        try:
            import ray.rllib  # noqa: F401
        except ImportError as error:
            raise ValueError(
                f"algorithm={self.algorithm!r} needs RLlib, which cannot be imported here ({error}): "
                "use .venv-rllib/bin/uno, made by make test-adapters"
            ) from None
        self.game_rules()
        super().check()

    def memory(self) -> dict[str, int]:
        """As :meth:`train.runs.run_config.RunConfig.memory`: the games, and the decisions to learn from."""
        games = max(1, self.workers) * self.games_per_worker
        return super().memory() | {
            f"games_per_worker={self.games_per_worker} with workers={self.workers}": games * OBSERVATION_SIZE,
            f"batch={self.batch}": 4 * self.batch * OBSERVATION_SIZE,
        }


class RLlibPPO(Learner):
    """RLlib's algorithm as a :class:`train.runs.learner.Learner`."""

    config_class = RLlibConfig
    config: RLlibConfig

    def __init__(self, config: RLlibConfig) -> None:
        self.config = config
        self.rules = config.game_rules()
        self.network = Network(self.rules, config.hidden, symmetry=config.symmetry)
        self.decisions = self.choices = 0  # RLlib does not tell forced decisions apart, and learns from all
        self._algorithm = build(config)
        self._copy_weights()

    def warm_up(self) -> None:
        """Nothing to do: RLlib has reset and stepped a game when it was built."""

    def least_decisions(self) -> int:
        """Decisions of an iteration at most: a batch, and what games play beyond it."""
        config = self.config
        return config.batch + 2 * max(1, config.workers) * config.games_per_worker

    def iterate(self, progress: float) -> dict[str, float]:
        """One of RLlib's iterations: sample a batch, learn from it."""
        rate = self.config.learning_rate * (1 - progress)
        self._learners(lambda learner: _set_learning_rate(learner, rate))
        result = self._algorithm.train()
        learnt = result["learners"][POLICY]
        self.decisions += int(result["env_runners"]["num_env_steps_sampled"])
        self.choices = self.decisions
        if not np.isfinite(learnt["total_loss"]):
            raise DivergedError(f"the loss is {learnt['total_loss']} after {self.decisions:,} decisions")
        self._copy_weights()
        return {name: float(learnt[theirs]) for name, theirs in _FIGURES.items()} | {"train/learning_rate": rate}

    def get_state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """Weights and Adam's state; the number of decisions."""
        weights = {f"weights.{name}": weight for name, weight in self._module_weights().items()}
        (adam,) = self._learners(lambda learner: optimizer_arrays(learner.get_optimizer(POLICY)))
        return {**weights, **{f"adam.{name}": array for name, array in adam.items()}}, {"decisions": self.decisions}

    def set_state(self, arrays: dict[str, Array], values: dict[str, Any]) -> None:
        """Continue from a state that :meth:`get_state` gave."""
        self.decisions = self.choices = values["decisions"]
        self._learners(lambda learner: _restore(learner, arrays))
        self._algorithm.env_runner_group.sync_weights(from_worker_or_learner_group=self._algorithm.learner_group)
        self._copy_weights()

    def __exit__(self, *error: object) -> None:
        """End RLlib's processes."""
        import ray

        self._algorithm.stop()
        ray.shutdown()

    def _learners(self, function: Callable[[Any], Any]) -> list[Any]:
        return [each.get() for each in self._algorithm.learner_group.foreach_learner(function)]

    def _module_weights(self) -> dict[str, Array]:
        (weights,) = self._learners(lambda learner: learner.module[POLICY].state_dict())
        return {name: tensor.detach().cpu().numpy().copy() for name, tensor in weights.items()}

    def _copy_weights(self) -> None:
        self.network.load_weights(policy_weights(self._module_weights(), self.network))


_FIGURES = {
    "train/loss": "total_loss",
    "train/policy_gradient_loss": "policy_loss",
    "train/value_loss": "vf_loss",
    "train/approx_kl": "mean_kl_loss",
    "train/entropy": "entropy",
    "train/explained_variance": "vf_explained_var",
}
"""SB3's names of RLlib's figures."""


def build(config: RLlibConfig) -> Any:
    """RLlib's algorithm for a config."""
    import ray
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec

    with torch_threads(max(1, (config.threads or cores()) // max(1, config.workers))):  # processes that play share them
        ray.init(include_dashboard=False, log_to_driver=False, logging_level="ERROR", ignore_reinit_error=True)
    network = {
        "fcnet_hiddens": list(config.hidden),
        "fcnet_activation": "relu",
        "head_fcnet_hiddens": [],
        "vf_share_layers": True,
    }
    module = RLModuleSpec(module_class=masked_module(), model_config=network)
    return (
        PPOConfig()
        .environment(
            environment(config.truncated_is_lost),
            env_config={"rules": config.game_rules(), "symmetry": config.symmetry},
        )
        .env_runners(num_env_runners=config.workers, num_envs_per_env_runner=config.games_per_worker)
        .multi_agent(policies={POLICY}, policy_mapping_fn=lambda agent, episode, **_: POLICY)
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={POLICY: module}))
        .training(
            train_batch_size_per_learner=config.batch,
            minibatch_size=config.minibatch_size,
            num_epochs=config.n_epochs,
            lr=config.learning_rate,
            gamma=1.0,
            lambda_=config.gae_lambda,
            clip_param=config.clip_range,
            entropy_coeff=config.ent_coef,
            use_kl_loss=False,
            grad_clip=0.5,
            grad_clip_by="global_norm",
        )
        .debugging(seed=config.seed, log_level="ERROR")
        .build_algo()
    )


def masked_module() -> Any:
    """The class of RLlib's network with masks, whose heads begin near 0, as those of all others in the benchmark do."""
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

    class SmallHeads(ActionMaskingTorchRLModule):
        def setup(self) -> None:
            super().setup()
            with torch.no_grad():
                for weight in (*self.pi.parameters(), *self.vf.parameters()):
                    weight *= VALUE_GAIN

    return SmallHeads


def environment(truncated_is_lost: bool) -> Any:
    """The class of the environment: RLlib's view of the game, with the columns of an observation that the rules leave
    open, as all others in the benchmark read it. If asked for, truncated hands end, lost by all.

    The columns that the rules fix have values up to 10 and more. With them RLlib's network begins with values as far
    from 0 as -1.1, and on classic-2p some runs never learned to end a hand.
    """
    from uno_env.envs.rllib import UnoMultiAgentEnv

    class VaryingColumns(UnoMultiAgentEnv):
        def _space(self, agent: str) -> spaces.Dict:
            parts = dict(super()._space(agent))
            self.columns = policy_columns(self.env.game.rules)
            shown = parts["observations"]
            low, high = shown.low[self.columns], shown.high[self.columns]
            return spaces.Dict({**parts, "observations": spaces.Box(low, high)})

        def _observe(self, agent: str) -> dict[str, Array]:
            seen = super()._observe(agent)
            return {**seen, "observations": seen["observations"][self.columns]}

        def _result(self, rewards: dict[str, float], ended: bool = False, cut: bool = False) -> Any:
            if cut and truncated_is_lost:
                rewards, ended = dict.fromkeys(self.agents, -1 / (len(self.agents) - 1)), True
            return super()._result(rewards, ended, cut and not ended)

    return VaryingColumns


def policy_weights(theirs: Mapping[str, Array], network: Network) -> dict[str, Array]:
    """Weights of our network that computes what RLlib's does.

    Args:
        theirs: ``state_dict`` of the module, which writes all actions.
        network: ours, which writes the actions that the rules leave.
    """
    names = {f"trunk.{layer}": f"encoder.encoder.net.mlp.{2 * layer}" for layer in range(len(network.hidden))}
    names |= {"policy": "pi.net.mlp.0", "value": "vf.net.mlp.0"}
    ours = {f"{own}.{part}": theirs[f"{name}.{part}"] for own, name in names.items() for part in ("weight", "bias")}
    for part in ("weight", "bias"):
        ours[f"policy.{part}"] = ours[f"policy.{part}"][network.actions]
    return ours


def _set_learning_rate(learner: Any, rate: float) -> None:
    for group in learner.get_optimizer(POLICY).param_groups:
        group["lr"] = rate  # RLlib sets its own again after the iteration


def _restore(learner: Any, arrays: Mapping[str, Array]) -> None:
    weights = {name: torch.from_numpy(array.copy()) for name, array in under("weights.", arrays).items()}
    learner.module[POLICY].load_state_dict(weights)
    load_optimizer(learner.get_optimizer(POLICY), under("adam.", arrays))
