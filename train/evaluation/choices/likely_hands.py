"""Hidden hands drawn by how likely the others' play makes them: :func:`likely_hands`.

All that a seat has not seen is drawn at random, such that each card that another player laid was in that hand in time.
Then the hand is played again from the deal, in all draws side by side. A draw's weight is the product of the
probabilities with which the others' policy makes their choices there (importance sampling). Draws in which the seat
would see something else are dropped. So the weighted draws are those of Bayes' rule.

Two more factors are needed. The card that is laid is one of the m equal ones in the hand: 1 / m. And of first cards
that may not lie, others are turned: the more cards of the pile may lie first, the less likely is the one that does.

After many choices, few draws have nearly all of the weight. Then the weights come in step by step: their power is
raised from 0 to 1, and in between draws are resampled, and moved by swaps of two hidden cards (Metropolis-Hastings).
Source: P. Del Moral, A. Doucet and A. Jasra, "Sequential Monte Carlo samplers", 2006.
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
from uno_env.actions import NUM_ACTIONS, parse
from uno_env.cards import NUM_KINDS, WILD_SHUFFLE_HANDS
from uno_env.core.arrays import Array, Bytes, Floats, Ints
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
from uno_env.editions.classic import CLASSIC
from uno_env.events import Event, cards_laid, events_seen_by
from uno_env.game import Game

DRAWS = 4096
"""Draws to weigh."""
FLOOR = 0.01
"""Probability that a choice is made at random, so that no choice is impossible."""
ENOUGH = 200
"""Effective sample size below which draws are resampled and moved."""
MOVED = 400
"""Draws that are moved."""
MOVES, LAST_MOVES = 3, 8
"""Swaps that are tried after each step, and after the last one."""
GOLDEN = (5**0.5 - 1) / 2
"""Its multiples are spread evenly between whole numbers, however many there are."""


@dataclass(frozen=True)
class LikelyHands:
    """N games that look to a seat as the one it sees, with their weights."""

    games: Array
    """Records of type GAME [N]."""
    weights: npt.NDArray[np.float64]
    """float64 [N], which add up to 1."""
    effective: float
    """Effective sample size: the number of independent draws of equal weights that say as much."""
    seat: int
    max_decisions: int

    def picks(self, first: int, number: int) -> Ints:
        """Indices of the draws that are determinizations ``first`` …, int64 [number], as often as their weights say."""
        at = (np.arange(first, first + number) + 0.5) * GOLDEN % 1
        return np.minimum(np.searchsorted(np.cumsum(self.weights), at), len(self.weights) - 1)


def likely_hands(game: Game, others: Agent, seed: int = 0) -> LikelyHands | None:
    """Draw the hidden cards of a game as the seat to move may think of them, if the policy of all others is ``others``.

    None where it cannot be done: in a match, in RLCard's dialect, in other editions than the first, with mercy, where
    hands can change owners, after discards have become a new draw pile, after an illegal action, or if no draw fits.
    """
    rules, seat = game.rules, game.to_move
    if rules.edition != CLASSIC.name or rules.mercy:
        return None
    moves = may_move_hands(rules.record) or may_swap_hands(rules.record) or rules.deck_counts[WILD_SHUFFLE_HANDS]
    takers = None if game.match or moves or rules.dialect != "official" else _takers(game)
    events = events_seen_by(game.events, seat)[1:]
    if takers is None or not all(event.legal for event in events):
        return None
    rng = np.random.default_rng(seed)
    past = _Past(game, events, takers, others)
    cards, known = past.draw(DRAWS, rng)
    games, logs = past.play_again(cards, rng)
    weights = _normalised(logs)
    if not weights.any():
        return None
    effective = float(1 / (weights**2).sum())
    if effective < ENOUGH:
        games, effective = _moved(past, cards, known, games, logs, rng)
        weights = np.full(len(games), 1 / len(games))
    kept = weights > 0
    return LikelyHands(games[kept], weights[kept], effective, seat, rules.max_decisions)


def _normalised(logs: Floats) -> Floats:
    """Weights that add up to 1, from their logarithms. All are 0 if each is impossible."""
    if not np.isfinite(logs).any():
        return np.zeros(len(logs))
    weights: Floats = np.exp(logs - logs.max())
    return weights / weights.sum()


def _moved(
    past: "_Past", cards: Ints, known: Array, games: Array, logs: Floats, rng: np.random.Generator
) -> tuple[Array, float]:
    """Games of equal weights, and their effective sample size, from draws [N] with logarithms of weights.

    A draw counts as independent of those that it was resampled with after as many swaps as the others hold cards now.
    """
    power, own, swaps = 0.0, np.arange(len(cards)), np.zeros(len(cards), int)
    while power < 1:
        step = _step(logs, 1 - power)
        at = (rng.random() + np.arange(MOVED)) / MOVED
        chosen = np.minimum(np.searchsorted(np.cumsum(_normalised(step * logs)), at), len(logs) - 1)
        cards, known, games, logs = cards[chosen], known[chosen], games[chosen], logs[chosen]
        own, swaps = own[chosen], swaps[chosen]
        power = 1.0 if step == 1 - power else power + step
        for _ in range(MOVES if power < 1 else LAST_MOVES):
            tried = past.swap(cards, known, rng)
            fresh, new_logs = past.play_again(tried, rng)
            taken = np.log(rng.random(len(cards))) < power * (new_logs - logs)
            swaps += taken & (tried != cards).any(axis=1)
            games[taken], logs[taken], cards[taken] = fresh[taken], new_logs[taken], tried[taken]
        is_new = swaps >= past.held
        own[is_new] = own.max() + 1 + np.arange(is_new.sum())
        swaps[is_new] = 0
    return games, _effective(own)


def _effective(own: Ints) -> float:
    """Effective sample size of draws [N] of equal weights. Those with the same number count as one."""
    counts = np.unique(own, return_counts=True)[1]
    return float(len(own) ** 2 / (counts**2).sum())


def _step(logs: Floats, most: float) -> float:
    """Return the largest power of weights, given as logarithms, that leaves half of the sample or more, at most
    ``most``.
    """
    least = min(MOVED, np.isfinite(logs).sum()) / 2
    low, high = 0.0, most
    for _ in range(30):
        if 1 / (_normalised(high * logs) ** 2).sum() >= least:
            break
        middle = (low + high) / 2
        is_small = 1 / (_normalised(middle * logs) ** 2).sum() >= least
        low, high = (middle, high) if is_small else (low, middle)
    return high


def _takers(game: Game) -> list[int] | None:
    """The seat that drew each card since the deal, or None if that is unclear."""
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


class _Past:
    """A hand as the seat to move saw it, to be played again with other hidden cards.

    Cards are kinds, int64 [N, C]: what each seat was dealt and drew, seat by seat, then the rest of the pile. ``held``
    is how many cards the other seats hold now.
    """

    def __init__(self, game: Game, events: Sequence[Event], takers: list[int], others: Agent) -> None:
        self._game, self._events, self._others = game, events, others
        self._start, self._me, rules = game.start(), game.to_move, game.rules
        record, players = self._start.record, game.players
        self._first, pile = int(record.pile_next), record.pile[record.pile_next : record.pile_end].astype(np.int64)
        self._held = record["seats"]["hand_size"][:players].astype(int)
        self._drawn = [np.flatnonzero(np.array(takers, int) == seat) for seat in range(players)]
        self._ends = np.cumsum([held + len(drawn) for held, drawn in zip(self._held, self._drawn, strict=True)])
        self._own = [*self._start.hand(self._me), *pile[self._drawn[self._me]]]
        self._rest = np.setdiff1d(np.arange(len(pile)), np.concatenate(self._drawn))
        self.held = sum(len(game.hand(seat)) for seat in range(players) if seat != self._me)
        self._unseen = np.array(rules.deck_counts) - np.bincount(self._own, minlength=NUM_KINDS)
        self._unseen[record.top] -= 1
        self._may_lie = np.array([rules.may_lie_first(kind) for kind in range(NUM_KINDS)])
        self._scratch = new_search_scratch("random", "random")
        set_rules(self._scratch, rules)

    def _slots(self, seat: int) -> slice:
        return slice(self._ends[seat] - self._held[seat] - len(self._drawn[seat]), self._ends[seat])

    def draw(self, number: int, rng: np.random.Generator) -> tuple[Ints, Array]:
        """Draw cards [N, C], such that each card that another player laid was in that hand in time. Return the cards
        and which they are.
        """
        cards = np.full((number, self._ends[-1] + len(self._rest)), -1)
        cards[:, self._slots(self._me)] = self._own
        unseen, so_far = self._unseen.copy(), self._held.copy()
        for event in self._events:
            laid = 0 if event.action is None or event.seat == self._me else cards_laid(event.action)
            for _ in range(laid):
                _hold(
                    cards[:, self._slots(event.seat)][:, : so_far[event.seat]], event.top, event.phase == "drawn", rng
                )
                unseen[event.top] -= 1
            so_far += event.taken
        rest = np.tile(np.repeat(np.arange(NUM_KINDS), unseen), (number, 1))
        known = cards >= 0
        cards[~known] = rng.permuted(rest, axis=1).ravel()
        return cards, known

    def swap(self, cards: Ints, known: Array, rng: np.random.Generator) -> Ints:
        """The same with a card of another player in each row swapped for any card. Neither of the two is known."""
        keys, tried, rows = rng.random((2, *cards.shape)) + known, cards.copy(), np.arange(len(cards))
        one, two = keys[0, :, : self._ends[-1]].argmin(axis=1), keys[1].argmin(axis=1)
        tried[rows, one], tried[rows, two] = cards[rows, two], cards[rows, one]
        return tried

    def _deal(self, cards: Ints, rng: np.random.Generator) -> Array:
        games = np.repeat(self._start._array, len(cards))
        rows = np.arange(len(cards))[:, None]
        for seat, drawn in enumerate(self._drawn):
            own = cards[:, self._slots(seat)]
            hands = np.zeros((len(cards), NUM_KINDS), np.int64)
            np.add.at(hands, (rows, own[:, : self._held[seat]]), 1)
            games["seats"]["hand"][:, seat] = hands
            games["pile"][:, self._first + drawn] = own[:, self._held[seat] :]
        games["pile"][:, self._first + self._rest] = cards[:, self._ends[-1] :]
        games["rng"] = rng.integers(0, 2**64, len(cards), np.uint64)
        return games

    def play_again(self, cards: Ints, rng: np.random.Generator) -> tuple[Array, Floats]:
        """Play the hand again with these cards [N, C]. Return the games and their log weights, which are −∞ where the
        seat would have seen something else.
        """
        games, game, scratch, me = self._deal(cards, rng), self._game, self._scratch, self._me
        pool = games["pile"][:, self._first : self._start.record.pile_end]
        logs: Floats = -np.log(1 + self._may_lie[pool].sum(axis=1))
        phases = {name: number for number, name in enumerate(PHASE_NAMES)}
        unseen = np.array([is_asked_unseen(game.rules.record, phase) for phase in range(len(PHASE_NAMES))])
        rows, masks = np.zeros((len(games), OBSERVATION_SIZE), np.uint8), np.zeros((len(games), NUM_ACTIONS), np.uint8)

        def choose(chosen: Ints, actions: Ints, is_mine: bool) -> Ints:
            """Let games [K] go on by actions [K]; those in which these are legal."""
            see_each(scratch, games, chosen, rows, masks)
            here = masks[np.arange(len(chosen)), actions] > 0
            chosen, actions = chosen[here], actions[here]
            seen, legal = rows[: len(here)][here], masks[: len(here)][here]
            if len(chosen) and not is_mine:
                likely = action_shares(self._others, seen, legal)[np.arange(len(chosen)), actions]
                logs[chosen] += np.log((1 - FLOOR) * likely + FLOOR / legal.sum(axis=1))
            step_chosen(scratch, games, chosen, actions)
            return chosen

        alive = np.arange(len(games))
        for event in [*self._events, None]:
            seat, phase = (event.seat, phases[event.phase]) if event else (me, phases[game.phase])
            while True:  # chances that were let go, and that the seat does not know of
                asked, mover = games["phase"][alive], games["to_move"][alive]
                goes = unseen[asked] & (mover != me) & ((mover != seat) | (asked != phase))
                if not goes.any():
                    break
                actions = np.array([parse(LETS_GO[each]) for each in asked[goes].tolist()])
                alive = np.sort(np.concatenate([alive[~goes], choose(alive[goes], actions, False)]))
            alive = alive[(mover == seat) & (asked == phase)]
            if event is not None and event.action is not None:
                if seat != me and event.phase != "drawn":
                    held = games["seats"]["hand"][alive, seat, event.top].astype(np.float64)
                    for less in range(cards_laid(event.action)):
                        logs[alive] -= np.log(np.maximum(held - less, 1))
                alive = choose(alive, np.full(len(alive), event.action), seat == me)
        see_each(scratch, games, alive, rows, masks)
        row, mask = game.observe(me, "uint8"), game.action_mask()
        same = (rows[: len(alive)] == row).all(axis=1) & (masks[: len(alive)] == mask).all(axis=1)
        logs[np.setdiff1d(np.arange(len(games)), alive[same])] = -np.inf
        return games, logs


def _hold(slots: Ints, kind: int, is_last: bool, rng: np.random.Generator) -> None:
    """Let one of the free slots [N, K] of a hand, all as likely, or the last one, hold a card that is laid."""
    keys = rng.random(slots.shape)
    keys[:, -1] -= 2 * is_last
    keys[slots >= 0] = 2
    slots[np.arange(len(slots)), keys.argmin(axis=1)] = kind


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
    """Play out what :func:`open_likely` wrote. The rewards of ``seat`` go to ``scores``, float32 [W, K]."""
    for index in range(scores.shape[0]):
        for candidate in range(scores.shape[1]):
            copy_game(opened[index * scores.shape[1] + candidate], scratch.game[0], scratch.rules[0])
            seed_playout(scratch, ~seed, np.uint64(first + index))
            play_out(scratch)
            scores[index, candidate] = scratch.reward[seat]
