"""The value of each legal action of a position, by playouts: :func:`action_values`, :func:`values_in_game`.

The value of an action is the win rate of the seat that decides, if it takes the action and all seats then play by one
named policy. Only what the seat may know is used: its observation. The hidden cards are drawn anew for each
*determinization*. All actions are tried on the same cards with the same random numbers (common random numbers), so
their differences vary less than their values. An action that is clearly behind is no longer tried.

Plain draws are those of the searches (:mod:`uno_env.core.loops.determinize`): hands that make a draw or a Wild Draw
Four unlikely come less often. ``uniform`` draws all possible hands equally often. Neither considers how likely the
others' past choices are under their policies. So values are exact in the mean before the others have chosen, and biased
later. They also ignore what the first card tells about the hands if other cards were put back. With ``others``,
:func:`values_in_game` draws by the likelihood of all this (:mod:`train.evaluation.choices.likely_hands`). Values then
are exact in the mean if this policy is the one that played.

Source: rollouts are those of G. Tesauro and G. Galperin, "On-line policy improvement using Monte-Carlo search", 1996;
drawn cards those of M. Ginsberg, "GIB: imperfect information in a computationally challenging game", 2001.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import agents
from agents.agent import Agent
from agents.scripted.dispatch import STRATEGY_NUMBERS
from agents.search.batched_rollouts import AgentPlayouts
from agents.search.determinization import enter, try_actions
from agents.search.playout import LONGEST_PLAYOUT, SearchScratch, new_search_scratch
from agents.search.racing import mean_and_error, not_behind
from train.evaluation.choices.likely_hands import LikelyHands, likely_hands, open_likely, play_opened
from uno_env.actions import catalogue
from uno_env.common.numbers import checked_seed, checked_whole
from uno_env.common.spelling import did_you_mean
from uno_env.core.arrays import Array, Bytes, Floats, Ints
from uno_env.core.record import GAME
from uno_env.game import Game
from uno_env.observation import edition_shown

ROUND = 50
"""Determinizations between looks at which actions are behind."""
FIRST_LOOK = 100
"""Determinizations before the first look: standard errors of fewer are too rough."""
APART = 3.0
"""Standard errors of the paired difference beyond which an action is told apart from the best."""

LEAST_EFFECTIVE = 20
"""Effective sample size of likely hands below which plain draws are taken instead."""


@dataclass(frozen=True)
class ActionValues:
    """The values of K legal actions. Win rates are shares from 0 to 1, and a truncated hand counts 1 / players."""

    actions: Ints
    """int64 [K]."""
    texts: tuple[str, ...]
    """Short text of each action."""
    values: Floats
    """Win rate after each action, float64 [K]."""
    errors: Floats
    """Standard errors of :attr:`values`, float64 [K]."""
    regrets: Floats
    """Win rate lost against the best action on the same cards, float64 [K]; negative only by chance."""
    regret_errors: Floats
    """Standard errors of :attr:`regrets`, float64 [K]; 0 for the best action."""
    tried: Ints
    """Determinizations that each action was tried in, int64 [K]."""
    is_clear: bool
    """True if all actions but the best were told apart from it."""
    effective: float = 0.0
    """Effective sample size of the likely hands, which the standard errors take into account; 0: plain draws."""

    @property
    def best(self) -> int:
        """The action of the highest value among those that were tried to the end."""
        return int(self.actions[_leader(self.tried, self.values)])

    def regret(self, action: int) -> float:
        """Return the win rate that an action loses against the best one. Raises ValueError if it is not one of the
        legal actions.
        """
        found = np.flatnonzero(self.actions == action)
        if not found.size:
            raise ValueError(f"action {action!r} is not allowed: there are {', '.join(self.texts)}")
        return float(self.regrets[found[0]])

    def report(self) -> str:
        """A line for each action, the best first, for a person to read."""
        order = np.lexsort((-self.values, -self.tried))
        return "\n".join(
            f"{self.texts[each]}: {100 * self.values[each]:.1f} ± {100 * self.errors[each]:.1f} %, "
            f"costs {100 * self.regrets[each]:.1f} ± {100 * self.regret_errors[each]:.1f}"
            for each in order
        )


def values_in_game(
    game: Game, policy: str | Agent = "tuned", others: str | Agent | None = None, **options: Any
) -> ActionValues:
    """The values of the legal actions of the seat to move in a game, from what this seat may know; for ``policy`` and
    the options see :func:`action_values`. In a match, the value is that of the hand.

    Hidden hands are drawn by the likelihood of the others' past choices under the policy ``others``. Draws are plain if
    it is None, if this cannot be done, or if fewer than :data:`LEAST_EFFECTIVE` draws would count. Raises ValueError if
    the game is over, or as :func:`action_values` does.
    """
    if game.over:
        raise ValueError("the hand is over: no action is to be valued")
    left = int(game.rules.max_decisions - game.record["decisions"])
    row = game.observe(game.to_move, "uint8")
    if others is not None:
        agent = agents.load(others) if isinstance(others, str) else others
        _check_reader(agent)
        hands = likely_hands(game, agent, seed=options.get("seed", 0))
        if hands is not None and hands.effective > LEAST_EFFECTIVE:
            options["hands"] = hands
    return action_values(row, game.action_mask(), policy, max_decisions=left, **options)


def action_values(
    row: Bytes,
    mask: npt.NDArray[Any],
    policy: str | Agent = "tuned",
    budget: int = 20_000,
    seed: int = 0,
    uniform: bool = False,
    apart: float = APART,
    max_decisions: int = LONGEST_PLAYOUT,
    threads: int = 1,
    hands: LikelyHands | None = None,
) -> ActionValues:
    """The values of legal actions of an observation, until the best is told apart or the budget is spent. Raises
    ValueError if an argument is not allowed, or the observation is none of a player to move.

    Args:
        row: observation in integer form, uint8 [D], of the player to move.
        mask: [A], the actions to value; one of them may be valued, too.
        policy: plays all seats: a scripted strategy by name, in compiled code, or an agent, which is asked in batches
            and reset.
        budget: playouts of all actions together; at least one round is played.
        seed: decides the cards and all other random numbers; the result depends on it, not on ``threads``.
        uniform: whether all hands that are possible are drawn equally often.
        apart: standard errors; infinity plays the whole budget on all actions.
        max_decisions: decisions from here on after which a playout is truncated.
        threads: of compiled playouts; an agent is asked on one. Ctrl-C is heard between rounds.
        hands: of this position, to play in instead of plain draws.
    """
    checked_seed(seed)
    checked_whole("budget", budget, 1)
    checked_whole("threads", threads, 1, 256)
    actions = np.flatnonzero(mask)
    if not actions.size:
        raise ValueError("no legal action is to be valued: the mask is empty")
    scratches = [
        _entered(row, policy, max_decisions, uniform) for _ in range(threads if isinstance(policy, str) else 1)
    ]
    texts = tuple(map(catalogue(edition_shown(len(row))).texts.__getitem__, actions))
    wrong = np.flatnonzero(scratches[0].mask[actions] == 0)
    if wrong.size:
        raise ValueError(f"action {texts[wrong[0]]!r} is not allowed by the observation")
    by_agent = None if isinstance(policy, str) else AgentPlayouts(policy, policy)
    players, seat = int(scratches[0].rules["players"][0]), hands.seat if hands is not None else 0
    if hands is not None:
        for scratch in scratches:
            scratch.rules["max_decisions"] = hands.max_decisions
    with ThreadPoolExecutor(len(scratches)) as pool:

        def sample(chosen: Ints, first: int, number: int) -> Floats:
            bounds = np.linspace(0, number, len(scratches) + 1).astype(int)

            def part(index: int) -> Array:
                begin, count = first + int(bounds[index]), int(bounds[index + 1] - bounds[index])
                scores = np.zeros((count, len(chosen)), np.float32)
                if hands is not None:
                    opened, picks = np.zeros(count * len(chosen), GAME), hands.picks(begin, count)
                    open_likely(scratches[index], hands.games, picks, chosen, np.uint64(seed), begin, opened)
                    if by_agent is not None:
                        rewards = by_agent.rewards(scratches[index], opened, seed + begin)
                        return rewards[:, seat].reshape(scores.shape)
                    play_opened(scratches[index], opened, seat, np.uint64(seed), begin, scores)
                    return scores
                if by_agent is not None:
                    return by_agent.try_actions(scratches[index], chosen, seed, begin, count)
                try_actions(scratches[index], chosen, np.uint64(seed), begin, scores)
                return scores

            rewards = np.concatenate(list(pool.map(part, range(len(scratches)))))
            return (rewards.astype(np.float64) * (players - 1) + 1) / players

        table, is_clear = _told_apart(actions, sample, budget, apart)
    return _summary(actions, texts, table, is_clear, 0.0 if hands is None else hands.effective)


def _entered(row: Bytes, policy: str | Agent, max_decisions: int, uniform: bool) -> SearchScratch:
    if isinstance(policy, str) and policy not in STRATEGY_NUMBERS:
        raise ValueError(
            f"policy={policy!r} is not allowed{did_you_mean(policy, STRATEGY_NUMBERS)}: name a scripted strategy, "
            "or give an agent"
        )
    if isinstance(policy, Agent):
        _check_reader(policy)
    strategy = policy if isinstance(policy, str) else "random"
    scratch = new_search_scratch(strategy, strategy, edition=edition_shown(len(row)))
    enter(scratch, row, "outcome")
    scratch.rules["max_decisions"] = max_decisions
    return scratch._replace(uniform=uniform)


def _check_reader(policy: Agent) -> None:
    if policy.history or policy.state_size or policy.sees_all_hands:
        raise ValueError(f"policy={policy.name!r} is not allowed: it reads more than an observation")


def _told_apart(
    actions: Ints, sample: Callable[[Ints, int, int], Floats], budget: int, apart: float
) -> tuple[Floats, bool]:
    """A table of scores, float64 [determinizations, K], NaN where an action was no longer tried, and whether the best
    action was told apart from all others.
    """
    rounds: list[Floats] = []
    alive, done, played = np.arange(len(actions)), 0, 0
    while not rounds or (played < budget and (len(alive) > 1 or len(actions) == 1)):
        number = max(2, min(ROUND, (budget - played) // len(alive)))
        scores = np.full((number, len(actions)), np.nan)
        scores[:, alive] = sample(actions[alive], done, number)
        rounds.append(scores)
        done, played = done + number, played + number * len(alive)
        if done >= FIRST_LOOK and np.isfinite(apart):
            alive = not_behind(np.concatenate(rounds), alive, apart)
    return np.concatenate(rounds), len(alive) == 1


def _summary(actions: Ints, texts: tuple[str, ...], table: Floats, is_clear: bool, effective: float) -> ActionValues:
    """The values from a table of :func:`_told_apart`."""
    tried = np.isfinite(table).sum(axis=0)
    means = np.array([table[:count, index].mean() for index, count in enumerate(tried)])
    best = table[:, _leader(tried, means)]
    columns = [table[:count, index] for index, count in enumerate(tried)]
    own = [mean_and_error(column) for column in columns]
    paired = [mean_and_error(best[: len(column)] - column) for column in columns]
    values, errors = np.array(own).T
    regrets, regret_errors = np.array(paired).T
    more = np.sqrt(1 + tried / effective) if effective else 1.0
    return ActionValues(
        actions, texts, values, errors * more, regrets, regret_errors * more, tried, is_clear, effective
    )


def _leader(tried: Ints, values: Floats) -> int:
    return int(np.where(tried == tried.max(), values, -np.inf).argmax())
