"""Observations: the layout table, the encoder against a naive twin, and the two forms."""

import random
from typing import Any

import numpy as np
import pytest

from tests.helpers.playing import positions
from tests.helpers.random_rules import random_rules
from tests.helpers.records import known_to
from tools.docs.layout_tables import layout_table
from uno_env import BatchedGames, Game, Rules
from uno_env.cards import NUM_KINDS, colour_of, parse_card, symbol_of
from uno_env.core.observe.layout import verify_columns
from uno_env.core.record import FLAGS, MAX_SEATS, PHASE_NAMES, SWITCHES
from uno_env.observation import (
    LAYOUT,
    OBSERVATION_SIZE,
    SCALES,
    highest_values,
    integer_form,
    rules_columns,
)

TABLES = [("duel", 2), ("duel", 3), ("classic", 2), ("classic", 4), ("classic", 10)]


def one_hot(width: int, place: int) -> list[int]:
    """Zeros with a 1 at a place; all zeros for a negative one."""
    return [int(place == column) for column in range(width)]


def by_seat(game: Game, observer: int, values: Any) -> list[int]:
    """A value of each seat from the observer on, then zeros for places that do not exist."""
    turned = [int(values[(observer + place) % game.players]) for place in range(game.players)]
    return turned + [0] * (MAX_SEATS - game.players)


def naive_sections(game: Game, observer: int) -> dict[str, list[int]]:
    """What the encoder should write, in plain Python from the table's meanings."""
    record, rules = game.record, game.rules
    shown = int(record.drawn) if observer == record.turn else -1

    def seats(place: int) -> list[int]:
        return by_seat(game, observer, one_hot(MAX_SEATS, place))

    def bits(number: int) -> list[int]:
        return by_seat(game, observer, [int(number) >> seat & 1 for seat in range(MAX_SEATS)])

    known = np.zeros((MAX_SEATS, NUM_KINDS), int)
    known[: game.players] = np.roll(known_to(record, observer, game.players), -observer, axis=0)
    drew = [by_seat(game, observer, record.seats["drew_on"][:, colour]) for colour in range(4)]
    scores = by_seat(game, observer, record.scores)
    return {
        "hand": record.seats["hand"][observer].tolist(),
        "drawn_colour": one_hot(4, colour_of(shown) if shown >= 0 else -1),
        "drawn_symbol": one_hot(19, symbol_of(shown) if shown >= 0 else -1),
        "colour": one_hot(4, record.colour),
        "symbol": one_hot(19, symbol_of(int(record.top))),
        "previous_colour": one_hot(4, record.previous_colour),
        "discards": record.discards.tolist(),
        "hand_sizes": by_seat(game, observer, record.seats["hand_size"]),
        "draw_pile": [record.pile_end - record.pile_next],
        "phase": one_hot(len(PHASE_NAMES), record.phase),
        "turn": seats(record.turn),
        "to_move": seats(record.to_move),
        "last_player": seats(record.last_player),
        "dealer": seats(record.dealer),
        "clockwise": [int(record.direction == 1)],
        "called": bits(record.called),
        "asked": bits(record.asked),
        "penalty": [record.penalty],
        "drew_on": [drew[colour][place] for place in range(MAX_SEATS) for colour in range(4)],
        "out": [0] * MAX_SEATS,
        "scores": [part for score in scores for part in (score // 4, score % 4)],
        "reflexes": by_seat(game, observer, rules.record.reflexes),
        "known": known[1:].ravel().tolist(),
        "seats": [1] * game.players + [0] * (MAX_SEATS - game.players),
        "deck": list(rules.deck_counts),
        "rules": naive_rules(rules),
    }


def naive_rules(rules: Rules) -> list[int]:
    """The columns of the rules in force: switches, numbers, and the switches that were added since."""
    last = ("renew", "draw_two_turn", "wild_is_match", "deflect")
    index = {name: values.index(getattr(rules, name)) for name, values in (SWITCHES | FLAGS).items()}
    numbers = [rules.players, rules.hand_size, rules.uno_penalty, rules.special_wild_points]
    first = [number for name, number in index.items() if name not in last]
    return [*first, *numbers, rules.target // 4, rules.target % 4, *(index[name] for name in last)]


def differing_sections(game: Game, seen: Game, observer: int) -> list[str]:
    """The sections of an observation that are not as they are put together here, of the game that the observer sees."""
    row, sections = game.observe(observer, "uint8"), naive_sections(seen, observer)
    assert list(sections) == list(LAYOUT)
    return [name for name, values in sections.items() if row[LAYOUT[name].columns].tolist() != list(values)]


def test_sections_lie_side_by_side() -> None:
    start = 0
    for name, section in LAYOUT.items():
        assert (section.name, section.start) == (name, start)
        assert section.columns == slice(start, start + section.width)
        assert section.width > 0
        assert section.meaning
        assert np.array_equal(SCALES[section.columns], np.full(section.width, section.scale, np.float32))
        start += section.width
    assert start == OBSERVATION_SIZE == len(SCALES)


def test_whoever_adds_a_switch_is_told_that_its_column_is_missing() -> None:
    with pytest.raises(RuntimeError, match=r"^no column shows trumps, teams: write it last in _RULES, .*layout\.py$"):
        verify_columns(["stacking", "trumps", "teams"], OBSERVATION_SIZE)
    with pytest.raises(
        RuntimeError,
        match=rf"has {OBSERVATION_SIZE} columns, not {OBSERVATION_SIZE + 1}: .* raise LAYOUT_VERSION, too$",
    ):
        verify_columns([], OBSERVATION_SIZE + 1)


def test_the_printed_table_is_the_layout() -> None:
    lines = layout_table().splitlines()
    assert lines[0] == "| section | columns | scale | meaning |"
    assert len(lines) == 2 + len(LAYOUT)
    for line, section in zip(lines[2:], LAYOUT.values(), strict=True):
        name, columns, scale, meaning = [cell.strip() for cell in line.strip("|").split("|")]
        first, last = map(int, columns.split("–"))
        assert (name, first, last - first + 1) == (f"`{section.name}`", section.start, section.width)
        lowest, _, highest = scale.partition("–")
        assert float(lowest) == pytest.approx(np.min(section.scale), rel=1e-4)
        assert float(highest or lowest) == pytest.approx(np.max(section.scale), rel=1e-4)
        assert meaning == section.meaning


@pytest.mark.parametrize(("rules", "players"), TABLES)
def test_the_encoder_writes_what_the_table_says(rules: str, players: int) -> None:
    chance = random.Random(players)
    for seed in range(3):
        for game in positions(Game(rules, seed=seed, players=players), seed):
            observer = chance.randrange(players)
            assert differing_sections(game, game.shown_to(observer), observer) == []


def test_numbers_of_later_rules_have_their_columns() -> None:
    rules = Rules(players=3, reflexes=(1, 0, 255), target=777, special_wild_points=50, uno_penalty=4)
    game = Game(rules)
    game._array[0].hands_played = 1
    game._array[0].scores[:3] = (1019, 4, 255)
    for observer in range(3):
        assert differing_sections(game, game.shown_to(observer), observer) == []


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"deck": "r1 r1 b2 b3 y9", "hand_size": 1},
        {"late_call": False},
        {"renew": "at_once"},
        {"deflect": True, "wild_is_match": True, "draw_two_turn": "kept_first"},
    ],
)
def test_rules_in_force_are_shown(changes: dict[str, Any]) -> None:
    rules = Rules(players=2, **changes)
    row = rules_columns(rules)
    assert row.dtype == np.uint8
    assert row.tolist() == [1, 1, *[0] * 8, *rules.deck_counts, *naive_rules(rules)]
    assert not np.array_equal(row, rules_columns(rules.replace(players=3, deck="classic")))


def test_the_two_forms_hold_the_same() -> None:
    for game in positions(Game("classic", seed=5), 5):
        for seat in range(4):
            small, scaled = game.observe(seat, "uint8"), game.observe(seat)
            assert (small.dtype, scaled.dtype) == (np.uint8, np.float32)
            assert np.array_equal(scaled, small * SCALES)
            assert np.array_equal(integer_form(scaled), small)
            assert integer_form(small) is small


def test_every_value_survives_the_scaled_form() -> None:
    rows = np.repeat(np.arange(256, dtype=np.uint8)[:, None], OBSERVATION_SIZE, axis=1)
    assert np.array_equal(integer_form(rows * SCALES), rows)


@pytest.mark.parametrize("seed", range(12))
def test_every_float_input_lies_between_0_and_1(seed: int) -> None:
    chance = random.Random(seed)
    official = {"deck": chance.choice(["classic", "edition_2018", "h2o"])}
    rules = random_rules(chance, illegal_action="raise", **official)
    batch = BatchedGames(32, rules=rules, seed=seed, match=rules.scoring != "hand")
    batch.reset()
    for _ in range(300):
        observations = batch.step(batch.sample_actions())[0]
        assert observations.min() >= 0
        assert (observations <= highest_values(rules)).all()
    assert (highest_values(rules) == 1).all()


def test_the_bounds_of_a_deck_with_many_equal_cards_are_higher() -> None:
    rules = Rules(players=2, hand_size=2, deck="r1 " * 6 + "r2 b+2 w+4 w+4", dealer="random", reflexes=(1, 16))
    highest = highest_values(rules)
    assert highest[LAYOUT["hand"].start + parse_card("r1")] == 6 / 4
    assert highest[LAYOUT["reflexes"].columns].tolist() == [2.0] * MAX_SEATS
    for seed in range(20):
        for game in positions(Game(rules, seed=seed), seed):
            assert (game.observe(0) <= highest).all()


def test_scales_are_powers_of_two_that_use_the_range() -> None:
    """The largest numbers that were met in 10⁵ random games of all presets and of 300 random rules."""
    largest = {"hand": 4, "discards": 4, "hand_sizes": 90, "draw_pile": 109, "penalty": 20, "drew_on": 104,
               "scores": 241, "reflexes": 8, "known": 4, "deck": 4}  # fmt: skip
    for section in LAYOUT.values():
        for scale in np.atleast_1d(section.scale):
            assert np.log2(scale) == np.round(np.log2(scale))
        if section.name in largest:
            assert 0.5 < largest[section.name] * section.scale <= 1


@pytest.mark.parametrize("shape", [(OBSERVATION_SIZE - 1,), (OBSERVATION_SIZE, 2), ()])
def test_what_is_no_observation(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=f"an observation has {OBSERVATION_SIZE} columns, not shape"):
        integer_form(np.zeros(shape, np.float32))
