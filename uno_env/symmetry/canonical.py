"""Observations, masks and events in canonical form: :class:`CanonicalForm`."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from uno_env.common.copies import compiled_view, read_only
from uno_env.common.numbers import checked_indices, checked_whole
from uno_env.core.arrays import Array, Bytes, Ints
from uno_env.editions import edition_for
from uno_env.editions.classic import CLASSIC
from uno_env.editions.edition import Edition
from uno_env.history import EVENT_SIZE, LONGEST
from uno_env.idle_rules import idle_columns, idle_places, idle_rules_of
from uno_env.observation import number_of_columns, rules_columns
from uno_env.rules import Rules
from uno_env.symmetry import kernels
from uno_env.symmetry.tables import CLOCKWISE, NUM_FORMS, forms_of

NO_EVENTS = np.zeros((1, 0, EVENT_SIZE), np.uint8)


class FormArrays(NamedTuple):
    """The arrays with which compiled code shows a network the games of one table."""

    columns: Array
    """int16 [F, C]: the real column of each canonical one, by form."""
    actions: Ints
    """int64 [F, A]: the catalogue id of each output, by form."""
    constants: Array
    """int16 [C]: the value of each canonical column that is the same in all rows, or −1."""
    events: Bytes
    """uint8 [0, EVENT_SIZE]: no events."""
    groups: int
    """See :mod:`uno_env.symmetry.kernels`."""
    symmetric: int
    """1 if forms other than 0 are looked for, else 0."""


class CanonicalForm:
    """Shows a network what a seat sees in canonical form, see :mod:`uno_env.symmetry`.

    Rules that no decision depends on hold their defaults (:mod:`uno_env.idle_rules`), unless the network reads the
    scores of a match. Raises ValueError if there are no such columns, actions or number of events.

    How an observation was renamed is its *form*, one integer, which turns the network's action back into a real one::

        canonical = CanonicalForm()
        forms = canonical.forms(observations)
        rows, legal = canonical.rows(observations, forms), canonical.masks(masks, forms)
        actions = canonical.real_actions(forms, my_network(rows, legal))

    Args:
        columns: columns of the observation that the network reads, ascending; None: all.
        actions: catalogue ids of the network's outputs, ascending; None: all.
        history: past events that it reads besides.
        rules: the rules of all observations, which makes it a little faster; None: observations of any rules.
        edition: the edition of the observations, if no rules are given.
    """

    def __init__(
        self,
        columns: Sequence[int] | Ints | None = None,
        actions: Sequence[int] | Ints | None = None,
        history: int = 0,
        rules: Rules | None = None,
        edition: Edition = CLASSIC,
    ) -> None:
        edition = edition if rules is None else edition_for(rules)
        real_columns, real_actions, _, self._tables = forms_of(edition)
        self._idle_rules = idle_rules_of(edition)
        self._width, self._actions = real_columns.shape[1], real_actions.shape[1]
        chosen = checked_indices("columns", np.arange(self._width) if columns is None else columns, self._width)
        outputs = checked_indices("actions", np.arange(self._actions) if actions is None else actions, self._actions)
        self.history = checked_whole("history", history, 0, LONGEST)
        self._groups = kernels.UNKNOWN if rules is None else kernels.colour_groups(_row_of(rules), self._tables.starts)
        self._columns = np.ascontiguousarray(real_columns[:, chosen].astype(np.int16))
        self._real = np.ascontiguousarray(real_actions[:, outputs])
        found = np.flatnonzero(chosen == self._tables.starts[CLOCKWISE])
        self._clockwise = int(found[0]) if len(found) else -1
        self._idle, self._idle_places = idle_places(chosen, edition)
        self.width = len(chosen) + self.history * EVENT_SIZE

    @property
    def real(self) -> Ints:
        """The catalogue id of each output, by form: int64 [F, A], read-only."""
        view: Ints = read_only(self._real)
        return view

    def arrays(self, rules: Rules, symmetric: bool) -> FormArrays:
        """Arrays for compiled code that shows a network single hands by these rules, without past events;
        ``symmetric``: in canonical form, else with the real colours and direction.
        """
        constants = np.full(self._columns.shape[1], -1, np.int16)
        constants[self._idle_places] = idle_columns(_row_of(rules)[None], self._idle_rules)[0, self._idle]
        if symmetric and self._clockwise >= 0:
            constants[self._clockwise] = 1
        return FormArrays(self._columns, self._real, constants, NO_EVENTS[0], int(self._groups), int(symmetric))

    def forms(self, observations: Bytes, histories: Bytes | None = None) -> Ints:
        """The form of each observation, uint8 [N, D], int64 [N]; ``histories`` are given if events are read."""
        forms = np.zeros(len(observations), np.int64)
        self.find_forms(observations, histories, np.arange(len(forms)), forms)
        return forms

    def rows(self, observations: Bytes, forms: Ints, histories: Bytes | None = None) -> Bytes:
        """The network's input, uint8 [N, :attr:`width`]: its columns in canonical form, then events, oldest first."""
        rows = np.empty((len(forms), self.width), np.uint8)
        self.write_rows(observations, histories, np.arange(len(forms)), forms, rows)
        return rows

    def masks(self, masks: Bytes, forms: Ints) -> Bytes:
        """Mark the network's legal outputs, uint8 [N, A], given masks uint8 [N, A]."""
        legal = np.empty((len(forms), self._real.shape[1]), np.uint8)
        self.write_masks(masks, np.arange(len(forms)), forms, legal)
        return legal

    def find_forms(self, observations: Bytes, histories: Bytes | None, games: Ints, forms: Ints) -> None:
        """Write to ``forms``, int64 [M], the form of each of the rows ``games``, int64 [M]. Raises ValueError if an
        array is of another shape or dtype, or there are no such rows; the other methods do so, too.
        """
        games = _checked_games(observations, self._width, games)
        _check_room("forms", forms, (len(games),), np.int64)
        events = self._events(histories, len(observations))
        kernels.find_forms(compiled_view(observations), events, self.history, games, self._groups, self._tables, forms)

    def write_rows(self, observations: Bytes, histories: Bytes | None, games: Ints, forms: Ints, out: Bytes) -> None:
        """Write to ``out``, uint8 [M, :attr:`width`], the network's input from each of the rows ``games``."""
        games = _checked_games(observations, self._width, games)
        forms = _checked_forms(forms, len(games))
        _check_room("out", out, (len(games), self.width), np.uint8)
        kernels.write_rows(compiled_view(observations), games, forms, self._columns, self._clockwise, out)
        if len(self._idle):
            out[:, self._idle_places] = idle_columns(observations[games], self._idle_rules)[:, self._idle]
        if self.history:
            events, first = self._events(histories, len(observations)), self._columns.shape[1]
            kernels.write_events(events, self.history, games, forms, self._tables, first, out)

    def write_masks(self, masks: Bytes, games: Ints, forms: Ints, out: Bytes) -> None:
        """Write to ``out``, uint8 [M, A], which of the outputs are legal in each of the rows ``games``."""
        games = _checked_games(masks, self._actions, games)
        forms = _checked_forms(forms, len(games))
        _check_room("out", out, (len(games), self._real.shape[1]), np.uint8)
        kernels.write_masks(compiled_view(masks), games, forms, self._real, out)

    def real_actions(self, forms: Ints, outputs: Ints) -> Ints:
        """Catalogue ids of chosen outputs, int64 [M]."""
        outputs = checked_indices("outputs", outputs, self._real.shape[1])
        forms = _checked_forms(forms, len(outputs))
        return self._real[forms, outputs]

    def spread(self, forms: Ints, values: Array, otherwise: float = 0.0) -> Array:
        """Values of the outputs [M, A] as values of actions [M, A]; those without an output have another."""
        forms = checked_indices("forms", forms, NUM_FORMS)
        _check_room("values", values, (len(forms), self._real.shape[1]))
        spread = np.full((len(forms), self._actions), otherwise, values.dtype)
        np.put_along_axis(spread, self._real[forms], values, axis=1)
        return spread

    def share(self, weights: Array, observations: Bytes, masks: Bytes, histories: Bytes | None = None) -> None:
        """Give actions that differ by colours which nothing tells apart the mean of their weights, float32 [N,
        A].

        Without that, which of them a network prefers would depend on the names of the colours. Masks are uint8 [N,
        A], the rest is as for :meth:`forms`.
        """
        games = np.arange(len(observations))
        _checked_games(observations, self._width, games)
        _checked_games(masks, self._actions, games)
        _check_room("weights", weights, (len(games), self._actions), np.float32)
        events, masks = self._events(histories, len(games)), compiled_view(masks)
        kernels.share_among_alike(compiled_view(observations), events, self.history, masks, self._tables, weights)

    def _events(self, histories: Bytes | None, number: int) -> Bytes:
        if not self.history:
            return NO_EVENTS
        if histories is None or histories.ndim != 3 or histories.shape[1] < self.history:
            raise ValueError(f"this network reads the last {self.history} events of the game, and they are not shown")
        if histories.shape != (number, histories.shape[1], EVENT_SIZE) or histories.dtype != np.uint8:
            raise ValueError(
                f"histories must be uint8 [{number}, K, {EVENT_SIZE}], not {histories.dtype} of another form"
            )
        return compiled_view(histories)


def _checked_games(rows: Any, columns: int, games: Any) -> Ints:
    if not isinstance(rows, np.ndarray) or rows.ndim != 2 or rows.shape[1] < columns or rows.dtype != np.uint8:
        raise ValueError(f"rows must be uint8 with {columns} columns or more")
    return checked_indices("games", games, len(rows))


def _checked_forms(forms: Any, number: int) -> Ints:
    checked = checked_indices("forms", forms, NUM_FORMS)
    if len(checked) != number:
        raise ValueError(f"{len(checked)} forms are not one for each of {number} rows")
    return checked


def _check_room(name: str, array: Any, shape: tuple[int, ...], dtype: Any = None) -> None:
    kind = array.dtype if isinstance(array, np.ndarray) else type(array)
    if (
        not isinstance(array, np.ndarray)
        or array.shape != shape
        or kind != (dtype or kind)
        or not array.flags.writeable
    ):
        raise ValueError(f"{name} must be a writeable array of shape {list(shape)}, not {kind} of another form")


def _row_of(rules: Rules) -> Bytes:
    """An observation with the rules and nothing else."""
    told = rules_columns(rules)
    return np.concatenate((np.zeros(number_of_columns(rules) - len(told), np.uint8), told))
