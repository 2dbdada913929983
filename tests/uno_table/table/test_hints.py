"""Hints: what an agent would do, and how sure it is."""

import random

import pytest

import agents
from tests.helpers.positions import save_random_policy
from tests.uno_table.tables import PERSON, play_one, table_of
from uno_env import Game, Rules
from uno_env import actions as catalogue
from uno_table.table.question import Hints, ask_hints, hints_view
from uno_table.table.seat_view import seat_view

DUEL = Rules.preset("duel")


@pytest.fixture
def position():
    game = Game(DUEL, seed=4)
    return game, game.observe(game.to_move, "uint8"), game.action_mask()


def test_a_policy_tells_its_probabilities_and_its_value(tmp_path, position):
    game, observation, mask = position
    path = tmp_path / "policy.safetensors"
    save_random_policy(path, DUEL)
    policy = agents.load(path, rules=DUEL)
    hints = ask_hints(policy, observation, mask)
    assert set(hints.shares) == set(game.legal_actions())
    assert sum(hints.shares.values()) == pytest.approx(1)
    assert list(hints.shares.values()) == sorted(hints.shares.values(), reverse=True)
    assert next(iter(hints.shares)) == policy.act(observation, mask)
    assert hints.value is not None
    assert len(hints_view(hints, "Master", catalogue.name)["actions"]) <= 5


@pytest.mark.parametrize("spec", ["greedy", "search:flat?num_determinizations=4"])
def test_others_tell_their_choice(spec, position):
    game, observation, mask = position
    hints = ask_hints(agents.load(spec, rules=DUEL), observation, mask)
    (action,) = hints.shares
    assert action in game.legal_actions()
    assert hints.shares[action] == 1
    assert hints.value is None


def test_a_hint_says_what_the_button_says():
    table = table_of([PERSON, "random"], adviser="random")
    chance, said = random.Random(1), set()
    for _ in range(600):
        play_one(table, chance)
        buttons = [action for action in table.choices(0) if action >= catalogue.DRAW]
        question = table.hint_question(0)
        if buttons and question is not None:
            table.take_hints(question, Hints(dict.fromkeys(buttons, 0.2), None))
            view = seat_view(table, 0, wants_hints=True)
            hinted = {each["action"]: each["name"] for each in view["hints"]["actions"]}
            assert hinted == {move["action"]: move["name"] for move in view["moves"]}
            said |= set(hinted)
    assert {"draw", "pass", "accept", "challenge", "call", "catch"} <= said


@pytest.mark.parametrize(("spec", "cast", "name"), [("greedy", True, "Hard"), ("greedy", False, "Greedy")])
def test_who_gives_hints_has_the_name_by_which_the_form_and_the_table_call_it(spec, cast, name):
    table = table_of([PERSON, spec], "duel", adviser=spec, cast=cast)
    while not table.choices(0):
        play_one(table, random.Random(1))
    assert seat_view(table, 0, wants_hints=True)["hints"]["by"] == name
