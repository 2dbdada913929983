"""An adviser's opinion of games that were played: ``uno replay --adviser``."""

import random
import re

import numpy as np
import pytest

from agents.scripted.agent import ScriptedAgent
from tests.helpers.playing import lively_action
from uno_env import Game, Rules
from uno_env import actions as catalogue
from uno_env.player import Player
from uno_env.replay import Note, Replay
from uno_table.opinions import advise, differences, load_adviser, review_lines


def played_out(rules, seed=1, players=2, hands=1):
    game, chance = Game(rules, seed=seed, players=players, match=hands > 1), random.Random(seed)
    while not game.over and game.hands_played < hands:
        game.step(lively_action(game, chance))
    return game


class Witness(Player):
    """Keeps all that it is shown, and is for drawing by two thirds."""

    name = "witness"

    def __init__(self):
        self.shown = []

    def probabilities(self, observations, action_masks, histories=None):
        self.shown.append(np.array(observations))
        chances = np.where(np.arange(action_masks.shape[1]) == catalogue.DRAW, 2.0, 0.01) * action_masks
        return (chances / chances.sum(1, keepdims=True)).astype(np.float32)

    def values(self, observations, histories=None):
        return np.full(len(observations), 0.5, np.float32)


class Rememberer(Player):
    """Remembers how often it was asked in the hand."""

    name, state_size = "rememberer", 1

    def __init__(self):
        self.asked = []

    def act_recurrent(self, observations, action_masks, states, histories=None):
        self.asked.append(int(states[0, 0]))
        states += 1
        return action_masks.argmax(1)


def test_an_adviser_sees_what_the_seat_saw_and_no_more():
    game, witness = played_out("classic", players=3), Witness()
    advice = advise(witness, game, [1])
    past, seen = game.start(), []
    for action, note in zip(game.history, advice.notes, strict=True):
        assert (note is not None) is (past.to_move == 1)
        if note is not None:
            seen.append(past.observe(1, "uint8"))
            assert set(note.probabilities) == set(past.legal_actions())
            assert note.value == 0.5
        past.step(action)
    assert np.array_equal(np.concatenate(witness.shown), seen)
    assert game.to_json() == played_out("classic", players=3).to_json(), "the game stays as it is"


def test_the_largest_differences_come_first():
    game = played_out("classic", seed=4)
    advice = advise(Witness(), game, range(2))
    found = differences(game, advice)
    gaps = [each.best_share - each.share for each in found]
    assert gaps == sorted(gaps, reverse=True)
    assert min(gaps) > 0
    otherwise = [
        index
        for index, (action, note) in enumerate(zip(game.history, advice.notes, strict=True))
        if note.probabilities.get(action, 0) < max(note.probabilities.values())
    ]
    assert sorted(each.index for each in found) == otherwise
    lines = review_lines(Replay.of(game, ["Ann", "Bob"]), advice)
    assert lines[0] == f"Witness would have played otherwise at {len(found)} of {len(game.history)} decisions:"
    assert re.fullmatch(r" *\d+\. (Ann|Bob): [\w ,]+; Witness would draw \(\d+% against \d+%\)", lines[1])


def test_an_adviser_without_probabilities_says_what_it_would_do():
    game = played_out("duel", seed=3)
    advice = advise(load_adviser("greedy", game.rules), game, [0])
    past = game.start()
    greedy = ScriptedAgent("greedy", 0)
    for action, note in zip(game.history, advice.notes, strict=True):
        if note is not None:
            assert note == Note({greedy.act(past.observe(0, "uint8"), past.action_mask()): 1.0}, None)
        past.step(action)
    assert "%" not in "".join(review_lines(Replay.of(game), advice))


def test_an_adviser_that_remembers_begins_each_hand_anew_and_knows_its_own_seat_alone():
    rules = Rules(players=2, hand_size=3, target=1_000)
    game, adviser = played_out(rules, seed=5, hands=2), Rememberer()
    advise(adviser, game, range(2))
    past, counts, wanted = game.start(), {}, []
    for action in game.history:
        key = past.hands_played, past.to_move
        wanted.append(counts.get(key, 0))
        counts[key] = wanted[-1] + 1
        past.step(action)
    assert adviser.asked == wanted


def test_the_zoo_names_the_policy_for_the_rules():
    assert load_adviser("zoo", Rules.preset("duel", players=2)).name == "zoo:duel-2p"
    assert load_adviser("zoo", Rules.preset("classic", players=7)).name == "zoo:any"
    with pytest.raises(ValueError, match="sees all hands"):
        load_adviser("cheat:flat", Rules.preset("duel", players=2))
    with pytest.raises(ValueError, match="unknown agent 'gredy'"):
        load_adviser("gredy", Rules.preset("duel", players=2))
