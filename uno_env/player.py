"""Players: :class:`Player`, the one protocol of everything that chooses actions, and :func:`load_player` by name.

Environments, evaluations and tables are handed players. :func:`as_player` makes one of any object with ``act_batch``,
and of any function of an observation and a mask.
"""

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from uno_env.common.copies import DeepCopyMixin, compiled_view
from uno_env.core.arrays import Array, Ints
from uno_env.core.loops.learner_batch import first_unmarked
from uno_env.observation import float_form
from uno_env.rules import Rules

ENTRY_POINTS = "uno_env.players"
"""Group of the entry points that make players: functions of a spec, a seed and :class:`Rules`."""


class PlayerError(ValueError):
    """A player failed, or chose an action that is not legal; the message names the player."""


Choose = Callable[[Array, Array], int]
"""The least that can play: a function of an observation float32 [D] and a mask bool [A], to a legal action."""


class PlayerLike(Protocol):
    """The least that a player needs; :func:`as_player` adds the rest."""

    def act_batch(self, observations: Array, action_masks: Array, /) -> Array:
        """An action for each row; see :meth:`Player.act_batch`."""
        ...


class Player(DeepCopyMixin):
    """Chooses actions from observations and masks; a subclass overrides what it can do.

    A player may override ``act_batch`` without ``histories`` if its :attr:`history` is 0. The arrays that it is shown
    are often read-only views of an environment's buffers.
    """

    name: str = "player"
    """Its name in tables and logs."""

    history: int = 0
    """Number of past events that it must be shown besides observations (:mod:`uno_env.history`); 0: none."""

    sees_all_hands: bool = False
    """Whether it needs the games themselves. Such a player plays by :meth:`act_on_games` only."""

    only_reads: bool = False
    """Whether it never writes to the arrays that it is shown. Then an environment shows its own buffers, which saves a
    little time; other players get read-only views."""

    is_remote: bool = False
    """Whether to ask it takes another machine's time or money: it is not asked only to warm up."""

    state_size: int = 0
    """How many numbers it remembers during a hand; 0: none. A player with some plays by :meth:`act_recurrent` only, and
    the caller keeps the numbers (:mod:`uno_env.history`)."""

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


class _Adapter(Player):
    """A player made of an object that has ``act_batch``, and maybe more methods of a player."""

    def __init__(self, actor: Any) -> None:
        self.actor = actor
        self.name = str(getattr(actor, "name", type(actor).__name__))
        self.history = getattr(actor, "history", 0)
        self.state_size = getattr(actor, "state_size", 0)
        for method in ("reset", "act_recurrent", "probabilities", "values"):
            if hasattr(actor, method):
                setattr(self, method, getattr(actor, method))

    def act_batch(self, observations: Array, action_masks: Array, histories: Array | None = None) -> Ints:
        shown = () if histories is None else (histories,)
        actions: Ints = self.actor.act_batch(observations, action_masks, *shown)
        return actions

    def __repr__(self) -> str:
        return repr(self.actor)


class _FunctionPlayer(Player):
    """A player made of a function of one observation and one mask."""

    def __init__(self, function: Choose) -> None:
        self.function = function
        self.name = getattr(function, "__name__", type(function).__name__)

    def act_batch(self, observations: Array, action_masks: Array, histories: Array | None = None) -> Ints:
        masks = np.asarray(action_masks).astype(np.bool_)
        return np.array([self.function(*row) for row in zip(float_form(observations), masks, strict=True)])

    def __repr__(self) -> str:
        return repr(self.function)


def is_player(value: Any) -> bool:
    """Whether a value can play: it has a method ``act_batch``, or can be called."""
    return not isinstance(value, type) and (callable(getattr(value, "act_batch", None)) or callable(value))


def as_player(actor: PlayerLike | Choose) -> Player:
    """The same object if it is a :class:`Player`, else a player made of an object with ``act_batch``, or of a function
    (:data:`Choose`), asked row by row. Raises ValueError if it is neither.
    """
    if isinstance(actor, Player):
        return actor
    if isinstance(actor, type):
        raise ValueError(f"{actor.__name__} is a class: give an instance of it")
    if callable(getattr(actor, "act_batch", None)):
        return _Adapter(actor)
    if not callable(actor):
        raise ValueError(
            f"{actor!r} is no agent: give one with act_batch(), a function of an observation and a mask, or a name for "
            "agents.load()"
        )
    if not _takes(actor, 2):
        name = getattr(actor, "__name__", type(actor).__name__)
        raise ValueError(f"{name}{inspect.signature(actor)} is no agent: give a function of (observation, mask)")
    return _FunctionPlayer(actor)


def _takes(function: Callable[..., Any], arguments: int) -> bool:
    """Whether a function can be called with so many arguments by position."""
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
