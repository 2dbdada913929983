"""The option ``encoding``: observations as planes, and as RLCard's planes, made of the row alone."""

import random
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from gymnasium.utils.env_checker import data_equivalence

from tests.helpers.marks import thorough
from tests.helpers.playing import lively_action, positions
from tests.helpers.random_rules import random_rules
from uno_env import BatchedGames, Game, Rules, encodings, raw_env
from uno_env.cards import CARD_TEXTS, FIRST_WILD, NUM_KINDS, RANKS_PER_COLOUR
from uno_env.core.observe.layout import LAYOUT, OBSERVATION_SIZE, scales_in
from uno_env.editions import edition_for
from uno_env.encodings import PLANES, ObservationForm

Array = npt.NDArray[Any]
TABLES = [
    "duel",
    "house",
    "no_mercy",
    "flip",
    *(random_rules(random.Random(seed), illegal_action="raise") for seed in range(4)),
]


def rows_of(rules: Any, seed: int = 1) -> Array:
    """Rows of all seats in all states of a hand, uint8 [N, D]."""
    game = Game(rules, seed=seed)
    rows = [state.observe(seat, "uint8") for state in positions(game, seed) for seat in range(game.players)]
    return np.stack(rows[:400])


def planes_of(rows: Array, obs_dtype: str = "uint8", rules: Rules | None = None) -> Array:
    return ObservationForm(rules or Rules(), obs_dtype, "planes").of(rows)


@pytest.mark.parametrize("rules", TABLES, ids=lambda rules: rules if isinstance(rules, str) else "by chance")
def test_planes_hold_every_column_of_the_row_and_nothing_else(rules: Any) -> None:
    rows, played = rows_of(rules), Game(rules).rules
    images, sources = planes_of(rows, rules=played), encodings.planes_of(edition_for(played)).sources
    for column in range(rows.shape[1]):
        assert (images[:, column == sources] == rows[:, column, None]).all()
        assert (column == sources).any()
    assert not images[:, sources < 0].any()
    floats = (rows * scales_in(edition_for(played)))[:, sources]
    assert np.array_equal(planes_of(rows, "float32", played), np.where(sources >= 0, floats, 0))


def test_cards_stand_at_their_colour_and_symbol() -> None:
    row = np.zeros((1, OBSERVATION_SIZE), np.uint8)
    row[0, LAYOUT["hand"].columns] = np.arange(1, NUM_KINDS + 1)
    hand = planes_of(row)[0, PLANES["hand"].start]
    for kind in range(FIRST_WILD):
        assert hand[divmod(kind, RANKS_PER_COLOUR)] == kind + 1
    assert (hand[:, RANKS_PER_COLOUR:] == np.arange(FIRST_WILD, NUM_KINDS) + 1).all()


def test_known_cards_have_a_plane_for_each_other_seat() -> None:
    row = np.zeros((1, OBSERVATION_SIZE), np.uint8)
    kind = CARD_TEXTS.index("g7")
    row[0, LAYOUT["known"].start + 4 * NUM_KINDS + kind] = 2
    marked = np.argwhere(planes_of(row)[0])
    assert marked.tolist() == [[PLANES["known"].start + 4, 2, 7]]


def naive_rlcard(game: Game, seat: int) -> Array:
    """RLCard's planes as its documentation and source describe them, from the game itself."""
    image, lines = np.zeros((4, 4, 15), int), {"r": 0, "g": 1, "b": 2, "y": 3}
    image[0] = 1
    for kind, held in enumerate(game.record.seats["hand"][seat].tolist()):
        where: Any = (slice(None), 13 + kind - FIRST_WILD) if kind >= FIRST_WILD else None
        where = where or (lines[CARD_TEXTS[kind][0]], kind % RANKS_PER_COLOUR)
        if held:
            image[0][where] = 0
            image[1 if kind >= FIRST_WILD else min(held, 2)][where] = 1
    top, colour = int(game.record.top), int(game.record.colour)
    trait = 13 + top - FIRST_WILD if top >= FIRST_WILD else top % RANKS_PER_COLOUR
    image[3, slice(None) if colour < 0 else lines["rygb"[colour]], trait] = 1
    return image


@pytest.mark.parametrize("rules", ["rlcard", "classic", "house", "mini"])
def test_rlcards_planes_are_those_of_an_encoder_written_plainly(rules: str) -> None:
    form = ObservationForm(Rules.preset(rules), "uint8", "rlcard")
    for seed in range(4):
        for state in positions(Game(rules, seed=seed), seed):
            seen = form.of(state.observe(0, "uint8")[None])[0]
            assert np.array_equal(seen, naive_rlcard(state, 0))


def test_a_first_wild_without_a_colour_is_marked_in_all_rows() -> None:
    rules = Rules(players=2, hand_size=1, deck="r1 r2 w b3")
    game = Game(rules, deck="r1 r2 w")
    assert game.phase == "first_colour"
    image = ObservationForm(rules, "uint8", "rlcard").of(game.observe(0, "uint8")[None])[0]
    assert image[3, :, 13].tolist() == [1, 1, 1, 1]
    assert image[3].sum() == 4


@pytest.mark.parametrize("obs_dtype", ["float32", "uint8"])
@pytest.mark.parametrize(
    ("encoding", "rules"),
    [
        ("planes", "house"), ("rlcard", "rlcard"), ("vector", "classic"),
        *thorough(("planes", "no_mercy"), ("planes", "flip"), ("vector", "flip")),
    ],
)  # fmt: skip
def test_a_batch_and_pettingzoo_give_the_same_form(encoding: str, rules: str, obs_dtype: str) -> None:
    chance = random.Random(1)
    batch = BatchedGames(3, rules, seed=5, threads=2, obs_dtype=obs_dtype, encoding=encoding)
    env = raw_env(rules, obs_dtype=obs_dtype, encoding=encoding)
    env.reset(seed=5)
    obs, _, seat = batch.reset()
    space = env.observation_space("player_0")
    assert (obs.dtype, obs.shape[1:]) == (space["observation"].dtype, space["observation"].shape)
    own = obs
    for _ in range(300):
        seen = env.observe(env.agent_selection)
        assert space.contains(seen)
        assert data_equivalence(seen["observation"], obs[0], exact=True)
        if env.game.over:
            break
        actions = batch.sample_actions().copy()
        actions[0] = action = lively_action(env.game, chance)
        obs, _, seat, _, done = batch.step(actions)
        assert obs is own
        env.step(action)
        if done[0]:
            break
        assert seat[0] == env.game.to_move


@pytest.mark.parametrize("encoding", ["planes", "rlcard"])
def test_deals_have_the_form(encoding: str) -> None:
    batch = BatchedGames(2, "duel", seed=5, encoding=encoding)
    rows = BatchedGames(2, "duel", seed=5, obs_dtype="uint8")
    for each in (batch, rows):
        each.reset()
    every, starts = np.arange(2), np.array([3, 4], np.uint64)
    form = ObservationForm(rows.rules, "float32", encoding)
    assert np.array_equal(batch.deal(every, starts)[0], form.of(rows.deal(every, starts)[0]))
