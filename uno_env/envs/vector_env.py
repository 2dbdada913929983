"""Gymnasium's vector view: many games, one seat of each learns: :class:`UnoVectorEnv`.

``gymnasium.make_vec("uno_env/Uno-v0", num_envs=1024, rules="starter", opponents=["greedy"])`` makes one.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from uno_env.actions import number_of
from uno_env.common.calls import Interruptible, exclusive
from uno_env.common.numbers import checked_seed, checked_seeds
from uno_env.core.arrays import Array, Flags, Ints
from uno_env.core.record import NOBODY, RUNNING
from uno_env.encodings import Observations, one_by_one
from uno_env.envs.single_agent_games import LearnerGames
from uno_env.envs.single_agent_options import SingleAgentOptions, lists_options
from uno_env.rules import Rules

_ONE_GAME_ONLY = {
    "max_episode_steps": "give rules with max_decisions, the decisions of all seats after which a hand is cut",
    "render_mode": "draw a single game, made by gymnasium.make, or choose vectorization_mode='sync'",
}
"""Keywords of ``gymnasium.make`` that this class does not know, and what to do instead."""


@lists_options
class UnoVectorEnv(Interruptible, VectorEnv[Observations, Array, Array]):
    """Many games at once; in each the learner has one seat, and agents play the others inside ``reset`` and ``step``.

    Each game is what :class:`uno_env.envs.gym_env.UnoEnv` is, whose arguments mean the same here; but with
    ``seat=None`` game i begins at seat i, counted round the table. No Python code loops over games, and each opponent
    is asked about all the games that wait for it at once. Raises ValueError if an argument is not allowed.

    **Observations** float32 or uint8 [N, D], or images or mappings as UnoEnv's; **actions** integers [N], **rewards**
    float32 [N], terminations and truncations bool [N]. ``infos["action_mask"]`` is int8 [N, A], what each learner may
    do (nothing, when its episode is over), as :meth:`action_masks` returns it. At every step the infos also hold what
    UnoEnv's info does, as arrays [N] of numbers, each with its ``_name`` bool [N] of where it holds.

    **Autoreset** (``metadata["autoreset_mode"]``): ``NextStep``: the step after an episode's last ignores that game's
    action, deals, and gives the first observation, with reward 0. ``SameStep``: the step that ends an episode deals as
    well; the last observation is in ``infos["final_obs"]``, an array of objects, and that episode's info in
    ``infos["final_info"]``. ``Disabled``: games that are over wait for ``reset(options={"reset_mask": bool [N]})``,
    which deals the games marked; it may be used in the other modes, too.

    Args:
        num_envs: number of games N.
        autoreset_mode: a :class:`gymnasium.vector.AutoresetMode` or its value.
        max_episode_steps, render_mode: None; other values are refused with what to use instead.

    The other arguments are the fields of :class:`uno_env.envs.single_agent_options.SingleAgentOptions`.

    Attributes:
        games: the :class:`uno_env.envs.single_agent_games.LearnerGames` that are played.
    """

    _unready = "the games are not dealt yet"

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        num_envs: int = 1,
        rules: Rules | str | Mapping[str, Any] = "starter",
        opponents: Any = ("random-play",),
        seat: int | None = None,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: None = None,
        render_mode: None = None,
        **options: Any,
    ) -> None:
        for name, value in (("max_episode_steps", max_episode_steps), ("render_mode", render_mode)):
            if value is not None:
                raise ValueError(f"{name} is not known to many games at once: {_ONE_GAME_ONLY[name]}")
        self._mode = _checked_mode(autoreset_mode)
        self.games = LearnerGames(num_envs, SingleAgentOptions(rules, opponents, seat, **options))
        self.rules = self.games.rules
        self.num_envs = self.games.num_games
        self.metadata = {**self.metadata, "autoreset_mode": self._mode}
        self.single_observation_space = self.games.observation_space()
        self.single_action_space = spaces.Discrete(number_of(self.rules))
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    @property
    def seats(self) -> Ints:
        """The learners' seats, int64 [N]; a copy."""
        return self.games.seats.copy()

    def action_masks(self) -> npt.NDArray[np.int8]:
        """Each learner's legal actions, int8 [N, A]; a copy."""
        return self.games.action_masks().view(np.int8)

    def __repr__(self) -> str:
        return f"<UnoVectorEnv: {self.num_envs} by {self.rules!r}, against {self.games.opponents!r}>"

    @exclusive
    def reset(
        self, *, seed: Any = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Deal all games, or those of ``options["reset_mask"]``, bool [N].

        Args:
            seed: seed of the games dealt and of the opponents: game i is dealt as game i of
                ``BatchedGames(…, seed=seed)``; or a list of N, for each game the seed of a ``Game``. Without a seed the
                random generators continue; at first they are seeded at random. After a call that was interrupted, the
                seed is then the next number of :attr:`np_random`.
            options: ``reset_mask``; others are refused.

        Raises:
            ValueError: an argument is not allowed; everything is as it was.
        """
        seeds, indices = self._checked_seeds(seed), self._checked_options(options)
        begins = bool(self._unready)
        with self._changing("reset"):
            if seeds is not None:
                super().reset(seed=int(np.ravel(seeds)[0]))
            elif begins:
                seeds = self.np_random.integers(2**64, dtype=np.uint64)
            if seeds is None:
                self.games.deal(indices)
            else:
                self.games.reset(seeds if np.ndim(seeds) == 0 else seeds[indices], indices)
            return self.games.observe(), self._infos(np.zeros(0, np.int64), {})

    @exclusive
    def step(self, actions: Array) -> tuple[Observations, Array, Array, Array, dict[str, Any]]:
        """Act in every game, and let the others play until each waits for its learner again.

        Args:
            actions: integers [N]; where a game is over and the mode is ``NextStep``, its action does not matter.

        Raises:
            IllegalActionError: an action is illegal and is refused; nothing was stepped.
            ValueError: there is no such action, or a game has to be reset first; nothing was stepped.
        """
        chosen = np.asarray(actions)
        self._check_step(chosen)
        over = self.games.over != 0
        playing, waiting = np.flatnonzero(~over), np.flatnonzero(over)
        self.games.check_step(playing, self.games.real_actions(playing, chosen[playing]))
        with self._changing("step"):
            told = self._stepped(playing, waiting)
        self.games.warn_of_long_hands()
        return told

    def _stepped(self, playing: Array, waiting: Array) -> Any:
        self._play(self.games.step_checked)
        rewards = self.games.take_rewards()
        ended = playing[self.games.over[playing] != 0]
        truncations, terminations = np.zeros(self.num_envs, bool), np.zeros(self.num_envs, bool)
        finals, ends = dict[str, Any](), dict[str, Array]()
        if ended.size:
            ends = self.games.ends(ended)
            truncations[ended] = ends.pop("truncated")
            terminations[ended] = ~truncations[ended]
        if self._mode is AutoresetMode.SAME_STEP:
            finals = self._finals(ended, ends) if ended.size else {}
            waiting, ends = ended, {}
        if waiting.size:
            self._play(self.games.deal, waiting)
        return self.games.observe(), rewards, terminations, truncations, {**self._infos(ended, ends), **finals}

    def _play(self, call: Callable[..., None], *arguments: Array) -> None:
        """Call a method of the games. If an opponent fails in it, the games are settled, so that they can be played
        on.
        """
        failures = self.games.failures
        try:
            call(*arguments)
        except Exception:
            if self.games.failures > failures:
                self._unready = ""
            raise

    def _finals(self, ended: Array, ends: Mapping[str, Array]) -> dict[str, Any]:
        """Infos of the episodes that have just ended, made before their games are dealt again."""
        infos = self._spread(ends, ended)
        final = {"final_obs": np.fromiter(one_by_one(self.games.observe(ended)), object, len(ended))}
        masks = {"action_mask": np.zeros((len(ended), self.games.mask.shape[1]), np.int8)}
        where = self._marked(ended)
        return {
            **self._spread(final, ended),
            "final_info": {**self._spread(masks, ended), **infos},
            "_final_info": where,
        }

    def _spread(self, values: Mapping[str, Array], indices: Array) -> dict[str, Array]:
        """Values of some games as arrays over all, each with the mask of where it holds."""
        spread: dict[str, Array] = {}
        for name, some in values.items():
            every = np.full((self.num_envs, *some.shape[1:]), None if some.dtype == object else 0, some.dtype)
            every[indices] = some
            spread[name], spread[f"_{name}"] = every, self._marked(indices)
        return spread

    def _marked(self, indices: Array) -> Flags:
        marked = np.zeros(self.num_envs, bool)
        marked[indices] = True
        return marked

    def _infos(self, ended: Array, ends: Mapping[str, Array]) -> dict[str, Any]:
        """Return the infos: the end of each game in ``ended``, and for all others that they are running."""
        N = self.num_envs
        infos: dict[str, Array] = {
            "action_mask": self.action_masks(),
            "is_success": np.zeros(N, bool),
            "winner": np.full(N, NOBODY, np.int64),
            "points": np.zeros(N, np.int64),
            "end": np.full(N, RUNNING, np.int64),
        }
        if self.games.options.match:
            infos["score"] = self.games.scores()
        for name, values in ends.items():
            infos[name][ended] = values
        marks = (f"_{name}" for name in infos)
        return infos | dict(zip(marks, np.ones((len(infos), N), bool), strict=True))

    def _check_step(self, actions: Array) -> None:
        self._check_ready("step")
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "iu":
            raise ValueError(f"actions must be {self.num_envs} integers, not {actions.dtype} of shape {actions.shape}")
        if self._mode is AutoresetMode.DISABLED and self.games.over.any():
            indices = ", ".join(map(str, np.flatnonzero(self.games.over)[:5]))
            raise ValueError(f"games are over: {indices} …; call reset(options={{'reset_mask': …}}) before step()")

    def _checked_seeds(self, seed: Any) -> Any:
        """None, one seed, or uint64 [N]."""
        if seed is None or np.ndim(seed) == 0:
            return None if seed is None else checked_seed(seed)
        if len(seed) != self.num_envs:
            raise ValueError(f"{len(seed)} seeds are not one for each of {self.num_envs} games")
        return checked_seeds(seed)

    def _checked_options(self, options: Any) -> Array:
        """Indices of the games to deal."""
        if options is not None and not isinstance(options, Mapping):
            raise ValueError(f"options={options!r} is not allowed: give a mapping such as {{'reset_mask': …}}")
        unknown = set(options or {}) - {"reset_mask"}
        if unknown:
            raise ValueError(f"option {sorted(unknown)[0]!r} is not known to many games at once: there is 'reset_mask'")
        if not options or options["reset_mask"] is None:
            return np.arange(self.num_envs)
        mask = np.asarray(options["reset_mask"])
        if mask.dtype != bool or mask.shape != (self.num_envs,) or not mask.any():
            raise ValueError(f"reset_mask must be {self.num_envs} booleans, one of them True, not {mask!r}")
        if self._unready and not mask.all():
            raise ValueError(f"{self._unready}: call reset() without reset_mask first")
        return np.flatnonzero(mask)


def _checked_mode(mode: Any) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError:
        allowed = ", ".join(repr(each.value) for each in AutoresetMode)
        raise ValueError(f"autoreset_mode={mode!r} is not allowed: choose {allowed}") from None
