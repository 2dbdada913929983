"""Agents end on every input of the right shape, with a marked action or, where they search, with a sentence.

They play in a process of their own, so that a crash or an endless loop fails.
"""

import faulthandler
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import agents
from agents.scripted.agent import ScriptedAgent
from agents.scripted.dispatch import STRATEGIES
from agents.scripted.tuned_weights import FEATURES, SETS
from agents.search.search_agents import FlatAgent
from agents.search.search_options import FlatOptions
from uno_env import BatchedGames, Game, Rules
from uno_env.actions import DRAW, number_of, parse
from uno_env.observation import layout, number_of_columns

ROWS = 300
OTHERS = ("zoo:duel-2p", "zoo:house-4p?sample=1")
FORM = (len(SETS), len(FEATURES))
SEARCHES = ("search:flat?num_determinizations=2", "search:ismcts?sims=4", "search:pimc?num_determinizations=2&sims=4")


def impossible(preset: str) -> tuple[Any, Any]:
    """Rows of random bytes, of few other values and of games with a column changed; and masks of few actions."""
    chance, rules = np.random.default_rng(1), Rules.preset(preset, players=4)
    columns = number_of_columns(rules)
    rows = chance.integers(0, 256, (ROWS, columns), np.uint8)
    rows[:50] = chance.integers(0, 2, (50, columns), np.uint8)
    rows[50], rows[51] = 0, 255
    rows[52:200] = BatchedGames(148, rules, seed=1, obs_dtype="uint8").reset()[0]
    rows[52:200:2, layout(rules)["out"].columns] = 1
    for index in range(53, 200, 2):
        rows[index, chance.integers(columns)] = chance.choice((0, 1, 9, 255))
    masks = (chance.random((ROWS, number_of(rules))) < 0.1).astype(np.uint8)
    masks[:, parse("draw", rules)] |= masks.sum(axis=1) == 0
    return rows, masks


def play(specs: list[str], preset: str) -> None:
    """Let each agent choose; what does not end in time ends the process."""
    rows, masks = impossible(preset)
    for spec in specs:
        agent = agents.load(spec)
        for observations in (rows, rows.astype(np.float32) / 10):
            faulthandler.dump_traceback_later(120, exit=True)
            for index in range(ROWS):
                try:
                    action = agent.act(observations[index], masks[index])
                except ValueError:
                    assert spec in SEARCHES, spec
                else:
                    assert masks[index, action], (spec, index, action)
            faulthandler.cancel_dump_traceback_later()


@pytest.mark.parametrize(
    ("preset", "specs"),
    [
        ("house", list(STRATEGIES)),
        ("house", OTHERS),
        ("house", SEARCHES),
        ("no_mercy", list(STRATEGIES)),
        ("no_mercy", SEARCHES),
        ("flip", list(STRATEGIES)),
        ("flip", SEARCHES),
    ],
)
@pytest.mark.slow
def test_agents_end_on_impossible_rows(preset: str, specs: list[str]) -> None:
    code = f"from tests.agents.test_impossible_rows import play; play({list(specs)!r}, {preset!r})"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=1_500)
    assert done.returncode == 0, done.stderr[-3_000:]


@pytest.mark.parametrize("spec", SEARCHES)
def test_a_search_refuses_a_mask_of_what_may_not_be_done(spec: str) -> None:
    code = (
        "import numpy as np, agents\n"
        "from uno_env import BatchedGames\n"
        "obs, mask, _ = BatchedGames(20, 'house', players=2, seed=1, obs_dtype='uint8').reset()\n"
        f"agent = agents.load({spec!r})\n"
        "for every in (np.ones_like(mask), 1 - mask):\n"
        "    try:\n"
        "        agent.act_batch(obs, every)\n"
        "    except ValueError as error:\n"
        "        assert 'the mask marks actions that the observation does not allow' in str(error), error\n"
        "    else:\n"
        "        raise SystemExit('it plays')\n"
        "agent.act_batch(obs, mask)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3_000:]


def test_events_that_there_are_not_are_refused() -> None:
    agent = agents.load("zoo:duel-2p")
    agent.history = 1
    batch = BatchedGames(2, "duel", history=1)
    obs, mask, _ = batch.reset()
    with pytest.raises(ValueError, match="histories hold events that there are not"):
        agent.act_batch(obs, mask, np.full_like(batch.history, 255))


def test_open_hands_are_those_of_the_observed_games() -> None:
    agent = agents.load("cheat:flat?num_determinizations=2")
    batch = BatchedGames(3, "duel", seed=1)
    obs, mask, _ = batch.reset()
    agent.act_on_games(obs, mask, batch.games)
    broken = batch.games.copy()
    broken["to_move"] = 7
    for games in (batch.games[:2], np.zeros(3), broken, None):
        with pytest.raises(ValueError, match="game"):
            agent.act_on_games(obs, mask, games)  # type: ignore[arg-type]


@pytest.mark.parametrize("weights", [np.zeros((1, 1)), np.zeros((0, 0)), np.zeros((*FORM, 1)), np.zeros(FORM, "f")])
def test_weights_of_another_form_are_refused(weights: Any) -> None:
    with pytest.raises(ValueError, match="the weights of tuned must be float64"):
        ScriptedAgent("tuned", 0, weights)


class Illegal(agents.Agent):
    """Chooses the same action whatever the mask says."""

    action = 0

    def _choose(self, rows: Any, masks: Any) -> Any:
        return np.full(len(rows), self.action)


@pytest.mark.parametrize("action", [10**6, -1, DRAW + 1])
@pytest.mark.parametrize("both", [True, False])
def test_a_search_trusts_no_agent_that_plays_for_it(action: int, both: bool) -> None:
    mine = Illegal("mine")
    mine.action = action
    others = mine if both else ScriptedAgent("greedy")
    search = FlatAgent("search", 1, FlatOptions(num_determinizations=2), mine, others)
    game = Game("duel", seed=2)
    with pytest.raises(ValueError, match="'mine' chose an action that is not legal"):
        search.act(game.observe(game.to_move, "uint8"), game.action_mask())
