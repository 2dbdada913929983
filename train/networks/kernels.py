"""Compiled loops of self-play training.

A *choice* is a decision with two or more legal actions; the others are forced, and neither evaluated nor stored.
Choices are stored in the order of time, one row each. A *chain* is the choices of one seat in one hand;
``next_index[row]`` is the row of the next choice of the same chain, :data:`ENDED` if the hand ended before there was
one, or :data:`OPEN` if that is not known when the rollout stops.
"""

import numpy as np

from uno_env.core.jit.njit import njit

OPEN = -1
ENDED = -2


@njit
def decide_forced(mask: np.ndarray, actions: np.ndarray, choosing: np.ndarray) -> int:
    """Write the only legal action of forced decisions into ``actions``, int64 [N]; list the other games in
    ``choosing``, int64 [N], and return their number. Every row of ``mask``, uint8 [N, A], has a legal action.
    """
    count = 0
    for game in range(mask.shape[0]):
        legal = 0
        for action in range(mask.shape[1]):
            legal += mask[game, action]
        if legal > 1:
            choosing[count] = game
            count += 1
        else:
            action = 0
            while mask[game, action] == 0:
                action += 1
            actions[game] = action
    return count


@njit
def sample_masked(
    logits: np.ndarray, mask: np.ndarray, uniform: np.ndarray, chosen: np.ndarray, logp: np.ndarray
) -> None:
    """Draw an action for each row from the softmax of ``logits``, float32 [N, A], over its legal ones, ``mask`` uint8
    [N, A], by ``uniform`` numbers, float32 [N] on [0, 1). Written: ``chosen``, integers [N], and ``logp``, float32 [N],
    its logarithm.
    """
    legal = np.empty(mask.shape[1], np.int64)
    for row in range(len(mask)):
        count = list_legal(mask[row], legal)
        highest, total = highest_of(logits[row], legal[:count]), 0.0
        for index in range(count):
            total += np.exp(logits[row, legal[index]] - highest)
        left = uniform[row] * total
        choice = legal[0]
        for index in range(count):
            if index == 0 or left >= 0.0:
                choice = legal[index]
                left -= np.exp(logits[row, choice] - highest)
        chosen[row] = choice
        logp[row] = logits[row, choice] - highest - np.log(total)


@njit
def explore_masked(
    q: np.ndarray, mask: np.ndarray, uniform: np.ndarray, epsilon: float, chosen: np.ndarray, value: np.ndarray
) -> None:
    """Choose for each row the legal action, ``mask`` uint8 [N, A], of the highest value ``q``, float32 [N, A], the
    first of equals, or with probability ``epsilon`` any legal one, by ``uniform`` numbers, float32 [N] on [0, 1).
    Written: ``chosen``, integers [N], and its ``value``, float32 [N].
    """
    for row in range(len(mask)):
        legal, best = 0, -1
        for action in range(mask.shape[1]):
            if mask[row, action]:
                legal += 1
                if best < 0 or q[row, action] > q[row, best]:
                    best = action
        if uniform[row] < epsilon:
            left = min(int(uniform[row] / epsilon * legal), legal - 1)
            best = 0
            while mask[row, best] == 0 or left > 0:
                left -= mask[row, best]
                best += 1
        chosen[row] = best
        value[row] = q[row, best]


@njit
def list_legal(mask: np.ndarray, legal: np.ndarray) -> int:
    """Write the marked actions of a mask, uint8 [A] of 0 and 1, to ``legal``, int64 [A], and return their number.

    It has no branches: a processor cannot predict which actions are legal, and waits after each wrong prediction.
    """
    count = 0
    for action in range(len(mask)):
        legal[count] = action
        count += mask[action]
    return count


@njit
def highest_of(logits: np.ndarray, legal: np.ndarray) -> float:
    """Highest logit of some actions."""
    highest = -np.inf
    for action in legal:
        highest = max(highest, logits[action])
    return highest


@njit
def link_choices(
    games: np.ndarray, first_row: int, seat: np.ndarray, last: np.ndarray, next_index: np.ndarray, reward: np.ndarray
) -> None:
    """Append the choices of ``games``, stored from ``first_row`` on, to the chains of their seats.

    ``last`` is int32 [N, seats]: the row of each seat's last choice in the running hand, or a negative number.
    """
    for index in range(len(games)):
        link_choice(first_row + index, games[index], seat[games[index]], last, next_index, reward)


@njit
def link_choice(row: int, game: int, seat: int, last: np.ndarray, next_index: np.ndarray, reward: np.ndarray) -> None:
    """Append the choice in a row to the chain of a seat of a game; see :func:`link_choices`."""
    before = last[game, seat]
    if before >= 0:
        next_index[before] = row
    next_index[row] = OPEN
    reward[row] = 0.0
    last[game, seat] = row


@njit
def credit_rewards(
    rewards: np.ndarray,
    done: np.ndarray,
    winner: np.ndarray,
    truncated: float,
    last: np.ndarray,
    next_index: np.ndarray,
    reward: np.ndarray,
) -> None:
    """Close all chains of the hands that ended with the rewards of their seats, whichever seat made the last move.

    ``rewards`` is float32 [N, seats], ``reward`` float32 [rows]. A seat without choices has no chain. A hand without a
    winner (``winner`` [N] below 0) was truncated: each seat's reward is ``truncated``.
    """
    for game in range(len(done)):
        if done[game]:
            credit_hand(game, rewards, winner, truncated, last, next_index, reward)


@njit
def credit_hand(
    game: int,
    rewards: np.ndarray,
    winner: np.ndarray,
    truncated: float,
    last: np.ndarray,
    next_index: np.ndarray,
    reward: np.ndarray,
) -> None:
    """Close all chains of a game whose hand ended; see :func:`credit_rewards`."""
    for seat in range(last.shape[1]):
        row = last[game, seat]
        if row >= 0:
            reward[row] = truncated if winner[game] < 0 else rewards[game, seat]
            next_index[row] = ENDED
            last[game, seat] = OPEN


@njit
def masked_softmax_forward(
    logits: np.ndarray, mask: np.ndarray, chosen: np.ndarray, logp: np.ndarray, entropy: np.ndarray, norm: np.ndarray
) -> None:
    """Log-probability of the chosen action and entropy of each row, and log Σ exp(logit), over legal actions."""
    legal = np.empty(mask.shape[1], np.int64)
    for row in range(len(mask)):
        count = list_legal(mask[row], legal)
        highest = highest_of(logits[row], legal[:count])
        total, weighted = 0.0, 0.0
        for index in range(count):
            below = logits[row, legal[index]] - highest
            weight = np.exp(below)
            total += weight
            weighted += weight * below
        norm[row] = highest + np.log(total)
        logp[row] = logits[row, chosen[row]] - norm[row]
        entropy[row] = np.log(total) - weighted / total


@njit
def masked_softmax_backward(
    logits: np.ndarray,
    mask: np.ndarray,
    chosen: np.ndarray,
    entropy: np.ndarray,
    norm: np.ndarray,
    by_logp: np.ndarray,
    by_entropy: np.ndarray,
    by_logits: np.ndarray,
) -> None:
    """Gradient by the logits, given those by the log-probability of the chosen action and by the entropy."""
    legal = np.empty(mask.shape[1], np.int64)
    by_logits[:] = 0.0
    for row in range(len(mask)):
        for action in legal[: list_legal(mask[row], legal)]:
            surprise = logits[row, action] - norm[row]
            probability = np.exp(surprise)
            by_logits[row, action] = -probability * (by_logp[row] + by_entropy[row] * (surprise + entropy[row]))
        by_logits[row, chosen[row]] += by_logp[row]
