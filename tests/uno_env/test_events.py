"""Events of Flip say which side counts, and when everything is turned over (GUIDE.md 14.1)."""

import random
from itertools import pairwise

from tests.helpers.playing import lively_action
from uno_env import Game, Rules
from uno_env.editions.flip import FLIP
from uno_env.events import events_seen_by
from uno_env.render.sentences import Sentences, describe


def test_events_know_the_side_and_the_turn_of_everything() -> None:
    turned, first = 0, 0
    for seed in range(12):
        game, chance = Game(Rules.preset("flip", players=3, jump_in=seed % 2 == 1), seed), random.Random(seed)
        sides = [game.side]
        while not game.over and len(sides) < 400:
            game.step(lively_action(game, chance))
            sides.append(game.side)
        events = game.events
        assert [event.side for event in events] == sides
        assert [event.turned for event in events[1:]] == [one != other for one, other in pairwise(sides)]
        assert events[0].turned == (sides[0] == 1)
        first += events[0].turned
        names = ["Ann", "Ben", "Cid"]
        for event in events_seen_by(events, 0):
            said = str(Sentences(names, 0, FLIP).event(event))
            assert ("all cards turn over, and" in said) == event.turned
            assert ("all cards turn over, and" in describe(event)) == event.turned
            assert "/" not in said or not event.legal, "of a card that lies, the face in force is told"
            turned += event.turned
    assert turned > 10
