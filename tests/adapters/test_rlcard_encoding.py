"""``encoding="rlcard"`` against the observations of RLCard's own environment, in positions of its own games."""

from typing import Any

import numpy as np
import pytest

from tests.adapters.test_rlcard import LETTERS, _kind
from uno_env import Game, Rules
from uno_env.cards import FIRST_WILD, NUM_KINDS
from uno_env.encodings import ObservationForm

rlcard = pytest.importorskip("rlcard", reason="RLCard is not installed: pip install -c constraints.txt '.[bench]'")
pytestmark = pytest.mark.adapters

FORM = ObservationForm(Rules.preset("rlcard"), "uint8", "rlcard")


def ours(env: Any, seat: int) -> Any:
    """Our planes of a game in which the seat holds the same cards, and the same card is to be matched."""
    game = Game("rlcard")
    record, target = game._array[0], env.game.round.target
    record.seats["hand"][seat] = np.bincount([_kind(card) for card in env.game.players[seat].hand], minlength=NUM_KINDS)
    record.top, record.colour = _kind(target), LETTERS.index(target.color)
    return FORM.of(game.observe(seat, "uint8")[None])[0]


def test_it_is_what_rlcard_shows_but_for_the_colour_of_a_wild_on_top() -> None:
    env = rlcard.make("uno", config={"seed": 3})
    same = bug = 0
    for _ in range(60):
        state, seat = env.reset()
        while not env.is_over():
            theirs, planes, target = state["obs"], ours(env, seat), env.game.round.target
            assert np.array_equal(theirs[:3], planes[:3])
            wild = _kind(target) >= FIRST_WILD
            assert wild or np.array_equal(theirs[3], planes[3])
            same += np.array_equal(theirs[3], planes[3])
            if not np.array_equal(theirs[3], planes[3]):
                bug += 1
                made, declared = target.str[0], target.color
                assert made != declared
                assert theirs[3].argmax() // 15 == "rgby".index(made)
                assert planes[3].argmax() // 15 == "rgby".index(declared)
            legal = list(state["legal_actions"])
            state, seat = env.step(legal[int(env.np_random.randint(len(legal)))])
    assert same > 500
    assert bug > 50
