"""What the fuzzer calls: objects of every public class, and how their arguments are meant."""

from collections.abc import Callable
from typing import Any

import numpy as np

import agents
import uno_env
from agents.scripted.dispatch import STRATEGIES
from tests.fuzz.values import Values
from uno_env import BatchedGames, Game, Rules
from uno_env.actions import NUM_ACTIONS
from uno_env.encodings import ObservationForm
from uno_env.envs.gym_env import UnoEnv
from uno_env.envs.opponents import Opponents
from uno_env.envs.single_agent_games import LearnerGames
from uno_env.envs.single_agent_options import ILLEGAL_ACTIONS, SingleAgentOptions
from uno_env.envs.vector_env import UnoVectorEnv
from uno_env.extensive_form.position import ExtensiveForm
from uno_env.symmetry import CanonicalForm

RULES = ("duel", "classic", "house", "rlcard")
SHORT = {"target": 30, "max_decisions": 1_000}
"""Limits of games that playouts play to their end: in plain Python, at random, 500 points take minutes."""
LEFT_OUT = {
    "close", "render", "close_extras", "env_method", "get_attr", "set_attr", "has_attr", "getattr_depth_check",
    "get_wrapper_attr", "set_wrapper_attr", "has_wrapper_attr", "get_images", "env_is_wrapped", "sample",
}  # fmt: skip
"""Methods of other libraries, and what opens windows."""


def _rules(values: Values) -> tuple[str, int]:
    rules = values.chance.choice(RULES)
    return rules, 2 if rules == "rlcard" else values.chance.choice((2, 3, 4))


def _batch(values: Values) -> Any:
    rules, players = _rules(values)
    match, history = values.chance.random() < 0.3, values.chance.choice((0, 0, 2))
    dtype, threads = values.chance.choice(("uint8", "float32")), values.chance.choice((1, 1, 2))
    batch = BatchedGames(
        3, rules, values.chance.randrange(99), threads, dtype, players, match, history=history
    )  # fmt: skip
    if values.chance.random() < 0.9:
        batch.reset()
    return batch


def _options(values: Values) -> dict[str, Any]:
    rules, players = _rules(values)
    strategies = [values.chance.choice(list(STRATEGIES)) for _ in range(players - 1)]
    return {
        "rules": rules, "players": players, "opponents": strategies, "history": values.chance.choice((0, 0, 2)),
        "illegal_action": values.chance.choice(ILLEGAL_ACTIONS), "match": values.chance.random() < 0.2,
    }  # fmt: skip


def _learners(values: Values) -> Any:
    games = LearnerGames(3, SingleAgentOptions(**_options(values)))
    if values.chance.random() < 0.9:
        games.reset(values.chance.randrange(99))
    return games


def _vector(values: Values) -> Any:
    env = UnoVectorEnv(3, **_options(values), autoreset_mode=values.chance.choice(("NextStep", "SameStep", "Disabled")))
    env.reset(seed=values.chance.randrange(99))
    return env


def _sb3(values: Values) -> Any:
    from uno_env.sb3 import UnoVecEnv

    env = UnoVecEnv(3, **_options(values), seed=values.chance.randrange(99))
    env.reset()
    return env


def _gym(values: Values) -> Any:
    env = UnoEnv(**_options(values))
    env.reset(seed=values.chance.randrange(99))
    return env


def _aec(values: Values) -> Any:
    rules, players = _rules(values)
    env = values.chance.choice((uno_env.raw_env, uno_env.env))(rules, players)
    env.reset(seed=values.chance.randrange(99))
    return env


def _game(values: Values) -> Any:
    name, players = _rules(values)
    rules = Rules.preset(name, players=players, **SHORT)
    match = name != "house" and values.chance.random() < 0.4  # a random hand of house alone takes seconds
    return Game(rules, values.chance.randrange(99), match=match)


def _form(values: Values) -> Any:
    encoding = values.chance.choice(("vector", "planes", "rlcard"))
    return ObservationForm(Rules.preset("rlcard"), values.chance.choice(("uint8", "float32")), encoding)


def _position(values: Values) -> Any:
    position = FORM.root
    for _ in range(values.chance.randrange(12)):
        moves = position.legal_actions() or [move for move, _ in position.chance_moves()]
        position = position.move(values.chance.choice(moves)) if moves else position
    return position


FORM = ExtensiveForm(Rules.preset("duel", hand_size=2))

SUBJECTS: dict[str, Callable[[Values], Any]] = {
    "BatchedGames": _batch,
    "LearnerGames": _learners,
    "UnoVectorEnv": _vector,
    "UnoVecEnv": _sb3,
    "UnoEnv": _gym,
    "AEC": _aec,
    "Game": _game,
    "ObservationForm": _form,
    "Position": _position,
    "CanonicalForm": lambda values: CanonicalForm(history=values.chance.choice((0, 2))),
    "Opponents": lambda values: Opponents(["greedy", "random"], Rules.preset("classic", players=3)),
    **{name: lambda values, name=name: agents.load(name, 1) for name in STRATEGIES},
    "policy": lambda values: agents.load("zoo:duel-2p", 1),
    "sampled": lambda values: agents.load("zoo:house-4p?sample=1", 1),
    "flat": lambda values: agents.load("search:flat?num_determinizations=2", 1),
    "ismcts": lambda values: agents.load("search:ismcts?sims=4", 1),
    "pimc": lambda values: agents.load("search:pimc?num_determinizations=2&sims=4", 1),
    "cheat": lambda values: agents.load("cheat:flat?num_determinizations=2", 1),
}


class Arguments:
    """Arguments of the right form for an object, by their names; most are then twisted."""

    def __init__(self, subject: Any, values: Values) -> None:
        self.subject, self.values = subject, values

    def named(self, name: str) -> Any:
        """An argument as a method may be meant to get it."""
        plausible = getattr(self, f"_{name}", None)
        value = self.values.hostile(name) if plausible is None else plausible()
        return self.values.twisted(value)

    def _indices(self) -> Any:
        return np.flatnonzero(self.values.numbers.random(3) < 0.6)

    def _actions(self) -> Any:
        mask = getattr(self.subject, "_mask", None)
        if callable(getattr(self.subject, "action_masks", None)):
            mask = self.subject.action_masks()
        if mask is None or self.values.chance.random() < 0.3:
            return self.values.numbers.integers(0, NUM_ACTIONS, 3)
        return np.array([self.values.chance.choice([*np.flatnonzero(row), 0]) for row in np.atleast_2d(mask)])

    def _action(self) -> Any:
        actions = self._actions()
        legal = getattr(self.subject, "legal_actions", None)
        return self.values.chance.choice([*(legal() if legal else []), int(actions[0])])

    _move = _action

    def _seed(self) -> Any:
        return self.values.chance.choice((0, 1, 7, [1, 2, 3], np.array([1, 2, 3], np.uint64)))

    def _rng(self) -> Any:
        return self.values.numbers.integers(0, 2**63, len(self._indices())).astype(np.uint64)

    def _seats(self) -> Any:
        return self.values.numbers.integers(0, 3, 3)

    def _seat(self) -> Any:
        return self.values.chance.randrange(4)

    def _state(self) -> Any:
        get_state = getattr(self.subject, "get_state", None)
        return self.values.mapping(get_state()) if get_state else self.values.hostile()

    _states = _state

    def _text(self) -> Any:
        text = Game("duel", 1).to_json()
        place = self.values.chance.randrange(len(text))
        return text[:place] + self.values.chance.choice(("", "9", "-", "}", "null")) + text[place + 1 :]

    def _observations(self) -> Any:
        batch = BatchedGames(3, *_rules(self.values)[:1], seed=self.values.chance.randrange(99), obs_dtype="uint8")
        self._shown = [array.copy() for array in batch.reset()]
        self._of = batch
        obs = self._shown[0]
        if self.values.chance.random() < 0.3:
            obs = obs.astype(np.float32)
        for _ in range(self.values.chance.choice((0, 0, 1, 5, 90))):
            column = self.values.chance.randrange(obs.shape[1])
            obs[self.values.chance.randrange(3), column] = self.values.chance.choice((0, 1, 9, 255))
        return obs

    _rows = _observations

    def _action_masks(self) -> Any:
        masks = self._shown[1] if hasattr(self, "_shown") else np.ones((3, NUM_ACTIONS), np.uint8)
        if self.values.chance.random() < 0.4:
            masks = (self.values.numbers.random(masks.shape) < 0.1).astype(np.uint8)
        return masks

    _masks = _mask = _action_masks

    def _observation(self) -> Any:
        return self._observations()[0]

    def _action_mask(self) -> Any:
        return self._action_masks()[0]

    def _histories(self) -> Any:
        return self.values.chance.choice((None, self.values.events(3)))

    def _history(self) -> Any:
        events = self.values.events(3)
        return self.values.chance.choice((None, events[0] if events.ndim and len(events) else events))

    def _games(self) -> Any:
        if hasattr(self, "_of") and self.values.chance.random() < 0.8:
            return self.values.field_twisted(self._of.games.copy())
        return np.arange(3)

    def _forms(self) -> Any:
        return self.values.numbers.integers(0, 264, 3)

    def _spec(self) -> Any:
        return "greedy"
