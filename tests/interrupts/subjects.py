"""What is interrupted: objects of every public class, calls of them, and what tells two states of them apart."""

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import agents
import uno_env
from uno_env import BatchedGames, Game, Rules
from uno_env.envs.gym_env import UnoEnv
from uno_env.envs.single_agent_games import LearnerGames
from uno_env.envs.single_agent_options import SingleAgentOptions
from uno_env.envs.vector_env import UnoVectorEnv
from uno_env.extensive_form.position import ExtensiveForm, Position
from uno_env.player import Player
from uno_env.text import TextEnv

N = 6
"""Games of what plays many."""


@dataclass(frozen=True)
class Subject:
    """A kind of object; all functions are deterministic, given the object."""

    make: Callable[[], Any]
    """A new one, ready to play."""
    play: Callable[[Any, int], Any]
    """One call that plays on; the number makes calls differ."""
    shown: Callable[[Any], Any]
    """What can be read of it."""
    reset: Callable[[Any, int], Any] | None = None
    """Begins anew from a seed."""
    others: dict[str, Callable[[Any, int], Any]] = field(default_factory=dict)
    """Other calls that change it."""
    asks_players: bool = False
    """Whether it asks players, whose own exceptions end their games."""


class Lowest(Player):
    """A player written in Python, with a state of its own that follows from its seed."""

    name = "lowest"

    def __init__(self) -> None:
        self.turn = 0

    def reset(self, seed: int) -> None:
        self.turn = seed % 7

    def act_batch(self, observations: Any, action_masks: Any, histories: Any = None) -> Any:
        chosen = action_masks.argmax(axis=1)
        if self.turn % 2:
            chosen = action_masks.shape[1] - 1 - action_masks[:, ::-1].argmax(axis=1)
        self.turn += 1
        return chosen


def plain(value: Any) -> Any:
    """A value as what compares by its contents."""
    if isinstance(value, np.ndarray):
        return [plain(each) for each in value] if value.dtype == object else (value.shape, value.tobytes())
    if isinstance(value, dict):
        return {str(name): plain(each) for name, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list | tuple) else value


def _chosen(masks: Any, number: int) -> Any:
    """A legal action in each row, another for each number."""
    ids = np.arange(masks.shape[1])
    return np.where(masks != 0, (ids * 31 + number * 17) % 101 + 1, 0).argmax(axis=1)


# Single games.


def _game(**options: Any) -> Callable[[], Game]:
    return lambda: Game(seed=3, **options)


def _play_game(game: Game, number: int) -> Any:
    if game.over:
        return game.deal(number)
    return game.step(int(_chosen(game.action_mask()[None], number)[0]))


def _shown_game(game: Game) -> Any:
    again = Game.from_json(game.to_json())
    assert (again.history, again.events, again.legal_actions()) == (game.history, game.events, game.legal_actions())
    return game.to_json(), game.history, game.events, game.legal_actions(), game.observe(0).tobytes()


GAME = {
    "deal": lambda game, number: game.deal(number),
    "deal stacked": lambda game, number: game.deal(number, deck="r5 g5 y7", dealer=1),
    "clone": lambda game, number: game.clone().step(game.legal_actions()[0]) if not game.over else None,
    "events": lambda game, number: len(game.events),
    "to_json": lambda game, number: json.loads(game.to_json())["version"],
    "playouts": lambda game, number: game.playouts(3, number).tobytes(),
    "refused": lambda game, number: _refused(lambda: game.step(99999)),
}


def _refused(call: Callable[[], Any]) -> None:
    try:
        call()
    except ValueError:
        return
    raise AssertionError("it was not refused")


# Environments of a single game.


def _raw(**options: Any) -> Callable[[], Any]:
    def make() -> Any:
        env = uno_env.raw_env(**options)
        env.reset(seed=3)
        return env

    return make


def _play_raw(env: Any, number: int) -> Any:
    if not env.agents:
        return env.reset()
    done = env.terminations[env.agent_selection] or env.truncations[env.agent_selection]
    return env.step(None if done else int(_chosen(env._shown_mask_of(env.game.to_move)[None], number)[0]))


def _shown_raw(env: Any) -> Any:
    told = plain(env.last()) if env.agents else ()
    books = (env.agents, env.rewards, env.terminations, env.truncations, env.infos, env.agent_selection)
    return told, plain(list(books)), env.state().tobytes(), env.game.to_json()


def _text(**options: Any) -> Callable[[], TextEnv]:
    def make() -> TextEnv:
        env = TextEnv(**copy.deepcopy(options))
        env.reset(3)
        return env

    return make


def _play_text(env: TextEnv, number: int) -> Any:
    if env.game.over and not env._unready:
        return env.reset(number)
    return plain(list(env.step("r5 or r6" if number % 5 == 0 else str(1 + number % len(env.game.legal_actions())))))


def _shown_text(env: TextEnv) -> Any:
    if "interrupted" in env._unready:
        env._check_ready("step")
    return env.game.to_json(), env.seat, env._refused, env._rethought, env._illegal


def _gym(**options: Any) -> Callable[[], UnoEnv]:
    def make() -> UnoEnv:
        env = UnoEnv(**copy.deepcopy(options))
        env.reset(seed=3)
        return env

    return make


def _play_gym(env: UnoEnv, number: int) -> Any:
    if not env.action_masks().any() and env.game.over:
        return plain(env.reset())
    action = number * 7 % 130 if number % 3 == 0 else int(_chosen(env.action_masks()[None], number)[0])
    return plain(env.step(action))


def _shown_gym(env: UnoEnv) -> Any:
    return env.action_masks().tobytes(), env.seat, env.game.to_json()


# Many games.


def _batch(**options: Any) -> Callable[[], BatchedGames]:
    def make() -> BatchedGames:
        batch = BatchedGames(N, seed=3, **options)
        batch.reset()
        return batch

    return make


def _play_batch(batch: BatchedGames, number: int) -> Any:
    return plain(batch.step(_chosen(batch._mask, number)))


def _shown_batch(batch: BatchedGames) -> Any:
    state = batch.get_state()
    read = (batch._mask, batch._seat, batch._obs, batch.history)
    return plain(state["games"][["rng", "to_move", "decisions"]].tolist()), plain(state["random"]), plain(list(read))


BATCH = {
    "deal": lambda batch, number: plain(batch.deal(np.array([0, 2]), np.array([number, 9], np.uint64))),
    "reset": lambda batch, number: plain(batch.reset()),
    "sample_actions": lambda batch, number: plain(batch.sample_actions()),
    "set_state": lambda batch, number: plain(batch.set_state(batch.get_state())),
    "refused": lambda batch, number: _refused(lambda: batch.step(np.full(N, -1))),
}


def _learners(**options: Any) -> Callable[[], LearnerGames]:
    def make() -> LearnerGames:
        games = LearnerGames(N, SingleAgentOptions(**copy.deepcopy(options)))
        games.reset(3)
        return games

    return make


def _play_learners(games: LearnerGames, number: int) -> Any:
    over = np.flatnonzero(games.over)
    if over.size:
        return games.deal(over)
    return games.step(np.arange(N), _chosen(games.mask, number))


def _shown_learners(games: LearnerGames) -> Any:
    state = games.get_state()
    told = [plain(state[name]) for name in ("seats", "mask", "over", "reward")]
    return told, plain(games.observe()), plain(state["games"][["rng", "to_move", "decisions"]].tolist())


LEARNERS = {
    "take_rewards": lambda games, number: plain(games.take_rewards()),
    "set_state": lambda games, number: games.set_state(games.get_state()),
    "some": lambda games, number: games.deal(np.array([1, 3])),
    "refused": lambda games, number: _refused(lambda: games.step(np.arange(N), np.full(N, -1))),
}


def _vector(**options: Any) -> Callable[[], UnoVectorEnv]:
    def make() -> UnoVectorEnv:
        env = UnoVectorEnv(N, **copy.deepcopy(options))
        env.reset(seed=3)
        return env

    return make


def _play_vector(env: UnoVectorEnv, number: int) -> Any:
    if env._mode.value == "Disabled" and env.games.over.any():
        return plain(env.reset(options={"reset_mask": env.games.over != 0}))
    return plain(env.step(_chosen(env.action_masks(), number)))


def _shown_vector(env: UnoVectorEnv) -> Any:
    return env.action_masks().tobytes(), env.seats.tobytes(), _shown_learners(env.games)


def _sb3(**options: Any) -> Callable[[], Any]:
    def make() -> Any:
        from uno_env.sb3 import UnoVecEnv

        env = UnoVecEnv(N, seed=3, **copy.deepcopy(options))
        env.reset()
        return env

    return make


def _reset_sb3(env: Any, seed: int) -> Any:
    env.seed(seed)
    return plain(env.reset())


def _shown_sb3(env: Any) -> Any:
    return env.action_masks().tobytes(), [_shown_learners(games) for games in env.tables], len(env.get_state())


# Players and positions.

ROWS = BatchedGames(4, "duel", seed=5, obs_dtype="uint8")
SHOWN = [np.array(array) for array in ROWS.reset()[:2]]


def _agent(spec: str) -> Callable[[], Any]:
    return lambda: agents.load(spec, 3)


def _ask(agent: Any, number: int) -> Any:
    rows = np.roll(SHOWN[0], number, axis=0)[: 1 + number % 4], np.roll(SHOWN[1], number, axis=0)[: 1 + number % 4]
    return plain(agent.act_batch(*rows))


class Walk:
    """A walk through the tree of a hand."""

    def __init__(self) -> None:
        self.position = FORM.root

    def __deepcopy__(self, memo: Any) -> "Walk":
        twin = Walk()
        twin.position = self.position
        return twin


FORM = ExtensiveForm(Rules.preset("duel", hand_size=2))


def _play_position(walk: Walk, number: int) -> Any:
    at: Position = walk.position
    moves = at.legal_actions() or [move for move, _ in at.chance_moves()]
    after = at.move(moves[number * 5 % len(moves)]) if moves else FORM.root
    walk.position = after


def _shown_position(walk: Walk) -> Any:
    at = walk.position
    told = (at.legal_actions(), at.chance_moves(), at.rewards(), at.to_move, at.over, at.array.tobytes())
    return told, [(at.information_state(seat), at.observe(seat).tobytes()) for seat in range(2)]


SINGLE: dict[str, Subject] = {
    "Game": Subject(_game(rules="duel"), _play_game, _shown_game, lambda game, seed: game.deal(seed), GAME),
    "Game, match": Subject(
        _game(rules="house", players=3, match=True), _play_game, _shown_game, lambda game, seed: game.deal(seed), GAME
    ),
    "raw_env": Subject(_raw(rules="duel"), _play_raw, _shown_raw, lambda env, seed: env.reset(seed=seed)),
    "raw_env, match": Subject(
        _raw(rules=Rules(players=3, hand_size=2, target=20), match=True, history=3, encoding="planes", symmetry=True),
        _play_raw, _shown_raw, lambda env, seed: env.reset(seed=seed),
        {"last": lambda env, number: plain(env.last()) if env.agents else None},
    ),
    "UnoEnv": Subject(
        _gym(rules=Rules(players=3, hand_size=3), opponents=[Lowest(), "greedy"], illegal_action="random"),
        _play_gym, _shown_gym, lambda env, seed: plain(env.reset(seed=seed)),
        {"reset": lambda env, number: plain(env.reset())}, asks_players=True,
    ),
    "UnoEnv, match": Subject(
        _gym(rules=Rules(players=2, hand_size=2, target=20), opponents="random", match=True, history=2,
             illegal_action="penalty", symmetry=True),
        _play_gym, _shown_gym, lambda env, seed: plain(env.reset(seed=seed)),
        {"reset": lambda env, number: plain(env.reset())}, asks_players=True,
    ),
    "TextEnv": Subject(
        _text(rules=Rules(players=3, hand_size=3), opponents=[Lowest(), "greedy"]), _play_text, _shown_text,
        lambda env, seed: env.reset(seed), {"reset": lambda env, number: env.reset(number)}, asks_players=True,
    ),
    "TextEnv, all seats": Subject(
        _text(rules="house", opponents=None), _play_text, _shown_text, lambda env, seed: env.reset(seed),
        {"reset": lambda env, number: env.reset(number)},
    ),
}  # fmt: skip

MANY: dict[str, Subject] = {
    name: Subject(_batch(**options), _play_batch, _shown_batch, lambda batch, seed: plain(batch.reset(seed)), BATCH)
    for name, options in {
        "BatchedGames": {"rules": "duel"},
        "BatchedGames, threads": {"rules": "house", "players": 3, "threads": 2, "history": 3},
        "BatchedGames, match": {"rules": Rules(players=2, hand_size=2), "match": True, "obs_dtype": "uint8"},
        "BatchedGames, planes": {"rules": "duel", "encoding": "planes"},
    }.items()
} | {
    "LearnerGames": Subject(
        _learners(rules=Rules(players=3, hand_size=3), opponents=[Lowest(), "random"], illegal_action="random"),
        _play_learners, _shown_learners, lambda games, seed: games.reset(seed), LEARNERS, True,
    ),
    "LearnerGames, history": Subject(
        _learners(rules=Rules(players=2, hand_size=2, target=20), opponents="greedy", match=True, history=2),
        _play_learners, _shown_learners, lambda games, seed: games.reset(seed), LEARNERS, True,
    ),
    **{
        f"UnoVectorEnv, {mode}": Subject(
            _vector(
                rules=Rules(players=3, hand_size=3), opponents=[Lowest(), "greedy"], autoreset_mode=mode, symmetry=True
            ),
            _play_vector, _shown_vector, lambda env, seed: plain(env.reset(seed=seed)),
            {"reset": lambda env, number: plain(env.reset())}, True,
        )
        for mode in ("NextStep", "SameStep", "Disabled")
    },
    "UnoVecEnv": Subject(
        _sb3(rules=Rules(players=2, hand_size=3), opponents=[["greedy"], [Lowest()]], history=2, symmetry=True),
        lambda env, number: plain(env.step(_chosen(env.action_masks(), number))), _shown_sb3, _reset_sb3,
        {"reset": lambda env, number: plain(env.reset()),
         "set_state": lambda env, number: env.set_state(env.get_state())}, True,
    ),
}  # fmt: skip

PLAYERS: dict[str, Subject] = {
    spec: Subject(_agent(spec), _ask, lambda agent: agent.name, lambda agent, seed: agent.reset(seed))
    for spec in (
        "greedy", "random", "tuned", "zoo:duel-2p", "zoo:duel-2p?sample=1", "search:flat?num_determinizations=2",
        "search:flat?num_determinizations=2&rollout=zoo:duel-2p", "search:ismcts?sims=4",
        "search:pimc?num_determinizations=2&sims=4",
    )
} | {"Position": Subject(Walk, _play_position, _shown_position)}  # fmt: skip

SUBJECTS = SINGLE | MANY | PLAYERS
