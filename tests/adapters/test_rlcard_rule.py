"""``rlcard-rule`` against RLCard's own rule player, move by move in games that both libraries play side by side."""

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

import agents
from tests.adapters.test_rlcard import CLASSIC, THEIR_ACTIONS, _card, _play
from uno_env import Game, Rules
from uno_env.actions import NUM_ACTIONS, wild_action
from uno_env.cards import FIRST_WILD, NUM_COLOURS, WILD_DRAW_FOUR, parse_cards

models = pytest.importorskip(
    "rlcard.models.uno_rule_models", reason="RLCard is not installed: pip install -c constraints.txt '.[bench]'"
)
pytestmark = pytest.mark.adapters

RULES = Rules.preset("rlcard")
DRAW_FOURS = range(wild_action(WILD_DRAW_FOUR, 0), wild_action(WILD_DRAW_FOUR, 0) + NUM_COLOURS)
TIMES = 200


def _theirs(hand: list[str], legal: list[str]) -> int:
    """What RLCard's rule player does with a hand and legal actions in RLCard's words."""
    return THEIR_ACTIONS[models.UNORuleAgentV1().step({"raw_legal_actions": legal, "raw_obs": {"hand": hand}})]


def _ours(game: Game, times: int, seed: int = 0) -> Counter[int]:
    """How often ``rlcard-rule`` does what, asked ``times`` times."""
    rows = np.repeat(game.observe(game.to_move, "uint8")[None], times, axis=0)
    masks = np.repeat(game.action_mask()[None], times, axis=0)
    return Counter(agents.load("rlcard-rule", seed=seed).act_batch(rows, masks).tolist())


def test_in_every_state_of_a_game_it_may_do_what_theirs_does(monkeypatch: pytest.MonkeyPatch) -> None:
    np.random.seed(5)  # noqa: NPY002 (RLCard's rule player draws from it)
    seen: Counter[str] = Counter()

    def choose(game: Game, theirs: Any) -> int:
        state = theirs.get_state(theirs.get_player_id())
        action = _theirs(state["hand"], list(state["legal_actions"]))
        ours = _ours(game, TIMES)
        assert action in ours
        seen["certain" if len(ours) == 1 < len(game.legal_actions()) else "open" if len(ours) > 1 else "forced"] += 1
        seen["draw four"] += action in DRAW_FOURS
        return action

    for seed in range(60):
        order = random.Random(seed).sample(CLASSIC, len(CLASSIC))
        _play(order, RULES, seed, monkeypatch, choose)
    assert min(seen[name] for name in ("certain", "open", "forced", "draw four")) > 20


def _game_with(hand: str) -> Game:
    """A game whose player to move holds a hand, on a red 9."""
    cards = parse_cards(hand)
    for place in range(2):
        blocks = [hand, " ".join(f"y{number}" for number in range(1, len(cards) + 1))]
        game = Game(RULES.replace(hand_size=len(cards)), deck=" ".join([blocks[place], blocks[1 - place], "r9"]))
        if sorted(cards) == game.hand(game.to_move):
            return game
    raise AssertionError("nobody holds the hand")


@pytest.mark.parametrize(
    "hand",
    ["r1 r1 r2 g9 w b1 b2", "w w g1 g2 b3 b4 g7", "w+4 g1 g2 b3 b4 g5 b6", "rs g9 b9 b9 w w w+4", "w+4 w+4 w+4"],
)
def test_it_does_each_thing_as_often_as_theirs(hand: str) -> None:
    np.random.seed(6)  # noqa: NPY002
    game = _game_with(hand)
    legal = {action: text for text, action in THEIR_ACTIONS.items()}
    cards = parse_cards(hand)
    fitting = [kind for kind in cards if kind in game.legal_actions() and kind < FIRST_WILD]
    texts = [legal[kind] for kind in fitting] + [legal[a] for a in game.legal_actions() if a >= FIRST_WILD]
    chance, theirs, times = random.Random(7), Counter[int](), 4_000
    for _ in range(times):
        held = [_card(kind) for kind in chance.sample(cards, len(cards))]
        for card in held:
            if card.type == "wild":
                card.color = chance.choice("rygb")  # what it was made with, or last declared
        theirs[_theirs([card.get_str() for card in held], texts)] += 1
    ours = _ours(game, times)
    for action in range(NUM_ACTIONS):
        assert abs(ours[action] - theirs[action]) < 6 * (times / 2) ** 0.5
