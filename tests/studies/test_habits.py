"""Habits imposed on players: what they leave, and what is known of their worth."""

import numpy as np
import pytest

from studies.advice.pieces import ADVICE
from studies.habits import (
    COLOUR,
    FOURS,
    IS_WILD,
    KIND,
    POINTS,
    HabitPlayer,
    active_held,
    always_bluff,
    always_challenge,
    can_bluff,
    held,
    never_bluff,
    never_challenge,
    next_held,
    no_habit,
    play_table,
    point_margins,
    previous_seen,
    restricted,
)
from train.evaluation.duplicate import agent_scores
from train.evaluation.estimate import Estimate
from uno_env import BatchedGames, Rules
from uno_env.actions import ACCEPT, CHALLENGE, DRAW, catalogue


def test_kinds_and_colours_of_actions_are_those_of_the_catalogue() -> None:
    assert np.array_equal(KIND, catalogue().kinds[:DRAW])
    assert np.array_equal(COLOUR, catalogue().colours[:DRAW])


CLASSIC = Rules.preset("classic", players=2)


@pytest.fixture(scope="module", params=[2, 3])
def played(request: pytest.FixtureRequest) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows and masks of many decisions, and the games behind them."""
    batch = BatchedGames(256, CLASSIC.replace(players=request.param), seed=3, obs_dtype="uint8")
    rows, masks, _ = batch.reset()
    kept = []
    for _ in range(60):
        kept.append((rows.copy(), masks.copy(), batch.games.copy()))
        rows, masks, *_ = batch.step(batch.sample_actions())
    rows, masks, games = (np.concatenate(each) for each in zip(*kept, strict=True))
    return rows, masks, games


@pytest.mark.parametrize("name", [*ADVICE, "never bluff", "always bluff", "never challenge", "always challenge"])
def test_a_habit_leaves_some_of_the_legal_actions_and_has_a_say(name: str, played: tuple[np.ndarray, ...]) -> None:
    rows, masks, _ = played
    bluffing = {
        "never bluff": never_bluff,
        "always bluff": always_bluff,
        "never challenge": never_challenge,
        "always challenge": always_challenge,
    }
    before = rows.copy(), masks.copy()
    left = restricted(ADVICE[name][1] if name in ADVICE else bluffing[name], rows, masks)
    assert ((left != 0) <= (masks != 0)).all()
    assert left.any(axis=1).all()
    assert (left != masks).any()
    assert (rows == before[0]).all()
    assert (masks == before[1]).all()


def test_habits_leave_what_they_say(played: tuple[np.ndarray, ...]) -> None:
    rows, masks, _ = played
    left = {name: restricted(habit, rows, masks)[:, :DRAW] != 0 for name, (_, habit) in ADVICE.items()}
    cards = masks[:, :DRAW] != 0
    coloured = (cards & ~IS_WILD).any(axis=1)
    assert not (left["wilds kept"][coloured] & IS_WILD).any()
    assert (left["wilds spent"] == np.where((cards & IS_WILD).any(axis=1)[:, None], cards & IS_WILD, cards)).all()
    most = np.where(cards, POINTS, -1).max(axis=1, keepdims=True)
    assert (left["highest points first"] == (cards & (most == POINTS))).all()
    assert (left["highest points first, wilds apart"] & IS_WILD == cards & IS_WILD).all()
    drawn = (masks[:, DRAW] != 0) & cards.any(axis=1) & ~coloured & (held(rows) > 2)
    assert drawn.any()
    assert not left["draw to keep a wild"][drawn].any()
    assert (left["draw to keep a wild"][~drawn] == cards[~drawn]).all()
    few = next_held(rows) == 1
    assert (left["attack at one card"][~few] == cards[~few]).all()
    assert (left["attack at one card"][few] != cards[few]).any()


def test_what_is_read_of_rows_is_what_the_games_hold(played: tuple[np.ndarray, ...]) -> None:
    rows, masks, games = played
    index = np.arange(len(games))
    mover, colour = games["to_move"].astype(int), games["colour"].astype(int)
    hands = games["seats"]["hand"].astype(int)
    sizes = hands.sum(axis=2)
    assert (held(rows) == sizes[index, mover]).all()
    step = np.where(games["direction"].astype(int) > 0, 1, -1)
    seats = int((sizes > 0).any(axis=0).sum())
    assert (next_held(rows) == sizes[index, (mover + step) % seats]).all()
    turn = (masks[:, FOURS].any(axis=1)) & (colour >= 0) & (colour < 4)
    of_colour = hands[:, :, :52].reshape(len(games), -1, 4, 13).sum(axis=3)[index, mover, np.clip(colour, 0, 3)]
    assert (active_held(rows)[turn] == of_colour[turn]).all()
    assert (can_bluff(rows, masks)[turn] == (of_colour > 0)[turn]).all()
    challenges = masks[:, CHALLENGE] != 0
    assert challenges.any()
    assert (previous_seen(rows)[challenges] > 0).any()


class Asked:
    """A player that takes the first legal action when it is asked first, and then the last one."""

    def __init__(self) -> None:
        self.name, self.history, self.calls = "asked", 0, []

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        self.calls.append(len(observations))
        masks = np.asarray(action_masks)
        return masks.argmax(axis=1) if len(self.calls) == 1 else masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


def test_a_player_is_asked_again_only_where_its_habit_forbids_what_it_chose(played: tuple[np.ndarray, ...]) -> None:
    rows, masks, _ = played
    free = masks.argmax(axis=1)
    left = restricted(ADVICE["wilds spent"][1], rows, masks)
    changed = left[np.arange(len(rows)), free] == 0
    asked = Asked()
    player = HabitPlayer(asked, ADVICE["wilds spent"][1])
    chosen = player.act_batch(rows, masks)
    assert (chosen[~changed] == free[~changed]).all()
    assert left[changed, DRAW].any(), "drawing is left to the player"
    assert IS_WILD[chosen[changed]].all(), "but who would lay a card lays one still"
    assert [len(rows), changed.sum()] == asked.calls
    assert player.changed == changed.sum() > 0
    assert player.decisions == (masks.sum(axis=1) > 1).sum()


def gain(name: str, deals: int, of: int = 0) -> Estimate:
    played, seating, _ = play_table("tuned", "tuned", CLASSIC, deals, of, (ADVICE[name][1], no_habit))
    return Estimate.of(agent_scores(played, seating).reshape(deals, 2).mean(axis=1)) - 0.5


def test_drawing_though_one_could_play_loses() -> None:
    for name in ("draw now and then", "draw to keep a wild", "wilds spent"):
        assert gain(name, 1_000).high < -0.03, name


def test_equals_share_the_points() -> None:
    played, seating, player = play_table("tuned", "tuned", CLASSIC, 500, 0, (no_habit, no_habit))
    margin = Estimate.of(point_margins(played, seating).reshape(500, 2).mean(axis=1))
    assert margin.low < 0 < margin.high
    assert (np.abs(point_margins(played, seating)) == played.points.sum(axis=1)).all()
    assert player.changed == 0 < player.decisions


def test_habits_of_both_sides_are_imposed() -> None:
    """Nobody challenges who may not, and a Wild Draw Four is laid at once by who always bluffs."""
    seen: list[tuple[int, int]] = []

    def spy(rows: np.ndarray, masks: np.ndarray) -> np.ndarray:
        seen.append((int(masks[:, ACCEPT].sum()), int(can_bluff(rows, masks).sum())))
        return never_challenge(rows, masks)

    _, _, player = play_table("tuned", "tuned", CLASSIC, 200, 0, (always_bluff, spy))
    assert sum(number for number, _ in seen) > 100, "the others were never asked to accept"
    assert player.changed > 50
