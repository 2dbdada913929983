"""Games set up by text, for tests that read like the rules: :class:`Table`."""

import itertools
from collections import Counter
from collections.abc import Iterator
from typing import Any, Self

import numpy as np

from uno_env import Game, Rules
from uno_env.cards import cards_text
from uno_env.editions import EDITIONS
from uno_env.editions.edition import NO_NUMBER, Edition
from uno_env.invariants import find_faults
from uno_env.observation import layout

_POINTS = {str(number): number for number in range(10)}


class Table:
    """A game with the hands that a test needs; seat 0 begins, unless the test says otherwise.

    Args:
        *hands: the cards of each seat (``"r1 g+2"``), as many for each; ``None`` for cards that do not matter.
        first: the card turned over as the first discard; more than one if some of them go back.
        pile: the next cards of the draw pile; others follow in random order.
        dealer: seat that deals; the last one if not given, so that seat 0 begins on a number.
        only: whether there are no other cards in the game than those named.
        preset: rules that ``changes`` change.
        seed: chance for everything that is not named.
        **changes: switches.
    """

    def __init__(
        self,
        *hands: str | None,
        first: str = "r9",
        pile: str = "",
        dealer: int | None = None,
        only: bool = False,
        preset: str = "classic",
        seed: int = 0,
        **changes: Any,
    ) -> None:
        players = len(hands)
        dealer = players - 1 if dealer is None else dealer
        dealt = list(_filled(hands, f"{first} {pile}", EDITIONS[Rules.preset(preset).edition]))
        order = [dealt[(dealer + place) % players] for place in range(1, players + 1)]
        deck = " ".join([*itertools.chain.from_iterable(zip(*order, strict=True)), first, pile])
        if only:
            changes["deck"] = deck
        rules = Rules.preset(
            preset,
            **{"players": players, "hand_size": len(dealt[0]), "dealer": "fixed", "dealer_seat": dealer, **changes},
        )
        self.game = Game(rules, seed=seed, deck=deck, dealer=dealer)
        self.check()

    @classmethod
    def of(cls, game: Game) -> Self:
        """The table at which a game is played."""
        table = object.__new__(cls)
        table.game = game
        table.check()
        return table

    def go(self, *moves: str) -> Self:
        """Do moves such as ``"0 r5"`` or ``"0 call, 0 r5, 1 draw"``: the seat that must be to move, and its action."""
        for move in ", ".join(moves).split(", "):
            seat, action = move.split()
            assert self.to_move == int(seat), f"seat {self.to_move} is to move, not as in {move!r}"
            self.game.step(action)
            self.check()
        return self

    def refuses(self, action: str) -> bool:
        """Whether the player to move may not do the action."""
        return action not in self.legal

    def check(self) -> None:
        """Fail if the state is not sound."""
        assert find_faults(self.game.record, self.game.rules) == []

    @property
    def legal(self) -> set[str]:
        """What may be done now; a wild in all four colours as ``w`` or ``w+4``."""
        names = set(self.game.legal_names())
        for wild in self.edition.texts[self.edition.coloured :]:
            colours = {f"{wild}:{letter}" for letter in "rygb"}
            if colours <= names:
                names = names - colours | {wild}
        return names

    def hand(self, seat: int) -> str:
        """The cards of a seat, in the order of kinds."""
        return cards_text(self.game.hand(seat), self.edition)

    @property
    def hands(self) -> list[str]:
        """The cards of all seats."""
        return [self.hand(seat) for seat in range(self.game.players)]

    def points_in(self, seat: int) -> int:
        """Points of the cards that a seat holds, counted from their texts."""
        return sum(_POINTS.get(text[1:], 50 if text[0] == "w" else 20) for text in self.hand(seat).split())

    def knows(self, seat: int, other: int) -> str:
        """The cards that the observation of ``seat`` shows in the hand of ``other``."""
        place = (other - seat) % self.game.players - 1
        known = self.sees(seat, "known").reshape(-1, len(self.edition.kinds))[place]
        return self._counted(known)

    def sees(self, seat: int, section: str) -> Any:
        """A section of the observation of a seat, as integers."""
        return self.game.observe(seat, "uint8")[layout(self.game.rules)[section].columns]

    @property
    def edition(self) -> Edition:
        """The edition that is played."""
        return EDITIONS[self.game.rules.edition]

    @property
    def sizes(self) -> list[int]:
        """Number of cards of each seat."""
        return [int(number) for number in self.game.record.seats["hand_size"][: self.game.players]]

    @property
    def top(self) -> str:
        """The top card."""
        return self.edition.texts[self.game.record.top]

    @property
    def colour(self) -> str | None:
        """The active colour."""
        colours = self.edition.colours_on(self.side)
        return colours[self.game.record.colour] if self.game.record.colour >= 0 else None

    @property
    def side(self) -> int:
        """The side in force: 1 for the dark one."""
        return int(self.game.record.side[0]) if self.edition.sides > 1 else 0

    @property
    def pile(self) -> str:
        """The draw pile, next card first."""
        record = self.game.record
        return cards_text([int(kind) for kind in record.pile[record.pile_next : record.pile_end]], self.edition)

    @property
    def discards(self) -> str:
        """The discard pile, in the order of kinds."""
        return self._counted(self.game.record.discards)

    @property
    def called(self) -> set[int]:
        """Seats whose call of UNO stands."""
        return {seat for seat in range(self.game.players) if int(self.game.record.called) >> seat & 1}

    @property
    def out(self) -> set[int]:
        """Seats that do not play."""
        return {seat for seat in range(self.game.players) if int(self.game.record.out) >> seat & 1}

    @property
    def phase(self) -> str:
        """What is being decided."""
        return self.game.phase

    @property
    def to_move(self) -> int:
        """Seat that decides."""
        return self.game.to_move

    @property
    def direction(self) -> int:
        """+1 clockwise, −1 counter-clockwise."""
        return int(self.game.record.direction)

    def _counted(self, counts: Any) -> str:
        """Cards by their number of each kind, in the order of kinds."""
        return cards_text(np.repeat(np.arange(len(counts)), counts).tolist(), self.edition)


def _filled(hands: tuple[str | None, ...], others: str, edition: Edition) -> Iterator[list[str]]:
    """The hands as lists of cards; those that do not matter are filled with number cards that nobody else has."""
    named = Counter(" ".join([*(hand or "" for hand in hands), others]).split())
    size = max(len(hand.split()) for hand in hands if hand is not None)
    counts = zip(edition.texts, edition.kinds, edition.decks[edition.name], strict=True)
    numbers = ((text, count) for text, face, count in counts if face.number != NO_NUMBER)
    spare = (text for text, count in numbers for _ in range(count - named[text]))
    for hand in hands:
        yield [next(spare) for _ in range(size)] if hand is None else hand.split()
