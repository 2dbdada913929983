"""The invariant checker: silent after every action of long games, and loud for every kind of broken state."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.helpers.playing import lively_action
from tests.helpers.random_rules import random_rules
from tests.helpers.table import Table
from uno_env import PRESETS, Game, Rules
from uno_env import actions as catalogue
from uno_env.cards import NUM_KINDS, parse_card
from uno_env.core import record as r
from uno_env.core.loops import invariant_bits
from uno_env.core.packed_games import row_bytes
from uno_env.invariants import Fault, find_faults, verify_games


def _check_long(game: Game, decisions: int, seed: int) -> None:
    """Play on, hand after hand, and check every state; now and then illegally, where that is not refused."""
    chance = random.Random(seed)
    for decision in range(decisions):
        assert find_faults(game.record, game.rules) == []
        if game.over:
            game.deal(seed=1_000 * seed + decision)
        elif game.rules.illegal_action != "raise" and chance.random() < 0.01:
            game.step(chance.randrange(catalogue.NUM_ACTIONS))
        else:
            game.step(lively_action(game, chance))


def slow(*cases: tuple[Any, ...]) -> list[Any]:
    return [pytest.param(*case, marks=pytest.mark.slow) for case in cases]


@pytest.mark.parametrize(
    ("preset", "players", "decisions"),
    [
        *((name, players, 300) for name in PRESETS if name not in ("mini", "rlcard") for players in range(2, 11)),
        *((name, 2, 1_000) for name in ("mini", "rlcard")),
        *slow(*((name, players, 20_000) for name in ("duel", "classic", "house") for players in range(2, 11))),
    ],
)
def test_every_state_of_a_preset_is_sound(preset: str, players: int, decisions: int) -> None:
    match = players % 2 == 0 and decisions == 300
    _check_long(Game(preset, players=players, seed=players, match=match), decisions, seed=players)


@pytest.mark.parametrize(
    ("seed", "match", "decisions"),
    [
        *((seed, match, 250) for seed in range(60) for match in (False, True)),
        *slow(*((seed, seed % 2 == 0, 5_000) for seed in range(1_000, 1_200))),
    ],
)
def test_every_state_under_any_rules_is_sound(seed: int, match: bool, decisions: int) -> None:
    _check_long(Game(random_rules(random.Random(seed)), seed=seed, match=match), decisions, seed)


@pytest.mark.parametrize("seed", range(20))
def test_every_legal_action_leads_to_a_sound_state(seed: int) -> None:
    chance = random.Random(seed)
    game = Game(random_rules(chance), seed=seed)
    for _ in range(30):
        if game.over:
            break
        for action in game.legal_actions():
            twin = game.clone()
            twin.step(action)
            assert find_faults(twin.record, twin.rules) == [], catalogue.name(action)
        game.step(lively_action(game, chance))


def test_a_match_that_its_last_player_loses_by_the_cards_left_is_sound() -> None:
    """Mercy has put out the others, and the points of the cards that are left put out the winner of the hand."""
    rules = Rules.preset("no_mercy", players=3, hand_size=2, mercy=3, scoring="lowest", target=600)
    out = set()
    for seed in range(20):
        game, chance = Game(rules, seed, match=True), random.Random(seed)
        while not game.over:
            game.step(lively_action(game, chance))
        assert find_faults(game.record, game.rules) == []
        out.add(int(game.record.out))
    assert 0b111 in out


# What follows breaks sound states, each in one way.

STATES: dict[str, Callable[[], Table]] = {
    "play": lambda: Table("r1 g2 g3", "b1 b2 b3", "y1 y2 y3", pile="y5"),
    "two cards": lambda: Table("r1 g2", "b1 b2", "y1 y2"),
    "drawn": lambda: Table("b1 b2", "g1 g2", pile="r5").go("0 draw"),
    "catch": lambda: Table("r1 g2", "b1 b2", "y1 y2", late_call=False).go("0 r1"),
    "challenge": lambda: Table("w+4 r1 g2", "b1 b2 b3").go("0 w+4:b"),
    "first colour": lambda: Table("r1 g2", "b1 b2", first="w"),
    "wild": lambda: Table("w g2 g3", "b1 b2 b3").go("0 w:b"),
    "seen": lambda: Table("w+4 r1 g2", "b1 b2 b3").go("0 w+4:b, 1 challenge"),
    "seen twice": lambda: Table("w+4 g2 g2", "b1 b2 b3").go("0 w+4:b, 1 challenge"),
    "over": lambda: Table("r1", "b1").go("0 r1"),
    "truncated": lambda: Table("r1 r2 r3", "b1 b2 b3", max_decisions=1).go("0 draw"),
    "swap": lambda: Table("r7 g2 g3", "b1 b2 b3", seven_zero=True).go("0 r7"),
    "jump in": lambda: Table("r5 g2 g3", "b1 b2 b3", "r5 y2 y3", jump_in=True).go("0 r5"),
    "another": lambda: Table(
        "r1 r1 r1 g2", "b1 b2 b3 b4", first="r9", only=True, pile="y1 y2", double_play="two_or_more"
    ).go("0 r1x2"),
    "stack": lambda: Table("r+2 g2 g3", "y+2 b2 b3", "y1 y2 y3", stacking="same").go("0 r+2"),
    "automatic": lambda: Table("r1", "b1", uno_call="automatic"),
    "two sides": lambda: Table("r1/ose g1/p4", "y3/uf y7/pse", first="r9/pf", preset="flip"),
    "empty pile": lambda: Table("r1/ose g1/p4", "y3/uf y7/pse", first="r9/pf", only=True, preset="flip"),
    "restricted": lambda: Table("w+4 b1 b2", "b3 b4 b5", wild_draw_four="restricted").go("0 w+4:r"),
}


def _set(**values: int) -> Callable[[Any], None]:
    """Set fields of a record."""

    def corrupt(game: Any) -> None:
        for name, value in values.items():
            game[name] = value

    return corrupt


def _put(name: str, place: Any, value: int) -> Callable[[Any], None]:
    """Set one place of an array in a record."""

    def corrupt(game: Any) -> None:
        game[name][place] = value

    return corrupt


def _put_seat(name: str, place: Any, value: int) -> Callable[[Any], None]:
    """Set one place of what there is for each seat."""

    def corrupt(game: Any) -> None:
        game.seats[name][place] = value

    return corrupt


def _swap_hidden(game: Any) -> None:
    game.seats["hand"][0, parse_card("r1")] -= 1
    game.seats["hand"][0, parse_card("y9")] += 1


def _lose_a_card(game: Any) -> None:
    game.pile_next += 1


def _nobody_to_swap_with(game: Any) -> None:
    game.hands_played, game.out = 1, 0b10
    game.discards += game.seats["hand"][1]
    game.seats["hand"][1] = game.seats["hand_size"][1] = 0


def _give_away(seat: int, to_seat: int) -> Callable[[Any], None]:
    """Move all cards of a seat to another; none is lost."""

    def corrupt(game: Any) -> None:
        game.seats["hand"][to_seat] += game.seats["hand"][seat]
        game.seats["hand_size"][to_seat] += game.seats["hand_size"][seat]
        game.seats["hand"][seat] = 0
        game.seats["hand_size"][seat] = 0

    return corrupt


CORRUPTIONS: list[tuple[Fault, str, Callable[[Any], None]]] = [
    (Fault.PHASE, "play", _set(phase=len(r.PHASE_NAMES))),
    (Fault.PHASE, "play", _set(phase=-1)),
    (Fault.PHASE_RULES, "automatic", _set(phase=r.CATCH)),
    (Fault.PHASE_RULES, "play", _set(phase=r.CHALLENGE, to_move=1, penalty=4)),
    (Fault.PHASE_RULES, "restricted", _set(phase=r.CHALLENGE, to_move=1, penalty=4)),
    (Fault.PHASE_RULES, "play", _set(phase=r.FIRST_COLOUR)),
    (Fault.PHASE_RULES, "wild", _set(phase=r.FIRST_COLOUR)),
    (Fault.END, "play", _set(end=r.STALLED)),
    (Fault.END, "play", _set(end=len(r.END_NAMES))),
    (Fault.END, "truncated", _set(end=r.RUNNING)),
    (Fault.WINNER, "play", _set(winner=0)),
    (Fault.WINNER, "over", _set(winner=1)),
    (Fault.WINNER, "over", _set(winner=r.NOBODY)),
    (Fault.WINNER, "truncated", _set(winner=0)),
    (Fault.SEAT, "play", _set(turn=3)),
    (Fault.SEAT, "play", _set(to_move=-1)),
    (Fault.SEAT, "play", _set(dealer=-1)),
    (Fault.SEAT, "play", _set(last_player=3)),
    (Fault.SEAT, "play", _set(offender=3)),
    (Fault.SEAT, "play", _set(called=0b1000)),
    (Fault.SEAT, "catch", _set(asked=0b1001)),
    (Fault.SEAT, "over", _set(to_move=0)),
    (Fault.TO_MOVE, "play", _set(to_move=1)),
    (Fault.TO_MOVE, "drawn", _set(to_move=1)),
    (Fault.TO_MOVE, "first colour", _set(to_move=1)),
    (Fault.TO_MOVE, "challenge", _set(to_move=0)),
    (Fault.DIRECTION, "play", _set(direction=0)),
    (Fault.DIRECTION, "play", _set(direction=2)),
    (Fault.PILE_BOUNDS, "play", _set(pile_next=108, pile_end=107)),
    (Fault.PILE_BOUNDS, "play", _set(pile_next=-1)),
    (Fault.PILE_BOUNDS, "play", _set(pile_end=129)),
    (Fault.PILE_CARD, "play", _put("pile", 50, 58)),
    (Fault.PILE_CARD, "play", _put("pile", 50, -1)),
    (Fault.NEGATIVE_COUNT, "play", _put_seat("hand", (1, 0), -1)),
    (Fault.NEGATIVE_COUNT, "play", _put("discards", 0, -1)),
    (Fault.NEGATIVE_COUNT, "play", _put_seat("hand_size", 1, -1)),
    (Fault.CARD_COUNT, "play", _swap_hidden),
    (Fault.CARD_COUNT, "play", _lose_a_card),
    (Fault.CARD_COUNT, "play", _put("discards", 3, 1)),
    (Fault.HAND_SIZE, "play", _put_seat("hand_size", 1, 4)),
    (Fault.EMPTY_SEAT, "play", _give_away(1, 3)),
    (Fault.EMPTY_HAND, "play", _give_away(1, 2)),
    (Fault.EMPTY_HAND, "over", _give_away(1, 0)),
    (Fault.TOP_CARD, "play", _set(top=58)),
    (Fault.TOP_CARD, "play", _set(top=-1)),
    (Fault.TOP_CARD, "play", _set(top=parse_card("r8"))),
    (Fault.COLOUR, "play", _set(colour=1)),
    (Fault.COLOUR, "play", _set(colour=4)),
    (Fault.COLOUR, "play", _set(previous_colour=-2)),
    (Fault.COLOUR, "wild", _set(colour=r.NO_COLOUR)),
    (Fault.DRAWN_CARD, "play", _set(drawn=parse_card("r1"))),
    (Fault.DRAWN_CARD, "drawn", _set(drawn=parse_card("g9"))),
    (Fault.DRAWN_CARD, "drawn", _set(drawn=58)),
    (Fault.DRAWN_CARD, "drawn", _set(drawn=r.NO_CARD)),
    (Fault.CALL, "play", _set(called=0b001)),
    (Fault.CALL, "two cards", _set(called=0b010)),
    (Fault.CALL, "automatic", _set(called=0b01)),
    (Fault.ASKED, "play", _set(asked=0b010)),
    (Fault.ASKED, "catch", _set(asked=0b111)),
    (Fault.CATCH_WINDOW, "play", _set(phase=r.CATCH)),
    (Fault.CATCH_WINDOW, "catch", _set(called=0b001)),
    (Fault.PENALTY, "play", _set(penalty=2)),
    (Fault.PENALTY, "challenge", _set(penalty=0)),
    (Fault.KNOWN_CARDS, "seen", _set(knows=-1)),
    (Fault.KNOWN_CARDS, "seen", _set(knows=2)),
    (Fault.KNOWN_CARDS, "seen", _put("known", 2 * NUM_KINDS, -1)),
    (Fault.KNOWN_CARDS, "seen", _put("known", 2 * NUM_KINDS + parse_card("y7"), 1)),
    (Fault.KNOWN_CARDS, "seen twice", _put("known", 2 * NUM_KINDS + parse_card("g2"), 3)),
    (Fault.DECISIONS, "play", _set(decisions=-1)),
    (Fault.DECISIONS, "play", _set(decisions=10_000)),
    (Fault.PHASE_RULES, "play", _set(phase=r.STACK, to_move=1, penalty=2)),
    (Fault.PHASE_RULES, "play", _set(phase=r.SWAP)),
    (Fault.PHASE_RULES, "play", _set(phase=r.JUMP_IN)),
    (Fault.PHASE_RULES, "jump in", _set(to_move=1)),
    (Fault.PHASE_RULES, "another", _set(to_move=1)),
    (Fault.PHASE_RULES, "another", _set(top=parse_card("r9"))),
    (Fault.PHASE_RULES, "stack", _set(to_move=2)),
    (Fault.TO_MOVE, "swap", _set(to_move=1)),
    (Fault.TO_MOVE, "stack", _set(to_move=0)),
    (Fault.ASKED, "jump in", _set(asked=0b100)),
    (Fault.ASKED, "swap", _set(asked=0b010)),
    (Fault.PENALTY, "stack", _set(penalty=0)),
    (Fault.PENALTY, "swap", _set(penalty=2)),
    (Fault.SEAT, "play", _set(out=0b1000)),
    (Fault.SEAT, "play", _set(match_winner=3)),
    (Fault.SEAT, "play", _set(last_winner=3)),
    (Fault.END, "play", _set(last_end=len(r.END_NAMES))),
    (Fault.EMPTY_SEAT, "play", _set(out=0b010, hands_played=1)),
    (Fault.SCORES, "play", _set(out=0b010)),
    (Fault.SCORES, "play", _put("scores", 1, 20)),
    (Fault.SCORES, "play", _put("scores", 1, -20)),
    (Fault.SCORES, "play", _set(hands_played=-1)),
    (Fault.SCORES, "play", _set(hands_played=r.MAX_HANDS + 1)),
    (Fault.NO_LEGAL_ACTION, "swap", _nobody_to_swap_with),
    (Fault.POINTS, "play", _put("points", 1, 20)),
    (Fault.POINTS, "truncated", _put("points", 1, 20)),
    (Fault.SIDES, "two sides", _put("side", 0, 2)),
    (Fault.SIDES, "two sides", _put("side", 0, -1)),
    (Fault.SIDES, "two sides", _put("lowest", 0, 112)),
    (Fault.SIDES, "two sides", _put("lowest", 0, 0)),
    (Fault.SIDES, "two sides", _put("last_seen", 0, 2)),
    (Fault.SIDES, "empty pile", _put("last_seen", 0, 1)),
    (Fault.PHASE_RULES, "two sides", _set(phase=r.FIRST_COLOUR)),
]


@pytest.mark.parametrize("state", STATES)
def test_the_states_to_be_broken_are_sound(state: str) -> None:
    STATES[state]().check()


@pytest.mark.parametrize(
    ("fault", "state", "corrupt"), CORRUPTIONS, ids=[f"{fault.name}-{state}" for fault, state, _ in CORRUPTIONS]
)
def test_a_broken_state_is_reported_under_its_name(fault: Fault, state: str, corrupt: Callable[[Any], None]) -> None:
    game = STATES[state]().game
    corrupt(game._array[0])  # what is handed out is read-only
    assert fault in find_faults(game.record, game.rules)


def test_every_fault_is_broken_once() -> None:
    assert {fault for fault, _, _ in CORRUPTIONS} == set(Fault)


def test_faults_are_in_the_order_of_the_checks() -> None:
    assert [getattr(invariant_bits, fault.name) for fault in Fault] == list(range(len(Fault)))


def test_every_fault_has_a_sentence_of_its_own() -> None:
    assert len({str(fault) for fault in Fault}) == len(Fault)


def test_random_bytes_in_a_record_do_not_crash_the_checker() -> None:
    chance, reported = random.Random(1), 0
    for _ in range(500):
        game = STATES[chance.choice(list(STATES))]().game
        broken = bytearray(game.record.tobytes())
        used = row_bytes(game.rules.record)
        for _ in range(20):
            broken[chance.randrange(used)] = chance.randrange(256)
        game._array[0] = np.frombuffer(bytes(broken), game._array.dtype)[0]
        reported += bool(find_faults(game.record, game.rules))
    assert reported > 450


def test_what_is_no_record_is_refused() -> None:
    rules = Game("duel", seed=1).rules
    with pytest.raises(TypeError, match="games must be an array of records, not of float64"):
        verify_games(np.zeros(3), rules, rules.record)
