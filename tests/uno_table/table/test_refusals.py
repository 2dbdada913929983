"""What the forms of the pages can lead to is refused in one sentence that a browser can say in another language."""

import pytest

from tests.helpers.phrases import english
from uno_env import Rules
from uno_env.common.errors import NotAllowedError
from uno_env.common.phrases import Phrase, plain_values
from uno_table.table.sentences import TABLE_SENTENCES, said_by
from uno_table.table.table_config import Setup, load_agents, rules_of

RLCARD = {"preset": "rlcard"}

RULES = [
    ({"hand_size": 0}, 4, "Cards to begin with: 0 is not allowed; choose a whole number from 1 to 64"),
    ({"hand_size": 6.5}, 4, "Cards to begin with: 6.5 is not allowed; choose a whole number from 1 to 64"),
    ({"target": None}, 4, "Points that end a match: None is not allowed; choose a whole number from 1 to 1000"),
    ({"deck": "r1 X9 w"}, 2, "'X9' is no card; write r, y, g or b and then a number, s, r or +2, or else w or w+4"),
    ({"deck": ""}, 2, "the deck has 0 cards, but 2 players with 7 cards each need 15, one of them to begin the "
     "discard pile"),
    ({"deck": "r1 " * 200}, 2, "the deck has 200 cards, and there is room for 128"),
    ({"deck": "r1 w w w w w w", "hand_size": 1, "first_card": "number", "dealer": "high_card"}, 2,
     "the highest number cannot choose the dealer with this deck: it needs a number card for each player, and two "
     "different numbers among them"),
    ({"deck": "w w w w w w w", "hand_size": 1, "first_card": "number"}, 2,
     "no card of this deck may be the first one, which is always a number"),
    ({"dealer": "fixed", "dealer_seat": 3}, 3, "the dealer cannot have seat 3; choose 0 to 2"),
    ({"reflexes": [1, None]}, 2, "for slow hands, give each player a whole number from 0 to 255"),
    ({"reflexes": [1, 2, 3]}, 2, "for slow hands, give 2 numbers, one for each player, and not all of them 0"),
    ({"reflexes": [0, 0]}, 2, "for slow hands, give 2 numbers, one for each player, and not all of them 0"),
    ({**RLCARD}, 3, "the procedure of RLCard needs Players: 2; begin with its rules"),
    ({**RLCARD, "jump_in": True}, 2, "the procedure of RLCard needs Jump-in: off; begin with its rules"),
    ({**RLCARD, "stacking": "any"}, 2, "the procedure of RLCard needs Stacking: off; begin with its rules"),
    ({**RLCARD, "illegal_action": "penalty"}, 2,
     "the procedure of RLCard does not know a penalty of two cards for a card that does not fit"),
    ({**RLCARD, "deck": "edition_2018"}, 2,
     "the procedure of RLCard does not know the special wilds; choose a deck without them"),
]  # fmt: skip

AGENTS = [
    ("gredy", "there is no agent 'gredy'; did you mean 'greedy'?"),
    ("%", "there is no agent '%'; choose one of the list, or write the path of a saved policy"),
    ("search:flt", "there is no agent 'search:flt'; did you mean 'search:flat'?"),
    ("zoo:qqqq", "there is no agent 'zoo:qqqq'; choose one of the list, or write the path of a saved policy"),
    ("rlcard:uno-rule-v1", "'rlcard:uno-rule-v1' plays by the rules of RLCard alone; begin with those"),
    ("greedy?bluf=1", "agent 'greedy?bluf=1' has no option 'bluf'; did you mean 'bluff'?"),
    ("zoo:any?speed=1", "agent 'zoo:any?speed=1' has no option 'speed'"),
    ("greedy?bluff=5", "an option of 'greedy?bluff=5' has a value that is not allowed: "),
    ("greedy?bluff", "'greedy?bluff' has the option 'bluff' without a value"),
    ("greedy?bluff=1&bluff=1", "'greedy?bluff=1&bluff=1' gives the option 'bluff' twice"),
    ("my_agents.py:Careful", "'my_agents.py:Careful' is code, which a table loads only if the command that started the "
     "server names it"),
    ("chat:http://localhost:1/v1?model=x", "'chat:http://localhost:1/v1?model=x' calls an address, which a table does "
     "only if the command that started the server names it"),
    ("cheat:flat", "'cheat:flat' sees all hands: it may not sit with people, nor give hints"),
    ("zoo:rlcard-2p", "'zoo:rlcard-2p' was trained for other rules"),
    ("runs/gone/policy.safetensors", "'runs/gone/policy.safetensors' is no policy that can be used: "),
]  # fmt: skip


def refused(do):
    """The English of the phrase with which something is refused; it is a ValueError as ever."""
    with pytest.raises(ValueError, match=r"^[^\n]+$") as caught:
        do()
    said = said_by(caught.value)
    assert isinstance(said, Phrase)
    assert said == str(caught.value), "in Python it reads as it was raised"
    assert said.key in TABLE_SENTENCES.texts
    return english(plain_values(said))


@pytest.mark.parametrize(("values", "players", "said"), RULES)
def test_rules_of_the_form_that_cannot_be(values, players, said):
    assert refused(lambda: rules_of(values, players)) == said


def test_an_error_without_a_code_is_told_as_it_is():
    assert said_by(ValueError("two\nlines")) == "two lines"
    assert said_by(NotAllowedError("nobody knows this", "of another package", number=3)) == "nobody knows this"


@pytest.mark.parametrize(("spec", "said"), AGENTS)
def test_agents_of_the_form_that_cannot_be(spec, said):
    rules = Rules(players=2)
    assert refused(lambda: load_agents(Setup((None, spec), rules), trusted=())).startswith(f"seat 2: {said}")
    setup = Setup((None, "greedy"), rules, adviser=spec)
    assert refused(lambda: load_agents(setup, trusted=())).startswith(f"who gives hints: {said}")
