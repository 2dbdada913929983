"""The player that sees all hands: only where games are shown to it, and then it uses them."""

import numpy as np
import pytest

import agents
import uno_env
from tests.helpers.table import Table
from train.evaluation.duplicate import evaluate
from train.evaluation.lineups import against
from train.evaluation.tournament import Plan, play
from uno_env import Game, Rules
from uno_env.actions import name as action_name

SPEC = "cheat:flat?num_determinizations=20&trust=0"


def test_it_refuses_to_play_by_observations() -> None:
    game = Game("duel", seed=1)
    with pytest.raises(ValueError, match=r"cheat:flat.* must be shown the games, and this is not done here"):
        agents.load("cheat:flat").act(game.observe(game.to_move), game.action_mask())


def test_no_view_shows_it_games() -> None:
    env = uno_env.env("duel", players=2)
    env.reset(seed=1)
    observation, *_ = env.last()
    with pytest.raises(ValueError, match="must be shown the games"):
        agents.load("cheat:flat").act(observation["observation"], observation["action_mask"])


@pytest.mark.parametrize("theirs", ["r", "y", "g", "b"])
def test_it_declares_the_colour_that_the_other_does_not_hold(theirs: str) -> None:
    """Who sees that the other's two cards are of one colour, and a Wild of its own lies next, declares another."""
    table = Table("w r1 y1 g1 b1", f"{theirs}3 {theirs}4 {theirs}5 {theirs}6 {theirs}7", first="r9", preset="duel")
    game = table.game
    row, mask = game.observe(0, "uint8")[None], np.zeros((1, len(game.action_mask())), np.uint8)
    mask[0, [52, 53, 54, 55]] = 1
    before = game.to_json()
    chosen = agents.load(SPEC, seed=3).act_on_games(row, mask, np.array([game.record]).copy())  # type: ignore[attr-defined]
    assert action_name(int(chosen[0])) in {f"w:{letter}" for letter in "rygb" if letter != theirs}
    assert game.to_json() == before


def test_seeing_the_cards_helps_and_its_name_says_so() -> None:
    result = evaluate("cheat:flat?num_determinizations=20", "greedy", "duel", deals=60)
    assert result.low > 0.52
    assert "cheat" in result.agent


def test_a_tournament_shows_it_the_games() -> None:
    specs = ("cheat:flat?num_determinizations=4", "greedy")
    plan = Plan(specs, Rules.preset("duel"), (against(0, 1, 2),), (6,))
    results = list(play(plan).values())
    assert sum(len(result.winner) for result in results) == 6
    assert all(result.asked.min() > 0 for result in results)
