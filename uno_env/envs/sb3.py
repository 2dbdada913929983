"""Stable-Baselines3's vectorised environment: one seat learns, agents play the others: :class:`UnoVecEnv`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices

from uno_env.actions import number_of
from uno_env.common.calls import Interruptible, exclusive
from uno_env.common.numbers import checked_indices, checked_seed, checked_whole
from uno_env.common.validation import short_repr
from uno_env.core.arrays import Array, Flags
from uno_env.core.rng import stream
from uno_env.encodings import Observations, one_by_one
from uno_env.envs.single_agent_games import LearnerGames
from uno_env.envs.single_agent_options import SingleAgentOptions, lists_options
from uno_env.rules import Rules


@lists_options
class UnoVecEnv(Interruptible, VecEnv):
    """Many games, each with one seat for the learner; an episode is a hand, or with ``match`` a match.

    A step does the learner's action in every game, then the others' until each game waits for its learner again. The
    reward is that of the learner's seat at the end of its hand, also when another's action ended it, and 0 before. A
    finished game is dealt anew in the same step; hands that end before their learner has decided anything are not
    seen. Forced decisions are asked like all others. Raises ValueError if an argument is not allowed.

    The info of a game is empty but at the end of its episode, where it holds ``terminal_observation``, ``is_success``
    (whether the learner won), ``TimeLimit.truncated`` (whether it was cut off), and ``winner``, ``points``, ``end`` and
    ``score`` as that of :class:`uno_env.envs.gym_env.UnoEnv` does.

    Algorithms that know masks ask :meth:`action_masks`: sb3-contrib's MaskablePPO does. Those that do not can read the
    mask as a part of the observation (``mask_in_observation``), as ``MaskedDQN`` of the
    project's ``tools/sb3_dqn.py`` does, or learn from what illegal actions cost (``illegal_action="penalty"``).

    Args:
        num_envs: number of games.
        opponents: as in SingleAgentOptions; or a list of such lists, each of which plays in an equal share of games.
        seed: seed of the games and of the opponents.

    The other arguments are the fields of :class:`uno_env.envs.single_agent_options.SingleAgentOptions`, with another
    default: ``illegal_action="rules"``, and the rules refuse illegal actions with an error. With ``seat=None`` the
    learner of game i starts at seat i, counted round the table.

    Attributes:
        tables: the :class:`uno_env.envs.single_agent_games.LearnerGames` that are played, one for each list of
            opponents, in the order of the games.
        rules: the rules in force.
    """

    render_mode = None

    def __init__(
        self,
        num_envs: int,
        rules: Rules | str | Mapping[str, Any] = "starter",
        opponents: Any = ("random-play",),
        seat: int | None = None,
        seed: int = 0,
        *,
        illegal_action: str = "rules",
        **options: Any,
    ) -> None:
        self._several = isinstance(opponents, list | tuple) and any(isinstance(one, list | tuple) for one in opponents)
        checked_whole("num_envs", num_envs, 1)
        shares = _shares(opponents, num_envs) if self._several else [(opponents, num_envs)]
        self.tables = [
            LearnerGames(size, SingleAgentOptions(rules, listed, seat, illegal_action=illegal_action, **options))
            for listed, size in shares
        ]
        self._ends = np.cumsum([games.num_games for games in self.tables])
        self._next_seeds = self._table_seeds(seed)
        self._restored = False
        self.rules = self.tables[0].rules
        self._chosen = np.zeros(num_envs, np.int64)
        super().__init__(num_envs, self.tables[0].observation_space(), spaces.Discrete(number_of(self.rules)))

    @property
    def options(self) -> SingleAgentOptions:
        """The options of all games; those of the first table, where opponents are several lists."""
        return self.tables[0].options

    @property
    def decisions(self) -> int:
        """Decisions of all seats so far."""
        return sum(games.decisions for games in self.tables)

    def __repr__(self) -> str:
        return f"<UnoVecEnv: {self.num_envs} by {self.rules!r}, against {[games.opponents for games in self.tables]!r}>"

    @exclusive
    def reset(self) -> Observations:
        """Deal every game: the observations; after ``seed(s)`` as a new environment with that seed does.

        Games that :meth:`set_state` has just restored are not dealt: they continue. Without a seed, each reset has the
        next one of a sequence; one that was interrupted is done again.
        """
        if self._seeds[0] is not None:
            self._next_seeds = self._table_seeds(self._seeds[0])
        elif self._restored and not self._unready:
            self._restored = False
            return self.observe()
        with self._changing("reset"):
            self._restored = False
            self._reset_seeds()
            self._reset_options()
            for games, seed in zip(self.tables, self._next_seeds, strict=True):
                games.reset(seed)
            self._next_seeds = [int(stream(np.uint64(seed), np.uint64(2**63))) for seed in self._next_seeds]
        return self.observe()

    def get_state(self) -> list[dict[str, Array]]:
        """The games of each table, copied; without the state of the opponents' random generators. Raises ValueError if
        a call was interrupted: the environment must be reset.
        """
        self._check_ready("get_state")
        return [games.get_state() for games in self.tables]

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Same as SB3's: the next :meth:`reset` begins with this seed, or a random one. Raises ValueError if it is no
        whole number from 0 to 2**64 − 1.
        """
        return super().seed(None if seed is None else checked_seed(seed))

    @exclusive
    def set_state(self, states: Sequence[Mapping[str, Array]]) -> None:
        """Restore games that :meth:`get_state` gave; the next :meth:`reset` continues them. Raises ValueError if a
        state is of other games than these, or one in it is impossible; all is as it was.
        """
        given: Any = states
        if not isinstance(given, Sequence) or len(states) != len(self.tables):
            raise ValueError(f"the state does not fit: list one for each of {len(self.tables)} tables")
        checked = [games.verify(state) for games, state in zip(self.tables, states, strict=True)]
        with self._changing("set_state"):
            for games, state in zip(self.tables, checked, strict=True):
                games.set_state(state)
            self._restored = True

    @exclusive
    def step_async(self, actions: Array) -> None:
        """Take note of an action for each game, integers [num_envs]. Raises ValueError if they are none."""
        chosen = np.asarray(actions)
        if self._several or chosen.dtype.kind not in "iu" or chosen.ndim != 1:
            chosen = checked_indices("actions", actions, number_of(self.rules))  # before any table is stepped
        if len(chosen) != self.num_envs:
            raise ValueError(f"{len(chosen)} actions are not one for each of {self.num_envs} games")
        self._chosen[:] = chosen

    @exclusive
    def step_wait(self) -> tuple[Observations, Array, Array, list[dict[str, Any]]]:
        """Do them: observations, rewards float32, dones bool and infos, all of them [num_envs]. Raises
        IllegalActionError if an action is illegal and is refused, and ValueError if the games are not dealt yet, or a
        call was interrupted; no game was stepped.
        """
        self._check_ready("step")
        for games, end in zip(self.tables, self._ends.tolist(), strict=True):
            indices = np.arange(games.num_games)
            games.check_step(indices, games.real_actions(indices, self._chosen[end - games.num_games : end]))
        with self._changing("step"):
            for games in self.tables:
                games.step_checked()
            rewards = np.concatenate([games.take_rewards() for games in self.tables])
            dones = np.concatenate([games.over != 0 for games in self.tables])
            infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
            for games, end in zip(self.tables, self._ends.tolist(), strict=True):
                ended = np.flatnonzero(games.over)
                if ended.size:
                    indices = (ended + end - games.num_games).tolist()
                    for index, info in zip(indices, self._last(games, ended), strict=True):
                        infos[index] = info
                    games.deal(ended)
            told = self.observe(), rewards, dones, infos
        for games in self.tables:
            games.warn_of_long_hands()
        return told

    def action_masks(self) -> Flags:
        """Each learner's legal actions, bool [num_envs, A]; a copy."""
        return np.concatenate([games.action_masks().view(bool) for games in self.tables])

    def close(self) -> None:
        """Nothing is held open."""

    def has_attr(self, attr_name: str) -> bool:
        """Return whether the games have the attribute: whether the environment has it."""
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """The environment's attribute, once for each of some games."""
        value = getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set the environment's attribute for all games. Raises ValueError if ``indices`` leaves games out."""
        if set(self._get_indices(indices)) != set(range(self.num_envs)):
            raise ValueError(f"{attr_name!r} cannot be set for games {indices} alone: all games share their attributes")
        setattr(self, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method of the environment, such as ``action_masks``. Returns the part of each of some games."""
        result = getattr(self, method_name)(*method_args, **method_kwargs)
        return [None if result is None else result[index] for index in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type, indices: VecEnvIndices = None) -> list[bool]:
        """No game is wrapped."""
        return [False for _ in self._get_indices(indices)]

    def observe(self) -> Observations:
        """Observations of the learners, as :meth:`reset` gives them."""
        parts: list[Any] = [self.observe_table(games) for games in self.tables]
        if len(parts) == 1:
            return parts[0]
        if isinstance(parts[0], dict):
            return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        return np.concatenate(parts)

    def observe_table(self, games: LearnerGames, indices: Array | slice = slice(None)) -> Observations:
        """Observations of the learners of some games of one of :attr:`tables`. A subclass can change them here. Raises
        ValueError if there is no such table or game.
        """
        if not isinstance(games, LearnerGames):
            raise ValueError(f"{short_repr(games)} is no table of this environment: give one of its `tables`")
        return games.observe(indices)

    def _table_seeds(self, seed: int) -> list[int]:
        """The seeds that the tables begin with: one table's is the environment's own."""
        if not self._several:
            return [checked_seed(seed)]
        paths = ([checked_seed(seed), 1, number] for number in range(len(self.tables)))
        return [int(np.random.SeedSequence(path).generate_state(1, np.uint64)[0]) for path in paths]

    def _last(self, games: LearnerGames, ended: Array) -> Iterable[dict[str, Any]]:
        """The infos of the games of a table that have just ended, before they are dealt again."""
        infos = {name: values.tolist() for name, values in games.ends(ended).items()}
        infos["TimeLimit.truncated"] = infos.pop("truncated")
        infos["terminal_observation"] = list(one_by_one(self.observe_table(games, ended)))
        return (dict(zip(infos, values, strict=True)) for values in zip(*infos.values(), strict=True))


def _shares(opponents: Sequence[Any], num_envs: int) -> Iterable[tuple[Any, int]]:
    """Each list of opponents with the number of its games, which differ by one at most."""
    more = num_envs % len(opponents)
    return ((listed, num_envs // len(opponents) + (number < more)) for number, listed in enumerate(opponents))
