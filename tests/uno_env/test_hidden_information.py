"""GUIDE.md 12: nothing hidden reaches an observation, a mask, an info, a player's rendering or an error text.

What is told of the past, in renderings and in the option ``history``, is in test_hidden_history.py.
"""

import itertools
import pickle
import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.helpers.playing import lively_action
from tests.helpers.random_rules import random_flip_rules, random_no_mercy_rules, random_rules
from tests.helpers.records import as_in_batch, known_to
from tests.helpers.twins import twin
from uno_env import BatchedGames, Game, Rules, raw_env
from uno_env.actions import texts
from uno_env.core.record import ALL_PHASE_NAMES, JUMP_IN
from uno_env.encodings import ObservationForm
from uno_env.events import player_name
from uno_env.render import ansi

TABLES: list[tuple[str | Rules, int]] = [
    *itertools.product(("duel", "classic", "house"), (2, 3, 5, 10)),
    *itertools.product(("edition_2018", "guide_001", "guide_003", "h2o"), (3, 6)),
    ("rlcard", 2),
    *itertools.product(("no_mercy", "flip"), (2, 4, 10)),
    *(
        (draw(random.Random(players), players=players, illegal_action="raise"), players)
        for draw in (random_rules, random_no_mercy_rules, random_flip_rules)
        for players in (2, 3, 4, 5, 7, 10)
    ),
]


def outputs(env: Any, game: Game, seat: int) -> dict[str, Any]:
    """Everything that ``seat`` is told while the environment is in the state of ``game``."""
    played, env.game = env.game, game
    agent = player_name(seat)
    seen = env.observe(agent)
    told = {
        "observation": seen["observation"].tobytes(),
        "integers": game.observe(seat, "uint8").tobytes(),
        "planes": ObservationForm(game.rules, encoding="planes").of(game.observe(seat, "uint8")[None]).tobytes(),
        "mask": seen["action_mask"].tobytes(),
        "info": dict(env.infos[agent]),
        "reward": env.rewards[agent],
    }
    told |= {"environment's rendering": env.render(), "rendering": ansi(game, seat)}
    if game.to_move == seat:
        told["last"] = pickle.dumps(env.last())
        told["error"] = [_error(game, action) for action in (*_illegal(game), len(texts(game.rules)), "r5 please")]
        told["batch"] = [array.tobytes() for array in _batch_view(game)]
    env.game = played
    return told


def leaks(env: Any, seat: int, chance: np.random.Generator) -> list[str]:
    """Names of the outputs to ``seat`` that differ between the state and a twin of it."""
    env.render_seat = seat
    mine = outputs(env, env.game, seat)
    twins = outputs(env, twin(env.game, seat, chance), seat)
    return [output for output, value in mine.items() if value != twins[output]]


def _illegal(game: Game) -> list[int]:
    return np.flatnonzero(game.action_mask() == 0)[:: len(texts(game.rules)) // 4].tolist()


def _error(game: Game, action: int | str) -> str:
    with pytest.raises(ValueError) as caught:
        game.step(action)
    return str(caught.value)


@cache
def _batch(rules: Rules) -> BatchedGames:
    batch = BatchedGames(1, rules)
    batch.reset()
    return batch


def _batch_view(game: Game) -> tuple[Any, ...]:
    batch = _batch(game.rules)
    state = batch.get_state()
    state["games"][0] = np.frombuffer(as_in_batch(game, batch), batch.games.dtype)[0]
    return batch.set_state(state)


def samples(
    rules: str | Rules, players: int, share: float, hands: int = 4
) -> Iterator[tuple[Any, np.random.Generator]]:
    """Environments in sampled states of random hands; in each hand the first and the last state too."""
    env = raw_env(rules, players=players, render_mode="ansi")
    chance = np.random.default_rng(players)
    for seed in range(hands):
        env.reset(seed=seed)
        player = random.Random(seed)
        yield env, chance
        while not env.game.over:
            env.step(lively_action(env.game, player))
            if env.game.over or chance.random() < share / (1 + len(env.game.history) // 100):
                yield env, chance


def _name(value: Any) -> str:
    return "by chance" if isinstance(value, Rules) else str(value)


def _is_short(rules: str | Rules, players: int) -> bool:
    """A few tables of each edition, with few players and with many."""
    named = {("duel", 2), ("house", 5), ("guide_003", 3), ("rlcard", 2), ("no_mercy", 4), ("flip", 2)}
    return (players, rules.edition) == (4, "classic") if isinstance(rules, Rules) else (rules, players) in named


LONG_HANDS = pytest.mark.filterwarnings("ignore:hands take more than 500 decisions")
"""Of some rules by chance they do."""


@LONG_HANDS
@pytest.mark.parametrize(
    ("rules", "players"),
    [pytest.param(*table, marks=[] if _is_short(*table) else pytest.mark.thorough) for table in TABLES],
    ids=_name,
)
def test_nothing_hidden_is_told(rules: str | Rules, players: int) -> None:
    for env, chance in samples(rules, players, share=0.15):
        for seat in {max(env.game.to_move, 0), int(chance.integers(players))}:
            assert leaks(env, seat, chance) == []


@pytest.mark.thorough
@LONG_HANDS
def test_samples_cover_what_could_leak() -> None:
    """The states looked at have every phase, known cards and bluffs, and their twins differ in all that is hidden."""
    seen: set[str] = set()
    for rules, players in TABLES:
        for env, chance in samples(rules, players, share=0.15):
            record = env.game.record
            other = twin(env.game, 0, chance).record
            seen.add(env.game.phase)
            seen |= {"known"} if record.knows else set()
            seen |= {"bluff"} if record.bluffed else set()
            seen |= {"hands"} if (record.seats["hand"] != other.seats["hand"]).any() else set()
            seen |= {"pile"} if (record.pile != other.pile).any() else set()
            seen |= {"rng"} if record.rng != other.rng else set()
            seen |= {"guilt"} if record.bluffed != other.bluffed else set()
            used = slice(int(record.pile_next))
            seen |= {"used pile"} if (record.pile[used] != other.pile[used]).any() else set()
            others = [known_to(each, 1, players) for each in (record, other)]
            seen |= {"others' knowledge"} if (others[0] != others[1]).any() else set()
            seen |= {"asked"} if record.phase == JUMP_IN and record.to_move != other.to_move else set()
    hidden = {"hands", "pile", "used pile", "rng", "guilt", "others' knowledge", "asked"}
    assert seen == {*ALL_PHASE_NAMES, "known", "bluff", *hidden}
