"""One game as an object: saving, loading, cloning, and what it refuses."""

import json
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.playing import lively_action, played, positions
from tests.helpers.records import as_in_batch
from uno_env import BatchedGames, Game, IllegalActionError, Rules
from uno_env.actions import DRAW, name, parse
from uno_env.core.record import ALL_PHASE_NAMES, SWITCHES
from uno_env.invariants import find_faults

TABLES = [("duel", 2), ("duel", 5), ("classic", 2), ("classic", 4), ("classic", 10), ("no_mercy", 4), ("flip", 4)]


def everything(game: Game) -> tuple[Any, ...]:
    """All that can be seen of a game, bit for bit."""
    return (
        game.record.tobytes(),
        game.rules,
        game.history.copy(),
        game.events.copy(),
        game.legal_actions(),
        game.action_mask().tobytes(),
        [game.observe(seat).tobytes() for seat in range(game.players)],
        [game.observe(seat, "uint8").tobytes() for seat in range(game.players)],
        game.rewards(),
    )


def refused(game: Game, action: Any) -> str:
    """The text with which an action is refused; fails if that changes anything."""
    before = everything(game)
    with pytest.raises(ValueError) as caught:
        game.step(action)
    assert everything(game) == before
    assert "\n" not in str(caught.value)
    return str(caught.value)


def document(decisions: int = 12) -> dict[str, Any]:
    """A saved game, taken apart."""
    return json.loads(played(Game("classic", seed=8), 8, decisions).to_json())


def load_error(saved: Any) -> str:
    """The text with which a saved game is refused."""
    with pytest.raises(ValueError) as caught:
        Game.from_json(saved if isinstance(saved, str) else json.dumps(saved))
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(("rules", "players"), TABLES)
def test_a_saved_game_comes_back_bit_for_bit(rules: str, players: int) -> None:
    chance = random.Random(players)
    for game in positions(Game(rules, seed=players, players=players), seed=1):
        if game.over or not game.history or chance.random() < 0.1:
            assert everything(Game.from_json(game.to_json())) == everything(game)


@pytest.mark.parametrize(
    ("rules", "players"), [*TABLES, *((f"match: {scoring}", 3) for scoring in SWITCHES["scoring"])]
)
def test_a_saved_game_and_a_clone_go_on_identically(rules: str, players: int) -> None:
    scoring = rules.partition("match: ")[2]
    short = Rules(hand_size=3, uno_call="automatic", target=80, scoring=scoring or "hand")
    game = Game(short if scoring else rules, seed=3, players=players, match=bool(scoring))
    played(game, 3, 60 if scoring else 25)
    twins = [game, game.clone(), Game.from_json(game.to_json())]
    chance = random.Random(3)
    while not game.over:
        action = lively_action(game, chance)
        for each in twins:
            each.step(action)
        assert len({each.record.tobytes() for each in twins}) == 1
    assert [everything(each) for each in twins] == [everything(game)] * 3


def test_a_clone_is_independent() -> None:
    game = played(Game("classic", seed=2), 2, 10)
    twin = game.clone()
    before = everything(game)
    played(twin, 5, 40)
    assert everything(game) == before
    assert twin.history[:10] == game.history
    assert len(twin.history) > 10
    after = everything(twin)
    game.step(lively_action(game, random.Random(0)))
    assert everything(twin) == after


def test_start_is_the_deal() -> None:
    fresh = Game("classic", seed=4)
    game = played(Game("classic", seed=4), 4, 30)
    before = everything(game)
    assert everything(game.start()) == everything(fresh)
    assert everything(game) == before
    assert everything(game.start().start()) == everything(fresh)


def test_history_and_events_tell_the_same_decisions() -> None:
    game = played(Game("classic", seed=6), 6, 10_000)
    assert [event.action for event in game.events] == [None, *game.history]
    again = Game("classic", seed=6)
    for event in game.events[1:]:
        assert (event.seat, event.turn, event.phase) == (again.to_move, again.record.turn, again.phase)
        held = [len(again.hand(seat)) for seat in range(4)]
        laid = [int(seat == event.seat and event.action < DRAW) for seat in range(4)]
        again.step(name(event.action))
        assert event.taken == tuple(len(again.hand(seat)) - held[seat] + laid[seat] for seat in range(4))
        assert event.top == again.record.top
    assert everything(again) == everything(game)


def test_a_game_is_dealt_like_the_first_of_a_batch() -> None:
    for seed in (0, 1, 2**64 - 1):
        batch = BatchedGames(2, "classic", seed=seed)
        batch.reset()
        assert as_in_batch(Game("classic", seed=seed), batch) == batch.games[0].tobytes()


@pytest.mark.parametrize(("rules", "players"), TABLES)
def test_random_hands_are_sound_and_told_truly(rules: str, players: int) -> None:
    for game in positions(Game(rules, seed=9, players=players), seed=9):
        assert find_faults(game.record, game.rules) == []
        assert game.players == players
        assert game.phase in ALL_PHASE_NAMES
        assert [parse(text, game.rules) for text in game.legal_names()] == game.legal_actions()
        assert np.flatnonzero(game.action_mask()).tolist() == game.legal_actions()
        assert (game.legal_actions() == []) == game.over == (game.to_move == -1)
        assert [len(game.hand(seat)) for seat in range(players)] == game.record.seats["hand_size"][:players].tolist()
        if not game.over:
            assert game.rewards() == [0] * players
            assert game.end == "running"
            assert game.winner is None
    assert game.end == "went_out"
    assert game.hand(game.winner) == []
    assert sum(game.rewards()) == pytest.approx(0, abs=1e-6)
    assert game.rewards()[game.winner] == 1


def test_actions_by_text_are_the_same_as_by_id() -> None:
    one, other = Game("classic", seed=1), Game("classic", seed=1)
    for _ in range(20):
        action = one.legal_actions()[-1]
        one.step(np.int16(action))
        other.step(name(action))
    assert everything(one) == everything(other)


def test_observations_and_masks_are_copies() -> None:
    game = Game("duel")
    before = everything(game)
    for array in (game.observe(0), game.observe(0, "uint8"), game.action_mask()):
        array[:] = 9
    game.legal_actions().clear()
    assert everything(game) == before


def test_an_illegal_action_is_refused_with_what_is_legal() -> None:
    game = Game("duel", seed=0, deck="r1 b1 r2 b2 r3 b3 r4 b4 r5 b5 r6 b6 g7 b7 g8", dealer=1)
    assert refused(game, "catch") == f"action 'catch' ({parse('catch')}) is illegal now: legal are g7, draw"
    assert refused(game, "g8") == f"action 'g8' ({parse('g8')}) is illegal now: legal are g7, draw"
    with pytest.raises(IllegalActionError):
        game.step("r1")


def test_a_finished_hand_takes_no_action() -> None:
    for game in (played(Game("duel"), 0, 10_000), Game(Rules.preset("duel", illegal_action="terminate"))):
        if not game.over:
            game.step("catch")
        assert game.over
        for action in (DRAW, "draw", "nonsense", None):
            assert refused(game, action) == "the hand is over: no more actions can be done"


@pytest.mark.parametrize("seat", [-1, 4, "0", None, 1.0, True])
def test_a_seat_that_is_not_there(seat: Any) -> None:
    game = Game("classic")
    for ask in (game.observe, game.hand):
        with pytest.raises(ValueError, match="is no seat of 4 players: 0 to 3"):
            ask(seat)


def test_an_unknown_form_of_observations() -> None:
    with pytest.raises(ValueError, match="obs_dtype='int8' is not allowed: choose 'float32' or 'uint8'"):
        Game("classic").observe(0, "int8")


def test_foreign_and_truncated_files_are_refused() -> None:
    text = Game("duel").to_json()
    for cut in (0, 1, len(text) // 2, len(text) - 1):
        assert load_error(text[:cut]) == "this is no saved game: it is not JSON"
    for foreign in ("[]", "7", "null", '"uno-game"', "{}", '{"format": "chess"}', "[" * 100_000):
        assert "this is no saved game" in load_error(foreign)


def test_another_version_is_refused() -> None:
    assert load_error({**document(), "version": 2}) == "the saved game has version 2, and this program reads 3"
    assert "version None" in load_error({"format": "uno-game"})


@pytest.mark.parametrize("part", ["rules", "start", "actions", "state"])
def test_missing_parts_are_refused(part: str) -> None:
    saved = document()
    for value in (None, 3, "text"):
        assert load_error({**saved, part: value}) == f"the saved game lacks {part!r}"
    del saved[part]
    assert load_error(saved) == f"the saved game lacks {part!r}"


def test_bad_rules_are_refused() -> None:
    saved = document()
    assert "players=1 is not allowed" in load_error({**saved, "rules": {**saved["rules"], "players": 1}})
    assert "unknown rule 'jokers'" in load_error({**saved, "rules": {**saved["rules"], "jokers": 2}})
    assert "edition='dos' is not allowed" in load_error({**saved, "rules": {**saved["rules"], "edition": "dos"}})
    assert "no usable" in load_error({**saved, "rules": Rules.preset("no_mercy", players=2).to_dict()})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("turn", "one"),
        ("turn", 2**70),
        ("turn", 0.5),
        ("seats", []),
        ("seats", 3),
        ("seats", [[1], [2, 3]]),
        ("known", {}),
        ("known", [[0, 1, 2]]),
        ("known", [[0, 1, 58, 1]]),
        ("known", [[0, 1, -1, 1]]),
        ("known", [[0, 1, 2, 200]]),
        ("known", [[0, 1, 2, "1"]]),
        ("rng", -1),
        ("top", None),
    ],
)
def test_values_that_are_none_are_refused(field: str, value: Any) -> None:
    saved = document()
    saved["start"][field] = value
    assert load_error(saved) == f"the saved game has no usable {field!r}"
    del saved["start"][field]
    assert load_error(saved) == f"the saved game has no usable {field!r}"


def test_impossible_states_are_refused() -> None:
    saved = document()
    saved["start"]["seats"][0]["hand"][0] += 1
    assert "the saved game begins with an impossible state: the cards of hands" in load_error(saved)
    saved = document()
    saved["start"]["turn"] = 7
    assert "a seat is named that is not at the table" in load_error(saved)


def test_edited_action_lists_are_refused() -> None:
    saved = document()
    texts = saved["actions"]
    assert load_error({**saved, "actions": texts[:-1]}) == "the saved state is not what its deal and actions lead to"
    assert "action 13 of the saved game cannot be done" in load_error({**saved, "actions": [*texts, "challenge"]})
    for wrong in ("r99", 3, None, ["draw"]):
        assert "action 1 of the saved game cannot be done" in load_error({**saved, "actions": [wrong, *texts[1:]]})


def test_an_edited_state_is_refused() -> None:
    saved = document()
    saved["state"]["called"] ^= 1
    assert load_error(saved) == "the saved state is not what its deal and actions lead to"


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths to all single values of a document."""
    if isinstance(value, dict):
        return [leaf for key in value for leaf in leaves(value[key], (*path, key))]
    if isinstance(value, list):
        return [leaf for place, each in enumerate(value) for leaf in leaves(each, (*path, place))]
    return [path]


SAVED = document(6)
LEAVES = [leaf for leaf in leaves(SAVED) if leaf[0] != "state"]
VALUES = st.one_of(
    st.integers(-(2**70), 2**70), st.integers(-2, 60), st.none(), st.booleans(), st.floats(), st.text(max_size=5),
    st.just([]), st.just({}), st.just("draw"),
)  # fmt: skip


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.sampled_from(LEAVES), VALUES)
def test_a_file_changed_anywhere_is_refused_or_sound(leaf: tuple[Any, ...], value: Any) -> None:
    saved = json.loads(json.dumps(SAVED))
    place = saved
    for key in leaf[:-1]:
        place = place[key]
    place[leaf[-1]] = value
    try:
        game = Game.from_json(json.dumps(saved))
    except ValueError:
        return
    assert find_faults(game.record, game.rules) == []
    played(game, 0, 30)
