"""Phrases are English texts that can be said again from what they are made of."""

import json
import random

import pytest

from tests.helpers.phrases import english
from tests.helpers.playing import positions
from tests.helpers.random_rules import random_flip_rules, random_no_mercy_rules, random_rules
from uno_env import Game
from uno_env.common.phrases import Phrase, plain_values
from uno_env.editions import edition_for
from uno_env.render.sentences import CATALOGUE, Sentences
from uno_env.render.view import view_of


@pytest.mark.thorough
@pytest.mark.parametrize("chosen", [random_rules, random_no_mercy_rules, random_flip_rules])
def test_whatever_happens_can_be_said_again(chosen):
    keys = set()
    for seed in range(40):
        chance = random.Random(seed)
        game = Game(chosen(chance), seed)
        names, you = [f"P{seat}" for seat in range(game.players)], chance.randrange(game.players)
        sentences = Sentences(names, you, edition_for(game.rules))
        for position in positions(game, seed):
            told = len(position.events)
            texts = [sentences.event(event) for event in position.events[-1:]]
            if told < 60 or told % 20 == 0 or position.over:  # a view reads all events
                texts.append(sentences.situation(view_of(position, sentences.you)))
            asked = position.to_move, position.phase, position.side
            texts += [sentences.choice(action, *asked) for action in position.legal_actions()]
            for text in texts:
                values = json.loads(json.dumps(plain_values(text)))
                assert english(values) == str(text)
                keys |= {text.key, *(part.key for part in text.arguments.values() if isinstance(part, Phrase))}
    assert len(keys) > 20


def test_a_phrase_is_a_text_with_the_form_that_fits():
    one, many = CATALOGUE.phrase("cards", number=1), CATALOGUE.phrase("cards", number=3)
    assert (one, many) == ("1 card", "3 cards")
    drawn = CATALOGUE.phrase("draws", form="you", who=CATALOGUE.phrase("you"), cards=many)
    assert drawn == "you draw 3 cards"
    assert plain_values([drawn, "Ann"]) == [
        {
            "phrase": "draws",
            "form": "you",
            "who": {"phrase": "you"},
            "cards": {"phrase": "cards", "number": 3},
        },
        "Ann",
    ]


def test_a_text_that_is_not_there_or_lacks_an_argument_is_an_error():
    with pytest.raises(KeyError):
        CATALOGUE.phrase("nothing")
    with pytest.raises(KeyError):
        CATALOGUE.phrase("may_catch", who="Ann")
