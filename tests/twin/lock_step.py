"""The engine and the naive twin in lock step: :class:`LockStep`, and random rules for it."""

import random
from typing import Any

from tests.helpers.records import true_row
from tests.helpers.worlds import LETS_GO, is_asked_unseen
from tests.twin.naive import ILLEGAL, Question, Twin
from uno_env import Game, Rules
from uno_env.actions import NUM_ACTIONS, name
from uno_env.cards import CARD_TEXTS, COLOURS, NUM_KINDS
from uno_env.core.record import PHASE_NAMES
from uno_env.observation import LAYOUT, OBSERVATION_SIZE

KIND = {text: kind for kind, text in enumerate(CARD_TEXTS)}
SYMBOLS = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "s", "r", "+2", "w", "w+4", "wsh", "wcu", "wd1", "wd2"]
START = {section: place.start for section, place in LAYOUT.items()}


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


class SeenChance:
    """What chance has decided in the engine, as far as the twin has to be told."""

    def __init__(self, game: SeenGame) -> None:
        self.game, self.twin = game, None

    def dealer(self) -> int:
        return int(self.game.record.dealer)

    def shuffled_deck(self, dealt: int) -> list[str]:
        record = self.game.record
        pile = texts(record.pile[: sum(self.game.rules.deck_counts)])
        return [*pile[:dealt], CARD_TEXTS[record.top], *pile[dealt + 1 :]]

    def turned_over(self, cards: list[str]) -> list[str]:
        return texts(self.now.pile[: len(cards)])

    def asked_next(self, waiting: set[int]) -> int:
        seat = int(self.now.to_move)
        return seat if seat >= 0 else min(waiting)  # nobody is asked any more

    def last_to_slap(self, seats: list[int]) -> int:
        """Who holds more cards than before, if there were any to draw."""
        hands = self.twin.hands
        return next((seat for seat in seats if self.now.seats["hand_size"][seat] > len(hands[seat].cards)), seats[0])

    def hands_dealt_again(self) -> list[list[str]]:
        return [self.hand(seat) for seat in range(self.game.players)]

    def colour(self) -> str:
        return COLOURS[self.now.colour][0]

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
        return texts_counted(self.now.seats["hand"][seat])


class LockStep:
    """A game in the engine and in the twin, compared after the deal and after every action.

    Args:
        rules: the rules of both.
        seed: chance of the engine.
        match: whether to play a whole match.
    """

    def __init__(self, rules: Rules, seed: int = 0, match: bool = False) -> None:
        self.game = SeenGame(rules, seed=seed, match=match)
        chance = SeenChance(self.game)
        chance.twin = self.twin = object.__new__(Twin)
        self.twin.__init__(rules, chance, match)
        self.compared = 0
        self.shown_early: dict[int, bytes] = {}
        """While a player is asked what the others cannot know: what each of them sees."""
        self.compare()

    def step(self, action: str) -> None:
        """Do an action in both, and compare."""
        before = self.game.hands_played
        legal = action in self.game.legal_names()
        lets_go = legal and LETS_GO.get(self.game.phase) == action
        self.game.seen = None
        self.game.step(action)
        if self.game.hands_played == before:
            self.game.seen = None
        self.twin.step(action if legal else ILLEGAL)
        if lets_go and self.game.hands_played == before and not self.game.over:
            self._compare_what_was_shown_early()
        self.shown_early = {}
        self.compare()

    def compare(self) -> None:
        """Fail if engine and twin are in different states."""
        twin, game = told_by_twin(self.twin), told_by_engine(self.game)
        assert game == twin, "\n".join(
            f"{what}: {game[what]} in the engine, {twin[what]} in the twin" for what in game if game[what] != twin[what]
        )
        if self.game.seen is not None:
            self._compare_hand_ends()
        self._compare_observations()

    def _compare_hand_ends(self) -> None:
        twin, players = self.twin, range(self.game.players)
        hands = self.game.seen.seats["hand"]
        assert [texts_counted(hands[seat]) for seat in players] == list(map(in_order, twin.last_hands))
        assert (self.game.hand_end, self.game.hand_winner) == (twin.last_end, twin.last_winner)

    def _observers(self) -> set[int]:
        """Everyone now and then; otherwise who is to move, and the players in turn."""
        self.compared += 1
        if self.compared % 16 == 1:
            return set(range(self.game.players))
        return {max(self.game.to_move, 0), self.compared % self.game.players}

    def _compare_what_was_shown_early(self) -> None:
        """Who could not know that somebody was asked has seen what is now: the chance was let go."""
        for seat, row in self.shown_early.items():
            waits = not any(row[LAYOUT["to_move"].columns])
            settled = not is_asked_unseen(self.game, seat)
            if settled and not waits:
                assert sections(row) == sections(observed_by(self.twin, seat, row))

    def _compare_observations(self) -> None:
        for seat in self._observers():
            if is_asked_unseen(self.game, seat):
                self.shown_early[seat] = self.game.observe(seat, "uint8").tobytes()
            row = true_row(self.game, seat).tobytes()
            expected = observed_by(self.twin, seat, row)
            if row != expected:
                engine, twin = sections(row), sections(expected)
                raise AssertionError(
                    f"seat {seat} sees\n"
                    + "\n".join(
                        f"{section}: {engine[section]} in the engine, {twin[section]} in the twin"
                        for section in engine
                        if engine[section] != twin[section]
                    )
                )


def told_by_engine(game: SeenGame) -> dict[str, Any]:
    """The state of the engine's game."""
    record, players = game.record, range(game.players)
    return {
        "phase": game.phase,
        "to_move": game.to_move,
        "legal": set(game.legal_names()),
        "hands": [texts_counted(record.seats["hand"][seat]) for seat in players],
        "hand_sizes": record.seats["hand_size"][: game.players].tolist(),
        "pile": texts(record.pile[record.pile_next : record.pile_end]),
        "discards": texts_counted(record.discards),
        "top": CARD_TEXTS[record.top],
        "colour": COLOURS[record.colour][0] if record.colour >= 0 else None,
        "turn": int(record.turn),
        "clockwise": bool(record.direction == 1),
        "penalty": int(record.penalty),
        "called": {seat for seat in players if record.called >> seat & 1},
        "out": {seat for seat in players if record.out >> seat & 1},
        "dealer": int(record.dealer),
        "drawn": CARD_TEXTS[record.drawn] if record.drawn >= 0 else None,
        "last_player": seat_or_none(record.last_player),
        "end": game.end,
        "winner": seat_or_none(record.winner),
        "points": game.points,
        "scores": game.scores,
        "hands_played": game.hands_played,
        "match_winner": seat_or_none(record.match_winner),
        "rewards": [round(reward, 5) for reward in game.rewards()],
    }


def told_by_twin(twin: Twin) -> dict[str, Any]:
    """The same of the twin's."""
    question = twin.question or Question("over", -1, frozenset())
    return {
        "phase": question.phase,
        "to_move": question.seat,
        "legal": set(question.options),
        "hands": [in_order(hand.cards) for hand in twin.hands],
        "hand_sizes": [len(hand.cards) for hand in twin.hands],
        "pile": twin.pile,
        "discards": in_order(twin.discards),
        "top": twin.top,
        "colour": twin.colour,
        "turn": twin.turn,
        "clockwise": twin.clockwise,
        "penalty": twin.penalty,
        "called": twin.called,
        "out": twin.out,
        "dealer": twin.dealer,
        "drawn": twin.drawn,
        "last_player": twin.last_player,
        "end": twin.end,
        "winner": twin.winner,
        "points": twin.points,
        "scores": twin.scores,
        "hands_played": twin.hands_played,
        "match_winner": twin.match_winner,
        "rewards": [round(reward, 5) for reward in twin.rewards()],
    }


def observed_by(twin: Twin, viewer: int, row: bytes) -> bytes:
    """What the viewer should observe, what others are asked included; the rules in force are as in ``row``."""
    rules, players = twin.rules, twin.rules.players
    seen = bytearray(START["seats"]) + row[START["seats"] :]
    question = twin.question or Question("over", -1, frozenset())

    def mark(section: str, place: int, number: int = 1) -> None:
        seen[START[section] + place] = number

    def add(section: str, cards: list[str], start: int = 0) -> None:
        for card in cards:
            seen[START[section] + start + KIND[card]] += 1

    def mark_colour(section: str, colour: str | None) -> None:
        if colour is not None and colour != "w":
            mark(section, "rygb".index(colour))

    def mark_symbol(section: str, card: str) -> None:
        mark(section, SYMBOLS.index(card if card[0] == "w" else card[1:]))

    add("hand", twin.hands[viewer].cards)
    add("discards", twin.discards)
    mark_colour("colour", twin.colour)
    mark_colour("previous_colour", twin.previous_colour)
    mark_symbol("symbol", twin.top)
    if twin.drawn is not None and viewer == twin.turn:
        mark_symbol("drawn_symbol", twin.drawn)
        mark_colour("drawn_colour", twin.drawn[0])
    mark("draw_pile", 0, len(twin.pile))
    mark("phase", PHASE_NAMES.index(question.phase))
    mark("clockwise", 0, twin.clockwise)
    mark("penalty", 0, min(twin.penalty, 255))
    for seat, hand in enumerate(twin.hands):
        place = (seat - viewer) % players
        mark("hand_sizes", place, len(hand.cards))
        mark("turn", place, seat == twin.turn)
        mark("to_move", place, seat == question.seat)
        mark("last_player", place, seat == twin.last_player)
        mark("dealer", place, seat == twin.dealer)
        mark("called", place, seat in twin.called)
        mark("asked", place, question.phase == "catch" and seat in twin.asked)
        mark("out", place, seat in twin.out)
        mark("reflexes", place, rules.reflexes[seat] if rules.reflexes else 1)
        mark("scores", 2 * place, min(twin.scores[seat] // 4, 255))
        mark("scores", 2 * place + 1, twin.scores[seat] % 4)
        for colour, since in hand.drew_on.items():
            mark("drew_on", 4 * place + "rygb".index(colour), min(1 + since, 128))
        if seat != viewer:
            add("known", hand.seen_by.get(viewer, []), (place - 1) * NUM_KINDS)
    return bytes(seen)


def sections(row: bytes) -> dict[str, Any]:
    """An observation by section; cards as texts."""
    assert len(row) == OBSERVATION_SIZE
    parts = {section: row[place.columns] for section, place in LAYOUT.items()}
    return {
        section: texts_counted(part)
        if section in ("hand", "discards")
        else [texts_counted(part[start : start + NUM_KINDS]) for start in range(0, len(part), NUM_KINDS)]
        if section == "known"
        else list(part)
        for section, part in parts.items()
    }


def texts(kinds: Any) -> list[str]:
    """Cards of kinds, in the order given."""
    return [CARD_TEXTS[kind] for kind in kinds.tolist()]


def texts_counted(counts: Any) -> list[str]:
    """Cards by their number of each kind."""
    numbers = list(counts) if isinstance(counts, bytes) else counts.tolist()
    return [CARD_TEXTS[kind] for kind, number in enumerate(numbers) if number for _ in range(number)]


def in_order(cards: list[str]) -> list[str]:
    """Cards in the order of kinds."""
    return sorted(cards, key=KIND.__getitem__)


def seat_or_none(seat: Any) -> int | None:
    """A seat of the engine; None for nobody."""
    return int(seat) if seat >= 0 else None


def random_action(lock_step: LockStep, chance: random.Random, lively: float) -> str:
    """What the player to move does: mostly something legal; ``lively`` is how rarely they draw or pass."""
    if lock_step.game.rules.illegal_action != "raise" and chance.random() < 0.02:
        return name(chance.randrange(NUM_ACTIONS))
    legal = lock_step.game.legal_names()
    pairs = [action for action in legal if action.endswith("x2")]
    if pairs and chance.random() < 0.5:
        legal = pairs
    elif chance.random() < lively:
        legal = [action for action in legal if action not in ("draw", "pass")] or legal
    return chance.choice(legal)


def play_on(lock_step: LockStep, chance: random.Random, decisions: int, lively: float = 0.8) -> int:
    """Random decisions until the game is over; how many there were."""
    for done in range(decisions):
        if lock_step.game.over:
            return done
        lock_step.step(random_action(lock_step, chance, lively))
    return decisions
