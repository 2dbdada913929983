"""The naive twin: all of GUIDE.md once more, slow and obvious, for playing in lock step with the engine.

A card is its text (``"r5"``, ``"w+4"``), a hand a list of cards, and a game a generator that asks one question after
another: ``yield`` is a question to a player, and what is sent back is the text of an action. So a rule reads from top
to bottom as it is told, and there are no phases to remember. Section numbers are those of GUIDE.md.

The twin throws no dice. Whatever chance decides it is told by a :class:`Chance`, and believes only what is possible.
"""

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from uno_env.rules import Rules

COLOURS = "rygb"
ILLEGAL = "illegal"
MAX_HANDS = 1_000


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


def is_wild(card: str) -> bool:
    return card[0] == "w"


def is_number(card: str) -> bool:
    return card[1:].isdigit()


def is_action(card: str) -> bool:
    return card[1:] in ("s", "r", "+2")


def plays(card: str) -> set[str]:
    """The ways to lay a card: a wild with each colour."""
    return {f"{card}:{colour}" for colour in COLOURS} if is_wild(card) else {card}


def full_deck(rules: Rules) -> list[str]:
    """All cards (2)."""
    chosen = rules.to_dict()["deck"]
    if not isinstance(chosen, str):
        return [card for card, count in chosen.items() for _ in range(count)]
    ranks = ["0", *2 * [*"123456789", "s", "r", "+2"]]
    wilds = {"classic": [], "edition_2018": ["wsh", *3 * ["wcu"]], "h2o": 2 * ["wd1", "wd2"]}
    return [colour + rank for colour in COLOURS for rank in ranks] + 4 * ["w", "w+4"] + wilds[chosen]


class Twin:
    """A hand, or a match, as it would be told at the table."""

    def __init__(self, rules: Rules, chance: Chance, match: bool = False) -> None:
        self.rules, self.chance, self.match = rules, chance, match
        self.deck = sorted(full_deck(rules))
        self.out: set[int] = set()
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
                self.end, self.drawn = over.end, None
                self.winner = over.seat if over.end == "went_out" else None
                self.offender = over.seat if over.end == "illegal" else None
            self.count_points()
            self.last_hands = [list(hand.cards) for hand in self.hands]
            self.last_end, self.last_winner = self.end, self.winner
            if not self.match or self.end == "illegal":
                return
            self.hands_played += 1
            if self.winner is not None:
                self.count_scores(self.winner)
            if self.match_winner is not None:
                return
            if self.hands_played == MAX_HANDS:
                self.end, self.winner = "too_many_hands", None
                return
            each_hand = self.rules.dealer == "high_card_each_hand"
            dealer = self.chance.dealer() if each_hand else self.walk(dealer, 1, clockwise=True)
            assert dealer in self.playing()

    def count_points(self) -> None:
        """Nobody gets any for a hand that nobody has won."""
        left = [sum(map(self.worth, hand.cards)) for hand in self.hands]
        self.points = [0] * self.rules.players
        if self.winner is not None and self.rules.scoring == "winner_takes":
            self.points[self.winner] = sum(left)
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
            if self.rules.scoring == "elimination":
                self.out |= {seat for seat in self.playing() if self.scores[seat] >= self.rules.target}
            elif max(self.scores) >= self.rules.target:
                lowest = min(self.scores[seat] for seat in self.playing())
                self.out |= {seat for seat in self.playing() if self.scores[seat] > lowest}
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
        return [self.after(seat, places) for places in range(1, len(self.playing()))]

    @property
    def top(self) -> str:
        return self.discards[-1]

    # Setting up (3)

    def deal(self, dealer: int) -> None:
        self.dealer = self.turn = dealer
        self.hands = [Hand() for _ in range(self.rules.players)]
        self.discards: list[str] = []
        self.colour = self.previous_colour = self.drawn = self.last_player = None
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
        wilds = {"effects": ["w"], "effects_all": ["w", "w+4"]}.get(self.rules.first_card, [])
        assert is_number(first) or (is_action(first) and self.rules.first_card != "number") or first in wilds
        self.discards.append(first)
        self.colour = None if is_wild(first) else first[0]
        left = self.after(self.dealer)
        if is_wild(first):
            self.turn = left
            answer = yield from self.ask("first_colour", left, {f"colour:{colour}" for colour in COLOURS})
            self.colour = self.chance.colour() if answer == ILLEGAL else answer[-1]
            return self.after(left) if answer == ILLEGAL else left
        if first[1:] in ("s", "+2") and self.rules.first_card == "reverse_only":
            return left
        if first[1:] == "s":
            return self.after(left)
        if first[1:] == "+2":
            self.penalty = 2
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

    def ask_to_play(self, phase: str, seat: int, options: set[str], may_call: bool = True) -> Asking:
        """A decision before which UNO may be called (6.1)."""
        while True:
            cards = len(self.hands[seat].cards)
            down_to_one = cards == 2 or (cards == 3 and any(option.endswith("x2") for option in options))
            call = may_call and self.rules.uno_call == "declared" and down_to_one and seat not in self.called
            answer = yield from self.ask(phase, seat, options | {"call"} if call else options)
            if answer != "call":
                return answer
            self.called.add(seat)

    def lapse_call(self, seat: int) -> None:
        """The chance to play is over: a call stands only for a last card."""
        if len(self.hands[seat].cards) != 1:
            self.called.discard(seat)

    # A turn (4)

    def take_turn(self, seat: int) -> Playing:
        self.turn, self.drawn = seat, None
        hand = self.hands[seat]
        options = self.playable(seat)
        if self.rules.voluntary_draw or not options:
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

    def draw_instead(self, seat: int) -> Playing:
        """Draw a card, or until one can be played (4.2)."""
        hand = self.hands[seat]
        stuck = not self.playable(seat)
        goes_on = {"one": False, "until_playable": True, "until_playable_if_stuck": stuck}[self.rules.draw]
        got = self.draw(seat, 1)
        while got and goes_on and not self.may_play(seat, got[0]):
            got = self.draw(seat, 1)
        if got and self.may_play(seat, got[0]):
            self.drawn = got[0]
            keep = {"pass"} if self.rules.after_draw == "may_play" else set()
            answer = yield from self.ask_to_play("drawn", seat, plays(got[0]) | keep)
            if answer not in ("pass", ILLEGAL):
                return (yield from self.lay(seat, answer))
        hand.drew_on[self.colour] = 0
        if not got and not any(self.playable(other) for other in self.playing()):
            raise HandOver("stalled")  # 8
        return self.next_turn(seat)

    def playable(self, seat: int) -> set[str]:
        return {play for card in self.hands[seat].cards if self.may_play(seat, card) for play in plays(card)}

    def may_play(self, seat: int, card: str) -> bool:
        if card == "w+4":
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
        """Whether the card may be laid if it is the last one (8)."""
        if len(self.hands[seat].cards) > 1 or self.rules.go_out_on == "any":
            return True
        return is_number(card) or (is_wild(card) and self.rules.go_out_on == "not_action")

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
        wild = self.rules.wild_is_match and any(is_wild(card) and card != "w+4" for card in cards)
        return wild or any(card[0] == self.colour for card in cards)

    def draw(self, seat: int, number: int) -> list[str]:
        """Draw cards, or what there is (4.4)."""
        got: list[str] = []
        hand = self.hands[seat]
        for _ in range(number):
            if not self.pile:
                self.renew_pile()
            if self.pile:
                got.append(self.pile.pop(0))
                hand.cards.append(got[-1])
                hand.drew_on = {colour: since + 1 for colour, since in hand.drew_on.items()}
                self.called.discard(seat)
                if self.rules.renew == "at_once" and not self.pile:
                    self.renew_pile()
        return got

    def renew_pile(self) -> None:
        """All discards but the top one are shuffled, and are the draw pile."""
        rest = self.discards[:-1]
        self.discards = [self.top]
        self.pile = list(self.chance.turned_over(rest)) if rest else []
        assert sorted(self.pile) == sorted(rest)

    def next_turn(self, seat: int, missing: int = 0) -> int:
        """The turn is over, and ``missing`` players miss theirs."""
        self.lapse_call(seat)
        return self.after(seat, 1 + missing)

    def finish(self, seat: int, missing: int = 0) -> int:
        """As ``next_turn``, unless the player has gone out (8)."""
        if not self.hands[seat].cards:
            raise HandOver("went_out", seat)
        return self.next_turn(seat, missing)

    # Laying cards

    def lay(self, seat: int, action: str, more: bool = False) -> Playing:
        """Lay what the action says (``r5``, ``w:g``, ``r5x2``), perhaps ``more`` like it, and let it act."""
        card, _, declared = action.removesuffix("x2").partition(":")
        cards = [card, card] if action.endswith("x2") else [card]
        guilty = card == "w+4" and self.holds_match(seat)
        hand = self.hands[seat]
        for _ in cards:
            hand.cards.remove(card)
            for seen in hand.seen_by.values():
                if card in seen and self.drawn is None:  # else everyone sees that it is the drawn one
                    seen.remove(card)
        hand.drew_on.pop(card[0], None)
        self.discards += cards
        self.previous_colour, self.colour = self.colour, declared or card[0]
        self.turn = self.last_player = seat
        self.drawn = None
        more_to_draw = {"w+4": 4}.get(card, 2 * (card[1:] == "+2"))
        if self.rules.stacking != "off" or not more_to_draw:  # a card that turns a penalty away leaves it (10.5)
            more_to_draw += self.penalty
        self.penalty = more_to_draw
        self.lapse_call(seat)
        if more and is_number(card) and self.rules.double_play == "two_or_more" and card in hand.cards:
            if (yield from self.ask_to_play("jump_in", seat, {"jump_in", "pass"})) == "jump_in":  # 4.3
                return (yield from self.lay(seat, card, more))
            self.lapse_call(seat)
        yield from self.catch(seat)
        jumper = yield from self.offer_jump_in(seat)
        if jumper is not None:
            return (yield from self.lay(jumper, card, more=True))
        return (yield from self.act(seat, card, guilty))

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
        if self.rules.jump_in and not is_wild(self.top) and self.hands[seat].cards:
            together = self.rules.double_play == "two_or_more" and is_number(self.top)
            for other in [*([] if together else [seat]), *self.others(seat)]:
                if self.top in self.hands[other].cards and self.may_lay_last(other, self.top):
                    if (yield from self.ask_to_play("jump_in", other, {"jump_in", "pass"})) == "jump_in":
                        return other
                    self.lapse_call(other)
        return None

    # What cards do (5, 10)

    def act(self, seat: int, card: str, guilty: bool) -> Playing:
        last = not self.hands[seat].cards
        if self.penalty:
            if card[1:] == "r" and not (len(self.playing()) == 2 and self.rules.two_player_reverse == "skip"):
                self.clockwise = not self.clockwise
            return (yield from self.demand_penalty(seat, guilty))
        if card == "wd1" or card == "wd2":
            self.others_draw(seat, int(card[2]))
        elif card == "wsh" and not last:
            self.shuffle_hands(seat)
        elif card == "wcu" and self.rules.customizable_effect == "skip_all":
            return self.finish(seat, missing=len(self.others(seat)))
        elif card == "wcu" and self.rules.customizable_effect == "everyone_draws":
            self.others_draw(seat, 1)
        elif card == "wcu" and self.rules.customizable_effect == "swap_hands" and not last:
            yield from self.choose_partner(seat)
        elif card[1:] == "s":
            return self.finish(seat, missing=1)
        elif card[1:] == "r":
            if len(self.playing()) == 2 and self.rules.two_player_reverse == "skip":
                return self.finish(seat, missing=1)
            self.clockwise = not self.clockwise
        elif card[1:] == "7" and self.rules.seven_zero and not last:
            yield from self.choose_partner(seat)
        elif card[1:] == "0" and self.rules.seven_zero and not last:
            self.pass_hands_on()
        elif card[1:] == "6" and self.rules.six_smackdown and not last:
            self.draw(self.slap(), 2)
        return self.finish(seat)

    def demand_penalty(self, seat: int, guilty: bool) -> Playing:
        """The next player accepts, stacks, turns it away, or challenges (5.1, 10.1, 10.5)."""
        victim = self.after(seat)
        stackable = self.stackable(victim) | self.deflections(victim) if self.hands[seat].cards else set()
        challenge = {"challenge"} if self.top == "w+4" and self.rules.wild_draw_four == "bluff" else set()
        answer = "accept"
        if challenge or stackable:
            phase = "challenge" if challenge else "stack"
            options = {"accept"} | challenge | stackable
            answer = yield from self.ask_to_play(phase, victim, options, may_call=bool(stackable))
        if answer in stackable:
            return (yield from self.lay(victim, answer))
        cards, self.penalty = self.penalty, 0
        if answer == "challenge":
            self.show(seat, viewer=victim)
            if guilty:
                self.draw(seat, cards)
                return self.finish(seat)
            cards += 2
        self.draw(victim, cards)
        self.lapse_call(victim)
        kept = {"lost": False, "kept": True, "kept_first": self.last_player is None}[self.rules.draw_two_turn]
        return self.finish(seat, missing=0 if kept and not is_wild(self.top) else 1)

    def stackable(self, seat: int) -> set[str]:
        if self.rules.stacking == "off":
            return set()
        answers: set[str] = set()
        for card in self.hands[seat].cards:
            # A Skip or a Reverse on top has turned a Draw Two away, and is answered as that is.
            same = card == self.top if card == "w+4" else card[1:] == "+2" and not is_wild(self.top)
            raises = self.rules.stacking in ("any", "both") and card == "w+4"
            raises |= self.rules.stacking == "both" and card == f"{self.colour}+2"
            allowed = card != "w+4" or self.may_play_draw_four(seat)
            if (same or raises) and allowed and self.may_lay_last(seat, card):
                answers |= plays(card)
        return answers

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
        players = self.rules.players
        partners = {f"swap{(other - seat) % players}": other for other in self.playing() if other != seat}
        answer = yield from self.ask("swap", seat, set(partners))
        other = self.chance.partner(list(partners.values())) if answer == ILLEGAL else partners[answer]
        self.move_hands({seat: other, other: seat})

    def pass_hands_on(self) -> None:
        self.move_hands({seat: self.after(seat) for seat in self.playing()})

    def move_hands(self, receiver: dict[int, int]) -> None:
        """Each giver's hand goes to its receiver; nobody's call outlives that."""
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
