"""The naive twin: all of GUIDE.md once more, slow and obvious, for playing in lock step with the engine.

A card is its text (``"r5"``, ``"w+4"``), a hand a list of cards, and a game a generator that asks one question after
another: ``yield`` is a question to a player, and what is sent back is the text of an action. So a rule reads from top
to bottom as it is told, and there are no phases to remember. Section numbers are those of GUIDE.md.

The twin throws no dice. Whatever chance decides it is told by a :class:`Chance`, and believes only what is possible.
"""

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from tests.twin.cards import (
    COLOURS,
    demands,
    full_deck,
    is_action,
    is_number,
    is_wild,
    is_wild_draw,
    plays,
    symbol,
)
from uno_env.rules import Rules

ILLEGAL = "illegal"
MAX_HANDS = 1_000
PUT_OUT_POINTS = 250


class Chance(Protocol):
    """What chance decides."""

    def dealer(self) -> int:
        """Who deals: the first hand, or every hand for which they draw again (3.2)."""

    def shuffled_deck(self, dealt: int) -> list[str]:
        """All cards: those that are ``dealt``, in this order, then the first discard, then the draw pile."""

    def turned_over(self, cards: list[str]) -> list[str]:
        """The discards, shuffled (4.4)."""

    def asked_next(self, waiting: set[int]) -> int:
        """Who is asked next whether they call or catch (6.2)."""

    def last_to_slap(self, seats: list[int]) -> int:
        """Who is last at a 6 (10.4)."""

    def hands_dealt_again(self) -> list[list[str]]:
        """The hands after a Wild Shuffle Hands (5.2)."""

    def colour(self) -> str:
        """A colour for who would not choose one properly (7)."""

    def partner(self, seats: list[int]) -> int:
        """A player to swap hands with, for who would not choose one properly (7)."""


class Question(NamedTuple):
    """What a player is asked."""

    phase: str
    seat: int
    options: frozenset[str]


Asking = Generator[Question, str, str]
"""Asks questions, and comes to an answer."""
Playing = Generator[Question, str, int]
"""Asks questions, and comes to whose turn is next."""


class HandOver(Exception):  # noqa: N818 - it is no error
    """The hand has ended."""

    def __init__(self, end: str, seat: int | None = None) -> None:
        super().__init__(end, seat)
        self.end, self.seat = end, seat


@dataclass
class Hand:
    """Cards in someone's hand, with what is known of them: whoever gets the hand gets that, too."""

    cards: list[str] = field(default_factory=list)
    seen_by: dict[int, list[str]] = field(default_factory=dict)
    """The cards that a viewer knows to be here."""
    drew_on: dict[str, int] = field(default_factory=dict)
    """Colours on which its owner drew and played nothing, and how many cards came since."""


class Twin:
    """A hand, or a match, as it would be told at the table."""

    def __init__(self, rules: Rules, chance: Chance, match: bool = False) -> None:
        self.rules, self.chance, self.match = rules, chance, match
        self.kinds = list(dict.fromkeys(full_deck(rules)))
        self.deck = sorted(full_deck(rules))
        self.eliminated: set[int] = set()
        """Who is out of the match (9)."""
        self.put_out: set[int] = set()
        """Who is out of this hand: mercy (13.2)."""
        self.settled = False
        self.scores = [0] * rules.players
        self.points = [0] * rules.players
        self.hands_played = 0
        self.match_winner: int | None = None
        self.end = ""
        self.game = self.play()
        self.question: Question | None = next(self.game)

    def step(self, action: str) -> None:
        """The player who was asked answers."""
        try:
            self.question = self.game.send(action)
        except StopIteration:
            self.question = None

    # A match (9)

    def play(self) -> Generator[Question, str, None]:
        dealer = self.chance.dealer()
        while True:
            self.deal(dealer)
            try:
                turn = yield from self.first_turn()
                while True:
                    turn = yield from self.take_turn(turn)
            except HandOver as over:
                self.end, self.drawn, self.pending = over.end, None, None
                self.winner = over.seat if over.end == "went_out" else None
                if self.winner is not None:
                    self.penalty = 0  # whoever would draw it is out, or the last one who is not
                self.offender = over.seat if over.end == "illegal" else None
            self.count_points()
            self.last_hands = [list(hand.cards) for hand in self.hands]
            self.last_end, self.last_winner = self.end, self.winner
            if not self.match or self.end == "illegal":
                return
            self.hands_played += 1
            self.settled = True
            if self.winner is not None:
                self.count_scores(self.winner)
            if self.match_winner is not None or self.hands_played == MAX_HANDS:
                self.settled = False
                if self.match_winner is None:
                    self.end, self.winner = "too_many_hands", None
                return
            each_hand = self.rules.dealer == "high_card_each_hand"
            dealer = self.chance.dealer() if each_hand else self.walk(dealer, 1, clockwise=True)
            assert dealer in self.playing()

    def count_points(self) -> None:
        """Nobody gets any for a hand that nobody has won."""
        left = [sum(map(self.worth, hand.cards)) for hand in self.hands]
        for seat in self.put_out:
            left[seat] = PUT_OUT_POINTS
        self.points = [0] * self.rules.players
        if self.winner is not None and self.rules.scoring == "winner_takes":
            self.points[self.winner] = sum(left) - left[self.winner]
        elif self.winner is not None and self.rules.scoring != "hand":
            self.points = left

    def worth(self, card: str) -> int:
        if card in ("wsh", "wcu"):
            return self.rules.special_wild_points
        return 50 if is_wild(card) else int(card[1]) if is_number(card) else 20

    def count_scores(self, winner: int) -> None:
        self.scores = [before + points for before, points in zip(self.scores, self.points, strict=True)]
        if self.rules.scoring == "hand":
            self.match_winner = winner
        elif self.rules.scoring == "winner_takes":
            if self.scores[winner] >= self.rules.target:
                self.match_winner = winner
        else:
            lowest = min(self.scores[seat] for seat in self.playing())
            above_lowest = {seat for seat in self.playing() if self.scores[seat] > lowest}
            if self.rules.scoring == "elimination":
                self.eliminated |= {seat for seat in above_lowest if self.scores[seat] >= self.rules.target}
            elif max(self.scores) >= self.rules.target:
                self.eliminated |= above_lowest
            if len(self.playing()) == 1:
                (self.match_winner,) = self.playing()

    def rewards(self) -> list[float]:
        """+1 for the winner, and −1 shared among the others; −1 for who broke the rules."""
        players = range(self.rules.players)
        if self.question is None and self.end == "illegal":
            return [-1.0 if seat == self.offender else 0.0 for seat in players]
        if self.question is None and self.end == "went_out":
            winner = self.match_winner if self.match else self.winner
            return [1.0 if seat == winner else -1 / (len(players) - 1) for seat in players]
        return [0.0 for _ in players]

    # The table (1)

    @property
    def out(self) -> set[int]:
        """Who does not play; a hand puts nobody out any more while it is counted in a match."""
        return self.eliminated if self.settled else self.eliminated | self.put_out

    def playing(self) -> list[int]:
        return [seat for seat in range(self.rules.players) if seat not in self.out]

    def walk(self, seat: int, places: int, clockwise: bool) -> int:
        """Round the table, past empty chairs."""
        while places:
            seat = (seat + (1 if clockwise else -1)) % self.rules.players
            places -= seat not in self.out
        return seat

    def after(self, seat: int, places: int = 1) -> int:
        return self.walk(seat, places, self.clockwise)

    def others(self, seat: int) -> list[int]:
        """The other players, in the order of play."""
        return [self.after(seat, places + 1) for places in range(len({*self.playing()} - {seat}))]

    def turn_of(self, seat: int) -> int:
        """Who has the turn of a player: the next one, if that player is out."""
        return self.after(seat) if seat in self.out else seat

    def has_gone_out(self, seat: int) -> bool:
        """Whether the player has laid their last card."""
        return not self.hands[seat].cards and seat not in self.out

    @property
    def top(self) -> str:
        return self.discards[-1]

    # Setting up (3)

    def deal(self, dealer: int) -> None:
        self.dealer = self.turn = dealer
        self.hands = [Hand() for _ in range(self.rules.players)]
        self.discards: list[str] = []
        self.colour = self.previous_colour = self.drawn = self.last_player = None
        self.pending: str | None = None
        """The draw card whose penalty is pending."""
        self.put_out, self.settled = set(), False
        self.called: set[int] = set()
        self.asked: set[int] = set()
        self.clockwise = True
        self.penalty = self.decisions = 0
        self.end, self.winner, self.offender = "running", None, None
        dealt = self.rules.hand_size * len(self.playing())
        self.pile = list(self.chance.shuffled_deck(dealt))
        assert sorted(self.pile) == self.deck
        seat = dealer
        for _ in range(dealt):
            seat = self.walk(seat, 1, clockwise=True)
            self.hands[seat].cards.append(self.pile.pop(0))

    def first_turn(self) -> Playing:
        """The first discard, as if the dealer had played it (3.3)."""
        first = self.pile.pop(0)
        stays = {
            "number": is_number(first),
            "effects": first == "w" or not is_wild(first),
            "effects_all": first == "w" or not is_wild(first) or is_wild_draw(first),
        }
        assert stays.get(self.rules.first_card, not is_wild(first))
        self.discards.append(first)
        self.colour = None if is_wild(first) else first[0]
        left = self.after(self.dealer)
        if is_wild(first):
            self.turn = left
            answer = yield from self.ask_colour(left, {f"colour:{colour}" for colour in COLOURS})
            return self.after(left) if answer == ILLEGAL else left
        if first[1:] != "r" and self.rules.first_card == "reverse_only":
            return left
        if first[1:] == "s":
            return self.after(left)
        if first[1:] == "se":
            return self.dealer
        if demands(first):
            self.penalty, self.pending = demands(first), first
            return (yield from self.demand_penalty(self.dealer, guilty=False))
        if first[1:] == "r":
            self.clockwise = False
            if len(self.playing()) > 2 and self.rules.first_reverse == "right_of_dealer":
                return self.after(self.dealer)
            return self.dealer
        return left

    # Asking

    def ask(self, phase: str, seat: int, options: set[str]) -> Asking:
        """One decision; an illegal one costs two cards, or the game (7)."""
        if self.decisions >= self.rules.max_decisions:
            raise HandOver("max_decisions")
        action = yield Question(phase, seat, frozenset(options))
        self.decisions += 1
        if action in options:
            return action
        if self.rules.illegal_action == "terminate":
            raise HandOver("illegal", seat)
        self.draw(seat, 2)
        return ILLEGAL

    def ask_colour(self, seat: int, options: set[str]) -> Asking:
        """A colour is declared; chance does it for who answers illegally, even if that ends the hand."""
        try:
            answer = yield from self.ask("first_colour", seat, options)
        except HandOver as over:
            if over.end == "went_out":
                self.colour = self.chance.colour()
            raise
        self.colour = self.chance.colour() if answer == ILLEGAL else answer[-1]
        return answer

    def ask_to_play(self, phase: str, seat: int, options: set[str], may_call: bool = True) -> Asking:
        """A decision before which UNO may be called (6.1)."""
        while True:
            down_to_one = self.may_go_down_to_one(seat, options)
            call = may_call and self.rules.uno_call == "declared" and down_to_one and seat not in self.called
            answer = yield from self.ask(phase, seat, options | {"call"} if call else options)
            if answer != "call":
                return answer
            self.called.add(seat)

    def may_go_down_to_one(self, seat: int, options: set[str]) -> bool:
        cards = len(self.hands[seat].cards)
        return cards == 2 or (cards == 3 and any(option.endswith("x2") for option in options))

    def lapse_call(self, seat: int) -> None:
        """The chance to play is over: a call stands only for a last card."""
        if len(self.hands[seat].cards) != 1:
            self.called.discard(seat)

    # A turn (4)

    def take_turn(self, seat: int) -> Playing:
        self.turn, self.drawn = seat, None
        hand = self.hands[seat]
        options = self.playable(seat)
        if not options or (self.rules.voluntary_draw and self.may_draw_without_need()):
            options = options | {"draw"}
        if self.rules.double_play:
            pairs = {card for card in hand.cards if hand.cards.count(card) > 1 and is_number(card) and card[1] != "0"}
            options = options | {f"{card}x2" for card in pairs if self.matches(card)}
        answer = yield from self.ask_to_play("play", seat, options)
        if answer == ILLEGAL:
            return self.next_turn(seat)
        if answer != "draw":
            more = answer.endswith("x2") or answer[1:] == "0"
            return (yield from self.lay(seat, answer, more))
        return (yield from self.draw_instead(seat))

    def may_draw_without_need(self) -> bool:
        """Whether who could play may draw (4.2)."""
        return True

    def draw_instead(self, seat: int) -> Playing:
        """Draw a card, or until one can be played (4.2)."""
        hand = self.hands[seat]
        stuck = not self.playable(seat)
        goes_on = {"one": False, "until_playable": True, "until_playable_if_stuck": stuck}[self.rules.draw]
        got = self.draw(seat, 1)
        while got and seat not in self.out and goes_on and not self.may_play(seat, got[0]):
            got = self.draw(seat, 1)
        if seat in self.out:
            return self.next_turn(seat)
        if got and self.may_play(seat, got[0]):
            self.drawn = got[0]
            keep = {"pass"} if self.rules.after_draw == "may_play" else set()
            answer = yield from self.ask_to_play("drawn", seat, self.plays(got[0]) | keep)
            if answer not in ("pass", ILLEGAL):
                return (yield from self.lay(seat, answer))
        hand.drew_on[self.colour] = 0
        if not got and not any(self.playable(other) for other in self.playing()):
            raise HandOver("stalled")  # 8
        return self.next_turn(seat)

    def playable(self, seat: int) -> set[str]:
        return {play for card in self.hands[seat].cards if self.may_play(seat, card) for play in self.plays(card)}

    def plays(self, card: str) -> set[str]:
        """The ways to lay a card: a wild with each colour."""
        return plays(card)

    def may_play(self, seat: int, card: str) -> bool:
        if is_wild_draw(card):
            return self.may_play_draw_four(seat) and self.may_lay_last(seat, card)
        return (is_wild(card) or self.matches(card)) and self.may_lay_last(seat, card)

    def matches(self, card: str) -> bool:
        """The top card, in colour, number or symbol (4.1)."""
        return card[0] == self.colour or self.matches_symbol(card)

    def matches_symbol(self, card: str) -> bool:
        if is_wild(self.top) or is_wild(card) or (self.rules.action_match == "colour" and is_action(card)):
            return False
        return card[1:] == self.top[1:]

    def may_lay_last(self, seat: int, card: str) -> bool:
        """Whether the card may be laid if no other is left then (8)."""
        if len(self.hands[seat].cards) > 1 + len(self.laid_under(seat, card)) or self.rules.go_out_on == "any":
            return True
        return is_number(card) or (is_wild(card) and self.rules.go_out_on == "not_action")

    def laid_under(self, seat: int, card: str) -> list[str]:
        """The cards that go with a card that is laid."""
        return []

    def may_play_draw_four(self, seat: int) -> bool:
        """Wild Draw Four (5)."""
        cards = self.hands[seat].cards
        if self.rules.wild_draw_four == "restricted":
            return not self.holds_match(seat)
        if self.rules.wild_draw_four == "colour_or_symbol":
            return not self.holds_match(seat) and not any(self.matches_symbol(card) for card in cards)
        return True

    def holds_match(self, seat: int) -> bool:
        """A card that should be played instead of a Wild Draw Four (5.1)."""
        cards = self.hands[seat].cards
        wild = self.rules.wild_is_match and any(is_wild(card) and not is_wild_draw(card) for card in cards)
        return wild or any(card[0] == self.colour for card in cards)

    def draw(self, seat: int, number: int) -> list[str]:
        """Draw cards, or what there is (4.4); who is out draws no more."""
        got: list[str] = []
        hand = self.hands[seat]
        for _ in range(number):
            if seat in self.out:
                break
            if not self.pile:
                self.renew_pile()
            if self.pile:
                got.append(self.pile.pop(0))
                hand.cards.append(got[-1])
                self.note_taken(seat, got[-1])
                hand.drew_on = {colour: since + 1 for colour, since in hand.drew_on.items()}
                self.called.discard(seat)
                if self.rules.renew == "at_once" and not self.pile:
                    self.renew_pile()
                if 0 < self.rules.mercy <= len(hand.cards):
                    self.have_mercy(seat)
        return got

    def note_taken(self, seat: int, card: str) -> None:
        """A card was taken from the pile."""

    def have_mercy(self, seat: int) -> None:
        """The player has too many cards and is out of the hand; the last of the others wins it (13.2)."""
        self.discards = [*sorted(self.hands[seat].cards, key=self.kinds.index, reverse=True), *self.discards]
        self.hands[seat] = Hand()
        self.called.discard(seat)
        self.put_out.add(seat)
        if len(self.playing()) == 1:
            (self.turn,) = self.playing()
            raise HandOver("went_out", self.turn)

    def renew_pile(self) -> None:
        """All discards but the top one are shuffled, and are the draw pile."""
        rest = self.discards[:-1]
        self.discards = [self.top]
        self.pile = list(self.chance.turned_over(rest)) if rest else []
        assert sorted(self.pile) == sorted(rest)

    def next_turn(self, seat: int) -> int:
        """The turn is over."""
        self.lapse_call(seat)
        return self.after(seat)

    def finish(self, seat: int, following: int | None = None) -> int:
        """The turn is over, unless the player has gone out (8); who is ``following``, if not the next player."""
        if self.has_gone_out(seat):
            raise HandOver("went_out", seat)
        self.lapse_call(seat)
        return self.after(seat) if following is None else following

    # Laying cards

    def lay(self, seat: int, action: str, more: bool = False) -> Playing:
        """Lay what the action says (``r5``, ``w:g``, ``r5x2``), perhaps ``more`` like it, and let it act."""
        text, _, declared = action.removesuffix("x2").partition(":")
        card = self.card_named(text)
        guilty = is_wild_draw(card) and self.holds_match(seat)
        hand = self.hands[seat]
        self.put_down(seat, card, [card] if action.endswith("x2") else self.laid_under(seat, card))
        self.previous_colour = self.colour
        if declared or not is_wild(card):
            self.colour = declared or card[0]
        self.turn = self.last_player = seat
        self.drawn = None
        if demands(card):
            self.penalty = demands(card) + (self.penalty if self.rules.stacking != "off" else 0)
            self.pending = card
        if more and is_number(card) and self.rules.double_play == "two_or_more" and card in hand.cards:
            self.lapse_call(seat)
            if (yield from self.ask_to_play("jump_in", seat, {"jump_in", "pass"})) == "jump_in":  # 4.3
                return (yield from self.lay(seat, card, more))
        return (yield from self.see_what_follows(seat, card, guilty))

    def card_named(self, text: str) -> str:
        """The card that an action names."""
        return text

    def put_down(self, seat: int, card: str, under: list[str]) -> None:
        """Cards go from a hand to the discards."""
        hand = self.hands[seat]
        hand.drew_on.pop(card[0], None)
        for laid in [*under, card]:
            hand.cards.remove(laid)
            self.discards.append(laid)
        for seen in hand.seen_by.values():
            for laid in under if self.drawn else [*under, card]:  # everyone sees that it is the drawn one
                if laid in seen:
                    seen.remove(laid)

    def see_what_follows(self, seat: int, card: str, guilty: bool) -> Playing:
        """The race for a missing call, who jumps in, and what the card does."""
        self.lapse_call(seat)
        yield from self.catch_or_end(seat, card)
        jumper = yield from self.offer_jump_in(seat)
        if jumper is not None:
            return (yield from self.lay(jumper, card, more=True))
        return (yield from self.act(seat, card, guilty))

    def catch_or_end(self, seat: int, card: str) -> Generator[Question, str, None]:
        """The race. Where it puts out the last but one, what the card does stands."""
        try:
            yield from self.catch(seat)
        except HandOver:
            if seat in self.put_out:
                self.let_stand(seat, card)
            raise

    def let_stand(self, seat: int, card: str) -> None:
        """What a card does though nobody is left to play on."""
        self.clockwise ^= card[1:] == "r" and not self.reverse_skips()
        if card == "wsh":
            self.shuffle_hands(seat)

    def catch(self, culprit: int) -> Generator[Question, str, None]:
        """The race after an uncalled play down to one card (6.2)."""
        if self.rules.uno_call == "automatic" or len(self.hands[culprit].cards) != 1 or culprit in self.called:
            return
        self.asked = set() if self.rules.late_call and not self.rules.call_before else {culprit}
        while waiting := set(self.playing()) - self.asked:
            seat = self.chance.asked_next(waiting)
            assert seat in waiting
            answer = yield from self.ask("catch", seat, {"pass", "call" if seat == culprit else "catch"})
            if answer == "call":
                self.called.add(culprit)
                return
            if answer == "catch":
                self.draw(culprit, self.rules.uno_penalty)
                return
            self.asked.add(seat)
            if len(self.hands[culprit].cards) != 1:  # the culprit was punished for an illegal action
                return

    def offer_jump_in(self, seat: int) -> Generator[Question, str, int | None]:
        """Who holds the twin of the top card may lay it (10.3)."""
        if self.rules.jump_in and not is_wild(self.top) and not self.has_gone_out(seat):
            together = self.rules.double_play == "two_or_more" and is_number(self.top)
            for other in [*([] if together else [seat]), *self.others(seat)]:
                if self.top in self.hands[other].cards and self.may_lay_last(other, self.top):
                    if (yield from self.ask_to_play("jump_in", other, {"jump_in", "pass"})) == "jump_in":
                        return other
                    self.lapse_call(other)
        return None

    # What cards do (5, 10)

    def act(self, seat: int, card: str, guilty: bool) -> Playing:
        last = self.has_gone_out(seat)
        skips = card[1:] == "s"
        if card[1:] == "r":
            skips = self.reverse_skips()
            self.clockwise ^= not skips
        if self.penalty:  # which a Skip or a Reverse has turned away (10.5)
            return (yield from self.demand_penalty(seat, guilty))
        if card == "wd1" or card == "wd2":
            self.others_draw(seat, int(card[2]))
        elif card == "wsh" and not last:
            self.shuffle_hands(seat)
        elif card == "wcu" and self.rules.customizable_effect == "skip_all":
            return self.finish(seat, self.turn_of(seat))
        elif card == "wcu" and self.rules.customizable_effect == "everyone_draws":
            self.others_draw(seat, 1)
        elif card == "wcu" and self.rules.customizable_effect == "swap_hands" and not last:
            yield from self.choose_partner(seat)
        elif skips:
            return self.finish(seat, self.after(seat, 2))
        elif card[1:] == "7" and self.rules.seven_zero and not last:
            yield from self.choose_partner(seat)
        elif card[1:] == "0" and self.rules.seven_zero and not last:
            self.pass_hands_on(seat)
        elif card[1:] == "6" and self.rules.six_smackdown and not last:
            self.draw(self.slap(), 2)
        return self.finish(seat)

    def reverse_skips(self) -> bool:
        """Whether a Reverse is a Skip, since two play."""
        return len(self.playing()) == 2 and self.rules.two_player_reverse == "skip"

    def demand_penalty(self, seat: int, guilty: bool) -> Playing:
        """The next player accepts, stacks, turns it away, or challenges (5.1, 10.1, 10.5)."""
        victim = self.after(seat)
        stackable = set() if self.has_gone_out(seat) else self.stackable(victim) | self.deflections(victim)
        challenge = {"challenge"} if is_wild_draw(self.top) and self.rules.wild_draw_four == "bluff" else set()
        answer = "accept"
        if challenge or stackable:
            phase = "challenge" if challenge else "stack"
            options = {"accept"} | challenge | stackable
            answer = yield from self.ask_to_play(phase, victim, options, may_call=bool(stackable))
        if answer in stackable:
            return (yield from self.lay(victim, answer))
        cards, self.penalty, self.pending = self.penalty, 0, None
        if answer == "challenge":
            self.show(seat, viewer=victim)
            if guilty:
                self.draw(seat, cards)
                return self.finish(seat, victim)
            cards += 2
        self.draw(victim, cards)
        self.lapse_call(victim)
        kept = {"lost": False, "kept": True, "kept_first": self.last_player is None}[self.rules.draw_two_turn]
        return self.finish(seat, self.turn_of(victim) if kept and not is_wild(self.top) else self.after(victim))

    def stackable(self, seat: int) -> set[str]:
        answers: set[str] = set()
        for card in self.hands[seat].cards:
            allowed = not is_wild_draw(card) or self.may_play_draw_four(seat)
            if self.may_answer(card) and allowed and self.may_lay_last(seat, card):
                answers |= self.plays(card)
        return answers

    def may_answer(self, card: str) -> bool:
        """Whether a card answers the draw card that is pending (10.1)."""
        stacking, pending = self.rules.stacking, self.pending
        if stacking == "off" or not demands(card):
            return False
        if stacking == "value":
            return demands(card) >= demands(pending)
        if is_wild(card) and not is_wild(pending):
            return stacking in ("any", "both")
        if is_wild(pending) and not is_wild(card):
            return stacking == "both" and card[0] == self.colour
        return symbol(card) == symbol(pending)

    def deflections(self, seat: int) -> set[str]:
        """What turns a Draw Two away (10.5)."""
        if not self.rules.deflect or is_wild(self.top):
            return set()
        turning = {f"{self.colour}s", f"{self.colour}r"} & set(self.hands[seat].cards)
        return {card for card in turning if self.may_lay_last(seat, card)}

    def others_draw(self, seat: int, number: int) -> None:
        for other in self.others(seat):
            self.draw(other, number)

    def slap(self) -> int:
        """Who is last to slap a 6 (10.4)."""
        slow = [seat for seat in self.playing() if not self.rules.reflexes or self.rules.reflexes[seat]]
        last = self.chance.last_to_slap(slow or self.playing())
        assert last in (slow or self.playing())
        return last

    # Hands that move (5.3), and what is known of them (12)

    def show(self, owner: int, viewer: int) -> None:
        self.hands[owner].seen_by[viewer] = list(self.hands[owner].cards)

    def choose_partner(self, seat: int) -> Generator[Question, str, None]:
        if seat in self.out:
            return
        players = self.rules.players
        partners = {f"swap{(other - seat) % players}": other for other in self.playing() if other != seat}
        answer = yield from self.ask("swap", seat, set(partners))
        if seat in self.out:
            return
        other = self.chance.partner(list(partners.values())) if answer == ILLEGAL else partners[answer]
        self.move_hands({seat: other, other: seat}, seat)

    def pass_hands_on(self, seat: int) -> None:
        self.move_hands({giver: self.after(giver) for giver in self.playing()}, seat)

    def move_hands(self, receiver: dict[int, int], mover: int) -> None:
        """The mover lets each giver's hand go to its receiver; nobody's call outlives that."""
        before = list(self.hands)
        for giver, taker in receiver.items():
            self.hands[taker] = before[giver]
        for giver, taker in receiver.items():
            self.show(taker, viewer=giver)
            self.called.discard(giver)

    def shuffle_hands(self, seat: int) -> None:
        """All hands are collected and dealt again, one by one, beginning at the left."""
        collected = sorted(card for hand in self.hands for card in hand.cards)
        sizes = [0] * self.rules.players
        for place in range(len(collected)):
            sizes[self.walk(seat, place + 1, clockwise=True)] += 1
        dealt = self.chance.hands_dealt_again()
        assert sorted(card for cards in dealt for card in cards) == collected
        assert [len(cards) for cards in dealt] == sizes
        self.hands = [Hand(list(cards)) for cards in dealt]
        self.called = set()
