"""The forms in which an environment gives its observations, and their spaces: :class:`ObservationForm`.

``encoding="vector"`` is the row of :mod:`uno_env.observation`, float32 [D]; ``"planes"`` the same facts as an image;
``"rlcard"`` the planes of the RLCard library. ``obs_dtype="uint8"`` gives the integers instead of the scaled floats,
and ``history=K`` the last K public events beside them (:mod:`uno_env.history`).

**planes** are float32 or uint8 [P, 4, 19], P given by :data:`PLANES`: a row for each colour (red, yellow, green, blue)
and a column for each symbol (0–9, Skip, Reverse, Draw Two, then the six wilds, which are set in all four rows). Every
column of the row stands somewhere, so nothing is lost; :data:`PLANES` says where. Other editions have a row for each of
their colours and a column for each of their symbols: :func:`planes_of`.

**rlcard** is what ``rlcard.make("uno")`` of version 1.2.0 gives, [4, 4, 15] of 0 and 1: rows red, green, blue, yellow;
columns 0–9, Skip, Reverse, Draw Two, Wild, Wild Draw Four. Planes 0, 1 and 2 mark the cards that the observer holds not
at all, once, and twice; a wild that is held, however often, is marked in plane 1 in all rows, and its column of plane 0
is empty. Plane 3 marks the card to match. After a wild, RLCard shows there the first colour of the wild's text instead
of the declared one, which is right one time in four; here the declared colour is shown. Decided here: more than two of
a card are marked as two; a first Wild without a declared colour is marked in all rows; a deck with other wilds is
refused. These planes hold nothing else, such as the phase or the sizes of hands: use them for comparisons only.
"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from gymnasium import spaces

from uno_env.actions import number_of
from uno_env.common import copies
from uno_env.common.numbers import checked_flag, checked_whole
from uno_env.core.arrays import Array
from uno_env.core.loops import learner_batch
from uno_env.core.observe import planes as kernels
from uno_env.core.observe.layout import Section, layout_of, scales_in, starts_of
from uno_env.core.observe.planes import RLCARD_PLANES, RLCARD_TRAITS
from uno_env.core.record import MAX_SEATS
from uno_env.editions import edition_for
from uno_env.editions.classic import CLASSIC
from uno_env.editions.edition import NO_COLOUR, Edition
from uno_env.history import LONGEST, history_of, history_space
from uno_env.observation import OBS_DTYPES, highest_values
from uno_env.rules import Rules

if TYPE_CHECKING:
    from uno_env.game import Game

__all__ = ["ENCODINGS", "PLANES", "ObservationForm", "Observations", "Plane", "one_by_one"]

Observations: TypeAlias = Array | dict[str, Array]
"""Observations of many observers: an array, or a mapping of arrays by part."""

ENCODINGS = ("vector", "planes", "rlcard")


class Plane(NamedTuple):
    """Planes that a section of the row is set into."""

    section: str
    start: int
    number: int
    """The number of planes, from ``start`` on."""
    form: str
    """Its form in the planes: one of :data:`FORMS`."""


def _size(edition: Edition) -> tuple[int, int]:
    """Rows and columns of a plane: each seat needs a column, too."""
    return len(edition.colours), max(len(edition.symbols), MAX_SEATS)


def _cards(width: int, edition: Edition) -> Array:
    """A plane for as many columns as there are kinds."""
    plane, kind = np.divmod(np.arange(width), len(edition.kinds))
    symbol = np.array([edition.symbols.index(face.symbol) for face in edition.kinds])[kind]
    own_colour = np.array([face.colour for face in edition.kinds])[kind]
    places = np.full((width // len(edition.kinds), *_size(edition)), -1)
    for colour in range(len(edition.colours)):
        shown = (own_colour == NO_COLOUR) | (own_colour == colour)
        places[plane[shown], colour, symbol[shown]] = np.flatnonzero(shown)
    return places


def _rows(width: int, edition: Edition) -> Array:
    return np.broadcast_to(np.arange(width)[None, :, None], (1, width, _size(edition)[1])).copy()


def _columns(width: int, edition: Edition) -> Array:
    places = np.full((1, *_size(edition)), -1)
    places[..., :width] = np.arange(width)
    return places


def _seats_and_colours(width: int, edition: Edition) -> Array:
    places = np.full((1, *_size(edition)), -1)
    places[0, :, :MAX_SEATS] = np.arange(width).reshape(MAX_SEATS, len(edition.colours)).T
    return places


def _whole(width: int, edition: Edition) -> Array:
    return np.broadcast_to(np.arange(width)[:, None, None], (width, *_size(edition))).copy()


def _in_turn(width: int, edition: Edition) -> Array:
    height, columns = _size(edition)
    number = -(-width // (height * columns))
    places = np.full(number * height * columns, -1)
    places[:width] = np.arange(width)
    return places.reshape(number, height, columns)


FORMS: dict[str, tuple[Callable[[int, Edition], Array], str]] = {
    "cards": (_cards, "each kind at its colour and symbol, wilds in all rows"),
    "rows": (_rows, "each colour fills its row"),
    "columns": (_columns, "each entry fills its column, from the left"),
    "seats × colours": (_seats_and_colours, "a column for each seat, a row for each colour"),
    "whole": (_whole, "each entry fills a plane"),
    "in turn": (_in_turn, "entry after entry, row by row from the top left"),
}

_FORM_OF = {
    **dict.fromkeys(("hand", "discards", "known", "deck"), "cards"),
    **dict.fromkeys(("drawn_colour", "colour", "previous_colour"), "rows"),
    **dict.fromkeys(("drawn_symbol", "symbol", "phase"), "columns"),
    "drew_on": "seats × colours",
}
_SEATS = "columns"


def _form(section: Section, edition: Edition) -> str:
    if section.name in _FORM_OF:
        form = _FORM_OF[section.name]
        return "in turn" if form == "cards" and edition.sides > 1 else form  # several cards show the same face
    if section.width == MAX_SEATS:
        return _SEATS
    return "whole" if section.width == 1 else "in turn"


class Planes(NamedTuple):
    """The planes of an edition's observations."""

    by_section: dict[str, Plane]
    sources: Array
    """The column of the row in each cell, int [P, colours, symbols], −1 where a cell is always 0."""
    changing: tuple[Array, Array]
    """Places of the cells that are not the same in all rows under the same rules, and their columns of the row."""
    constant: tuple[Array, Array]
    """The same for the cells that hold the rules in force."""


@cache
def planes_of(edition: Edition) -> Planes:
    """The places of the sections in the planes of an edition."""
    planes, sources, start = dict[str, Plane](), list[Array](), 0
    for section in layout_of(edition).values():
        form = _form(section, edition)
        places = FORMS[form][0](section.width, edition)
        planes[section.name] = Plane(section.name, start, len(places), form)
        sources.append(np.where(places >= 0, places + section.start, -1))
        start += len(places)
    cells = np.concatenate(sources)
    first = starts_of(edition).seats
    return Planes(planes, cells, _cells(cells, (cells >= 0) & (cells < first)), _cells(cells, cells >= first))


def _cells(sources: Array, used: Array) -> tuple[Array, Array]:
    """Places of some cells among all, and their columns of the row; as 16 bits they are read twice as fast."""
    places = np.flatnonzero(used)
    assert sources.size <= np.iinfo(np.uint16).max
    return places.astype(np.uint16), sources.ravel()[places].astype(np.uint16)


PLANES, SOURCES = planes_of(CLASSIC)[:2]
"""Planes by section; and the column of the row in each cell, int [P, 4, 19], −1 where a cell is always 0."""


class ObservationForm:
    """The form of observations: one for every environment, made of the integer rows.

    If more than an array is asked for, observations are mappings of ``observation``, ``action_mask`` int8 [A] with
    ``mask_in_observation``, and ``history`` uint8 [history, EVENT_SIZE] with ``history``. Raises ValueError if an
    argument is not allowed.

    Args:
        rules: the rules played.
        obs_dtype: ``float32`` (scaled) or ``uint8`` (the same facts as integers, four times smaller).
        encoding: ``vector``, ``planes`` or ``rlcard``; see :mod:`uno_env.encodings`.
        history: how many public events are given beside, up to :data:`uno_env.history.LONGEST`; 0: none.
        mask_in_observation: whether the mask is a part of the observation.

    Attributes:
        shape: of the array of one observation.
        dtype: of that array.
    """

    def __init__(
        self,
        rules: Rules,
        obs_dtype: str = "float32",
        encoding: str = "vector",
        history: int = 0,
        mask_in_observation: bool = False,
    ) -> None:
        _check_choice("obs_dtype", obs_dtype, OBS_DTYPES)
        _check_choice("encoding", encoding, ENCODINGS)
        self.encoding, self.history = encoding, checked_whole("history", history, 0, LONGEST)
        if encoding == "rlcard":
            _check_wilds(rules)
        self.dtype, self._with_mask = np.dtype(obs_dtype), checked_flag("mask_in_observation", mask_in_observation)
        self._dtype_name = obs_dtype  # NumPy works it out anew each time
        self._edition = edition = edition_for(rules)
        self._actions, self._planes, scales = number_of(rules), planes_of(edition), scales_in(edition)
        self._columns = len(scales)
        self.shape: tuple[int, ...] = {
            "vector": scales.shape,
            "planes": self._planes.sources.shape,
            "rlcard": (RLCARD_PLANES, len(edition.colours), RLCARD_TRAITS),
        }[encoding]
        self._highest = highest_values(rules) if obs_dtype == "float32" else np.full(len(scales), 255, np.float32)
        self._scales = scales if obs_dtype == "float32" else np.ones(len(scales), np.uint8)

    @property
    def is_vector(self) -> bool:
        """True if observations are the rows themselves, scaled or not."""
        return self.encoding == "vector"

    @property
    def changing_cells(self) -> tuple[Array, Array, Array]:
        """For the encoding ``planes``: the cells that are not the same in all rows, the column in each, and all scales;
        to read only.
        """
        cells, columns = map(copies.read_only, self._planes.changing)
        return cells, columns, copies.read_only(self._scales)

    def space(self) -> spaces.Space[Any]:
        """Space of one observer's observations."""
        parts: dict[str, spaces.Space[Any]] = {"observation": self._array_space()}
        if self._with_mask:
            parts["action_mask"] = spaces.Box(0, 1, (self._actions,), np.int8)
        if self.history:
            parts["history"] = history_space(self.history, self._edition)
        return spaces.Dict(parts) if len(parts) > 1 else parts["observation"]

    def _array_space(self) -> spaces.Box:
        if self.encoding == "rlcard":
            return spaces.Box(0, 1, self.shape, self.dtype.type)
        highest = self._highest
        if self.encoding == "planes":
            # Gymnasium's checkers warn of a Box that leaves a cell no room, as one that is always 0.
            sources = self._planes.sources
            highest = np.where(sources >= 0, highest[sources], 1)
        highest = highest.astype(self.dtype)
        return spaces.Box(np.zeros_like(highest), highest, dtype=self.dtype.type)

    def buffer(self, rows: Array) -> Array:
        """An array for observations of ``rows``, uint8 [N, D], with the rules set. Raises ValueError as :meth:`of`."""
        self._check_rows(rows)
        rows = copies.compiled_view(np.ascontiguousarray(rows))
        out = np.zeros((len(rows), *self.shape), self.dtype)
        if self.is_vector:
            out[:] = rows * self._scales
        elif self.encoding == "planes":
            self._fill(rows, self._planes.constant, out)
        return out

    def of(self, rows: Array) -> Array:
        """New arrays of the observations ``rows``, uint8 [N, D]. Raises ValueError if the rows have another form."""
        self._check_rows(rows)
        if self.is_vector and self.dtype == np.uint8:
            return rows.copy()
        rows = copies.compiled_view(np.ascontiguousarray(rows))
        if self.is_vector:
            out = np.empty(rows.shape, np.float32)
            learner_batch.scale_all(rows, self._scales, out)
            return out
        out = self.buffer(rows)
        if self.encoding == "planes":
            self._fill(rows, self._planes.changing, out)
        else:
            kernels.fill_rlcard(rows, out, 0, len(out))
        return out

    def _fill(self, rows: Array, cells: tuple[Array, Array], out: Array) -> None:
        kernels.fill_cells(rows, *cells, self._scales, out.reshape(len(out), self._planes.sources.size), 0, len(out))

    def _check_rows(self, rows: Any) -> None:
        if not isinstance(rows, np.ndarray) or rows.shape[1:] != (self._columns,) or rows.dtype != np.uint8:
            form = f"{rows.dtype} of shape {list(rows.shape)}" if isinstance(rows, np.ndarray) else type(rows).__name__
            raise ValueError(f"rows must be uint8 of shape [N, {self._columns}], not {form}")

    def of_seat(self, game: "Game", seat: int, mask: Array) -> Any:
        """The observation of one seat of a game, in a new array; ``mask``, [A], marks its legal actions."""
        if self.is_vector:
            observation = game.observe(seat, self._dtype_name)
        else:
            observation = self.of(game.observe(seat, "uint8")[None])[0]
        return self.joined(observation, mask, lambda: history_of(game.shown_to(seat).events, seat, self.history))

    def joined(self, observation: Array, masks: Array, histories: Callable[[], Array]) -> Observations:
        """Observations made of their arrays, ``masks`` [..., A] and, if the form has some, ``histories``."""
        parts = {"observation": observation}
        if self._with_mask:
            parts["action_mask"] = masks if masks.dtype == np.int8 else masks.astype(np.int8)
        if self.history:
            parts["history"] = histories()
        return parts if len(parts) > 1 else observation


def one_by_one(observations: Observations) -> Iterator[Any]:
    """The observations of many observers, each by itself."""
    if not isinstance(observations, dict):
        return iter(observations)
    return (dict(zip(observations, parts, strict=True)) for parts in zip(*observations.values(), strict=True))


def _check_choice(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        *others, last = map(repr, allowed)
        raise ValueError(f"{name}={value!r} is not allowed: choose {', '.join(others)} or {last}")


def _check_wilds(rules: Rules) -> None:
    if rules.edition != CLASSIC.name:
        raise ValueError(f"encoding='rlcard' is not allowed: it has no place for the cards of {rules.edition!r}")
    others = [
        face.text
        for face, count in zip(CLASSIC.kinds, rules.deck_counts, strict=True)
        if count and CLASSIC.symbols.index(face.symbol) >= RLCARD_TRAITS
    ]
    if others:
        raise ValueError(f"encoding='rlcard' is not allowed: it has no place for {', '.join(others)} of the deck")
