"""What models write is a move or a sentence: many forms of each move, no guessing, and any bytes."""

import json
import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import agents
from agents.scripted.dispatch import STRATEGIES
from tests.helpers.marks import ALL_PRESETS
from tests.helpers.playing import lively_action
from tests.helpers.random_rules import random_flip_rules, random_no_mercy_rules, random_rules
from uno_env import Game, Rules
from uno_env import actions as catalogue
from uno_env.editions import edition_for
from uno_env.editions.classic import CLASSIC
from uno_env.history import history_for
from uno_env.render.sentences import action_name
from uno_env.text import prompt_for, read_answer

LEGAL = [catalogue.parse(text) for text in ("r5", "r7", "gs", "b+2", "w:r", "w:g", "w+4:r", "r5x2", "draw")]
AGENTS = ("greedy", "tuned", "counter", "highest-points", "random-play")


NO_MERCY = Rules.preset("no_mercy")
FLIP = Rules.preset("flip")


def forms(action: int, legal: list[int], rules: Rules | None = None, side: int = 0) -> list[str]:
    """An action as models write it, with its card called by a side as in the prompt."""
    edition = CLASSIC if rules is None else edition_for(rules)
    name, words, number = catalogue.name(action, rules), action_name(action, edition, side), legal.index(action) + 1
    return [
        name,
        words,
        str(number),
        f"[{name}]",
        f"[{words}]",
        f"[{number}]",
        f"{number} {name}",
        f"{number}. {words}",
        f"**{words.upper()}**",
        f"Move: {name}",
        f"Answer: {number}",
        f"<think>I hold r1 and r2. Draw?</think>\n{words}.",
        f"The top card is red 3 and I could play blue 4.\n\nMove: {words}",
        f"I think about red 3, blue 4 or to draw.\n[{name}]",
        f"All things weighed, red 3 is best left alone.\n{name}",
        f"```json\n{json.dumps({'reason': 'keeps r1 and w+4:b', 'move': name})}\n```",
        json.dumps({"action": number}),
        json.dumps({"move": {"card": name}}),
    ]


def read(text: str | bytes, legal: list[int] = LEGAL, rules: Rules | None = None) -> str:
    """The text of the move that is read, or what is wrong."""
    answer = read_answer(text, legal, rules)
    assert (answer.action is None) == bool(answer.problem)
    return answer.problem if answer.action is None else catalogue.name(answer.action, rules)


@pytest.mark.parametrize(
    ("rules", "side", "others"),
    [
        (None, 0, ("r3", "w+4:y", "draw", "colour:r")),
        (NO_MERCY, 0, ("r3", "w+6:r", "draw", "colour:r")),
        (FLIP, 0, ("r1/ose", "w/t2:y", "draw", "colour:r")),
        (FLIP, 1, ("r1/ose", "r9/dwc:p", "draw", "colour:p")),
    ],
)
def test_every_action_in_every_form(rules: Rules | None, side: int, others: tuple[str, ...]) -> None:
    for action in range(catalogue.number_of(rules)):
        legal = sorted({action, *(catalogue.parse(other, rules) for other in others)})
        for text in forms(action, legal, rules, side):
            assert read(text, legal, rules) == catalogue.name(action, rules), text


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("wild draw six red", "w+6:r"),
        ("w+6 red", "w+6:r"),
        ("w+6", "w+6 needs its colour, as in w+6:r"),
        ("Wild +10, and I choose green", "w+10:g"),
        ("plus ten, declare blue", "w+10:b"),
        ("reverse draw four: yellow", "wr+4:y"),
        ("wr+4 blue", "wr+4:b"),
        ("wild reverse +4 (green)", "wr+4:g"),
        ("red draw four", "r+4"),
        ("Red +4", "r+4"),
        ("blue draw 2", "b+2"),
        ("discard all", "No clear move was found in the answer"),
        ("Green Discard-All", "gda"),
        ("yellow skip everyone", "yse"),
        ("yellow skip", "ys"),
        ("red reverse", "rr"),
        ("wild color roulette", "wcr"),
        ("the Roulette", "wcr"),
        ("I play the Wild Colour Roulette.", "wcr"),
        ("I name green", "colour:g"),
        ("[blue]", "colour:b"),
        ('{"color": "red"}', "colour:r"),
        ("challenge the wild draw card", "challenge"),
        ("two red 5s", "r5x2"),
        ("wild, red", "No clear move was found in the answer"),
        ("red draw four or red draw two", "The answer names more than one move (r+2 and r+4)"),
    ],
)
def test_forms_of_no_mercy(text: str, move: str) -> None:
    found = read(text, list(range(catalogue.number_of(NO_MERCY))), NO_MERCY)
    assert found.partition(". Answer")[0] == move


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("I'll play the red seven.", "r7"),
        ("play red-5", "r5"),
        ("Red 5!", "r5"),
        ("two red 5s", "r5x2"),
        ("Red 5 x2", "r5x2"),
        ("green skip", "gs"),
        ("blue +2", "b+2"),
        ("Blue Draw 2", "b+2"),
        ("wild, and I choose green", "w:g"),
        ("Wild (red)", "w:r"),
        ("play Wild → green", "w:g"),
        ("w red", "w:r"),
        ("Wild +4 red", "w+4:r"),
        ("wild draw four; declare red", "w+4:r"),
        ("I play the Wild. I declare green.", "w:g"),
        ('{"move": "wild", "color": "green"}', "w:g"),
        ('{"action": "play", "card": "w:g", "color": "green"}', "w:g"),
        ("draw a card", "draw"),
        ("\\boxed{r7}", "r7"),
        ("<answer>2</answer>", "r7"),
        ("option 2", "r7"),
        ("#2", "r7"),
        ("2) r7", "r7"),
        ("- r5", "r5"),
        ("Final answer: **red 5**", "r5"),
        ("The top card is blue. My red 7 would win later.\nred 5", "r5"),
        ("Options:\n- r5\n- r7\nMove: r7", "r7"),
        ("５", "w:r"),
        ("ｒ５", "r5"),
    ],
)
def test_forms_that_models_write(text: str, move: str) -> None:
    assert read(text) == move


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("r5 or r7", "The answer names more than one move (r5 and r7)"),
        ("[r5] [r7]", "The answer names more than one move (r5 and r7)"),
        ("Move: r5\nMove: 2", "The answer names more than one move (r5 and r7)"),
        ("2 r5", "The answer names more than one move (r5 and r7)"),
        ("- r5\n- r7", "The answer names more than one move (r5 and r7)"),
        ('{"move": "r5", "move": "r7"}', "The answer names more than one move (r5 and r7)"),
        ('{"move": "r5", "card": "r7"}', "The answer names more than one move (r5 and r7)"),
        ("I keep r5 and lay r7", "The answer names more than one move (r5 and r7)"),
        ("wild red or wild green", "The answer names more than one move (w:g and w:r)"),
        ("wild, red 5", "The answer names more than one move (r5 and w)"),
        ("I pass on red 5", "The answer names more than one move (pass and r5)"),
        ("I do not draw", "No clear move was found in the answer"),
        ("I won't play red 5", "No clear move was found in the answer"),
        ("", "No clear move was found in the answer"),
        ("hello", "No clear move was found in the answer"),
        ("play 5", "No clear move was found in the answer"),
        ("[-2]", "No clear move was found in the answer"),
        ("2.5", "No clear move was found in the answer"),
        ("<think>r5 it is", "The answer ends within the thoughts, before a move"),
        ("wild", "w needs its colour, as in w:r"),
        ("y9", "y9 cannot be done now"),
        ("two red skip", "rsx2 cannot be done now"),
        ("wsh", "wsh cannot be done now"),
        ("10", "There is no move number 10"),
        ("[0]", "There is no move number 0"),
    ],
)
def test_what_is_refused_is_told(text: str, problem: str) -> None:
    moves = ", ".join(f"{number} {catalogue.name(action)}" for number, action in enumerate(LEGAL, 1))
    assert read(text) == f"{problem}. Answer with one of these moves: {moves}."


def test_illegal_moves_are_told_from_unclear_ones() -> None:
    assert [read_answer(text, LEGAL).illegal for text in ("y9", "77", "r5 or r7", "hm")] == [True, True, False, False]


@pytest.mark.parametrize("seed", range(200))
def test_two_legal_moves_in_the_same_form_are_never_one(seed: int) -> None:
    chance = random.Random(seed)
    draw_rules = (random_rules, random_no_mercy_rules, random_flip_rules)[seed % 3]
    game = Game(draw_rules(chance, illegal_action="raise"), seed)
    for _ in range(chance.randrange(30)):
        if not game.over:
            game.step(lively_action(game, chance))
    legal = game.legal_actions()
    if len(legal) < 2:
        return
    one, other = chance.sample(legal, 2)
    in_forms = (forms(action, legal, game.rules, game.side) for action in (one, other))
    for first, second in zip(*in_forms, strict=True):
        if "think>" not in first and not first.startswith(("The top", "I think", "All things")):
            for text in (f"{first}\n{second}", f"{first} or {second}", f"{first}, {second}"):
                answer = read_answer(text, legal, game.rules)
                assert answer.action is None, (text, answer)


PIECES = st.sampled_from(
    ["r5", "[", "]", "{", "}", '"move":', "wild", "draw", "red", " 7", "\n", "<think>", "</think>", "swap",
     "3", "w+4:", "x2", "play ", "two ", "Answer: ", "\\boxed{", "jump in", "declare ",
     "\x00", "\u202e", "ﷺ", "−", "9" * 30, " " * 50]
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.one_of(st.text(max_size=400), st.binary(max_size=400), st.lists(PIECES, max_size=40).map("".join)))
def test_anything_is_a_move_or_a_sentence(text: str | bytes) -> None:
    answer = read_answer(text, LEGAL)
    if answer.action is None:
        assert answer.problem.endswith(".")
        assert len(answer.problem) < 400
    else:
        assert answer.action in LEGAL
        assert not answer.problem


@pytest.mark.parametrize(
    "piece",
    ["{", "[", "\n", "* ", "red ", "swap ", "wild and ", "answer is ", "<think>", "{\"a\":", "1", "my ", "my\n",
     "the \n", "final\u2028", "answer\n", "ﷺ", "r5 ", "\ud800"]
)  # fmt: skip
def test_floods_are_read_in_a_moment(piece: str) -> None:
    began = time.process_time()
    read_answer(piece * 200_000, LEGAL)
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize("decisions", [25, pytest.param(400, marks=pytest.mark.slow)])
@pytest.mark.parametrize("preset", ALL_PRESETS)
def test_agents_play_through_words_as_directly(preset: str, decisions: int) -> None:
    for players in range(2, 11) if preset != "rlcard" else (2,):
        try:
            rules = Rules.preset(preset, players=players)
        except ValueError:  # a deck that is too small for so many
            continue
        chance = random.Random(players)
        for agent_name in STRATEGIES if decisions > 100 else AGENTS[players % 4 :: 4]:
            direct, spoken = Game(rules, players), Game(rules, players)
            pair = [agents.load(agent_name, seed=7, rules=rules) for _ in range(2)]
            while not direct.over and len(direct.history) < decisions:
                actions = [
                    agent.act(
                        game.observe(game.to_move), game.action_mask(), *history_for(agent, game.events, game.to_move)
                    )
                    for agent, game in zip(pair, (direct, spoken), strict=True)
                ]
                direct.step(actions[0])
                assert prompt_for(spoken).count("\n") > len(spoken.legal_actions())
                text = chance.choice(forms(actions[1], spoken.legal_actions(), rules, spoken.side))
                answer = read_answer(text, spoken.legal_actions(), rules)
                assert answer.action is not None, (text, answer)
                spoken.step(answer.action)
            assert spoken.history == direct.history
            assert spoken.to_json() == direct.to_json()
