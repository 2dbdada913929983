"""The engine and the naive twin in lock step: :class:`LockStep`, and random rules for it."""

import random
from typing import Any

from tests.helpers.records import seats_in, true_row
from tests.helpers.worlds import LETS_GO, is_asked_unseen
from tests.twin.cards import COLOURS, demands, symbol
from tests.twin.engine import SeenChance, SeenGame, Texts, Untold, letters_in
from tests.twin.flip import SIDES, FlipTwin
from tests.twin.naive import ILLEGAL, Question, Twin
from tests.twin.no_mercy import NoMercyTwin
from uno_env import Rules
from uno_env.actions import texts as action_texts
from uno_env.invariants import find_faults
from uno_env.observation import layout

TWINS: dict[str, type[Twin]] = {"classic": Twin, "no_mercy": NoMercyTwin, "flip": FlipTwin}
MOST_CARDS = {"classic": 128, "no_mercy": 192, "flip": 128}
"""Cards of the largest deck."""


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
        self.texts = chance.texts
        chance.twin = self.twin = object.__new__(TWINS[rules.edition])
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
        twin, game = told_by_twin(self.twin, self.texts), told_by_engine(self.game, self.texts)
        assert game == twin, "\n".join(
            f"{what}: {game[what]} in the engine, {twin[what]} in the twin" for what in game if game[what] != twin[what]
        )
        if self.game.seen is not None:
            self._compare_hand_ends()
        self._compare_observations()

    def _compare_hand_ends(self) -> None:
        twin, players = self.twin, range(self.game.players)
        hands = self.game.seen.seats["hand"]
        ends = [self.texts.counted(hands[seat]) for seat in players]
        assert ends == [self.texts.in_order(cards) for cards in twin.last_hands]
        assert (self.game.hand_end, self.game.hand_winner) == (twin.last_end, twin.last_winner)

    def _observers(self) -> set[int]:
        """Everyone now and then; otherwise who is to move, and the players in turn."""
        self.compared += 1
        if self.compared % 16 == 1:
            assert find_faults(self.game.record, self.game.rules) == []
            return set(range(self.game.players))
        return {max(self.game.to_move, 0), self.compared % self.game.players}

    def _compare_what_was_shown_early(self) -> None:
        """Who could not know that somebody was asked has seen what is now: the chance was let go."""
        for seat, row in self.shown_early.items():
            waits = not any(row[layout(self.game.rules)["to_move"].columns])
            settled = not is_asked_unseen(self.game, seat)
            if settled and not waits:
                assert self._sections(row) == self._sections(observed_by(self.twin, seat, row))

    def _compare_observations(self) -> None:
        for seat in self._observers():
            if is_asked_unseen(self.game, seat):
                self.shown_early[seat] = self.game.observe(seat, "uint8").tobytes()
            row = true_row(self.game, seat).tobytes()
            expected = observed_by(self.twin, seat, row)
            if row != expected:
                engine, twin = self._sections(row), self._sections(expected)
                raise AssertionError(
                    f"seat {seat} sees\n"
                    + "\n".join(
                        f"{section}: {engine[section]} in the engine, {twin[section]} in the twin"
                        for section in engine
                        if engine[section] != twin[section]
                    )
                )

    def _sections(self, row: bytes) -> dict[str, Any]:
        """An observation by section; cards as texts."""
        sections, kinds = layout(self.game.rules), len(self.texts.cards)
        assert len(row) == sum(place.width for place in sections.values())
        parts = {section: row[place.columns] for section, place in sections.items()}
        return {
            section: self.texts.counted(part)
            if section in ("hand", "discards")
            else [self.texts.counted(part[start : start + kinds]) for start in range(0, len(part), kinds)]
            if section == "known"
            else list(part)
            for section, part in parts.items()
        }


def told_by_engine(game: SeenGame, texts: Texts) -> dict[str, Any]:
    """The state of the engine's game."""
    record, players = game.record, range(game.players)
    return {
        "phase": game.phase,
        "to_move": game.to_move,
        "legal": set(game.legal_names()),
        "hands": [texts.counted(record.seats["hand"][seat]) for seat in players],
        "hand_sizes": record.seats["hand_size"][: game.players].tolist(),
        "pile": texts.sequence(record.pile[record.pile_next : record.pile_end]),
        "discards": texts.counted(record.discards),
        "top": texts.cards[record.top],
        "colour": letters_in(record)[record.colour] if record.colour >= 0 else None,
        "sides": [int(record.side[0]), texts.cards[record.lowest[0]], bool(record.last_seen[0])]
        if record.side.size
        else [],
        "turn": int(record.turn),
        "clockwise": bool(record.direction == 1),
        "penalty": int(record.penalty),
        "pending": texts.cards[record.pending] if record.pending >= 0 else None,
        "called": seats_in(record.called),
        "out": seats_in(record.out),
        "put_out": seats_in(record.put_out),
        "dealer": int(record.dealer),
        "drawn": texts.cards[record.drawn] if record.drawn >= 0 else None,
        "last_player": seat_or_none(record.last_player),
        "end": game.end,
        "winner": seat_or_none(record.winner),
        "points": game.points,
        "scores": game.scores,
        "hands_played": game.hands_played,
        "match_winner": seat_or_none(record.match_winner),
        "rewards": [round(reward, 5) for reward in game.rewards()],
    }


def told_by_twin(twin: Twin, texts: Texts) -> dict[str, Any]:
    """The same of the twin's."""
    question = twin.question or Question("over", -1, frozenset())
    return {
        "phase": question.phase,
        "to_move": question.seat,
        "legal": set(question.options),
        "hands": [texts.in_order(hand.cards) for hand in twin.hands],
        "hand_sizes": [len(hand.cards) for hand in twin.hands],
        "pile": twin.pile,
        "discards": texts.in_order(twin.discards),
        "top": twin.top,
        "colour": twin.colour,
        "sides": [twin.side, twin.discards[0], twin.last_seen] if isinstance(twin, FlipTwin) else [],
        "turn": twin.turn,
        "clockwise": twin.clockwise,
        "penalty": twin.penalty,
        "pending": twin.pending,
        "called": twin.called,
        "out": twin.out,
        "put_out": twin.put_out,
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
    rules, players, texts = twin.rules, twin.rules.players, Texts.of(twin.rules)
    starts = {section: place.start for section, place in layout(rules).items()}
    seen = bytearray(starts["seats"]) + row[starts["seats"] :]
    question = twin.question or Question("over", -1, frozenset())
    letters = SIDES[twin.side] if isinstance(twin, FlipTwin) else COLOURS

    def mark(section: str, place: int, number: int = 1) -> None:
        seen[starts[section] + place] = number

    def add(section: str, cards: list[str], start: int = 0) -> None:
        for card in cards:
            seen[starts[section] + start + texts.places[card]] += 1

    def mark_colour(section: str, colour: str | None) -> None:
        if colour is not None and colour != "w":
            mark(section, letters.index(colour))

    def mark_symbol(section: str, card: str) -> None:
        mark(section, texts.symbols.index(symbol(card)))

    add("hand", twin.hands[viewer].cards)
    add("discards", twin.discards)
    mark_colour("colour", twin.colour)
    mark_colour("previous_colour", twin.previous_colour)
    mark_symbol("symbol", twin.top)
    if twin.drawn is not None and viewer == twin.turn:
        mark_symbol("drawn_symbol", twin.drawn)
        mark_colour("drawn_colour", twin.drawn[0])
    mark("draw_pile", 0, len(twin.pile))
    mark("phase", texts.phases.index(question.phase))
    mark("clockwise", 0, twin.clockwise)
    mark("penalty", 0, min(twin.penalty, 255))
    if rules.edition != "classic" and twin.pending:
        mark("penalty", 1, demands(twin.pending))
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
            mark("drew_on", 4 * place + letters.index(colour), min(1 + since, MOST_CARDS[rules.edition]))
        if seat != viewer:
            if isinstance(twin, FlipTwin) and rules.backs == "seen":
                for card in hand.cards:
                    place_of_back = starts["backs"] + (place - 1) * 54 + texts.faces[1 - twin.side].index(card.back)
                    seen[place_of_back] += 1
            add("known", hand.seen_by.get(viewer, []), (place - 1) * len(texts.cards))
    if isinstance(twin, FlipTwin):
        mark("side", 0, twin.side)
        mark("top_card", texts.places[twin.top])
        mark("lowest_card", texts.places[twin.discards[0]])
        if twin.drawn is not None and viewer == twin.turn:
            mark("drawn_card", texts.places[twin.drawn])
        if twin.pile:
            mark("next_back", texts.faces[1 - twin.side].index(twin.pile[0].back))
        if twin.pile and twin.last_seen:
            mark("last_face", texts.faces[twin.side].index(twin.pile[-1].front))
    return bytes(seen)


def seat_or_none(seat: Any) -> int | None:
    """A seat of the engine; None for nobody."""
    return int(seat) if seat >= 0 else None


def random_action(lock_step: LockStep, chance: random.Random, lively: float) -> str:
    """What the player to move does: mostly something legal; ``lively`` is how rarely they draw or pass."""
    if lock_step.game.rules.illegal_action != "raise" and chance.random() < 0.02:
        return chance.choice(action_texts(lock_step.game.rules))
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
        try:
            lock_step.step(random_action(lock_step, chance, lively))
        except Untold:
            return done
    return decisions
