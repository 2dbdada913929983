"""Players: :class:`Player`, the one protocol of everything that chooses actions, and :func:`load_player` by name.

Environments, evaluations and tables are handed players. :func:`as_player` makes one of any object with ``act`` or
``act_batch``, and of any function of an observation and a mask.
"""

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np

from uno_env.common.copies import DeepCopyMixin, compiled_view
from uno_env.core.arrays import Array, Flags, Ints
from uno_env.core.loops.learner_batch import first_unmarked
from uno_env.observation import OBS_DTYPES, float_form, integer_form
from uno_env.rules import Rules

ENTRY_POINTS = "uno_env.players"
"""Group of the entry points that make players: functions of a spec, a seed and :class:`Rules`."""


class PlayerError(ValueError):
    """The error of a player that failed, or chose an action that is not legal; the message names the player."""


Choose = Callable[[Array, Array], int]
"""The least that can play: a function of an observation float32 [D] and a mask bool [A], to a legal action."""


class RowPlayer(Protocol):
    """An object that plays one decision at a time."""

    def act(self, observation: Array, action_mask: Array, /) -> int:
        """A legal action for an observation float32 [D] and a mask bool [A]."""
        ...


class BatchPlayer(Protocol):
    """An object that plays many decisions at once."""

    def act_batch(self, observations: Array, action_masks: Array, /) -> Array:
        """A legal action for each row: integers [N] for observations float32 [N, D] and masks bool [N, A]."""
        ...


PlayerLike: TypeAlias = BatchPlayer | RowPlayer | Choose
"""The kinds of agents that :func:`as_player` makes a player of."""


class Player(DeepCopyMixin):
    """Chooses actions from observations and masks; a subclass overrides what it can do.

    A player may override ``act_batch`` without ``histories`` if its :attr:`history` is 0.
    """

    name: str = "player"
    """Its name in tables and logs."""

    obs_dtype: str = "float32"
    """Form of the observations that environments and evaluations show it, as in :class:`uno_env.BatchedGames`:
    ``float32``, or ``uint8``, which is faster. A subclass that says ``uint8`` is shown the environment's own arrays,
    often as read-only views, with masks of any type."""

    history: int = 0
    """Number of past events that it must be shown besides observations (:mod:`uno_env.history`); 0: none."""

    sees_all_hands: bool = False
    """True if it needs the games themselves. Such a player plays by :meth:`act_on_games` only."""

    only_reads: bool = False
    """True if it never writes to the arrays that it is shown. Then an environment shows its own buffers, which saves a
    little time; other players get read-only views."""

    is_remote: bool = False
    """True if each question takes another machine's time or money: it is not asked only to warm up."""

    state_size: int = 0
    """The number of values that it remembers during a hand; 0: none. A player with some plays by :meth:`act_recurrent`
    only, and the caller keeps them (:mod:`uno_env.history`)."""

    def reset(self, seed: int) -> None:
        """Restart the player's own random generator from ``seed``, 0 to 2**64 − 1."""

    def act_batch(self, observations: Array, action_masks: Array, histories: Array | None = None) -> Ints:
        """The chosen action of the player to move in each game of a batch.

        Args:
            observations: float32 or uint8 [N, D], a row for each game.
            action_masks: [N, A] of 0 and 1 (int8, uint8 or bool).
            histories: uint8 [N, K, EVENT_SIZE], the last events, K at least :attr:`history`.

        Returns:
            Ids of legal actions, integers [N].
        """
        raise NotImplementedError

    def act_recurrent(
        self, observations: Array, action_masks: Array, states: Array, histories: Array | None = None
    ) -> Ints:
        """Same as :meth:`act_batch`, for a player that remembers the hands it is in.

        Args:
            observations: float32 or uint8 [N, D].
            action_masks: [N, A].
            states: float32 [N, :attr:`state_size`], the numbers that it remembers of each row's hand and seat, zeros at
                the first decision; it overwrites them with the new ones.
            histories: as for :meth:`act_batch`.
        """
        raise NotImplementedError

    def act_on_games(self, observations: Array, action_masks: Array, games: Array) -> Ints:
        """Same as :meth:`act_batch`, for a player that :attr:`sees_all_hands`; ``games`` are records [N] as
        :attr:`uno_env.BatchedGames.games`, which are not changed.
        """
        raise NotImplementedError

    def probabilities(self, observations: Array, action_masks: Array, histories: Array | None = None) -> Array | None:
        """Probability of each action, float32 [N, A], 0 where it is not legal; None if the player has none."""
        return None

    def values(self, observations: Array, histories: Array | None = None) -> Array | None:
        """Expected rewards of the players to move, float32 [N]; None if the player has none."""
        return None


class _ShownPlayer(Player):
    """A player made of somebody's function or object, which is shown observations in its ``obs_dtype`` and masks bool,
    whatever the caller has.
    """

    obs_dtype = "uint8"  # it is shown what there is, and changes it

    def __init__(self, actor: Any) -> None:
        self.actor = actor
        self.name = str(getattr(actor, "name", getattr(actor, "__name__", type(actor).__name__)))
        self.history = getattr(actor, "history", 0)
        self.state_size = getattr(actor, "state_size", 0)
        self.sees_all_hands = getattr(actor, "sees_all_hands", False)
        self.is_remote = getattr(actor, "is_remote", False)
        wanted = getattr(actor, "obs_dtype", "float32")
        if wanted not in OBS_DTYPES:
            raise ValueError(f"{self.name}.obs_dtype={wanted!r} is not allowed: choose 'float32' or 'uint8'")
        self._is_float = wanted == "float32"

    def reset(self, seed: int) -> None:
        if hasattr(self.actor, "reset"):
            self.actor.reset(seed)

    def act_batch(self, observations: Array, action_masks: Array, histories: Array | None = None) -> Ints:
        shown = self._observations(observations), _flags(action_masks), *_given(histories)
        if callable(getattr(self.actor, "act_batch", None)):
            actions: Ints = self.actor.act_batch(*shown)
            return actions
        act = getattr(self.actor, "act", self.actor)
        return np.array([act(*row) for row in zip(*shown, strict=True)])

    def act_recurrent(
        self, observations: Array, action_masks: Array, states: Array, histories: Array | None = None
    ) -> Ints:
        shown = self._observations(observations), _flags(action_masks), states, *_given(histories)
        actions: Ints = self.actor.act_recurrent(*shown)
        return actions

    def act_on_games(self, observations: Array, action_masks: Array, games: Array) -> Ints:
        actions: Ints = self.actor.act_on_games(self._observations(observations), _flags(action_masks), games)
        return actions

    def probabilities(self, observations: Array, action_masks: Array, histories: Array | None = None) -> Array | None:
        if not hasattr(self.actor, "probabilities"):
            return None
        shown = self._observations(observations), _flags(action_masks), *_given(histories)
        probabilities: Array | None = self.actor.probabilities(*shown)
        return probabilities

    def values(self, observations: Array, histories: Array | None = None) -> Array | None:
        if not hasattr(self.actor, "values"):
            return None
        values: Array | None = self.actor.values(self._observations(observations), *_given(histories))
        return values

    def _observations(self, observations: Array) -> Array:
        rows = np.asarray(observations)
        return float_form(rows) if self._is_float else integer_form(rows)

    def __repr__(self) -> str:
        return repr(self.actor)


def _flags(action_masks: Array) -> Flags:
    """Masks of 0 and 1 as bool; read-only if they are."""
    masks = np.asarray(action_masks)
    return masks.view(np.bool_) if masks.dtype.itemsize == 1 else masks.astype(np.bool_)


def _given(histories: Array | None) -> tuple[Array, ...]:
    """Histories as arguments, if there are any."""
    return () if histories is None else (histories,)


def is_player(value: Any) -> bool:
    """Return whether a value can play: it has a method ``act_batch`` or ``act``, or can be called."""
    if isinstance(value, type):
        return False
    return callable(value) or any(callable(getattr(value, method, None)) for method in ("act_batch", "act"))


def as_player(actor: PlayerLike) -> Player:
    """A player made of somebody's own agent: a function (:data:`Choose`), or an object with ``act``
    (:class:`RowPlayer`) or ``act_batch`` (:class:`BatchPlayer`). It is shown observations float32, unless its
    ``obs_dtype`` is ``uint8``, and masks bool. A :class:`Player` whose ``obs_dtype`` is ``uint8`` is returned as it is.
    Raises ValueError if it is none of these.
    """
    if isinstance(actor, Player) and actor.obs_dtype == "uint8":
        return actor
    if isinstance(actor, type):
        raise ValueError(f"{actor.__name__} is a class: give an instance of it")
    if not is_player(actor):
        raise ValueError(
            f"{actor!r} is no agent: give one with act() or act_batch(), a function of an observation and a mask, or a "
            "name for agents.load()"
        )
    has_method = any(callable(getattr(actor, method, None)) for method in ("act_batch", "act"))
    if not has_method and callable(actor) and not _takes(actor, 2):
        name = getattr(actor, "__name__", type(actor).__name__)
        raise ValueError(f"{name}{inspect.signature(actor)} is no agent: give a function of (observation, mask)")
    return _ShownPlayer(actor)


def _takes(function: Callable[..., Any], arguments: int) -> bool:
    """Return whether a function can be called with this number of arguments by position."""
    try:
        inspect.signature(function).bind(*[None] * arguments)
    except TypeError:
        return False
    except ValueError:  # of a builtin, which has no signature
        pass
    return True


def checked_choices(name: str, actions: Any, action_masks: Array) -> Ints:
    """Check a player's choices under masks [N, A], and return them as a new array, int64 [N]. Raises ValueError if
    these are no masks, and PlayerError, which names the player, if the choices are not N whole numbers, or one of them
    is not legal.
    """
    masks = np.asarray(action_masks)
    if masks.ndim != 2 or masks.dtype.kind not in "iubf":
        raise ValueError(f"action_masks must be numbers [N, A], not {masks.dtype} of shape {list(masks.shape)}")
    try:
        chosen = np.asarray(actions)
    except ValueError:  # lists of several lengths
        chosen = np.array(None)
    if chosen.shape != masks.shape[:1] or chosen.dtype.kind not in "iu":
        kind = f"an array of {chosen.dtype} {list(chosen.shape)}" if chosen.dtype != object else "something else"
        raise PlayerError(f"agent {name!r} returned {kind}: it must return {len(masks)} ids of actions, whole numbers")
    copied = np.array(chosen, np.int64, order="C")
    if masks.dtype != np.uint8 or not masks.flags.c_contiguous:
        masks = np.ascontiguousarray(masks != 0).view(np.uint8)
    wrong = first_unmarked(compiled_view(masks), copied)
    if wrong >= 0:
        raise PlayerError(f"agent {name!r} chose an action that is not legal: {chosen[wrong]}")
    return copied


def load_player(spec: str | Path, seed: int = 0, rules: Rules | str | Mapping[str, Any] | None = None) -> Player:
    """The player of a spec such as ``"greedy"``, made by an installed package.

    A package offers players by an entry point of the group :data:`ENTRY_POINTS`, which names a function with the
    arguments of this one; the package ``agents`` does (:func:`agents.load`). The first one that knows the spec is used.
    Raises ValueError if no installed package can make this player.

    Args:
        spec: the name of a player, or the path of a saved one.
        seed: start of the player's own random generator, 0 to 2**64 − 1.
        rules: the rules that it is to play by.
    """
    errors = []
    for load in _loaders():
        try:
            return as_player(load(spec, seed, rules))
        except ValueError as error:
            errors.append(error)
    if errors:
        raise errors[0]
    raise ValueError(
        f"player {str(spec)!r} cannot be made: no package is installed that offers players "
        f"(entry point {ENTRY_POINTS!r}); install this project with pip, or give an object with act_batch()"
    )


@cache
def _loaders() -> tuple[Any, ...]:
    return tuple(entry.load() for entry in entry_points(group=ENTRY_POINTS))
