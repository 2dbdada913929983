"""With ``bluff=0``, a scripted agent lays no Wild Draw Four that is a bluff (GUIDE.md 5.1)."""

import random

import numpy as np
import pytest

import agents
from agents.scripted.honest import find_bluffs
from tests.helpers.playing import positions
from tests.helpers.table import Table
from uno_env import Game, Rules
from uno_env.actions import name, parse
from uno_env.observation import float_form

RULES = {
    "classic": Rules.preset("classic", players=3),
    "wild counts as a match": Rules.preset("classic", players=3, wild_is_match=True),
    "house": Rules.preset("house", players=4),
    "never challenged": Rules.preset("classic", players=3, wild_draw_four="free"),
}


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_a_bluff_is_what_a_challenge_would_find_guilty(rules: Rules) -> None:
    found = {False: 0, True: 0}
    for seed in range(60):
        for game in positions(Game(rules, seed), seed):
            row = None if game.over else game.observe(game.to_move, "uint8")[None]
            for action in game.legal_actions():
                if not name(action).startswith("w+4"):
                    continue
                after = game.clone()
                after.step(action)
                bluffed = bool(after.record.bluffed) and not after.over
                found[bluffed] += 1
                if not after.over:
                    assert find_bluffs(row)[0, action] == bluffed, (seed, name(action))
    assert found[False] > 20
    assert (found[True] > 20) == (rules.wild_draw_four == "bluff")


@pytest.mark.parametrize("spec", ["random-play", "aggressive"])
def test_an_honest_agent_lays_the_card_only_without_the_colour(spec: str) -> None:
    table = Table("w+4 r1 b2", "g1 g2 g3", None)
    row, mask = table.game.observe(0, "uint8"), table.game.action_mask()
    as_it_is = {name(agents.load(spec, seed).act(row, mask)) for seed in range(40)}
    honest = {name(agents.load(f"{spec}?bluff=0", seed).act(row, mask)) for seed in range(40)}
    assert any(each.startswith("w+4") for each in as_it_is)
    assert honest == {"r1"}
    floats = {name(agents.load(f"{spec}?bluff=0", seed).act(float_form(row), mask)) for seed in range(40)}
    assert floats == honest


def test_who_may_do_nothing_else_bluffs() -> None:
    table = Table("w+4 r1 b2", "g1 g2 g3", None)
    row, mask = table.game.observe(0, "uint8"), np.zeros_like(table.game.action_mask())
    mask[parse("w+4:b")] = 1
    honest = agents.load("aggressive?bluff=0")
    assert name(honest.act(row, mask)) == "w+4:b"
    assert honest.name == "aggressive?bluff=0", "so it is told from the one that bluffs"


def test_an_honest_agent_is_as_repeatable_as_any() -> None:
    chance, one, other = random.Random(3), agents.load("random-play?bluff=0", 5), agents.load("random-play?bluff=0", 5)
    for game in positions(Game(RULES["classic"], chance.randrange(99)), 1):
        if game.over:
            break
        row, mask = game.observe(game.to_move, "uint8"), game.action_mask()
        assert one.act(row, mask) == other.act(row, mask)
    one.reset(9)
    other.reset(9)
    rows, masks = np.stack([row] * 20), np.stack([mask] * 20)
    assert one.act_batch(rows, masks).tolist() == other.act_batch(rows, masks).tolist()
