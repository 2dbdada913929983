"""Shared data of the positions of one tree: the rules as the compiled core reads them, and room to work in."""

from threading import local
from typing import Any

import numpy as np

from uno_env.actions import catalogue
from uno_env.core.packed_games import row_dtype, rows_of
from uno_env.core.record import records_of
from uno_env.editions import EDITIONS, edition_for
from uno_env.editions.edition import Edition
from uno_env.extensive_form.chance import Chance, probability_of_one_left, shares
from uno_env.extensive_form.explicit_chance import DEAL, RENEWALS
from uno_env.observation import rules_columns
from uno_env.rules import Rules


class Room:
    """Arrays that compiled code works in, for games of ``dtype``. Each use fills them before it reads them."""

    def __init__(self, edition: Edition, dtype: np.dtype[Any]) -> None:
        self.games = np.zeros(2, records_of(edition).game)
        """The game before and after an action; in parts below."""
        self.before, self.after = self.games[:1], self.games[1:]
        self.rng_before, self.rng_after = self.before["rng"], self.after["rng"]
        used = dtype.itemsize
        self._dtype = dtype
        self._before_bytes, self._after_bytes = rows_of(self.before)[0, :used], rows_of(self.after)[0, :used]
        self._record_before = self.before[0]
        self.cards = np.zeros(edition.most_cards, np.int64)
        self.pool = np.zeros(len(edition.kinds), np.int64)
        self.renewed = np.zeros((RENEWALS, len(edition.kinds)), np.int64)
        self.mask = np.zeros(catalogue(edition).first.number, np.uint8)

    def copy_after(self) -> Any:
        """A copy of the game after an action, [1]. It is copied as bytes, which is many times faster in NumPy than
        field by field.
        """
        return self._after_bytes.copy().view(self._dtype)

    def whole(self, array: Any) -> Any:
        """A position's game as compiled code takes it: a record that the next one asked for overwrites."""
        self._before_bytes[:] = array.view(np.uint8)
        return self._record_before


class Workspace:
    """Shared data of the positions of one tree. Raises ValueError if chance in the rules cannot be spelled out."""

    def __init__(self, rules: Rules) -> None:
        self.edition = edition_for(rules)
        verify_chance(rules, self.edition)
        self.rules = rules
        self.players = rules.players
        self.record = rules.record
        """The rules as the compiled core reads them; read-only."""
        self.cards_dealt = rules.players * rules.hand_size
        self.kinds = len(self.edition.kinds)
        self.may_lie_first = np.array([rules.may_lie_first(kind) for kind in range(self.kinds)], bool)
        self.rules_columns = rules_columns(rules)
        self.may_lie_first.flags.writeable = False
        self.dtype = row_dtype(self.record)
        """Of the games that positions keep."""
        self._rooms = local()

    @property
    def room(self) -> "Room":
        """This thread's room to work in: no other thread has it, nor does a lock go into a forked process."""
        try:
            room: Room = self._rooms.room
        except AttributeError:
            room = self._rooms.room = Room(self.edition, self.dtype)
        return room

    def deal_chance(self, cards: tuple[int, ...]) -> Chance:
        """The chances of the next card dealt, or of the first discard, given that a card is left that may lie first."""
        left = self.record["deck"] - np.bincount(cards, minlength=self.kinds) if cards else self.record["deck"]
        if len(cards) == self.cards_dealt:
            return Chance("card", DEAL, shares(left * self.may_lie_first), cards)
        total, suitable = int(left.sum()) - 1, int(left[self.may_lie_first].sum())
        to_deal = self.cards_dealt - len(cards) - 1
        weights = np.zeros(self.kinds)
        for kind in np.flatnonzero(left).tolist():
            rest = suitable - int(self.may_lie_first[kind])
            weights[kind] = left[kind] * probability_of_one_left(total, rest, to_deal)
        return Chance("card", DEAL, shares(weights), cards)


def verify_chance(rules: Rules, edition: Edition) -> None:
    """Raise ValueError if chance in the rules cannot be spelled out."""
    if rules.dialect != "official":
        raise ValueError(f"dialect={rules.dialect!r} has no extensive form: choose 'official'")
    if edition.sides > 1:
        one_sided = ", ".join(name for name, each in EDITIONS.items() if each.sides == 1)
        raise ValueError(
            f"edition={edition.name!r} has no extensive form, since chance decides there when a card is drawn, and all "
            f"see the other side of the next card before: choose an edition whose cards have one side ({one_sided})"
        )
    if not rules.mercy:
        return
    if rules.six_smackdown:
        raise ValueError(f"six_smackdown=True with mercy={rules.mercy} has no extensive form: choose False, or 0")
    coloured = zip(edition.kinds[: edition.coloured], rules.deck_counts, strict=False)
    demanded = max((face.demands for face, count in coloured if count), default=0)
    in_deal = 0 if rules.first_card in ("number", "reverse_only") else demanded
    if rules.players == 2 and rules.mercy <= rules.hand_size + in_deal:
        raise ValueError(
            f"mercy={rules.mercy} with first_card={rules.first_card!r} has no extensive form, since a deal could end "
            f"the hand: choose {rules.hand_size + in_deal + 1} or more, or 'number'"
        )
