"""The whole tree of a tiny game, for OpenSpiel's compiled solvers: :func:`grow`.

Chance moves that follow each other are one node, and orders of cards that come to the same are one branch of it. The
tree is handed over in Gambit's format, whose games OpenSpiel keeps in memory as they are; walking the game itself
(:mod:`uno_env.extensive_form.open_spiel_game`) gives the same values a thousand times slower.
"""

import hashlib
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyspiel

from uno_env import actions as catalogue
from uno_env.actions import NUM_ACTIONS
from uno_env.extensive_form.position import ExtensiveForm, Position
from uno_env.rules import Rules

MAX_NODES = 3_000_000
"""Nodes of the largest tree that is grown: some gigabytes."""

Table = dict[str, list[tuple[int, float]]]
"""A policy as OpenSpiel takes it: by its name of an information state, its ids of actions with their probabilities."""


@dataclass(frozen=True)
class GameTree:
    """A tree of ``nodes`` nodes; the K information states of all seats come in the order in which they are reached."""

    rules: Rules
    states: list[str]
    """Information states, as :meth:`uno_env.extensive_form.position.Position.information_state` writes them."""
    seats: npt.NDArray[np.int8]
    """The seat that decides in each information state, int8 [K]."""
    observations: npt.NDArray[np.uint8]
    """The observation of that seat, uint8 [K, D]."""
    masks: npt.NDArray[np.uint8]
    """The mask of its legal actions, uint8 [K, A]."""
    nodes: int
    text: str
    """The tree in Gambit's format."""

    @cached_property
    def digest(self) -> str:
        """A text that differs from that of any other tree."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @cached_property
    def game(self) -> Any:
        """The tree as a game of OpenSpiel, which reads it from a file once."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "tree.efg"
            path.write_text(self.text, encoding="utf-8")
            return pyspiel.load_game("efg_game", {"filename": str(path)})

    @cached_property
    def names(self) -> list[str]:
        """OpenSpiel's name of each information state."""
        numbers = [0] * self.rules.players
        names = []
        for place, seat in enumerate(self.seats.tolist()):
            numbers[seat] += 1
            names.append(f"{seat}-{seat}-{numbers[seat]}-{place}")
        return names

    @cached_property
    def ids(self) -> dict[int, int]:
        """OpenSpiel's id of each of our actions in this tree: it numbers what it reads, in order."""
        texts = dict.fromkeys(_action_texts(self.text))
        return {catalogue.parse(text): number for number, text in enumerate(texts)}

    def table(self, probabilities: npt.NDArray[Any]) -> Table:
        """A policy for OpenSpiel; ``probabilities`` is [K, A], 0 where not legal."""
        table: Table = {}
        for name, mask, row in zip(self.names, self.masks, probabilities, strict=True):
            table[name] = [(self.ids[action], float(row[action])) for action in np.flatnonzero(mask).tolist()]
        return table

    def probabilities(self, table: Table) -> npt.NDArray[np.float64]:
        """The inverse of :meth:`table`: float64 [K, A]."""
        actions = {number: action for action, number in self.ids.items()}
        result = np.zeros(self.masks.shape)
        for place, name in enumerate(self.names):
            for number, probability in table[name]:
                result[place, actions[number]] = probability
        return result


def _action_texts(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if line.startswith("p "):
            yield from line[line.index("{") + 1 : line.rindex("}")].replace('"', "").split()


_kept: dict[Rules, GameTree] = {}


def grow(rules: Rules, progress: Callable[[int], object] | None = None) -> GameTree:
    """The tree of one hand; the last one grown is kept.

    Args:
        rules: tiny ones, such as the preset ``mini``.
        progress: called now and then with the number of nodes so far.

    Raises:
        ValueError: the tree has more than :data:`MAX_NODES` nodes, or chance that cannot be spelled out.
    """
    if rules not in _kept:
        tree = _grow(rules, progress)
        _kept.clear()
        _kept[rules] = tree
    return _kept[rules]


def _grow(rules: Rules, progress: Callable[[int], object] | None) -> GameTree:
    lines = ['EFG 2 R "uno" { ' + " ".join(f'"{seat}"' for seat in range(rules.players)) + " }"]
    places: dict[str, int] = {}
    ids: dict[int, int] = {}  # as OpenSpiel will number the actions: in the order in which it reads them
    numbers: list[int] = []
    counts = [0] * rules.players
    seats, observations, masks = [], [], []
    waiting = [ExtensiveForm(rules).root]
    nodes = 0
    while waiting:
        position = waiting.pop()
        nodes += 1
        if nodes > MAX_NODES:
            raise ValueError(
                f"the tree of these rules has more than {MAX_NODES:,} nodes: choose fewer cards or decisions"
            )
        if progress is not None and nodes % 1000 == 0:
            progress(nodes)
        if position.is_chance:
            branches = settle(position)
            shares = " ".join(f'"c{number}" {share!r}' for number, (_, share) in enumerate(branches))
            lines.append(f'c "" {nodes} "" {{ {shares} }} 0')
            waiting += [after for after, _ in reversed(branches)]
        elif position.over:
            lines.append(f't "" {nodes} "" {{ {" ".join(map(repr, position.rewards()))} }}')
        else:
            seat = position.to_move
            # OpenSpiel sorts the ids at a node and not the branches, so these have to come in the order of the ids.
            legal = sorted(position.legal_actions(), key=lambda action: ids.setdefault(action, len(ids)))
            state = position.information_state(seat)
            if state not in places:
                places[state] = len(places)
                counts[seat] += 1
                numbers.append(counts[seat])
                seats.append(seat)
                observations.append(position.observe(seat))
                mask = np.zeros(NUM_ACTIONS, np.uint8)
                mask[legal] = 1
                masks.append(mask)
            place = places[state]
            texts = " ".join(f'"{catalogue.name(action)}"' for action in legal)
            lines.append(f'p "" {seat + 1} {numbers[place]} "{place}" {{ {texts} }} 0')
            waiting += [position.move(action) for action in reversed(legal)]
    text = "\n".join([*lines, ""])
    return GameTree(rules, list(places), np.array(seats, np.int8), np.array(observations), np.array(masks), nodes, text)


def settle(position: Position) -> list[tuple[Position, float]]:
    """The positions after all chance moves that come next, and their probabilities."""
    reached: dict[tuple[bytes, tuple[str, ...]], tuple[Position, float]] = {}
    waiting = [(position, 1.0)]
    while waiting:
        current, share = waiting.pop()
        if current.is_chance:
            waiting += [(current.move(move), share * each) for move, each in reversed(current.chance_moves())]
        else:
            key = (current.array.tobytes(), current.seen)
            first, before = reached.get(key, (current, 0.0))
            reached[key] = (first, before + share)
    return [(after, min(1.0, share)) for after, share in reached.values()]  # a sum can be above 1 by its rounding
