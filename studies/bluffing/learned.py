"""The frequency of bluffs and challenges on the full deck: every decision of the kind, by what could be seen."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

import agents
from studies.habits import FOURS, Array, active_held, can_bluff, held, previous_seen
from studies.question import Row, row
from train.evaluation.duplicate import AGENT_STREAM, deal_starts, derived_seed, play_deals
from train.evaluation.estimate import Estimate
from uno_env import BatchedGames, Rules
from uno_env.actions import CHALLENGE
from uno_env.observation import LAYOUT
from uno_env.player import Player

BINS: Mapping[str, tuple[int, ...]] = {
    "hand": (2, 3, 4, 5, 6, 7, 8),
    "colour": (1, 2, 3, 4),
    "seen": (0, 4, 8, 12, 16),
}
"""The features that decisions are split by, and the beginning of each bin. ``hand``: cards in the hand that the Wild
Draw Four is laid from, that card included. ``colour``: cards of the active colour in it. ``seen``: cards of that colour
that the player who may challenge has seen."""


class Listener(Player):
    """Plays as a player does, at all seats, and keeps what it was asked last."""

    obs_dtype = "uint8"

    def __init__(self, player: Player) -> None:
        self.player, self.name = player, player.name
        self.decisions: list[Array] = []

    def act_batch(
        self, observations: Array, action_masks: Array, histories: Array | None = None
    ) -> npt.NDArray[np.int64]:
        """See :meth:`uno_env.player.Player.act_batch`."""
        self._asked = observations, np.asarray(action_masks)
        return self.player.act_batch(observations, action_masks)

    def watch(self, games_in: Array, actions: Array, batch: BatchedGames) -> None:
        """Keep the chances to bluff and to challenge: game, question, answer, guilt, and a column for each of BINS."""
        slots, (rows, masks) = np.flatnonzero(games_in >= 0), self._asked
        sizes = rows[:, LAYOUT["hand_sizes"].columns].astype(np.int64)
        layer = rows[:, LAYOUT["last_player"].columns].argmax(axis=1)
        left = sizes[np.arange(len(rows)), layer]
        asked = {0: can_bluff(rows, masks), 1: (masks[:, CHALLENGE] != 0) & (left > 0)}
        for question, where in asked.items():
            chosen, at = actions[slots][where], rows[where]
            answer = (chosen >= FOURS.start) & (chosen < FOURS.stop) if question == 0 else chosen == CHALLENGE
            hand = held(at) if question == 0 else left[where] + 1
            guilty = batch.games["bluffed"][slots][where] if question else answer
            columns = (games_in[slots][where], np.full(len(at), question), answer, guilty, hand, active_held(at),
                       previous_seen(at))  # fmt: skip
            self.decisions.append(np.stack([np.asarray(column, np.int64) for column in columns], axis=1))


def frequencies(spec: str, rules: Rules, deals: int, seed: int) -> Iterator[Row]:
    """Shares of bluffs, of challenges, and of bluffs among what could be challenged, all and by each of BINS.

    Args:
        spec: who sits at all seats, as for :func:`agents.load`.
        rules: the rules.
        deals: number of deals.
        seed: decides them.
    """
    listener = Listener(agents.load(spec, seed=derived_seed(seed, AGENT_STREAM), rules=rules))
    seating = np.zeros((deals, rules.players), np.int8)
    play_deals(seating, [listener], deal_starts(deals, seed), rules, watch=listener.watch)
    told = np.concatenate(listener.decisions)
    for measure, question, value in (("bluffed", 0, 2), ("challenged", 1, 2), ("guilty", 1, 3)):
        here = told[told[:, 1] == question]
        yield from _row(measure, here, value, "all", 0)
        for column, (by, edges) in enumerate(BINS.items(), 4):
            if by != ("seen" if question == 0 else "colour"):
                bins = np.searchsorted(edges, here[:, column], side="right")
                for index, edge in enumerate(edges, 1):
                    yield from _row(measure, here[bins == index], value, by, edge)


def _row(measure: str, decisions: Array, value: int, by: str, edge: int) -> Iterator[Row]:
    """The share of decisions with a 1 in column ``value``, as a ratio over games; nothing if there are too few.

    The interval is Wilson's, for as many decisions as would have the error of the ratio if they were independent.
    """
    games, place = np.unique(decisions[:, 0], return_inverse=True)
    if len(games) < 2:
        return
    asked, hits = (np.bincount(place, weights) for weights in (None, decisions[:, value]))
    share = float(hits.sum() / asked.sum())
    variance = float(((hits - share * asked) ** 2).sum() * len(games) / (len(games) - 1) / asked.sum() ** 2)
    number = share * (1 - share) / variance if variance else len(games)
    estimate = replace(Estimate.wilson(share, number), n=len(decisions))
    yield row(measure, estimate, by=by, at=edge)
