"""Saved policies as players, in NumPy: :class:`PolicyAgent`."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from agents.agent import Agent
from agents.policy.policy_file import PolicyCard
from uno_env.core.arrays import Array, Bytes, Ints, Singles
from uno_env.core.jit.njit import njit
from uno_env.core.observe.layout import scales_in
from uno_env.core.rng import bounded, next_bits_at
from uno_env.editions import edition_for
from uno_env.idle_rules import idle_columns, idle_places, idle_rules_of
from uno_env.observation import integer_form
from uno_env.rules import Rules
from uno_env.symmetry import CanonicalForm


class PolicyAgent(Agent):
    """Plays a saved policy: the legal action with the highest logit, the lowest id among equals, or a sample.

    Where none of the network's actions is legal, it chooses uniformly among the legal ones; others are never chosen.

    Args:
        name: what tables and logs call it.
        weights: float32 arrays by name, see :mod:`agents.policy.policy_file`.
        card: what the policy is; it must fit the weights, as :func:`agents.policy.policy_file.load_policy` makes sure.
        seed: see :class:`agents.Agent`.
        sample: whether to draw actions with their probabilities instead of taking the most probable.
    """

    only_reads = True

    def __init__(
        self, name: str, weights: Mapping[str, Singles], card: PolicyCard, seed: int = 0, sample: bool = False
    ) -> None:
        super().__init__(name, seed)
        self.card: PolicyCard = card
        self.weights = dict(weights)
        self.sample = sample
        self._columns = np.array(card.columns)
        self.edition = edition = edition_for(Rules.from_dict(card.rules))
        self._idle_rules = idle_rules_of(edition)
        self._idle, self._idle_places = idle_places(self._columns, edition)
        self._scales = scales_in(edition)[self._columns]
        self._actions = np.array(card.actions)
        self._canonical = CanonicalForm(card.columns, card.actions, edition=edition)
        self._layers = [layer_of(weights, f"trunk.{number}") for number in range(len(card.hidden))]
        self._policy, self._value = layer_of(weights, "policy"), layer_of(weights, "value")

    def logits_and_value(self, observations: Array, histories: Array | None = None) -> tuple[Singles, Singles]:
        """Logits float32 [N, len(card.actions)] of the actions ``card.actions``, and values float32 [N], the expected
        rewards of the players to move; of observations float32 or uint8 [N, D]. Histories are ignored. Raises
        ValueError if the observations have another shape or type.
        """
        features, forms = self._features(self._inputs(observations, histories))
        logits, values = _affine(features, self._policy), _affine(features, self._value)[:, 0]
        return self._canonical.spread(forms, logits)[:, self._actions], values

    def values(self, observations: Array, histories: Array | None = None) -> Singles:
        """The values alone; see :meth:`logits_and_value`."""
        return _affine(self._features(self._inputs(observations, histories))[0], self._value)[:, 0]

    def probabilities(self, observations: Array, action_masks: Array, histories: Array | None = None) -> Singles:
        """Probability of each action, float32 [N, A]: 0 where it is not legal, zeros in a row without a legal action.
        Arguments as for :meth:`logits_and_value`, masks [N, A] of 0 and 1. Raises ValueError if one has another form.
        """
        rows = self._inputs(observations, histories)
        masks = self._masks(action_masks, rows)
        weights, total = self._weights(rows, masks)
        probabilities: Singles = np.divide(weights, np.where(total > 0, total, 1), dtype=np.float32)
        lost = np.flatnonzero(total[:, 0] == 0)
        probabilities[lost] = masks[lost] / np.maximum(masks[lost].sum(axis=1, keepdims=True), 1)
        return probabilities

    def _choose(self, rows: Array, masks: Bytes) -> Ints:
        if self.sample:
            weights, total = self._weights(rows, masks)
            lost = np.flatnonzero(total == 0)
            uniforms = np.zeros(len(rows))
            fill_uniforms(self._random, uniforms)
            actions, uniforms = _sampled(weights, uniforms), uniforms[lost]
        else:
            logits, forms = self._legal_logits(rows, masks)
            best = logits.argmax(axis=1)
            lost = np.flatnonzero(logits[np.arange(len(rows)), best] == -np.inf)
            uniforms = np.zeros(len(lost))
            fill_uniforms(self._random, uniforms)
            actions = self._canonical.real_actions(forms, best)
        for index, uniform in zip(lost, uniforms):
            legal = np.flatnonzero(masks[index])
            actions[index] = legal[int(uniform * len(legal))]
        return actions

    def _weights(self, rows: Array, masks: Bytes) -> tuple[Singles, Singles]:
        """Unnormalised probabilities of the actions, float32 [N, A], and their sum, float32 [N, 1]."""
        logits, forms = self._legal_logits(rows, masks)
        weights = _softmax_weights(logits)
        spread: Singles = self._canonical.spread(forms, weights)
        if self.card.symmetry:
            self._canonical.share(spread, _integers(rows), masks)
        return spread, weights.sum(axis=1, keepdims=True)

    def _legal_logits(self, rows: Array, masks: Bytes) -> tuple[Singles, Ints]:
        """Logits of the outputs, −∞ where what they stand for is not legal, and the forms of the rows."""
        features, forms = self._features(rows)
        logits = _affine(features, self._policy)
        if not np.isfinite(logits.sum()):
            logits = np.nan_to_num(logits)  # finite weights can overflow
        logits[self._canonical.masks(masks, forms) == 0] = -np.inf
        return logits, forms

    def _features(self, rows: Array) -> tuple[Singles, Ints]:
        """Outputs of the last hidden layer, float32 [N, W], and the forms that the rows were read in, int64 [N]."""
        forms = np.zeros(len(rows), np.int64)
        seen = _integers(rows)
        inputs: Array
        if self.card.symmetry:
            forms = self._canonical.forms(seen)
            inputs = self._canonical.rows(seen, forms)
        else:
            inputs = seen.take(self._columns, axis=1)
            if len(self._idle):
                inputs[:, self._idle_places] = idle_columns(seen, self._idle_rules)[:, self._idle]
        features: Array = inputs * self._scales
        for layer in self._layers:
            features = _affine(features, layer)
            np.maximum(features, 0, out=features)
        return features, forms


def _integers(rows: Array) -> Bytes:
    """Observations uint8 [N, D] of rows in either form."""
    return np.ascontiguousarray(integer_form(rows))


@njit
def fill_uniforms(random: npt.NDArray[np.uint64], out: npt.NDArray[np.float64]) -> None:
    """Write random numbers from 0 up to, not including, 1 into ``out``, float64 [N]."""
    for index in range(out.shape[0]):
        out[index] = bounded(next_bits_at(random, 0), 1 << 32) / 4294967296.0


def layer_of(weights: Mapping[str, Singles], name: str) -> tuple[Singles, Singles]:
    """Matrix float32 [inputs, outputs] and bias [outputs] of a layer, from PyTorch's names and shapes."""
    return np.ascontiguousarray(weights[f"{name}.weight"].T), weights[f"{name}.bias"]


def _affine(inputs: Singles, layer: tuple[Singles, Singles]) -> Singles:
    matrix, bias = layer
    outputs: Singles = inputs @ matrix
    outputs += bias
    return outputs


def _sampled(weights: Singles, uniforms: npt.NDArray[np.float64]) -> Ints:
    ladder = weights.cumsum(axis=1, dtype=np.float64)
    return (ladder > uniforms[:, None] * ladder[:, -1:]).argmax(axis=1)


def _softmax_weights(logits: Singles) -> Singles:
    """Return exp of the logits relative to the highest. A row of −inf gives zeros."""
    highest = logits.max(axis=1, keepdims=True)
    return np.exp(logits - np.where(np.isneginf(highest), 0, highest))
