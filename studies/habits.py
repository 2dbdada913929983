"""A habit imposed on a player, to measure what it costs: :class:`HabitPlayer`.

A habit is a function of observations in integer form, uint8 [N, D], and masks, uint8 [N, A], that returns masks of what
it leaves of the legal actions. The player is asked as ever; only where it chooses what its habit forbids, it is asked
again among what is left. So the habit changes these decisions and no others, and is the same for every player.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

import agents
from train.evaluation.duplicate import AGENT_STREAM, Played, derived_seed, duplicate_deals, play_deals
from uno_env import Rules
from uno_env.actions import ACCEPT, CHALLENGE, DRAW, catalogue, wild_action
from uno_env.cards import NUM_COLOURS, NUM_KINDS, WILD_DRAW_FOUR, colour_of, is_wild, word_of
from uno_env.observation import LAYOUT, integer_form, rules_of
from uno_env.player import Player

Array = npt.NDArray[Any]
Habit = Callable[[Array, Array], Array]

KIND = np.array(catalogue().kinds[:DRAW])
"""Kind of card that each action lays, int64 [DRAW]."""
COLOUR = np.array(catalogue().colours[:DRAW])
"""Active colour that each action leads to, int64 [DRAW]."""
KIND_COLOUR = np.array([colour_of(kind) for kind in range(NUM_KINDS)])
IS_WILD = np.array([is_wild(kind) for kind in range(NUM_KINDS)])[KIND]
_WORDS = [word_of(kind) for kind in KIND.tolist()]
RANK = np.array([int(word) if word.isdecimal() else -1 for word in _WORDS])
IS_ZERO, IS_ACTION = RANK == 0, ~IS_WILD & (RANK < 0)
HITS_NEXT = IS_ACTION | (KIND == WILD_DRAW_FOUR)
"""Cards that keep the next player from an ordinary turn; a Reverse does so as well."""
POINTS = np.where(IS_WILD, 50, np.where(IS_ACTION, 20, RANK))
"""Points of the card that each action lays, as in the classic edition, int64 [DRAW]."""
ANY = -(2**31)
"""Score of a card that a habit has no say about: it may always be laid."""
FOURS = slice(wild_action(WILD_DRAW_FOUR, 0), wild_action(WILD_DRAW_FOUR, NUM_COLOURS - 1) + 1)
"""Actions that lay a Wild Draw Four."""


class HabitPlayer(Player):
    """A player with a habit; it counts its decisions.

    Args:
        player: the player; one that neither sees all hands nor remembers the hand it is in.
        habit: what its habit leaves of the legal actions; where that is nothing, it has no say.
    """

    obs_dtype = "uint8"

    def __init__(self, player: Player, habit: Habit) -> None:
        self.player, self.habit = player, habit
        self.name, self.history = player.name, player.history
        self.decisions = self.changed = 0

    def act_batch(
        self, observations: Array, action_masks: Array, histories: Array | None = None
    ) -> npt.NDArray[np.int64]:
        """See :meth:`uno_env.player.Player.act_batch`."""
        shown = () if histories is None else (histories,)
        chosen = self.player.act_batch(observations, action_masks, *shown).copy()
        masks = np.asarray(action_masks).astype(np.uint8)
        wanted = restricted(self.habit, integer_form(observations), masks)
        again = np.flatnonzero(wanted[np.arange(len(chosen)), chosen] == 0)
        self.decisions += int((masks.sum(axis=1) > 1).sum())
        self.changed += again.size
        if again.size:
            wanted = wanted[again]
            lays = (chosen[again] < DRAW) & wanted[:, :DRAW].any(axis=1)
            wanted[lays, DRAW:] = 0  # who would lay a card lays one still
            chosen[again] = self.player.act_batch(observations[again], wanted, *(each[again] for each in shown))
        return chosen


def restricted(habit: Habit, rows: Array, masks: Array) -> Array:
    """The legal actions that a habit leaves, uint8 [N, A]; all of them if it would leave none."""
    wanted = habit(rows, masks)
    return np.where(wanted.any(axis=1, keepdims=True), wanted, masks)


def prefer(score: Callable[[Array], Array]) -> Habit:
    """To lay, of the cards that fit, one of the highest score.

    Args:
        score: of each card action for rows uint8 [N, D]: integers [N, DRAW] or [DRAW]; :data:`ANY` for cards that the
            habit leaves alone.
    """

    def habit(rows: Array, masks: Array) -> Array:
        cards, scores = masks[:, :DRAW] != 0, score(rows)
        best = np.where(cards, scores, ANY).max(axis=1, keepdims=True)
        wanted = masks.copy()
        wanted[:, :DRAW] = cards & ((scores == best) | (scores == ANY))
        return wanted

    return habit


def draw_if(condition: Callable[[Array, Array], Array]) -> Habit:
    """To draw by choice, where the rules let one, if a condition holds: bool [N] of rows and of the cards that fit."""

    def habit(rows: Array, masks: Array) -> Array:
        cards = masks[:, :DRAW] != 0
        wanted = masks.copy()
        wanted[(masks[:, DRAW] != 0) & cards.any(axis=1) & condition(rows, cards), :DRAW] = 0
        return wanted

    return habit


def never_draw(rows: Array, masks: Array) -> Array:
    """Not to draw where a card fits."""
    wanted = masks.copy()
    wanted[masks[:, :DRAW].any(axis=1), DRAW] = 0
    return wanted


def never_bluff(rows: Array, masks: Array) -> Array:
    """To lay no Wild Draw Four with a card of the active colour in the hand."""
    wanted = masks.copy()
    wanted[can_bluff(rows, masks), FOURS] = 0
    return wanted


def always_bluff(rows: Array, masks: Array) -> Array:
    """To lay a Wild Draw Four at once, with a card of the active colour in the hand."""
    bluffs = can_bluff(rows, masks)
    wanted = masks.copy()
    wanted[bluffs] = 0
    wanted[bluffs, FOURS] = masks[bluffs, FOURS]
    return wanted


def never_challenge(rows: Array, masks: Array) -> Array:
    """To challenge no Wild Draw Four."""
    wanted = masks.copy()
    wanted[:, CHALLENGE] = 0
    return wanted


def always_challenge(rows: Array, masks: Array) -> Array:
    """To challenge every Wild Draw Four."""
    wanted = masks.copy()
    wanted[masks[:, CHALLENGE] != 0, ACCEPT] = 0
    return wanted


def no_habit(rows: Array, masks: Array) -> Array:
    """Everything as it is."""
    return masks


def can_bluff(rows: Array, masks: Array) -> npt.NDArray[np.bool_]:
    """Mark the rows where a Wild Draw Four may be laid although a card of the active colour is held: bool [N]."""
    return masks[:, FOURS].any(axis=1) & (masks.sum(axis=1) > masks[:, FOURS].sum(axis=1)) & (active_held(rows) > 0)


def active_held(rows: Array) -> npt.NDArray[np.int64]:
    """Cards of the active colour in the observer's hand, int64 [N]."""
    return _of_colour(rows[:, LAYOUT["hand"].columns], rows[:, LAYOUT["colour"].columns])


def previous_seen(rows: Array) -> npt.NDArray[np.int64]:
    """Cards in the observer's hand and among the discards of the colour that was active before the top card, [N]."""
    hand, discards = (rows[:, LAYOUT[name].columns].astype(np.int64) for name in ("hand", "discards"))
    return _of_colour(hand + discards, rows[:, LAYOUT["previous_colour"].columns])


def _of_colour(cards: Array, one_hot: Array) -> npt.NDArray[np.int64]:
    return np.asarray((colour_counts(cards) * one_hot).sum(axis=1), np.int64)


def colour_counts(cards: Array) -> npt.NDArray[np.int64]:
    """Cards of each colour, int64 [N, colours], of numbers by kind [N, kinds]."""
    return np.stack([cards[:, colour == KIND_COLOUR].sum(axis=1, dtype=np.int64) for colour in range(NUM_COLOURS)], 1)


def held(rows: Array) -> npt.NDArray[np.int64]:
    """Cards in the observer's hand, int64 [N]."""
    return rows[:, LAYOUT["hand_sizes"].start].astype(np.int64)


def next_held(rows: Array) -> npt.NDArray[np.int64]:
    """Cards in the hand of the player whose turn comes next, int64 [N], if nobody is out of the match."""
    players = rules_of(rows[0]).players if len(rows) else 2
    seats = np.where(rows[:, LAYOUT["clockwise"].start] != 0, 1, players - 1)
    return rows[np.arange(len(rows)), LAYOUT["hand_sizes"].start + seats].astype(np.int64)


def play_table(
    player: str, opponent: str, rules: Rules, deals: int, seed: int, habits: tuple[Habit, Habit]
) -> tuple[Played, Array, HabitPlayer]:
    """Play duplicate deals of a player, with a habit, at a table of an opponent, with another.

    Args:
        player: as for :func:`agents.load`.
        opponent: likewise, at all other seats.
        rules: the rules.
        deals: number of deals; each is played from every seat.
        seed: decides them and the players' own chance.
        habits: of the player and of the opponent.

    Returns:
        What became of the games, the seating int8 [games, players], and the player.
    """
    pair = [
        agents.load(spec, seed=derived_seed(seed, AGENT_STREAM, index), rules=rules)
        for index, spec in enumerate((player, opponent))
    ]
    asked = HabitPlayer(pair[0], habits[0])
    others = pair[1] if habits[1] is no_habit else HabitPlayer(pair[1], habits[1])
    starts, seating = duplicate_deals(deals, rules.players, seed)
    return play_deals(seating, [asked, others], starts, rules), seating, asked


def point_margins(played: Played, seating: Array) -> npt.NDArray[np.float64]:
    """Points of each game, float64 [games], of the player less the mean of all others: 0 among equals."""
    own = played.points[seating == 0].astype(np.float64)
    return (own - (played.points.sum(axis=1) - own) / (seating.shape[1] - 1)).astype(np.float64)
