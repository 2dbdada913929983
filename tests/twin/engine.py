"""The engine's game as the naive twin has to be told of it: cards as texts, and what chance has decided."""

from functools import cache
from typing import Any, NamedTuple

from tests.twin.cards import COLOURS
from uno_env import Game, Rules
from uno_env.editions import EDITIONS

SYMBOLS = {
    "classic": [*"0123456789", "s", "r", "+2", "w", "w+4", "wsh", "wcu", "wd1", "wd2"],
    "no_mercy": [*"0123456789", "s", "r", "+2", "da", "+4", "se", "wr+4", "w+6", "w+10", "wcr"],
    "flip": [*"123456789", "+1", "f", "r", "s", "w", "w+2", "+5", "se", "wc+1"],
}
PHASES = ["play", "drawn", "catch", "challenge", "first_colour", "swap", "jump_in", "stack", "over"]


class Texts(NamedTuple):
    """The texts of an edition's cards, symbols and phases, in the order of the engine's numbers."""

    cards: list[str]
    symbols: list[str]
    phases: list[str]
    faces: list[list[str]]
    """With two sides: the different faces of each, by colour."""

    places: dict[str, int]
    """Of each card among ``cards``."""

    @classmethod
    def of(cls, rules: Rules) -> "Texts":
        """Those of the edition of some rules."""
        return _texts_of(rules.edition)

    def sequence(self, kinds: Any) -> list[str]:
        """Cards of kinds, in the order given."""
        return [self.cards[kind] for kind in kinds.tolist()]

    def counted(self, counts: Any) -> list[str]:
        """Cards by their number of each kind."""
        numbers = list(counts) if isinstance(counts, bytes) else counts.tolist()
        return [self.cards[kind] for kind, number in enumerate(numbers) if number for _ in range(number)]

    def in_order(self, cards: list[str]) -> list[str]:
        """Cards in the order of kinds."""
        return sorted(cards, key=self.places.__getitem__)


@cache
def _texts_of(edition: str) -> Texts:
    symbols, faces, phases = SYMBOLS[edition], list[list[str]](), PHASES
    if edition == "flip":
        cards = list(EDITIONS["flip"].texts)
        light, dark = [*"123456789", "+1", "f", "r", "s"], [*"123456789", "+5", "f", "r", "se"]
        faces = [
            [*(colour + symbol for colour in "rygb" for symbol in light), "w", "w+2"],
            [*(colour + symbol for colour in "ptou" for symbol in dark), "dw", "dwc"],
        ]
    else:
        wilds = [symbol for symbol in symbols if symbol[0] == "w"]
        cards = [*(colour + symbol for colour in COLOURS for symbol in symbols if symbol not in wilds), *wilds]
        phases = [*PHASES, "roulette"] if "wcr" in wilds else PHASES
    return Texts(cards, symbols, phases, faces, {card: place for place, card in enumerate(cards)})


def letters_in(record: Any) -> str:
    """The letters of the colours that count now."""
    return "ptou" if record.side.size and record.side[0] else COLOURS


class SeenGame(Game):
    """A game of which the end of each hand can be seen, before the next is dealt."""

    seen: Any = None

    def step(self, action: int | str) -> None:
        if self.match:
            hand = self.clone()
            hand.match = False
            Game.step(hand, action)
            self.seen = hand.record.copy()
        super().step(action)


class Untold(Exception):  # noqa: N818 - it is no error
    """The draw pile was renewed twice in one step, and the engine's record tells the second order alone."""


class SeenChance:
    """What chance has decided in the engine, as far as the twin has to be told."""

    def __init__(self, game: SeenGame) -> None:
        self.game, self.twin = game, None
        self.texts = Texts.of(game.rules)

    def dealer(self) -> int:
        return int(self.game.record.dealer)

    def shuffled_deck(self, dealt: int) -> list[str]:
        record = self.game.record
        pile = self.texts.sequence(record.pile[: sum(self.game.rules.deck_counts)])
        if record.side.size and record.side[0]:
            pile[record.pile_next :] = pile[: record.pile_next - 1 : -1]  # the first card was a Flip
        return [*pile[:dealt], self.texts.cards[record.top], *pile[dealt + 1 :]]

    def turned_over(self, cards: list[str]) -> list[str]:
        """The renewed pile; mercy in the same step can have led to another one since."""
        pile = self.texts.sequence(self.now.pile[: len(cards)])
        if self.now.side.size and self.now.side[0] != self.twin.side:
            pile[self.now.pile_next :] = reversed(pile[self.now.pile_next :])  # and then a Flip has turned it
        if self.now.put_out and sorted(pile) != sorted(cards):
            raise Untold
        return pile

    def asked_next(self, waiting: set[int]) -> int:
        seat = int(self.now.to_move)
        return seat if seat >= 0 else min(waiting)  # nobody is asked any more

    def last_to_slap(self, seats: list[int]) -> int:
        """Who holds other cards than before, if there were any to draw."""
        hands = self.twin.hands
        return next((seat for seat in seats if self.now.seats["hand_size"][seat] != len(hands[seat].cards)), seats[0])

    def hands_dealt_again(self) -> list[list[str]]:
        return [self.hand(seat) for seat in range(self.game.players)]

    def colour(self) -> str:
        return letters_in(self.now)[self.now.colour]

    def partner(self, seats: list[int]) -> int:
        """Whose hand the player on turn now holds, and the other way round."""
        hands, turn = [sorted(hand.cards) for hand in self.twin.hands], self.twin.turn
        fit = [seat for seat in seats if sorted(self.hand(turn)) == hands[seat]]
        return next(seat for seat in fit if sorted(self.hand(seat)) == hands[turn])

    @property
    def now(self) -> Any:
        """The engine's state; the end of a hand, if one has just ended."""
        return self.game.record if self.game.seen is None else self.game.seen

    def hand(self, seat: int) -> list[str]:
        return self.texts.counted(self.now.seats["hand"][seat])
