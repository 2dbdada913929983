"""Hidden hands drawn by how likely the others' play makes them: :func:`likely_hands`.

All that a seat has not seen is drawn at random, such that each card that another player laid was in that hand in time.
Then the hand is played again from the deal, in all draws side by side. A draw's weight is the product of the
probabilities with which the others' policy makes their choices there (importance sampling). Draws in which the seat
would see something else are dropped. So the weighted draws are those of Bayes' rule.

Two more factors are needed. The card that is laid is one of the m equal ones in the hand: 1 / m. And of first cards
that may not lie, others are turned: the more cards of the pile may lie first, the less likely is the one that does.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from agents.agent import Agent
from agents.search.batched_rollouts import step_chosen
from agents.search.determinization import seed_playout
from agents.search.ismcts_tree import see
from agents.search.playout import SearchScratch, new_search_scratch, play_out, set_rules
from train.evaluation.exact.probabilities import action_shares
from uno_env.actions import NUM_ACTIONS
from uno_env.cards import NUM_KINDS, WILD_SHUFFLE_HANDS
from uno_env.core.arrays import Array, Bytes, Ints
from uno_env.core.jit.njit import njit
from uno_env.core.observe.layout import OBSERVATION_SIZE
from uno_env.core.observe.unseen import LETS_GO, is_asked_unseen
from uno_env.core.packed_games import copy_game
from uno_env.core.record import PHASE_NAMES
from uno_env.core.rng import stream
from uno_env.core.rules.deck import shuffle_pile
from uno_env.core.rules.seven_zero import may_move_hands
from uno_env.core.rules.special_wilds import may_swap_hands
from uno_env.core.step import step
from uno_env.events import Event, cards_laid, events_seen_by
from uno_env.game import Game

DRAWS = 4096
"""Draws to weigh."""
FLOOR = 0.01
"""Probability that a choice is made at random, so that no choice is impossible."""
GOLDEN = (5**0.5 - 1) / 2
"""Its multiples are spread evenly between whole numbers, however many there are."""


@dataclass(frozen=True)
class LikelyHands:
    """N games that look to a seat as the one it sees, with their weights."""

    games: Array
    """Records of type GAME [N]."""
    weights: npt.NDArray[np.float64]
    """float64 [N], which add up to 1."""
    seat: int
    max_decisions: int

    @property
    def effective(self) -> float:
        """Effective sample size: so many draws of equal weights say as much."""
        return float(1 / (self.weights**2).sum())

    def picks(self, first: int, number: int) -> Ints:
        """Indices of the draws that are determinizations ``first`` …, int64 [number], as often as their weights say."""
        at = (np.arange(first, first + number) + 0.5) * GOLDEN % 1
        return np.minimum(np.searchsorted(np.cumsum(self.weights), at), len(self.weights) - 1)


def likely_hands(game: Game, others: Agent, seed: int = 0) -> LikelyHands | None:
    """Draw the hidden cards of a game as the seat to move may think of them.

    Args:
        game: is not changed; what the seat to move has not seen does not matter.
        others: the policy of all other seats.
        seed: of the draws.

    Returns:
        None where it cannot be done: in a match, in RLCard's dialect, where hands can change owners, after discards
        have become a new draw pile, after an illegal action, or if no draw fits.
    """
    rules, seat = game.rules, game.to_move
    moves = may_move_hands(rules.record) or may_swap_hands(rules.record) or rules.deck_counts[WILD_SHUFFLE_HANDS]
    takers = None if game.match or moves or rules.dialect != "official" else _takers(game)
    events = events_seen_by(game.events, seat)[1:]
    if takers is None or not all(event.legal for event in events):
        return None
    games = _dealt(game, events, takers, DRAWS, np.random.default_rng(seed))
    start, may_lie = games[0], np.array([rules.may_lie_first(kind) for kind in range(NUM_KINDS)])
    pool = games["pile"][:, start["pile_next"] : start["pile_end"]]
    games, weights = _play_again(games, -np.log(1 + may_lie[pool].sum(axis=1)), game, events, others)
    if not len(games):
        return None
    weights = np.exp(weights - weights.max())
    return LikelyHands(games, weights / weights.sum(), seat, rules.max_decisions)


def _takers(game: Game) -> list[int] | None:
    """The seat that drew each card since the deal; None if that is unclear."""
    past, takers = game.start(), list[int]()
    end = int(past.record.pile_end)
    for action, event in zip(game.history, game.events[1:], strict=True):
        before = int(past.record.pile_next)
        past.step(action)
        drew = [seat for seat, cards in enumerate(event.taken) for _ in range(cards)]
        moved = int(past.record.pile_next) - before
        if int(past.record.pile_end) != end or moved != len(drew) or len(set(drew)) > 1:
            return None
        takers += drew
    return takers


def _dealt(game: Game, events: Sequence[Event], takers: list[int], number: int, rng: np.random.Generator) -> Array:
    """Records [N] of the deal, in which what the seat to move does not know is drawn at random."""
    start, me = game.start(), game.to_move
    record, players = start.record, start.players
    pile = record.pile[record.pile_next : record.pile_end].astype(np.int64)
    held = record["seats"]["hand_size"][:players].astype(int)
    slots = [np.full((number, held[seat] + takers.count(seat)), -1) for seat in range(players)]
    slots[me][:] = [*start.hand(me), *(pile[at] for at, seat in enumerate(takers) if seat == me)]
    unseen = np.array(game.rules.deck_counts) - np.bincount(slots[me][0], minlength=NUM_KINDS)
    unseen[record.top] -= 1
    so_far = held.copy()
    for event in events:
        laid = 0 if event.action is None or event.seat == me else cards_laid(event.action)
        for _ in range(laid):
            _hold(slots[event.seat][:, : so_far[event.seat]], event.top, event.phase == "drawn", rng)
            unseen[event.top] -= 1
        so_far += event.taken
    rest = rng.permuted(np.tile(np.repeat(np.arange(NUM_KINDS), unseen), (number, 1)), axis=1)
    games = np.repeat(start._array, number)
    for seat, kinds in enumerate(slots):
        free = int((kinds[0] < 0).sum())
        kinds[kinds < 0] = rest[:, :free].ravel()
        rest = rest[:, free:]
        hands = np.zeros((number, NUM_KINDS), np.int64)
        np.add.at(hands, (np.arange(number)[:, None], kinds[:, : held[seat]]), 1)
        games["seats"]["hand"][:, seat] = hands
        drawn = [record.pile_next + at for at, taker in enumerate(takers) if taker == seat]
        games["pile"][:, drawn] = kinds[:, held[seat] :]
    games["pile"][:, record.pile_next + len(takers) : record.pile_end] = rest
    games["rng"] = rng.integers(0, 2**64, number, np.uint64)
    return games


def _hold(slots: Ints, kind: int, is_last: bool, rng: np.random.Generator) -> None:
    """Let one of the free slots [N, K] of a hand, all as likely, or the last one, hold a card that is laid."""
    keys = rng.random(slots.shape)
    keys[:, -1] -= 2 * is_last
    keys[slots >= 0] = 2
    slots[np.arange(len(slots)), keys.argmin(axis=1)] = kind


def _play_again(
    games: Array, weights: Array, game: Game, events: Sequence[Event], others: Agent
) -> tuple[Array, Array]:
    """Play the events again in games [N]; those in which the seat sees the same, with their log weights."""
    me, phases = game.to_move, {name: number for number, name in enumerate(PHASE_NAMES)}
    unseen = [phase for phase in LETS_GO if is_asked_unseen(game.rules.record, phase)]
    scratch = new_search_scratch("random", "random")
    set_rules(scratch, game.rules)
    rows, masks = np.zeros((len(games), OBSERVATION_SIZE), np.uint8), np.zeros((len(games), NUM_ACTIONS), np.uint8)

    def choose(chosen: Ints, actions: Ints, is_mine: bool) -> Ints:
        """Let games [K] go on by actions [K]; those in which these are legal."""
        see_each(scratch, games, chosen, rows, masks)
        here = masks[np.arange(len(chosen)), actions] > 0
        chosen, actions, seen, legal = chosen[here], actions[here], rows[: len(here)][here], masks[: len(here)][here]
        if len(chosen) and not is_mine:
            likely = action_shares(others, seen, legal)[np.arange(len(chosen)), actions]
            weights[chosen] += np.log((1 - FLOOR) * likely + FLOOR / legal.sum(axis=1))
        step_chosen(scratch, games, chosen, actions)
        return chosen

    alive = np.arange(len(games))
    for event in [*events, None]:
        seat, phase = (event.seat, phases[event.phase]) if event else (me, phases[game.phase])
        while True:  # chances that were let go, and that the seat does not know of
            asked, mover = games["phase"][alive], games["to_move"][alive]
            goes = np.isin(asked, unseen) & (mover != me) & ((mover != seat) | (asked != phase))
            if not goes.any():
                break
            actions = np.array([LETS_GO[each] for each in asked[goes].tolist()])
            alive = np.sort(np.concatenate([alive[~goes], choose(alive[goes], actions, False)]))
        alive = alive[(mover == seat) & (asked == phase)]
        if event is not None and event.action is not None:
            copies = games["seats"]["hand"][alive, seat, event.top].astype(np.float64)
            for less in range(cards_laid(event.action) if seat != me else 0):
                weights[alive] -= np.log(np.maximum(copies - less, 1))
            alive = choose(alive, np.full(len(alive), event.action), seat == me)
    see_each(scratch, games, alive, rows, masks)
    row, mask = game.observe(me, "uint8"), game.action_mask()
    alive = alive[((rows[: len(alive)] == row).all(axis=1)) & ((masks[: len(alive)] == mask).all(axis=1))]
    return games[alive], weights[alive]


@njit
def see_each(scratch: SearchScratch, games: Array, chosen: Ints, rows: Bytes, masks: Bytes) -> None:
    """Write what the players to move of the games ``chosen`` [K] see and may do to the first rows."""
    for index in range(chosen.shape[0]):
        see(scratch, games, chosen[index], rows[index], masks[index])


@njit
def open_likely(
    scratch: SearchScratch, games: Array, picks: Ints, actions: Ints, seed: np.uint64, first: int, opened: Array
) -> None:
    """Do each of ``actions`` [K] in each of the games ``picks`` [W], into ``opened`` [W × K], their piles shuffled."""
    for index in range(picks.shape[0]):
        copy_game(games[picks[index]], scratch.dealt[0], scratch.rules[0])
        scratch.dealt[0].rng = stream(seed, np.uint64(first + index))
        shuffle_pile(scratch.dealt[0])
        for candidate in range(actions.shape[0]):
            at = index * actions.shape[0] + candidate
            copy_game(scratch.dealt[0], opened[at], scratch.rules[0])
            step(opened[at], scratch.rules[0], actions[candidate])


@njit
def play_opened(
    scratch: SearchScratch, opened: Array, seat: int, seed: np.uint64, first: int, scores: npt.NDArray[np.float32]
) -> None:
    """Play out what :func:`open_likely` wrote; rewards of ``seat`` go to ``scores``, float32 [W, K]."""
    for index in range(scores.shape[0]):
        for candidate in range(scores.shape[1]):
            copy_game(opened[index * scores.shape[1] + candidate], scratch.game[0], scratch.rules[0])
            seed_playout(scratch, ~seed, np.uint64(first + index))
            play_out(scratch)
            scores[index, candidate] = scratch.reward[seat]
