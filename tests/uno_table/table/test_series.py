"""Hand after hand: what ends, what is shown meanwhile, what was won."""

import json

import pytest

from uno_env import Game, Rules
from uno_env.core.rng import GOLDEN
from uno_table.table.series import Series


def play_hand(series):
    while not series.pausing:
        series.step(series.game.legal_actions()[0])


def test_a_finished_hand_of_a_match_stays_on_show_while_the_next_is_dealt():
    series = Series(Rules.preset("classic", players=3, uno_call="automatic"), 5, match=True)
    play_hand(series)
    assert series.shown.over
    assert not series.game.over
    assert series.game.hands_played == 1
    assert series.standing.hands == 1
    assert series.standing.won[series.shown.winner] == 1
    assert series.game.scores == series.shown.points
    with pytest.raises(ValueError, match="over"):
        series.shown.step(0)
    series.go_on()
    assert series.shown is series.game
    assert not series.pausing


def test_a_match_goes_on_until_it_is_won_and_then_a_new_one_begins():
    series = Series(Rules.preset("classic", players=2, uno_call="automatic", target=60), 1, match=True)
    while not series.game.over:
        play_hand(series)
        if not series.game.over:
            series.go_on()
    assert series.pausing
    assert sum(series.standing.matches) == 1
    assert series.standing.matches[series.game.winner] == 1
    assert series.standing.hands == series.game.hands_played
    series.go_on()
    assert series.number == 1
    assert series.game.scores == [0, 0]
    assert not series.pausing


def dealers_of(rules, match, games=6):
    """The first dealers of so many games, and the hands at their starts."""
    series, dealers = Series(rules, 4, match), []
    for game in range(games):
        assert series.number == game
        dealers.append(int(series.game.start().record.dealer))
        while not series.game.over:
            play_hand(series)
            if not series.game.over:
                series.go_on()
        series.go_on()
    return dealers


def test_hands_that_stand_alone():
    series = Series(Rules.preset("duel", players=3), 4, match=False)
    for hands in range(1, 4):
        play_hand(series)
        assert series.standing.hands == hands
        assert sum(series.standing.won) == hands
        series.go_on()


def test_the_deal_passes_to_the_left_after_a_high_card_where_hands_stand_alone():
    dealers = dealers_of(Rules.preset("duel", players=3, dealer="high_card"), match=False)
    assert [(dealer - dealers[0]) % 3 for dealer in dealers] == [0, 1, 2, 0, 1, 2]


@pytest.mark.parametrize("match", [False, True])
@pytest.mark.parametrize("dealer", ["fixed", "random", "high_card_each_hand", "high_card"])
def test_who_deals_a_game_is_chosen_by_the_rules(dealer, match):
    """GUIDE.md 3.2: also in the next match, and in the next hand where hands stand alone."""
    if dealer == "high_card" and not match:
        pytest.skip("there the deal passes on")
    rules = Rules.preset("duel", players=3, scoring="winner_takes", target=5, dealer=dealer, dealer_seat=1)
    chosen = [int(Game(rules, 4 + game, match=match).record.dealer) for game in range(6)]
    assert dealers_of(rules, match) == chosen
    assert (len(set(chosen)) == 1) is (dealer == "fixed")


def test_only_a_finished_hand_is_gone_on_from():
    series = Series(Rules.preset("duel"), 4, match=False)
    with pytest.raises(ValueError, match="not over"):
        series.go_on()


@pytest.mark.parametrize("match", [False, True])
def test_return_to_an_earlier_moment(match):
    series = Series(Rules.preset("classic", players=2, target=40), 3, match)
    start, state = series.mark(), series.game.to_json()
    for _ in range(3):
        play_hand(series)
        series.go_on()
    assert series.standing.hands == 3
    series = Series.back(start)
    assert series.game.to_json() == state
    assert series.standing.hands == series.number == 0
    assert not series.pausing


def test_an_illegal_action_changes_nothing():
    series = Series(Rules.preset("classic", players=2), 3, match=True)
    state = series.game.to_json()
    illegal = next(action for action in range(52) if action not in series.game.legal_actions())
    with pytest.raises(ValueError, match="illegal"):
        series.step(illegal)
    assert series.game.to_json() == state


def seeds_told_by(game, draws=1_000):
    """Seeds that may have led to a saved game: its generator's steps are one to one, and so can be taken back."""

    def unmixed(bits):
        for shift, factor in ((31, 0x94D049BB133111EB), (27, 0xBF58476D1CE4E5B9), (30, 1)):
            bits ^= bits >> shift ^ bits >> 2 * shift
            bits = bits * pow(factor, -1, 2**64) % 2**64
        return bits

    rng, step = json.loads(game.to_json())["start"]["rng"], int(GOLDEN)
    return {(unmixed(unmixed((rng - number * step) % 2**64) ^ step) - step) % 2**64 for number in range(draws)}


@pytest.mark.parametrize("secret", ["", "abc"])
def test_a_game_that_is_dealt_from_a_secret_tells_nothing_of_the_next(secret):
    series = Series(Rules.preset("duel"), 4, False, secret)
    told = seeds_told_by(series.game)
    assert series.game_seed in told, "what is saved of a game tells what it was dealt from"
    play_hand(series)
    series.go_on()
    assert ((series.game_seed - 1) % 2**64 in told) == (not secret)
    again, _ = Series.resumed(series.game, 4, 1, series.standing, False, secret)
    assert again.game_seed == series.game_seed
    assert Series(series.rules, 4, False, secret + "x").game_seed != Series(series.rules, 4, False, secret).game_seed
