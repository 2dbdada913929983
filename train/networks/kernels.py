"""Compiled loops over the outputs of networks: actions that are drawn, and the masked softmax with its gradient."""

import numpy as np

from uno_env.core.jit.njit import njit


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
