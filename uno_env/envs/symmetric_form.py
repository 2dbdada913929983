"""Observations, masks and actions of one environment, in canonical form on request: :class:`SymmetricForm`."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from uno_env.common.numbers import checked_flag, checked_indices
from uno_env.core.arrays import Array
from uno_env.encodings import ObservationForm, Observations, one_by_one
from uno_env.game import Game
from uno_env.history import EVENT_SIZE, history_of
from uno_env.rules import Rules

if TYPE_CHECKING:
    from uno_env.symmetry import CanonicalForm

Histories: TypeAlias = Callable[[], Array]
"""Gives the last events that observers have seen, uint8 [N, history, EVENT_SIZE]; called only if they are shown."""


class SymmetricForm(ObservationForm):
    """:class:`uno_env.encodings.ObservationForm`, which with ``symmetry`` shows observations, events and masks in
    canonical form (:mod:`uno_env.symmetry`), and turns the actions of those who see them into real ones.

    Nothing is kept between calls: the form follows from what the observer sees. ``options`` are the other arguments of
    the base class. Raises ValueError if an argument is not allowed.
    """

    _canonical: "CanonicalForm | None" = None

    def __init__(self, rules: Rules, *options: Any, symmetry: bool = False) -> None:
        super().__init__(rules, *options)
        if checked_flag("symmetry", symmetry):
            from uno_env.symmetry import CanonicalForm  # it makes large tables, which few need

            self._canonical = CanonicalForm(history=self.history, rules=rules)

    def of_many(self, rows: Array, masks: Array, histories: Histories) -> Observations:
        """Observations of many observers, in new arrays; of ``rows`` uint8 [N, D], ``masks`` [N, A] and the events."""
        if self._canonical is None:
            return self.joined(self.of(rows), masks, histories)
        events = histories() if self.history else None
        forms = self._canonical.forms(rows, events)
        shown = self._canonical.rows(rows, forms, events)
        vectors, past = np.split(shown, [rows.shape[1]], axis=1)
        observations, legal = self.of(vectors.copy()), self._canonical.masks(masks.astype(np.uint8), forms)
        return self.joined(observations, legal, lambda: past.reshape(len(rows), self.history, EVENT_SIZE))

    def masks(self, rows: Array, masks: Array, histories: Histories) -> Array:
        """Legal actions of many observers, by the ids that they know, [N, A]; arguments as in :meth:`of_many`."""
        if self._canonical is None:
            return masks
        forms = self._canonical.forms(rows, histories() if self.history else None)
        return self._canonical.masks(masks.astype(np.uint8), forms)

    def real_actions(self, rows: Array, actions: Array, histories: Histories) -> Array:
        """The catalogue ids of the actions that many observers chose, integers [N]. The other arguments are those of
        :meth:`masks`. With ``symmetry``, raises ValueError if there is no such action.
        """
        if self._canonical is None:
            return actions
        actions = checked_indices("actions", actions, self._actions)
        if len(actions) != len(rows):
            raise ValueError(f"{len(actions)} actions are not one for each of {len(rows)} games")
        forms = self._canonical.forms(rows, histories() if self.history else None)
        return self._canonical.real_actions(forms, actions)

    def of_seat(self, game: Game, seat: int, mask: Array) -> Any:
        """Same as :meth:`uno_env.encodings.ObservationForm.of_seat`."""
        if self._canonical is None:
            return super().of_seat(game, seat, mask)
        (seen,) = one_by_one(self.of_many(*self._seen(game, seat, mask)))
        return seen

    def mask_of_seat(self, game: Game, seat: int, mask: Array) -> Array:
        """:meth:`masks` of one seat of a game, int8 [A]."""
        return mask if self._canonical is None else self.masks(*self._seen(game, seat, mask))[0].astype(np.int8)

    def real_action(self, game: Game, seat: int, action: int) -> int:
        """:meth:`real_actions` of one seat of a game."""
        return action if self._canonical is None else int(self.real_actions(*self._seen(game, seat, action))[0])

    def _seen(self, game: Game, seat: int, value: Any) -> tuple[Array, Array, Histories]:
        """A seat's observation, with its mask or its action, in the form of many observers."""
        row = game.observe(seat, "uint8")[None]
        return row, np.asarray(value)[None], lambda: history_of(game.shown_to(seat).events, seat, self.history)[None]
