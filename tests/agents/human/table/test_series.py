"""Hand after hand: what ends, what is shown meanwhile, what was won."""

import pytest

from agents.human.table.series import Course
from uno_env import Rules


def play_hand(course):
    while not course.pausing:
        course.step(course.game.legal_actions()[0])


def test_a_finished_hand_of_a_match_stays_on_show_while_the_next_is_dealt():
    course = Course(Rules.preset("classic", players=3, uno_call="automatic"), 5, match=True)
    play_hand(course)
    assert course.shown.over
    assert not course.game.over
    assert course.game.hands_played == 1
    assert course.standing.hands == 1
    assert course.standing.won[course.shown.winner] == 1
    assert course.game.scores == course.shown.points
    with pytest.raises(ValueError, match="over"):
        course.shown.step(0)
    course.go_on()
    assert course.shown is course.game
    assert not course.pausing


def test_a_match_goes_on_until_it_is_won_and_then_a_new_one_begins():
    course = Course(Rules.preset("classic", players=2, uno_call="automatic", target=60), 1, match=True)
    while not course.game.over:
        play_hand(course)
        if not course.game.over:
            course.go_on()
    assert course.pausing
    assert sum(course.standing.matches) == 1
    assert course.standing.matches[course.game.winner] == 1
    assert course.standing.hands == course.game.hands_played
    course.go_on()
    assert course.number == 1
    assert course.game.scores == [0, 0]
    assert not course.pausing


def test_hands_that_stand_alone():
    course = Course(Rules.preset("duel", players=3), 4, match=False)
    dealers = []
    for hands in range(1, 4):
        dealers.append(int(course.game.start().record.dealer))
        play_hand(course)
        assert course.standing.hands == hands
        assert sum(course.standing.won) == hands
        course.go_on()
    assert [(dealer - dealers[0]) % 3 for dealer in dealers] == [0, 1, 2]


def test_only_a_finished_hand_is_gone_on_from():
    course = Course(Rules.preset("duel"), 4, match=False)
    with pytest.raises(ValueError, match="not over"):
        course.go_on()


@pytest.mark.parametrize("match", [False, True])
def test_return_to_an_earlier_moment(match):
    course = Course(Rules.preset("classic", players=2, target=40), 3, match)
    start, state = course.moment(), course.game.to_json()
    for _ in range(3):
        play_hand(course)
        course.go_on()
    assert course.standing.hands == 3
    course.return_to(start)
    assert course.game.to_json() == state
    assert course.standing.hands == course.number == 0
    assert not course.pausing


def test_an_illegal_action_changes_nothing():
    course = Course(Rules.preset("classic", players=2), 3, match=True)
    state = course.game.to_json()
    illegal = next(action for action in range(52) if action not in course.game.legal_actions())
    with pytest.raises(ValueError, match="illegal"):
        course.step(illegal)
    assert course.game.to_json() == state
