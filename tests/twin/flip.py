"""The naive twin of Flip: cards with two faces (13.3 of the rules)."""

from collections.abc import Generator
from typing import Any

from tests.twin.cards import is_number, is_wild
from tests.twin.naive import ILLEGAL, Playing, Question, Twin
from uno_env.editions import EDITIONS

SIDES = ("rygb", "ptou")
"""The colours of the light side and of the dark one."""
DRAW_COLOUR = "wc+1"
"""What the face of a Wild Draw Colour is called here: a wild with which at least one card is drawn."""
ORDER = list(EDITIONS["flip"].texts)
"""All cards, in the order of the engine's numbers."""
_DARK_WILDS = {"dw": "w", "dwc": DRAW_COLOUR}


class Card(str):
    """The face of a card that counts now; two are the same card if both of their faces are the same."""

    whole: str
    side: int

    def __new__(cls, whole: str, side: int) -> "Card":
        text = whole.split("/")[side]
        card = super().__new__(cls, _DARK_WILDS.get(text, text))
        card.whole, card.side = whole, side
        return card

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Card):
            return self.whole == other.whole
        return str.__eq__(self, other) is True or self.whole == other

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __lt__(self, other: str) -> bool:
        return self.whole < (other.whole if isinstance(other, Card) else other)

    def __hash__(self) -> int:
        return hash(self.whole)

    def turned(self) -> "Card":
        return Card(self.whole, 1 - self.side)

    @property
    def back(self) -> str:
        return self.whole.split("/")[1 - self.side]

    @property
    def front(self) -> str:
        return self.whole.split("/")[self.side]


class FlipTwin(Twin):
    """A hand, or a match, of Flip."""

    side = 0
    last_seen = False
    """Whether all have seen the face in force of the last card of the draw pile."""

    # Setting up

    def deal(self, dealer: int) -> None:
        self.side, self.last_seen = 0, False
        super().deal(dealer)
        self.pile = [Card(text, 0) for text in self.pile]
        for hand in self.hands:
            hand.cards = [Card(text, 0) for text in hand.cards]

    def first_turn(self) -> Playing:
        if self.pile[0][1:] != "f" or self.rules.first_card == "reverse_only":
            return (yield from super().first_turn())
        assert self.rules.first_card != "number"
        self.discards.append(self.pile.pop(0))
        self.turn_everything()
        left = self.after(self.dealer)
        if is_wild(self.top):
            self.turn = left
            answer = yield from self.ask_colour(left, self.colours())
            return self.after(left) if answer == ILLEGAL else left
        return left

    def colours(self) -> set[str]:
        return {f"colour:{colour}" for colour in SIDES[self.side]}

    # Cards

    def plays(self, card: Any) -> set[str]:
        return {f"{card.whole}:{colour}" for colour in SIDES[self.side]} if is_wild(card) else {card.whole}

    def card_named(self, text: str) -> str:
        return Card(text, self.side)

    def worth(self, card: str) -> int:
        """The faces in force are counted (9)."""
        if is_number(card):
            return int(card[1])
        if is_wild(card):
            return {"w": 40, "w+2": 50, DRAW_COLOUR: 60}[str(card)]
        return {"+1": 10, "se": 30}.get(card[1:], 20)

    def may_draw_without_need(self) -> bool:
        """Not when nothing can be drawn (4.2)."""
        return bool(self.pile) or len(self.discards) > 1

    # The draw pile

    def note_taken(self, seat: int, card: str) -> None:
        """Who was last, and known from the front, was seen from behind when it was next."""
        if not self.pile:
            if self.last_seen:
                for viewer in range(self.rules.players):
                    self.hands[seat].seen_by.setdefault(viewer, []).append(card)
            self.last_seen = False

    def renew_pile(self) -> None:
        super().renew_pile()
        self.pile = [Card(getattr(text, "whole", text), self.side) for text in self.pile]
        self.last_seen = False

    # Laying cards

    def put_down(self, seat: int, card: str, under: list[str]) -> None:
        """There is one of each card, so nobody knows it to be in the hand any more, though it was just drawn."""
        super().put_down(seat, card, under)
        for seen in self.hands[seat].seen_by.values():
            if card in seen:
                seen.remove(card)

    def see_what_follows(self, seat: int, card: str, guilty: bool) -> Playing:
        self.lapse_call(seat)
        yield from self.catch_or_end(seat, card)
        jumper = yield from self.offer_jump_in(seat)
        if jumper is not None:
            return (yield from self.lay(jumper, self.twins_of_top(jumper)[0].whole, more=True))
        return (yield from self.act(seat, card, guilty))

    def twins_of_top(self, seat: int) -> list[Any]:
        """Cards that show the same face as the top card, which is first if there is another of it."""
        same = [card for card in self.hands[seat].cards if str(card) == str(self.top)]
        return sorted(same, key=lambda card: (card != self.top, ORDER.index(card)))

    def offer_jump_in(self, seat: int) -> Generator[Question, str, int | None]:
        if self.rules.jump_in and not is_wild(self.top) and not self.has_gone_out(seat):
            for other in [seat, *self.others(seat)]:
                if self.twins_of_top(other) and self.may_lay_last(other, self.top):
                    if (yield from self.ask_to_play("jump_in", other, {"jump_in", "pass"})) == "jump_in":
                        return other
                    self.lapse_call(other)
        return None

    def act(self, seat: int, card: str, guilty: bool) -> Playing:
        if not self.penalty and card[1:] == "se":
            return self.finish(seat, self.turn_of(seat))
        if not self.penalty and card[1:] == "f":
            return (yield from self.flip(seat))
        return (yield from super().act(seat, card, guilty))

    def flip(self, seat: int) -> Playing:
        """Everything is turned over; who flipped declares a colour if a wild comes up, unless the hand is over."""
        self.turn_everything()
        if is_wild(self.top) and not self.has_gone_out(seat):
            if seat in self.out:
                self.colour = self.chance.colour()
            else:
                yield from self.ask_colour(seat, self.colours())
        return self.finish(seat)

    def let_stand(self, seat: int, card: str) -> None:
        super().let_stand(seat, card)
        if card[1:] == "f":
            self.turn_everything()
            self.colour = self.colour or self.chance.colour()

    def turn_everything(self) -> None:
        """First the discards as a whole, then the draw pile, then all hands."""
        self.side = 1 - self.side
        self.discards = [card.turned() for card in reversed(self.discards)]
        self.pile = [card.turned() for card in reversed(self.pile)]
        self.last_seen = bool(self.pile)
        for hand in self.hands:
            hand.cards = [card.turned() for card in hand.cards]
            hand.seen_by = {viewer: [card.turned() for card in cards] for viewer, cards in hand.seen_by.items()}
            hand.drew_on = {}
        self.colour = None if is_wild(self.top) else self.top[0]
        self.previous_colour = None

    # Penalties

    def may_answer(self, card: str) -> bool:
        return DRAW_COLOUR not in (str(card), str(self.pending)) and super().may_answer(card)

    def deflections(self, seat: int) -> set[str]:
        if not self.rules.deflect or is_wild(self.top):
            return set()
        cards = self.hands[seat].cards
        turning = [card for card in cards if card[0] == self.colour and card[1:] in ("s", "r")]
        return {card.whole for card in turning if self.may_lay_last(seat, card)}

    def demand_penalty(self, seat: int, guilty: bool) -> Playing:
        """The Wild Draw Colour: the next player draws until the declared colour comes, or challenges."""
        if str(self.top) != DRAW_COLOUR:
            return (yield from super().demand_penalty(seat, guilty))
        victim = self.after(seat)
        answer = "accept"
        if self.rules.wild_draw_four == "bluff":
            answer = yield from self.ask_to_play("challenge", victim, {"accept", "challenge"}, may_call=False)
        self.penalty, self.pending = 0, None
        if answer == "challenge":
            self.show(seat, viewer=victim)
            if guilty:
                self.draw_colour(seat)
                return self.finish(seat, victim)
        self.draw_colour(victim)
        if answer == "challenge":
            self.draw(victim, 2)
        self.lapse_call(victim)
        return self.finish(seat, self.after(victim))

    def draw_colour(self, seat: int) -> None:
        while (got := self.draw(seat, 1)) and seat not in self.out:
            if got[0][0] == self.colour:
                return
