"""Games of an evaluation, recorded to be looked at: ``uno evaluate --save-games`` and the evaluations of training runs.

The recorded games are those that were measured: the actions are recorded while the games are played. What the agents
thought is asked for afterwards, of those that can say (:func:`thoughts`), so that it cannot change what they do.
"""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from agents.spoken_names import seat_names, short_name
from uno_env.common.files import write_text
from uno_env.core.arrays import Array
from uno_env.game import Game
from uno_env.history import history_for
from uno_env.player import Player
from uno_env.replay import Note, Replay
from uno_env.rules import Rules


class Recorder:
    """Records the first ``games`` games, 1 or more, that :func:`train.evaluation.duplicate.evaluate` plays."""

    def __init__(self, games: int) -> None:
        self._actions: list[list[int]] = [[] for _ in range(games)]

    def begin(
        self, seating: Array, agents: Sequence[Player], names: Sequence[str], starts: Array, rules: Rules
    ) -> Callable[[Array, Array, object], None]:
        """Begin to record: the arguments of :func:`train.evaluation.duplicate.play_deals` with names; its ``watch``."""
        self._seating, self._agents, self._names, self._starts, self._rules = seating, agents, names, starts, rules
        return self._watch

    def _watch(self, games_in: Array, actions: Array, table: object) -> None:
        for slot in np.flatnonzero((games_in >= 0) & (games_in < len(self._actions))):
            self._actions[games_in[slot]].append(int(actions[slot]))

    def replays(self) -> list[Replay]:
        """The games, with what the agents thought."""
        return [self._replay(number) for number in range(min(len(self._actions), len(self._starts)))]

    def _replay(self, number: int) -> Replay:
        seated = self._seating[number]
        game = Game.from_rng(self._rules, int(self._starts[number]))
        notes = []
        for action in self._actions[number]:
            notes.append(thoughts(self._agents[seated[game.to_move]], game))
            game.step(action)
        deal, seat = divmod(number, game.players)
        names = [short_name(each) for each in self._names]
        title = f"{names[0]} against {names[1]}, deal {deal + 1}, seat {seat + 1}"
        return Replay.of(game, seat_names([names[each] for each in seated]), notes, title)


def thoughts(agent: Player, game: Game) -> Note | None:
    """An agent's probabilities and value before it decides, or None if it has no probabilities."""
    observations, masks = game.observe(game.to_move, "uint8")[None], game.action_mask().view(np.uint8)[None]
    shown = tuple(each[None] for each in history_for(agent, game.events, game.to_move))
    probabilities, values = agent.probabilities(observations, masks, *shown), agent.values(observations, *shown)
    if probabilities is None:
        return None
    chosen = {action: float(probabilities[0, action]) for action in game.legal_actions()}
    return Note(chosen, None if values is None else float(values[0]))


def save_replays(replays: Sequence[Replay], folder: Path, stem: str) -> list[Path]:
    """Write replays as ``<stem>-1.json``, … into a folder, which is made if need be. Returns the paths of the files."""
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / f"{stem}-{number}.json" for number in range(1, len(replays) + 1)]
    for file, replay in zip(files, replays, strict=True):
        write_text(file, replay.to_json() + "\n")
    return files


def file_stem(*words: str) -> str:
    """Words as a part of a file's name: agents' specs can be paths and have options."""
    return "-".join(re.sub(r"[^\w.+-]+", "_", word).strip("_.") for word in words)
