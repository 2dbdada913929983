"""Who plays: defaults of the protocol, objects of users, and players by name from installed packages."""

from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agents
from agents.custom_agents import CustomAgent
from uno_env import player
from uno_env.actions import NUM_ACTIONS
from uno_env.observation import OBSERVATION_SIZE, SCALES
from uno_env.player import Player, as_player, is_player, load_player

FIND_LOADERS = player._loaders.__wrapped__  # without its cache
ROWS, MASKS = np.full((2, OBSERVATION_SIZE), 2, np.uint8), np.array([[0, 1, 1], [0, 0, 1]], np.uint8)


class Plain:
    """A user's object: no more than act_batch."""

    def act_batch(self, observations: Any, masks: Any) -> Any:
        return masks.argmax(axis=1)


class Noted:
    """What a user's agent was shown."""

    seen: Any = None

    def note(self, observations: Any, masks: Any) -> Any:
        self.seen = observations, masks
        return masks.argmax(axis=-1)


class WithAct(Noted):
    def act(self, observation: Any, mask: Any) -> Any:
        return self.note(observation, mask)


class WithBatch(Noted):
    def act_batch(self, observations: Any, masks: Any) -> Any:
        return self.note(observations, masks)


class WithBoth(WithBatch, WithAct): ...


class Called(Noted):
    def __call__(self, observation: Any, mask: Any) -> Any:
        return self.note(observation, mask)


class Derived(WithBatch, Player): ...


class Full(Plain):
    name, history = "full", 3

    def __init__(self) -> None:
        self.seeds: list[int] = []

    def reset(self, seed: int) -> None:
        self.seeds.append(seed)

    def act_batch(self, observations: Any, masks: Any, histories: Any = None) -> Any:
        assert histories is not None
        return super().act_batch(observations, masks)

    def values(self, observations: Any, histories: Any = None) -> Any:
        return np.ones(len(observations), np.float32)


def offer(monkeypatch: pytest.MonkeyPatch, *loaders: str) -> None:
    entries = [EntryPoint(str(number), loader, player.ENTRY_POINTS) for number, loader in enumerate(loaders)]
    monkeypatch.setattr(player, "entry_points", lambda group: entries if group == player.ENTRY_POINTS else [])
    monkeypatch.setattr(player, "_loaders", FIND_LOADERS)


def refuse(spec: str, seed: int, rules: Any) -> Any:
    raise ValueError(f"nobody here is called {spec}")


def plain(spec: str, seed: int, rules: Any) -> Any:
    return Plain()


def test_a_plain_object_plays_with_the_defaults() -> None:
    made = as_player(Plain())
    made.reset(3)
    assert (made.name, made.history, made.sees_all_hands) == ("Plain", 0, False)
    assert made.act_batch(ROWS, MASKS).tolist() == [1, 2]
    assert made.probabilities(ROWS, MASKS) is None
    assert made.values(ROWS) is None
    assert "Plain object" in repr(made)


def test_what_an_object_has_is_used() -> None:
    full = Full()
    made = as_player(full)
    made.reset(3)
    assert (made.name, made.history, full.seeds) == ("full", 3, [3])
    assert made.act_batch(ROWS, MASKS, np.zeros((2, 3, 4), np.uint8)).tolist() == [1, 2]
    values = made.values(ROWS)
    assert values is not None
    assert values.tolist() == [1, 1]


@pytest.mark.parametrize("wanted", [None, "float32", "uint8"])
@pytest.mark.parametrize("kind", [WithAct, WithBatch, WithBoth, Called, Derived])
def test_however_an_agent_is_written_it_is_shown_the_same_numbers(kind: Any, wanted: str | None) -> None:
    agent = kind()
    if wanted:
        agent.obs_dtype = wanted
    for rows in (ROWS, (ROWS * SCALES).astype(np.float32)):
        made = CustomAgent("theirs", agent)
        assert made.act_batch(rows, np.ones((2, NUM_ACTIONS), np.int8)).tolist() == [0, 0]
        observations, masks = agent.seen
        assert observations.dtype == (wanted or "float32")
        assert (observations == (ROWS if wanted == "uint8" else ROWS * SCALES)).all()
        assert masks.dtype == bool or isinstance(agent, Player)


def test_a_form_that_there_is_not_is_refused() -> None:
    agent: Any = WithAct()
    agent.obs_dtype = "float64"
    with pytest.raises(ValueError, match=r"WithAct\.obs_dtype='float64' is not allowed: choose 'float32' or 'uint8'"):
        as_player(agent)


@pytest.mark.parametrize("name", ["greedy", "search:flat", "cheat:flat"])
def test_agents_are_players_as_they_are(name: str) -> None:
    agent = agents.load(name)
    assert as_player(agent) is agent
    assert agent.sees_all_hands == (name == "cheat:flat")
    assert agent.probabilities(ROWS, MASKS) is None


def test_what_cannot_act_is_no_player() -> None:
    assert not is_player("greedy")
    assert is_player(Plain())
    with pytest.raises(ValueError, match=r"3 is no agent: give one with act\(\) or act_batch"):
        as_player(3)  # type: ignore[arg-type]
    with pytest.raises(NotImplementedError):
        Player().act_batch(ROWS, MASKS)


def test_names_are_those_of_the_installed_agents() -> None:
    assert load_player("greedy", 3, "duel").name == "greedy"
    with pytest.raises(ValueError, match="unknown agent 'gredy' \\(did you mean 'greedy'\\?\\)"):
        load_player("gredy")


def test_without_a_package_that_offers_players_there_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch)
    with pytest.raises(ValueError, match="player 'greedy' cannot be made: no package is installed that offers players"):
        load_player(Path("greedy"))


def test_each_package_is_asked_until_one_knows_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, f"{__name__}:refuse", f"{__name__}:plain")
    assert load_player("anyone").name == "Plain"
    offer(monkeypatch, f"{__name__}:refuse")
    with pytest.raises(ValueError, match="nobody here is called anyone"):
        load_player("anyone")
