"""Editions of cards: their own actions and columns, and a small one that is played without a change of the core."""

import random
import re
from pathlib import Path

import numpy as np
import pytest

import uno_env
from uno_env import BatchedGames, Game, Rules, actions, observation
from uno_env.editions import EDITIONS
from uno_env.editions.classic import CLASSIC
from uno_env.editions.edition import NO_COLOUR, Edition, Face
from uno_env.invariants import find_faults
from uno_env.text import prompt_for, read_answer, rules_text

ROOT = Path(uno_env.__file__).parents[1]
COLOURS = (("black", "k"), ("white", "i"))
_OF_COLOUR = (("1", "1", "none", 0, 1), ("rd3", "Reverse Draw Three", "reverse_draw", 3, -1))
TINY = Edition(
    name="tiny",
    colours=tuple(name for name, _ in COLOURS),
    letters="".join(letter for _, letter in COLOURS),
    kinds=(
        *(
            Face(letter + text, f"{name} {word}", colour, word, effect, demands, number, points=10)
            for colour, (name, letter) in enumerate(COLOURS)
            for text, word, effect, demands, number in _OF_COLOUR
        ),
        Face("wsh", "Wild Shuffle Hands", NO_COLOUR, "Wild Shuffle Hands", "shuffle_hands", points=30),
    ),
    decks={"tiny": (8, 3, 8, 3, 2)},
    most_cards=30,
    pairs=("k1", "i1"),
    mercy=True,
)
"""Five kinds of cards: two colours with a number and a coloured Reverse Draw Three, and a wild that shuffles hands."""


@pytest.fixture(autouse=True)
def _with_tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EDITIONS, TINY.name, TINY)


def tiny_rules(**switches: object) -> Rules:
    values = {
        "dealer": "random",
        "players": 3,
        "hand_size": 4,
        "mercy": 9,
        "double_play": True,
        "stacking": "same",
        **switches,
    }
    return Rules(deck="tiny", **values)  # type: ignore[arg-type]


def test_an_edition_has_actions_and_columns_of_its_own() -> None:
    rules = tiny_rules()
    assert (rules.edition, Rules().edition) == ("tiny", "classic")
    assert actions.texts(rules)[:8] == ("k1", "krd3", "i1", "ird3", "wsh:k", "wsh:i", "k1x2", "i1x2")
    assert actions.texts() == actions.texts(Rules()) == actions.ACTION_TEXTS
    assert observation.layout(rules)["hand"].width == 5
    assert observation.layout() == observation.layout(Rules()) == observation.LAYOUT


@pytest.mark.thorough
def test_a_small_edition_plays_without_a_fault_and_is_saved() -> None:
    rng, kinds_on_top = random.Random(1), set[int]()
    for seed in range(30):
        game = Game(tiny_rules(), seed=seed)
        while not game.over:
            assert find_faults(game.record, game.rules) == []
            kinds_on_top.add(int(game.record.top))
            assert len(game.observe(game.to_move)) == sum(
                part.width for part in observation.layout(game.rules).values()
            )
            game.step(rng.choice(game.legal_actions()))
        assert str(Game.from_json(game.to_json()).record) == str(game.record)
        assert sum(game.points) > 0 or game.end != "went_out"
    assert kinds_on_top == set(range(len(TINY.kinds)))


@pytest.mark.thorough
def test_a_batch_plays_a_small_edition() -> None:
    batch = BatchedGames(16, tiny_rules(), obs_dtype="uint8")
    _, mask, _ = batch.reset()
    hands = 0
    for _ in range(300):
        obs, mask, _, _, done = batch.step(batch.sample_actions())
        hands += int(done.sum())
    assert hands
    assert mask.shape[1] == len(actions.texts(batch.rules))
    hand = observation.layout(batch.rules)["hand"].columns
    assert (obs[:, hand].sum(1) > 0).all()
    assert np.isin(mask, (0, 1)).all()


@pytest.mark.thorough
def test_pettingzoo_plays_a_small_edition_in_spaces_of_its_size() -> None:
    rules, chance = tiny_rules(), random.Random(2)
    env = uno_env.env(rules)
    for seed in range(5):
        env.reset(seed=seed)
        for agent in env.agent_iter():
            seen, _, ended, cut, _ = env.last()
            assert env.observation_space(agent).contains(seen)
            assert env.action_space(agent).n == len(seen["action_mask"]) == len(actions.texts(rules))
            legal = np.flatnonzero(seen["action_mask"]).tolist()
            env.step(None if ended or cut else chance.choice(legal))


@pytest.mark.thorough
def test_a_small_edition_is_told_in_words_and_played_by_them() -> None:
    game, chance = Game(tiny_rules(), seed=4), random.Random(4)
    said = rules_text(game.rules, full=True)
    while not game.over:
        text = prompt_for(game)
        moves = [line.split()[1] for line in text.partition("Moves:\n")[2].splitlines()]
        assert moves == game.legal_names()
        named = chance.choice(moves)
        answer = read_answer(f"move: {named}", game.legal_actions(), game.rules)
        assert answer.action == actions.parse(named, game.rules)
        said += text
        game.step(answer.action)
    assert "Reverse Draw Three: the direction turns, then the next player draws 3 cards and misses a turn." in said
    assert "Wild Shuffle Hands: declares the colour; all hands are shuffled and dealt out again." in said
    assert "black" in said
    assert "white" in said


def test_effects_that_an_edition_names_exist() -> None:
    unknown = Face("r1", "red 1", 0, "1", "explode", number=1)
    edition = Edition("broken", ("red",), "r", (unknown,), {"broken": (30,)}, 30)
    EDITIONS["broken"] = edition
    try:
        with pytest.raises(ValueError, match="explode"):
            Rules(deck="broken", dealer="random").record  # noqa: B018
    finally:
        del EDITIONS["broken"]


def test_no_colour_and_no_symbol_is_computed_from_the_number_of_a_card() -> None:
    computed = re.compile(r"FIRST_WILD|RANKS_PER_COLOUR|% 13\b|// 13\b")
    folders = [ROOT / name for name in ("uno_env", "agents", "train", "tools", "studies", "examples")]
    paths = [path for folder in folders for path in folder.rglob("*.py")]
    found = [path for path in paths if computed.search(path.read_text("utf-8"))]
    assert [path.relative_to(ROOT).as_posix() for path in found] == ["uno_env/cards.py"]  # names for whoever asks


def test_the_classic_edition_is_what_it_was() -> None:
    assert (len(CLASSIC.kinds), CLASSIC.coloured, len(CLASSIC.symbols)) == (58, 52, 19)
    assert {name: sum(counts) for name, counts in CLASSIC.decks.items()} == {
        "classic": 108, "edition_2018": 112, "h2o": 112,
    }  # fmt: skip
