"""Custom agents: code of users and of other packages, by name.

``module:Name`` and ``path/to/file.py:Name`` name an object of a module, an entry point of the group
:data:`ENTRY_POINTS` names one of an installed package. What it may be:

================== ===================================================================================================
object             how it plays
================== ===================================================================================================
a function         of an observation float32 [D] and a mask bool [A], what the player may do: it returns the id of a
                   legal action. It is asked row by row, so it is slow where it is asked often
an object          with ``act(observation, action_mask)``, which plays as a function does; or, which is faster, with
                   ``act_batch(observations, action_masks)``: float32 [N, D] and bool [N, A], for N integers. An object
                   that can be called plays as a function does, too.
                   :class:`uno_env.player.Player` says what else it may have: a ``name``, a ``history``, ``reset``,
                   ``probabilities``, ``values``, a ``state_size`` with ``act_recurrent``
a class            whose objects play like one of these. It is made with ``seed`` and ``rules`` if it takes arguments of
                   these names; its other arguments are the options of the spec: ``my_agents.py:Careful?depth=3``
================== ===================================================================================================

All of them are shown float32 observations, the form in which environments show them by default. One that says
``obs_dtype = "uint8"`` is shown the integers instead.
"""

import inspect
from collections.abc import Callable
from dataclasses import field, make_dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, TypeVar

from agents.agent import Agent, checked_masks, checked_observations
from agents.options import NoOptions
from uno_env.common.importing import failure, import_object, source_file
from uno_env.core.arrays import Array, Bytes, Ints
from uno_env.observation import integer_form
from uno_env.player import PlayerError, as_player, checked_choices
from uno_env.rules import Rules

ENTRY_POINTS = "uno_env.agents"
"""Group of the entry points that are agents: ``my-agent = "my_package:MyAgent"`` is played as ``my-agent``."""

_GIVEN = ("seed", "rules")
_T = TypeVar("_T")


@cache
def offered() -> dict[str, str]:
    """The agents that installed packages offer: the value of each name, sorted."""
    return dict(sorted((entry.name, entry.value) for entry in entry_points(group=ENTRY_POINTS)))


def object_of(name: str) -> Any:
    """The object of a name of :func:`offered`, or of a text as above. Raises ValueError if it cannot be imported."""
    try:
        return import_object(offered().get(name, name))
    except ValueError as error:
        raise ValueError(f"agent {name!r} cannot be loaded: {error}") from error


def code_of(spec: str) -> Path | None:
    """The file of the code that a spec names; None if it names none."""
    body = spec.partition("?")[0]
    return source_file(offered().get(body, body))


def options_of(thing: Any) -> type:
    """A dataclass of the options that an object of a user takes: the arguments of a class but seed and rules."""
    if not isinstance(thing, type):
        return NoOptions
    fields: list[Any] = []
    for each in _parameters(thing):
        if each.name not in _GIVEN and each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY):
            has_default = each.default is not each.empty
            kind = type(each.default) if has_default and each.default is not None else str
            kind = each.annotation if each.annotation is not each.empty else kind
            fields.append((each.name, kind, field(default=each.default) if has_default else field()))
    return make_dataclass("Options", fields, kw_only=True, frozen=True) if fields else NoOptions


def make_agent(spec: str, thing: Any, options: Any, seed: int, rules: Rules | None) -> Agent:
    """The agent of a user's object, with the options of :func:`options_of`. Raises ValueError if it cannot play."""
    if isinstance(thing, type):
        takes = {each.name for each in _parameters(thing)}
        given = {name: value for name, value in zip(_GIVEN, (seed, rules)) if name in takes}
        try:
            thing = thing(**given, **vars(options))
        except Exception as error:
            raise ValueError(f"agent {spec!r} cannot be made: {failure(error)}") from error
    return CustomAgent(spec, thing, seed)


def _parameters(kind: type) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(kind, eval_str=True).parameters.values())
    except (NameError, TypeError, ValueError):  # of a class in C, or with annotations that name nothing
        return []


class CustomAgent(Agent):
    """Plays as an object of a user says (:func:`uno_env.player.as_player`). What that returns is checked, and what it
    raises becomes one sentence. Raises ValueError if the object cannot play.
    """

    def __init__(self, name: str, actor: Any, seed: int = 0) -> None:
        try:
            self.player = as_player(actor)
        except ValueError as error:
            raise ValueError(f"agent {name!r} cannot play: {error}") from None
        self.history, self.sees_all_hands = self.player.history, self.player.sees_all_hands
        self.state_size = self.player.state_size
        super().__init__(name, seed)

    def reset(self, seed: int) -> None:
        """Start all random generators again from ``seed``."""
        super().reset(seed)
        self._ask(self.player.reset, seed)

    def act_batch(self, observations: Array, action_masks: Array, histories: Array | None = None) -> Ints:
        """As :meth:`agents.Agent.act_batch`; a PlayerError says if the object failed, or chose an illegal action."""
        rows = integer_form(checked_observations(observations))
        masks = checked_masks(action_masks, len(rows), rows.shape[1])
        self._refuse_without_memory()
        self._inputs(rows, histories)
        chosen = self._ask(self.player.act_batch, rows, masks, *self._shown(histories))
        return checked_choices(self.name, chosen, masks)

    def act_recurrent(
        self, observations: Array, action_masks: Array, states: Array, histories: Array | None = None
    ) -> Ints:
        """See :meth:`uno_env.player.Player.act_recurrent`."""
        shown = self._shown(histories)
        chosen = self._ask(self.player.act_recurrent, observations, action_masks, states, *shown)
        return checked_choices(self.name, chosen, action_masks)

    def act_on_games(self, observations: Array, action_masks: Array, games: Array) -> Ints:
        """See :meth:`uno_env.player.Player.act_on_games`."""
        chosen = self._ask(self.player.act_on_games, observations, action_masks, games)
        return checked_choices(self.name, chosen, action_masks)

    def probabilities(self, observations: Array, action_masks: Array, histories: Array | None = None) -> Array | None:
        """The probabilities of the object, if it has any."""
        return self._ask(self.player.probabilities, observations, action_masks, *self._shown(histories))

    def values(self, observations: Array, histories: Array | None = None) -> Array | None:
        """The object's values, if it has any."""
        return self._ask(self.player.values, observations, *self._shown(histories))

    def _choose(self, rows: Array, masks: Bytes) -> Ints:
        raise NotImplementedError  # act_batch asks the object itself

    def _shown(self, histories: Array | None) -> tuple[Array | None, ...]:
        """The histories as arguments, if the object reads any."""
        return (histories,) if self.history else ()

    def _ask(self, method: Callable[..., _T], *arguments: Any) -> _T:
        try:
            return method(*arguments)
        except Exception as error:
            raise PlayerError(f"agent {self.name!r} failed: {failure(error)}") from error
