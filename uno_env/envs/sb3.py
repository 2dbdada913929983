"""Stable-Baselines3's vectorised environment: one seat learns, agents play the others: :class:`UnoVecEnv`."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices

from uno_env.actions import NUM_ACTIONS
from uno_env.core.rng import stream
from uno_env.envs.observation_spaces import LearnerForm, Observations, one_by_one
from uno_env.envs.single_agent_games import LearnerGames
from uno_env.game import checked_seed
from uno_env.rules import Rules, as_rules

Array = npt.NDArray[Any]


class UnoVecEnv(VecEnv):
    """Many games, each with one seat for the learner; an episode is a hand, or with ``match`` a match.

    A step does the learner's action in every game, then the others' until each game waits for its learner again. The
    reward is that of the learner's seat at the end of its hand, also when another's action ended it, and 0 before. A
    finished game is dealt anew in the same step; hands that end before their learner has decided anything are not
    seen. Forced decisions are asked like all others.

    The info of a game is empty but at the end of its episode, where it holds ``terminal_observation``, ``is_success``
    (whether the learner won), ``TimeLimit.truncated`` (whether it was cut off), and ``winner``, ``points``, ``end`` and
    ``score`` as that of :class:`uno_env.envs.gym_env.UnoEnv` does.

    Algorithms that know masks ask :meth:`action_masks`: sb3-contrib's MaskablePPO does. Those that do not can read the
    mask as a part of the observation (``mask_in_observation``), as :class:`train.algorithms.sb3.masked_q.MaskedDQN`
    does, or learn from what illegal actions cost (``illegal_action="penalty"``).

    Args:
        num_envs: number of games.
        rules: rules, a preset's name or a mapping of fields.
        opponents: who plays the other seats: agents, or specs for :func:`agents.load`, by place to the learner's left;
            one alone plays all of them.
        seat: the learner's seat; None: seat i in game i, counted round the table, and one place to the left after
            every episode.
        seed: decides the games and the chance of the opponents.
        players: number of players, if not that of ``rules``.
        match: play whole matches (RULES.md 9).
        reward: ``outcome``, or in a match ``points`` after each hand (:mod:`uno_env.core.rules.reward`).
        illegal_action: what the learner's illegal actions do (:mod:`uno_env.envs.illegal_actions`); here it is by
        default up to the
            rules, which refuse them with an error.
        illegal_reward: what each earns under ``penalty`` and ``random``.
        obs_dtype: ``float32`` (scaled) or ``uint8`` (the same facts as integers): a replay buffer a quarter the size.
        encoding: ``vector``, or ``planes`` or ``rlcard``, observations as images (:mod:`uno_env.encodings`).
        history: how many of the last public events are given, 0 for none; observations are then mappings, with the part
            ``history`` (:class:`uno_env.envs.observation_spaces.LearnerForm`).
        mask_in_observation: whether observations are mappings with the part ``action_mask``, int8 [num_envs, A].

    Attributes:
        games: the :class:`uno_env.envs.single_agent_games.LearnerGames` that are played.
        rules: the rules in force.

    Raises:
        ValueError: an argument is not allowed.
    """

    render_mode = None

    def __init__(
        self,
        num_envs: int,
        rules: Rules | str | Mapping[str, Any] = "duel",
        opponents: Any = ("random-play",),
        seat: int | None = None,
        seed: int = 0,
        players: int | None = None,
        match: bool = False,
        reward: str = "outcome",
        illegal_action: str = "rules",
        illegal_reward: float = -1.0,
        obs_dtype: str = "float32",
        encoding: str = "vector",
        history: int = 0,
        mask_in_observation: bool = False,
    ) -> None:
        self._form = LearnerForm(as_rules(rules, players), obs_dtype, encoding, history, mask_in_observation)
        self._next_seed = checked_seed(seed)
        self.games = LearnerGames(
            num_envs, rules, opponents, seat, players, match, reward, illegal_action, illegal_reward, history
        )
        self.rules = self.games.rules
        self._every = np.arange(num_envs)
        self._chosen = np.zeros(num_envs, np.int64)
        super().__init__(num_envs, self._form.space(), spaces.Discrete(NUM_ACTIONS))

    @property
    def decisions(self) -> int:
        """Decisions of all seats so far."""
        return self.games.decisions

    def reset(self) -> Observations:
        """Deal every game: the observations; after ``seed(s)`` as a new environment with that seed does."""
        if self._seeds[0] is not None:
            self._next_seed = checked_seed(self._seeds[0])
        self._reset_seeds()
        self._reset_options()
        self.games.reset(self._next_seed)
        self._next_seed = int(stream(np.uint64(self._next_seed), np.uint64(2**63)))
        return self.observe()

    def step_async(self, actions: Array) -> None:
        """Take note of an action for each game, integers [num_envs]."""
        self._chosen[:] = actions

    def step_wait(self) -> tuple[Observations, Array, Array, list[dict[str, Any]]]:
        """Do them: observations, rewards float32, dones bool and infos, all of them [num_envs]."""
        self.games.step(self._every, self._chosen)
        rewards = self.games.take_rewards()
        dones = self.games.over != 0
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        ended = np.flatnonzero(dones)
        if ended.size:
            for place, info in zip(ended.tolist(), self._ends(ended), strict=True):
                infos[place] = info
            self.games.deal(ended)
        return self.observe(), rewards, dones, infos

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """What each learner may do, bool [num_envs, A]; a copy."""
        return self.games.mask.astype(bool)

    def close(self) -> None:
        """Nothing is held open."""

    def has_attr(self, attr_name: str) -> bool:
        """Whether every game has the attribute: the environment does."""
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """The environment's attribute, once for each of some games."""
        value = getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set the environment's attribute, which is the same for all games.

        Raises:
            ValueError: ``indices`` leaves games out.
        """
        if set(self._get_indices(indices)) != set(range(self.num_envs)):
            raise ValueError(f"{attr_name!r} cannot be set for games {indices} alone: all games share their attributes")
        setattr(self, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Of some games, their parts of what the environment's method returns; ``action_masks`` is one."""
        result = getattr(self, method_name)(*method_args, **method_kwargs)
        return [None if result is None else result[index] for index in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type, indices: VecEnvIndices = None) -> list[bool]:
        """No game is wrapped."""
        return [False for _ in self._get_indices(indices)]

    def observe(self, places: Array | slice = slice(None)) -> Observations:
        """What the learners of some games see, as :meth:`reset` gives it."""
        games = self.games
        return self._form.of(games.rows[places], games.mask[places], lambda: games.histories()[places])

    def _ends(self, ended: Array) -> Iterable[dict[str, Any]]:
        """The infos of the games that have just ended, before they are dealt again."""
        told = {name: values.tolist() for name, values in self.games.ends(ended).items()}
        told["TimeLimit.truncated"] = self.games.truncated(ended).tolist()
        told["terminal_observation"] = list(one_by_one(self.observe(ended)))
        return (dict(zip(told, values, strict=True)) for values in zip(*told.values(), strict=True))
