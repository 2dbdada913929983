"""Hands played by text: what is asked, refused, counted and rewarded."""

import random
from typing import Any

import pytest

from tests.helpers.marks import thorough
from uno_env import Game, Rules
from uno_env import actions as catalogue
from uno_env.text import TextEnv, TextStep, prompt_for, rules_text


def play(env: TextEnv, seed: int, chance: random.Random) -> TextStep:
    """Play a hand with moves by chance, by number or by text; the last step."""
    env.reset(seed)
    while True:
        legal = env.game.legal_actions()
        number = chance.randrange(len(legal))
        step = env.step(str(number + 1) if chance.random() < 0.5 else f"[{catalogue.name(legal[number], env.rules)}]")
        if step.done:
            return step


@pytest.mark.parametrize(("rules", "opponents", "players"), [
    ("duel", "greedy", 2), ("classic", ["greedy", "random-play", "tuned"], 4), ("house", "counter", 3),
    *thorough(("duel", None, 2), ("no_mercy", "greedy", 3), ("flip", ["greedy", "random-play", "tuned"], 4)),
])  # fmt: skip
def test_hands_end_with_the_rewards_of_the_game(rules: str, opponents: Any, players: int) -> None:
    env, chance = TextEnv(rules, opponents, players=players), random.Random(1)
    for seed in range(2):
        step = play(env, seed, chance)
        assert env.game.over
        assert step.info["rewards"] == env.game.rewards()
        assert step.reward in env.game.rewards()
        assert step.text in ("The hand is won.", "The hand is lost.", "The hand is over, and nobody has won.")
        assert (step.info["rethinks"], step.info["illegal"], step.info["end"]) == (0, 0, env.game.end)
        with pytest.raises(ValueError, match=r"^the hand is over: call reset\(\)"):
            env.step("1")


def test_the_same_seed_and_answers_play_the_same_hand() -> None:
    first, second = (TextEnv("house", "random-play", players=4) for _ in range(2))
    play(first, 9, random.Random(0))
    for env in (first, second):
        play(env, 4, random.Random(2))
    assert first.game.to_json() == second.game.to_json()
    seats = set()
    for seed in range(20):
        first.reset(seed)
        seats.add(first.seat)
    assert seats == {0, 1, 2, 3}


def test_the_first_hand_is_the_game_of_its_seed_and_opponents_play_as_they_do() -> None:
    def last(observation: Any, mask: Any) -> int:
        return int(mask.nonzero()[0][-1])

    env = TextEnv("duel", last, seat=0)
    text = env.reset(5)
    game = Game("duel", 5)
    while not game.over:
        if game.to_move == 0:
            assert text.endswith(prompt_for(game))
            move = game.legal_names()[0]
            game.step(move)
            text = env.step(move).text
        else:
            game.step(game.legal_actions()[-1])
    assert env.game.to_json() == game.to_json()
    assert env.reset(5).startswith(rules_text(env.rules))


def test_rethinks_are_told_counted_and_end() -> None:
    env = TextEnv("duel", None, rethinks=2)
    env.reset(1)
    before = env.game.to_json()
    step = env.step("r5 or r6")
    assert step.text.startswith("The answer names more than one move (r5 and r6). Answer with one of these moves: 1 ")
    assert (step.reward, step.done, step.info["refused"], step.info["rethinks"]) == (0.0, False, True, 1)
    step = env.step("[99]")
    assert (step.info["rethinks"], step.info["illegal"]) == (2, 1)
    assert env.game.to_json() == before
    assert not env.step("1").done
    for _ in range(2):
        env.step("hm")
    seat = env.seat
    step = env.step("hm")
    assert (step.done, step.reward, step.info["rewards"][seat], step.info["end"]) == (True, -1.0, -1.0, "refused")
    assert step.text.endswith(" The hand is lost.")
    assert step.info["rethinks"] == 4
    with pytest.raises(
        ValueError, match=r"^the hand was lost by answers without a move: call reset\(\) before step\(\)"
    ):
        env.step("1")
    assert env.reset(1)


@pytest.mark.thorough
def test_agents_that_see_all_hands_or_remember_may_play() -> None:
    assert play(TextEnv("duel", "cheat:flat?num_determinizations=2"), 1, random.Random(0)).done


def test_nothing_is_played_before_a_deal() -> None:
    with pytest.raises(ValueError, match=r"^no hand was dealt: call reset\(\) before step\(\)$"):
        TextEnv().step("1")
    env = TextEnv(Rules.preset("duel"))
    env.reset(1)
    state = env.game.to_json()
    with pytest.raises(ValueError, match=r"^seed=-1 is not allowed"):
        env.reset(-1)
    assert env.game.to_json() == state
    assert not env.step("1").done
