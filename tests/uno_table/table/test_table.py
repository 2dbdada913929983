"""The table: seats and their secrets, moves and refusals, the clock, taking back."""

import random
import tracemalloc
from dataclasses import replace

import pytest

from tests.uno_table.tables import PERSON, play, play_one, table_of
from uno_env import Rules
from uno_env import actions as catalogue
from uno_env.common.phrases import plain_values
from uno_table.table import RefusedError, Setup, Table
from uno_table.table.agent_names import short_name
from uno_table.table.series import MOST_UNDOS
from uno_table.table.table_config import clean_name


def reach(table, condition, seed=0, decisions=3000):
    """Play until a condition holds, before each decision."""
    chance = random.Random(seed)
    for _ in range(decisions):
        if not table.series.pausing and condition():
            return
        play_one(table, chance)
    pytest.fail("it did not come to that")


def state(table):
    return table.game.to_json(), table.stage, [table.clock(seat.number) for seat in table.seats]


# --- setting up -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"seats": [None]}, "players=1 "),
        ({"seats": [None] * 11}, "players=11"),
        ({"seats": ["greedy", None]}, "first seat"),
        ({"seats": "greedy"}, "seats"),
        ({"seats": [None, 3]}, "seats"),
        ({"seats": None}, "seats"),
        ({"rules": {"stacking": "sideways"}}, "stacking='sideways'"),
        ({"rules": {"preset": "chess"}}, "'chess'"),
        ({"rules": {"dialect": "rlcard"}}, "rlcard"),
        ({"rules": 7}, "mapping"),
        ({"rules": {"deck": {"r1": []}}}, "deck"),
        ({"rules": {"stacking": []}}, "stacking=[]"),
        ({"pace": -1}, "pace=-1"),
        ({"pace": True}, "pace=True"),
        ({"turn_seconds": 1e9}, "turn_seconds"),
        ({"reaction_seconds": "5"}, "reaction_seconds='5'"),
        ({"reaction_seconds": float("nan")}, "reaction_seconds=nan"),
        ({"match": 1}, "match=1"),
        ({"seed": -1}, "seed=-1"),
        ({"seed": 0.5}, "seed=0.5"),
        ({"colour": "red"}, "'colour'"),
        ({"level": "godlike"}, "level='godlike'"),
    ],
)
def test_what_cannot_be_agreed_on(changes, part):
    with pytest.raises(ValueError) as refused:
        Setup.from_values({"seats": [None, "greedy"], **changes})
    assert part in str(refused.value)


@pytest.mark.parametrize(("spec", "part"), [("gredy", "did you mean 'greedy'"), ("cheat:flat", "sees all hands")])
def test_who_cannot_sit_at_the_table_cannot_give_hints_either(spec, part):
    for changes in ({"seats": [None, spec]}, {"seats": [None, "greedy"], "adviser": spec}):
        with pytest.raises(ValueError, match=part):
            Table(Setup.from_values(changes))


def test_the_rules_are_for_as_many_as_there_are_seats():
    with pytest.raises(ValueError, match="4 players, and the table has 2"):
        Setup((None, "greedy"), Rules())


@pytest.mark.parametrize(
    ("given", "cleaned"), [("  Ann\n<b>x</b> ", "Ann <b>x</b>"), ("a\u202eb\x00c", "a b c"), ("Zoë 🃏", "Zoë 🃏")]
)
def test_names_are_cleaned(given, cleaned):
    assert clean_name(given) == cleaned


@pytest.mark.parametrize("name", ["", " \n", "x" * 25, 5, None, ["Ann"]])
def test_names_that_cannot_be_shown(name):
    with pytest.raises(ValueError, match="name"):
        clean_name(name)


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("greedy", "Greedy"),
        ("highest-points", "Highest points"),
        ("zoo:duel-2p", "Zoo duel"),
        ("search:flat?num_determinizations=30", "Search flat"),
        ("rlcard-rule", "RLCard rule"),
        ("tuned?weights=a/b", "Tuned"),
        ("/home/ann/runs/demo/policy.safetensors?sample=1", "demo"),
        ("mine.safetensors", "mine"),
        ("policy:runs/a/best.safetensors", "best"),
    ],
)
def test_agents_have_names_for_people(spec, name):
    assert short_name(spec) == name


# --- seats ------------------------------------------------------------------------------------------------------------


def test_an_invitation_seats_one_person():
    table = table_of([PERSON, PERSON, "greedy"], sit=False)
    first, second = (seat.invitation for seat in table.people)
    assert len({first, second}) == 2
    assert table.waiting == [0, 1]
    ann = table.sit(second, "Ann", 0.0)
    assert (ann.number, ann.name, ann.invitation) == (1, "Ann", None)
    assert table.waiting == [0]
    for wrong in (second, None, "", ann.token, 5):
        with pytest.raises(RefusedError, match="invitation"):
            table.sit(wrong, "Bob", 0.0)
    with pytest.raises(RefusedError, match="called 'ann' already"):
        table.sit(first, "ann", 0.0)
    bob = table.sit(first, "Bob", 0.0)
    assert table.seat_of(ann.token) is ann
    assert table.seat_of(bob.token) is bob
    for wrong in (None, "", ann.token[:-1], first, 0):
        assert table.seat_of(wrong) is None


def test_nobody_moves_before_everybody_has_come():
    table = table_of([PERSON, PERSON], sit=False)
    table.sit(table.seats[0].invitation, "Ann", 0.0)
    assert table.deciding is None
    assert table.question() is None
    with pytest.raises(RefusedError, match="not everybody"):
        table.move(0, "draw", table.ticket(0), 0.0)


# --- moves ------------------------------------------------------------------------------------------------------------


def test_foreign_illegal_and_late_moves_change_nothing():
    table = table_of([PERSON, PERSON])
    deciding = table.deciding.number
    illegal = next(name for name in catalogue.ACTION_TEXTS if catalogue.parse(name) not in table.choices(deciding))
    before = state(table)
    legal = catalogue.name(table.choices(deciding)[0])
    other = 1 - deciding
    for seat, action, ticket, part in (
        (other, legal, table.ticket(other), "not your turn"),
        (deciding, illegal, table.ticket(deciding), "may not be done now"),
        (deciding, legal, "0.0.play", "too late"),
        (deciding, legal, None, "too late"),
        (deciding, "r99", table.ticket(deciding), "no such action"),
        (deciding, 5, table.ticket(deciding), "no such action"),
        (deciding, None, table.ticket(deciding), "no such action"),
        (deciding, "swap9", table.ticket(deciding), "may not be done now"),
    ):
        with pytest.raises(RefusedError, match=part):
            table.move(seat, action, ticket, 0.0)
    assert state(table) == before
    table.move(deciding, legal, table.ticket(deciding), 0.0)
    assert table.game.history == [catalogue.parse(legal)]


def test_a_hand_is_gone_on_from_when_it_is_over():
    table = table_of([PERSON, "greedy"])
    with pytest.raises(RefusedError, match="not over"):
        table.go_on(0.0)
    reached = []
    play(table, 5000, until=lambda: reached.append(table.series.pausing) or reached[-1])
    assert table.series.pausing
    with pytest.raises(RefusedError, match="the hand is over"):
        table.move(0, "draw", table.ticket(0), 0.0)
    assert table.question() is None
    table.go_on(0.0)
    assert table.game.hands_played == 1


def test_mistakes_are_punished_where_the_rules_say_so():
    rules = Rules.preset("classic", players=2, illegal_action="penalty")
    table = table_of([PERSON, "greedy"], rules)
    reach(table, lambda: table.deciding.is_person and table.mistakes(0))
    wrong = table.mistakes(0)[0]
    held = len(table.game.hand(0))
    not_held = next(kind for kind in range(52) if kind not in table.game.hand(0))
    with pytest.raises(RefusedError):
        table.move(0, catalogue.name(not_held), table.ticket(0), 0.0)
    table.move(0, catalogue.name(wrong), table.ticket(0), 0.0)
    assert len(table.game.hand(0)) == held + 2


def test_no_mistakes_where_the_rules_refuse_them():
    for illegal_action in ("raise", "terminate"):
        table = table_of([PERSON, "greedy"], Rules(players=2, illegal_action=illegal_action))
        reach(table, lambda table=table: table.deciding.is_person)
        assert table.mistakes(0) == []


def test_an_agent_that_chooses_wrongly_plays_quietly():
    table = table_of([PERSON, "greedy"])
    reach(table, lambda: table.question() is not None)
    question = table.question()
    assert table.answer(question, -1, 0.0)
    assert table.game.history[-1] == catalogue.DRAW
    assert table.seats[1].has_failed
    assert not table.answer(question, catalogue.DRAW, 0.0)
    reach(table, lambda: table.deciding.number == 0 and table.game.history[-1] != catalogue.DRAW)
    assert not table.seats[1].has_failed


# --- taking back ------------------------------------------------------------------------------------------------------


def test_taking_back_against_agents():
    table = table_of([PERSON, "greedy", "random-play"], "house", reaction_seconds=0)
    with pytest.raises(RefusedError, match="no move"):
        table.undo(0.0)
    seen = []
    chance = random.Random(2)
    while len(seen) < 30:
        if not table.series.pausing and table.deciding.number == 0:
            seen.append((table.game.to_json(), table.series.standing, table.series.number))
        play_one(table, chance)
    assert table.series.standing.hands > 0
    tickets = set()
    while seen:
        table.undo(0.0)
        assert (table.game.to_json(), table.series.standing, table.series.number) == seen.pop()
        tickets.add(table.ticket(0))
    assert len(tickets) == 30
    assert not table.can_undo


def test_nothing_is_taken_back_among_people():
    table = table_of([PERSON, PERSON])
    play(table, 5)
    assert not table.can_undo
    with pytest.raises(RefusedError, match="agents only"):
        table.undo(0.0)


def test_a_thought_that_was_taken_back_is_not_played():
    table = table_of([PERSON, "greedy"])
    reach(table, lambda: table.question() is not None and table.can_undo)
    question = table.question()
    table.undo(0.0)
    before = state(table)
    assert not table.answer(question, question.choose(), 0.0)
    assert state(table) == before


# --- the clock --------------------------------------------------------------------------------------------------------


def test_who_does_not_decide_in_time_is_decided_for():
    table = table_of([PERSON, PERSON], turn_seconds=20)
    assert table.wake_at(0.0) == 20.0
    assert not table.tick(19.9)
    assert table.game.history == []
    assert table.tick(20.0)
    assert table.game.history == [catalogue.DRAW]
    assert table.wake_at(20.0) == 40.0


def test_races_have_a_time_of_their_own():
    table = table_of([PERSON, PERSON], "house", reaction_seconds=7, turn_seconds=0)
    reach(table, lambda: table.game.phase == "jump_in")
    assert table.wake_at(0.0) == 7.0
    assert table.tick(7.0)
    assert table.game.history[-1] == catalogue.PASS
    reach(table, lambda: table.game.phase == "play")
    assert table.wake_at(7.0) is None
    assert not table.tick(1e9)


@pytest.mark.parametrize("preset", ["classic", "no_mercy", "flip"])
def test_who_calls_uno_gets_no_more_time_for_the_card(preset):
    table = table_of([PERSON, PERSON], preset, turn_seconds=20)
    call = catalogue.parse("call", table.setup.rules)
    reach(table, lambda: table.game.phase == "play" and call in table.choices(table.deciding.number))
    seat = table.deciding.number
    clock = table.clock(seat)
    table.move(seat, "call", table.ticket(seat), 3.0)
    assert table.game.to_move == seat
    assert table.clock(seat) == clock


def test_what_can_be_taken_back_takes_no_room_in_a_long_match():
    table = table_of([PERSON, "greedy"], match=True)
    chance = random.Random(1)
    while len(table.game.history) < 400 or not table.can_undo or table.series.pausing:
        play_one(table, chance)
    tracemalloc.start()
    try:
        table._marks.extend([table.series.mark() for _ in range(MOST_UNDOS)])
        assert tracemalloc.get_traced_memory()[0] < 500 * MOST_UNDOS  # bytes; the game itself is above 30 kB
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("thought", "shown"), [(0, 2), (0.1, 2), (1.9, 2), (2, 2), (2.1, 4), (3.9, 4), (9, 10)])
def test_answers_are_shown_at_multiples_of_the_pause(thought, shown):
    table = table_of([PERSON, "greedy"], "duel")
    reach(table, lambda: table.deciding.agent is not None and table.game.phase == "play")
    table.setup = replace(table.setup, pace=2)
    table.restart_clock(100.0)
    question, stage, when = table.question(100.0), table.stage, 100 + thought
    assert table.answer(question, question.choose(), when)
    while table.stage == stage:
        when = table.wake_at(when)
        table.tick(when)
    assert when == pytest.approx(100 + shown)


def test_reactions_and_answers_without_a_pause_are_shown_at_once():
    for rules, phase, pace in (("duel", "play", 0), ("classic", "catch", 2)):
        table = table_of([PERSON, "greedy"], rules)
        reach(table, lambda table=table, phase=phase: table.deciding.agent is not None and table.game.phase == phase)
        table.setup = replace(table.setup, pace=pace)
        question, stage = table.question(0.5), table.stage
        assert table.answer(question, question.choose(), 0.7)
        assert table.stage > stage


def test_agents_and_pauses_have_no_clock():
    table = table_of([PERSON, "greedy"], turn_seconds=5)
    reach(table, lambda: table.deciding.agent is not None)
    assert table.wake_at(0.0) is None
    play(table, 5000, until=lambda: table.series.pausing)
    assert table.wake_at(0.0) is None
    table.go_on(3.0)
    table.restart_clock(100.0)
    assert table.wake_at(100.0) in (None, 105.0)


# --- saving -----------------------------------------------------------------------------------------------------------


def test_a_game_is_saved_when_it_is_over():
    table = table_of([PERSON, "greedy"], "duel")
    with pytest.raises(RefusedError, match="hidden"):
        table.finished_game()
    play(table, 5000, until=lambda: table.game.over)
    assert table.game.over
    assert "uno-game" in table.finished_game().to_json()


def test_a_name_that_will_not_do_is_refused_by_a_phrase():
    table = table_of([PERSON, PERSON], sit=False)
    for name, shown in (("", ""), ("x" * 25, "x" * 25), (3, "")):
        with pytest.raises(RefusedError) as refused:
            table.sit(table.seats[1].invitation, name, 0.0)
        assert plain_values(refused.value.args[0]) == {
            "phrase": "refused.name",
            "most": 24,
            "name": repr(shown),
            "size": len(shown),
        }
