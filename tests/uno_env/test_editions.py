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

ROOT = Path(uno_env.__file__).parents[1]
COLOURS = (("black", "k"), ("white", "i"))
_OF_COLOUR = (("1", "1", "none", 0, 1), ("2", "2", "none", 0, 2), ("d3", "Draw Three", "draw", 3, -1))
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
        Face("wsh", "Wild Shuffle Hands", NO_COLOUR, "shuffle", "shuffle_hands", points=30),
    ),
    decks={"tiny": (4, 4, 3, 4, 4, 3, 2)},
    most_cards=30,
    pairs=("k1", "i1"),
)
"""Two colours, two numbers, a Draw Three, and a wild that shuffles hands."""


@pytest.fixture(autouse=True)
def _with_tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EDITIONS, TINY.name, TINY)


def tiny_rules(**switches: object) -> Rules:
    return Rules(deck="tiny", players=3, hand_size=4, double_play=True, stacking="same", **switches)  # type: ignore[arg-type]


def test_an_edition_has_actions_and_columns_of_its_own() -> None:
    rules = tiny_rules()
    assert (rules.edition, Rules().edition) == ("tiny", "classic")
    assert actions.texts(rules)[:10] == ("k1", "k2", "kd3", "i1", "i2", "id3", "wsh:k", "wsh:i", "k1x2", "i1x2")
    assert actions.texts() == actions.texts(Rules()) == actions.ACTION_TEXTS
    assert observation.layout(rules)["hand"].width == 7
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
