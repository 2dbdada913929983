"""What rules, games and environments say of themselves."""

import copy
import pickle

import gymnasium
import pytest

import uno_env
from uno_env import BatchedGames, Game, Rules

DUEL = (
    "Rules(players=2, dealer='random', first_card='number', wild_draw_four='restricted', uno_call='automatic', "
    "scoring='hand')"
)


def test_rules_say_what_differs_from_the_defaults_and_can_be_read_back() -> None:
    assert repr(Rules()) == "Rules()"
    assert repr(Rules.preset("duel")) == DUEL
    for rules in (Rules.preset("rlcard"), Rules(players=3, deck="r1 r2 r3 w", hand_size=1, dealer="random")):
        assert eval(repr(rules)) == rules


@pytest.mark.parametrize(
    "make", [Rules, lambda **rules: Rules.preset("duel", **rules), Rules().replace, Rules.from_dict]
)
def test_a_field_that_there_is_not_is_answered_with_the_nearest(make: object) -> None:
    with pytest.raises(
        ValueError, match=r"^unknown rule 'player' \(did you mean 'players'\?\): there are players, deck"
    ):
        make({"player": 3}) if make == Rules.from_dict else make(player=3)  # type: ignore[operator]


def test_rules_are_copied_and_pickled_as_before() -> None:
    rules = Rules.preset("house", players=5)
    assert rules == copy.copy(rules) == copy.deepcopy(rules) == pickle.loads(pickle.dumps(rules))


def test_games_say_where_they_are() -> None:
    game = Game("duel", seed=0)
    assert repr(game) == f"<Game by {DUEL}: 0 decisions, player_{game.to_move} to move>"
    while not game.over:
        game.step(game.legal_actions()[0])
    end = game.end if game.winner is None else f"player_{game.winner} won"
    assert repr(game) == f"<Game by {DUEL}: {len(game.history)} decisions, {end}>"
    assert repr(Game(Rules(), match=True)).startswith("<Match by Rules(): 0 decisions, player_")


def test_batches_and_environments_say_what_they_are() -> None:
    assert repr(BatchedGames(3, "duel", seed=7)) == f"<BatchedGames: 3 by {DUEL}, seed 7>"
    assert repr(uno_env.env("duel")).startswith(f"<uno_env.env: <Game by {DUEL}: 0 decisions")
    assert repr(uno_env.raw_env("duel")).startswith(f"<uno_env.raw_env: <Game by {DUEL}: 0 decisions")
    one = gymnasium.make("uno_env/Uno-v0", rules="duel", opponents="greedy").unwrapped
    assert repr(one).startswith(f"<UnoEnv: <Game by {DUEL}: ")
    assert repr(one).endswith(", seat 0 against [ScriptedAgent('greedy')]>")
    several = gymnasium.make_vec("uno_env/Uno-v0", num_envs=2, rules="duel", opponents="greedy")
    assert repr(several.unwrapped) == f"<UnoVectorEnv: 2 by {DUEL}, against [ScriptedAgent('greedy')]>"


@pytest.mark.adapters
def test_environments_for_libraries_say_what_they_are() -> None:
    pytest.importorskip("stable_baselines3")
    from uno_env.sb3 import UnoVecEnv

    assert repr(UnoVecEnv(2, "duel", "greedy")) == f"<UnoVecEnv: 2 by {DUEL}, against [[ScriptedAgent('greedy')]]>"
