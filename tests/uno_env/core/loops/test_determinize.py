"""Determinizations look to a seat as the game that it sees, are sound, and cover everything that is possible."""

import random
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from tests.helpers.marks import thorough
from tests.helpers.playing import positions
from tests.helpers.random_rules import random_flip_rules, random_no_mercy_rules, random_rules
from tests.helpers.records import seats_in
from tests.helpers.table import Table
from uno_env import Game, Rules
from uno_env.actions import name
from uno_env.cards import FIRST_WILD, NUM_KINDS, WILD_DRAW_FOUR, parse_card
from uno_env.core.loops.determinize import sample_determinization
from uno_env.core.loops.invariant_bits import fault_bits
from uno_env.core.observe.decode import decode
from uno_env.core.observe.encode import encode
from uno_env.core.observe.layout import LAYOUT, OBSERVATION_SIZE, START
from uno_env.core.record import GAME, PHASE_NAMES, records_of
from uno_env.editions import edition_for
from uno_env.observation import layout, rules_columns, rules_of


def asked(number: int, seed: int, draw_rules: Callable[[random.Random], Rules] = random_rules) -> Iterator[Game]:
    """Positions with something to decide, under all kinds of rules."""
    chance = random.Random(seed)
    for hand in range(number):
        game = Game(draw_rules(chance), seed=hand, match=chance.random() < 0.5)
        for place, position in enumerate(positions(game, hand)):
            if place > 120 or position.over:
                break
            if chance.random() < 0.3:
                yield position


def dealt(row: np.ndarray, rules: Rules, seed: int) -> np.ndarray:
    """A determinization that an observation allows."""
    array = np.zeros(1, records_of(edition_for(rules)).game)
    array["rng"] = seed
    assert decode(row, rules.record, array[0])
    sample_determinization(array[0], rules.record)
    return array


ALL_SIDES = {(side, backs) for side in (0, 1) for backs in ("seen", "hidden")}


@pytest.mark.parametrize(
    ("draw_rules", "sides"),
    [
        (random_rules, {(None, "seen")}),
        *thorough((random_no_mercy_rules, {(None, "seen")}), (random_flip_rules, ALL_SIDES)),
    ],
    ids=["classic", "no_mercy", "flip"],
)
def test_a_world_looks_as_what_it_was_made_from_and_allows_the_same(
    draw_rules: Callable[[random.Random], Rules], sides: set[tuple[int | None, str]]
) -> None:
    phases, seen, passed = set[str](), set[tuple[int | None, str]](), 0
    for number, position in enumerate(asked(60, 3, draw_rules)):
        row = position.observe(position.to_move, "uint8")
        rules = rules_of(row)
        record, sections = dealt(row, rules, number)[0], layout(rules)
        again, mask = np.zeros_like(row), np.zeros(position.action_mask().shape, np.uint8)
        encode(record, rules.record, 0, again)
        again[sections["seats"].start :] = rules_columns(rules)
        assert [name for name, section in sections.items() if (again != row)[section.columns].any()] == []
        assert fault_bits(record, rules.record, mask) == 0
        assert (mask == position.action_mask()).all()
        if position.phase == "jump_in":
            passed_on = {(seat - position.to_move) % rules.players for seat in seats_in(position.record.asked)}
            assert passed_on <= seats_in(record.asked), "who has passed is not asked again"
            passed += bool(passed_on)
        phases.add(position.phase)
        seen.add((int(record.side[0]) if record.side.size else None, rules.backs))
    assert seen == sides
    assert phases == set(PHASE_NAMES) - {"over"} or draw_rules is not random_rules
    assert passed or draw_rules is not random_rules


@pytest.mark.thorough
@pytest.mark.parametrize(("laid", "answers"), [("r+2", {"r+2", "r+4"}), ("r+4", {"r+4"})])
def test_what_may_answer_a_penalty_that_was_turned_away_is_the_same_in_a_world(laid: str, answers: set[str]) -> None:
    """Who is asked sees no draw card on top; in No Mercy its number says what may be laid on it."""
    hands = f"{laid} y1 y2 y3", "rs b1 b2 b3", "r+2 r+4 g1 g2"
    game = Table(*hands, preset="no_mercy", deflect=True).go(f"0 {laid}, 1 rs").game
    row, mask = game.observe(2, "uint8"), np.zeros(game.action_mask().shape, np.uint8)
    assert fault_bits(dealt(row, rules_of(row), 0)[0], game.rules.record, mask) == 0  # marks what is legal
    assert (mask == game.action_mask()).all()
    assert {name(action, game.rules) for action in game.legal_actions()} & {"r+2", "r+4"} == answers


@pytest.mark.parametrize("number", range(20))
def test_rules_are_read_back(number: int) -> None:
    rules = random_rules(random.Random(number))
    game = Game(rules, seed=number)
    told = rules_of(game.observe(0, "uint8"), rules.max_decisions)
    assert told.deck_counts == rules.deck_counts
    assert told.replace(deck=rules.deck, dealer_seat=rules.dealer_seat, reflexes=rules.reflexes) == rules
    weights = rules.reflexes or (1,) * rules.players
    second = rules_of(game.observe(1, "uint8")).reflexes or (1,) * rules.players
    assert second == (*weights[1:], weights[0])


def test_a_rule_that_does_not_exist_is_an_error() -> None:
    row = Game("duel").observe(0, "uint8")
    row[LAYOUT["rules"].start] = 200
    with pytest.raises(ValueError, match="a rule that does not exist: dealer number 200"):
        rules_of(row)


def test_the_seed_decides_a_world() -> None:
    row = Game("classic", seed=4).observe(0, "uint8")
    one, same, other = (dealt(row, rules_of(row), seed) for seed in (1, 1, 2))
    assert one == same
    assert (one["seats"]["hand"] != other["seats"]["hand"]).any()
    assert (one["pile"] != other["pile"]).any()


def test_unseen_cards_are_dealt_uniformly_where_nothing_speaks_against_it() -> None:
    row = Game("duel", seed=4).observe(0, "uint8")
    rules, number = rules_of(row), 4_000
    held = sum(dealt(row, rules, seed)["seats"]["hand"][0, 1].astype(int) for seed in range(number))
    first = np.bincount([dealt(row, rules, seed)["pile"][0, 0] for seed in range(number)], minlength=NUM_KINDS)
    unseen = rules.record.deck - row[LAYOUT["hand"].columns] - row[LAYOUT["discards"].columns]
    for counts, cards in ((held, 7), (first, 1)):
        expected = number * cards * unseen / unseen.sum()
        assert ((counts - expected) ** 2 <= 25 * expected + 1).all()  # five standard deviations


def test_who_drew_on_a_colour_seldom_holds_it_but_for_cards_taken_since() -> None:
    row = Game("duel", seed=4).observe(0, "uint8")
    red = slice(0, 13)

    def reds(drew: int) -> float:
        row[LAYOUT["drew_on"].start + 4] = drew
        hands = [dealt(row, rules_of(row), seed)["seats"]["hand"][0, 1] for seed in range(400)]
        return float(np.mean([hand[red].sum() for hand in hands]))

    never, just, long_ago = reds(0), reds(1), reds(1 + 7)
    assert just < 0.3 * never
    assert abs(long_ago - never) < 0.3 * never
    row[LAYOUT["drew_on"].start + 4] = 1
    wilds = np.mean([dealt(row, rules_of(row), seed)["seats"]["hand"][0, 1, FIRST_WILD:].sum() for seed in range(400)])
    assert wilds < 0.25


def test_a_wild_draw_four_on_top_says_that_the_colour_was_rarely_held() -> None:
    table = Table("w+4 r1 b2 g3 y4 y5 y6", "g1 g2 g4 g5 b1 b4 b5").go("0 w+4:b")
    assert table.game.phase == "challenge"
    row = table.game.observe(1, "uint8")
    rules = rules_of(row)
    guilty = [bool(dealt(row, rules, seed)["bluffed"][0]) for seed in range(400)]
    strict = rules_of(_with_rule(row, "wild_draw_four", "restricted"))
    reds = [dealt(row, strict, seed)["seats"]["hand"][0, 1, :13].sum() > 0 for seed in range(400)]
    assert np.mean(reds) < np.mean(guilty) < 0.75
    assert any(guilty)


def _with_rule(row: np.ndarray, name: str, value: str) -> np.ndarray:
    told = rules_of(row)
    changed = row.copy()
    changed[START.seats :] = rules_columns(told.replace(**{name: value}))
    return changed


def test_a_bluff_is_a_hand_that_holds_a_match() -> None:
    for position in asked(40, seed=5):
        row = position.observe(position.to_move, "uint8")
        rules = rules_of(row)
        record = dealt(row, rules, 3)[0]
        if record.bluffed:
            first = record.previous_colour * 13
            assert record.top == WILD_DRAW_FOUR
            hand = record.seats["hand"][record.last_player]
            other_wilds = np.delete(hand, WILD_DRAW_FOUR)[FIRST_WILD:]
            assert hand[first : first + 13].any() or (rules.wild_is_match and other_wilds.any())


@pytest.mark.parametrize(
    ("section", "place", "value"),
    [("discards", parse_card("r5"), 3), ("deck", parse_card("w"), 200), ("out", 0, 1)],
)
def test_cards_that_cannot_be_are_refused(section: str, place: int, value: int) -> None:
    game = Game("duel", seed=2)
    row = game.observe(game.to_move, "uint8")
    rules = rules_of(row)
    if section == "deck":
        record = rules.record.copy()
        record.deck[place] = value
    else:
        record = rules.record
        row[LAYOUT[section].start + place] = value
    assert len(row) == OBSERVATION_SIZE
    assert not decode(row, record, np.zeros(1, GAME)[0])
