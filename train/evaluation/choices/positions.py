"""Positions with the values of their actions, and what an agent's choices there cost: :func:`measure_regret`.

A file of positions is JSON: rules, the policy that the values are by, and for each position the seed of the deal, the
actions so far and the values (:mod:`train.evaluation.choices.action_values`). ``python -m tools.positions`` makes it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from train.common.table import MarkdownTable
from train.evaluation.estimate import Estimate
from uno_env.actions import CHALLENGE, DECLARE, DRAW, JUMP_IN, PASS, PLAY_PAIR, PLAY_WILD, SWAP
from uno_env.common.files import read_json
from uno_env.common.validation import convert
from uno_env.core.arrays import Ints
from uno_env.game import Game
from uno_env.history import history_for
from uno_env.player import Player
from uno_env.rules import Rules

BLUNDER = 0.05
"""Win rate lost by a choice that counts as a blunder."""


@dataclass(frozen=True)
class ValuedPosition:
    """A decision with the values of its K legal actions."""

    seed: int
    """Of the deal."""
    history: tuple[int, ...]
    """The actions before it."""
    stratum: str
    actions: tuple[int, ...]
    values: tuple[float, ...]
    """Win rates, [K]."""
    errors: tuple[float, ...]
    """Their standard errors, [K]."""
    regrets: tuple[float, ...]
    """Win rates lost against the best action, [K]."""
    regret_errors: tuple[float, ...]
    """Their standard errors, [K]."""

    def game(self, rules: Rules) -> Game:
        """The game at the decision. Raises ValueError if it is not one of these rules."""
        game = Game(rules, seed=self.seed)
        for action in self.history:
            if action in game.legal_actions():
                game.step(action)
        if tuple(game.history) != self.history or tuple(game.legal_actions()) != self.actions:
            raise ValueError(f"the position of seed {self.seed} is of other rules, or of another version of the game")
        return game


@dataclass(frozen=True)
class PositionSet:
    """The content of a file."""

    rules: Mapping[str, Any]
    policy: str
    budget: int
    """Playouts for each position at most."""
    positions: tuple[ValuedPosition, ...]


def read_positions(file: Path) -> PositionSet:
    """The positions of a file. Raises ValueError if it is damaged, or no file of positions."""
    try:
        return convert(read_json(file), PositionSet)
    except ValueError as error:
        raise ValueError(f"{str(file)!r} is no file of positions: {error}") from None


def subset(positions: PositionSet, number: int, seed: int = 0) -> PositionSet:
    """So many of the positions, drawn by the seed, in their order. If there are no more than that, these are all."""
    order = np.random.default_rng(seed).permutation(len(positions.positions))[:number]
    return replace(positions, positions=tuple(positions.positions[index] for index in np.sort(order).tolist()))


def kind_of(actions: tuple[int, ...]) -> str:
    """The kind of a decision, by its legal actions: ``challenge``, ``jump in``, ``swap``, ``wild and colour`` where a
    wild may be played or a colour declared, ``draw or play`` where there is one card to play, else ``card``."""
    legal = set(actions)
    if CHALLENGE in legal:
        return "challenge"
    if JUMP_IN in legal:
        return "jump in"
    if any(SWAP <= action < DECLARE for action in legal):
        return "swap"
    if any(PLAY_WILD <= action < PLAY_PAIR or action >= DECLARE for action in legal):
        return "wild and colour"
    return "draw or play" if len(legal - {DRAW, PASS}) < 2 else "card"


def choices_in(agent: Player, positions: PositionSet) -> Ints:
    """Ask an agent once in each position: which of the legal actions it chose, as indices [positions]. Raises
    ValueError if a position is of other rules, or the agent needs more than observations and events.
    """
    if agent.sees_all_hands or agent.state_size:
        raise ValueError(f"{agent.name!r} reads more than an observation: it cannot be asked in a single position")
    rules = Rules.from_dict(dict(positions.rules))
    games = [position.game(rules) for position in positions.positions]
    shown = [np.array(each) for each in zip(*(history_for(agent, game.events, game.to_move) for game in games))]  # noqa: B905
    rows = np.array([game.observe(game.to_move, "uint8") for game in games])
    chosen = agent.act_batch(rows, np.array([game.action_mask() for game in games]), *shown).tolist()
    return np.array([each.actions.index(action) for each, action in zip(positions.positions, chosen, strict=True)])


def measure_regret(positions: PositionSet, chosen: Ints) -> dict[str, dict[str, Any]]:
    """Measure the cost of choices, indices [N] as of :func:`choices_in` in N positions, by kind of decision
    (:func:`kind_of`), and of ``all``: for each ``n``, ``regret`` (mean win rate lost, with ``low`` and ``high`` where n
    is 2 or more) and ``blunders``, the share of choices that lose more than :data:`BLUNDER` by 2 standard errors.
    """
    pairs = list(zip(positions.positions, chosen.tolist(), strict=True))
    lost = np.array([position.regrets[index] for position, index in pairs])
    blunders = lost - 2 * np.array([position.regret_errors[index] for position, index in pairs]) > BLUNDER
    kinds = np.array([kind_of(position.actions) for position in positions.positions])
    asked = {"all": np.ones(len(kinds), bool), **{str(kind): kinds == kind for kind in np.unique(kinds)}}
    return {kind: _measured(lost[here], blunders[here]) for kind, here in asked.items()}


def _measured(lost: Any, blunders: Any) -> dict[str, Any]:
    regret = Estimate.of(lost).to_dict("regret") if len(lost) > 1 else {"regret": float(lost.mean())}
    return {"n": len(lost), **regret, "blunders": float(blunders.mean())}


def regret_table(title: str, positions: PositionSet, measured: Mapping[str, Mapping[str, Any]]) -> MarkdownTable:
    """The result of :func:`measure_regret` as a table."""
    rows = []
    for kind, each in measured.items():
        regret = Estimate.from_dict(each, "regret").text(2) if "high" in each else f"{100 * each['regret']:.2f}"
        rows.append([kind, f"{each['n']:,}", regret, f"{100 * each['blunders']:.1f} %"])
    headings = ("decision", "positions", "regret, % of win rate", "blunders")
    return MarkdownTable(f"{title}; values by playouts of {positions.policy}", headings, rows)
