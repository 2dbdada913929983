"""Policies in ONNX files as players: :class:`OnnxAgent`."""

import math
from collections.abc import Mapping

import numpy as np

from agents.agent import Agent
from agents.policy.onnx_file import OnnxCard, OnnxNetwork, run_network
from agents.policy.policy_agent import fill_uniforms
from uno_env.actions import NUM_ACTIONS
from uno_env.core.arrays import Array, Bytes, Ints, Singles
from uno_env.editions.classic import CLASSIC
from uno_env.history import EVENT_SIZE
from uno_env.idle_rules import without_idle_rules
from uno_env.observation import OBSERVATION_SIZE, SCALES, integer_form
from uno_env.player import PlayerError

MOST_REWARD = 1e6
"""Limit of a network's values, far above any reward. Searches add values up."""


class OnnxAgent(Agent):
    """Plays a network of :func:`agents.policy.onnx_file.load_onnx` as :class:`agents.policy.policy_agent.PolicyAgent`
    plays ours: the legal action with the highest logit, the lowest id among equals, or a sample.

    Where no legal action has a logit above −∞, it chooses uniformly among the legal ones.
    """

    edition = CLASSIC

    def __init__(self, name: str, network: OnnxNetwork, seed: int = 0, sample: bool = False) -> None:
        super().__init__(name, seed)
        self.network, self.sample = network, sample
        self.card: OnnxCard | None = network.card
        self.history = network.history
        self.state_size = math.prod(network.state) if network.state else 0

    def act_recurrent(
        self, observations: Array, action_masks: Array, states: Array, histories: Array | None = None
    ) -> Ints:
        """As :meth:`uno_env.player.Player.act_recurrent`. Raises ValueError if a shape or type is another."""
        rows = self._inputs(observations, histories)
        masks = self._masks(action_masks, rows)
        results = self._run(rows, masks, states)
        states[:] = results["next_state"].reshape(len(rows), -1)
        return self._chosen(results, masks)

    def probabilities(self, observations: Array, action_masks: Array, histories: Array | None = None) -> Singles | None:
        """Probability of each action, float32 [N, A]: 0 where it is not legal; None if the network has a state."""
        if self.state_size:
            return None
        rows = self._inputs(observations, histories)
        masks = self._masks(action_masks, rows)
        weights = _weights(self._run(rows, masks), masks)
        return weights / np.maximum(weights.sum(axis=1, keepdims=True), np.finfo(np.float32).tiny)

    def values(self, observations: Array, histories: Array | None = None) -> Singles | None:
        """Expected rewards of the players to move, float32 [N]; None if the network has none, or a state."""
        if "value" not in self.network.outputs or self.state_size:
            return None
        rows = self._inputs(observations, histories)
        values: Singles = self._run(rows, np.ones((len(rows), NUM_ACTIONS), np.uint8))["value"]
        return np.clip(np.nan_to_num(values), -MOST_REWARD, MOST_REWARD)

    def _choose(self, rows: Array, masks: Bytes) -> Ints:
        return self._chosen(self._run(rows, masks), masks)

    def _chosen(self, results: Mapping[str, Singles], masks: Bytes) -> Ints:
        """Return an action for each row. One random number is drawn for each row that needs one."""
        best = np.where(masks, results["logits"], -np.inf)
        lost = np.isneginf(best.max(axis=1))
        drawn = np.flatnonzero(lost | self.sample)
        uniforms = np.zeros(len(drawn))
        fill_uniforms(self._random, uniforms)
        actions = best.argmax(axis=1)
        ladder = _weights(results, masks)[drawn].cumsum(axis=1, dtype=np.float64)
        actions[drawn] = (ladder > uniforms[:, None] * ladder[:, -1:]).argmax(axis=1)
        return actions

    def _run(self, rows: Array, masks: Bytes, states: Singles | None = None) -> dict[str, Singles]:
        """Run the network on rows of :meth:`agents.Agent._inputs` and refuse outputs that are not numbers."""
        network = self.network
        seen = integer_form(rows[:, :OBSERVATION_SIZE])
        if network.card is not None and network.card.random_rules:
            seen = without_idle_rules(seen)
        is_float = network.types["observation"] != np.uint8
        observation: Array = seen * SCALES if is_float else seen
        inputs: dict[str, Array] = {"observation": observation, "mask": masks}
        if self.history:
            inputs["history"] = rows[:, OBSERVATION_SIZE:].reshape(len(rows), self.history, EVENT_SIZE)
        if self.state_size and states is not None:
            inputs["state"] = states.reshape(len(rows), *network.state)
        try:
            results = run_network(network, inputs)
        except ValueError as error:
            raise PlayerError(f"agent {self.name!r} failed: {error}") from None
        infinite = results["logits"] == -np.inf
        results["logits"] = np.where(infinite, -np.inf, np.nan_to_num(results["logits"]))
        return results


def _weights(results: Mapping[str, Singles], masks: Bytes) -> Singles:
    """Unnormalised probabilities, float32 [N, A]: 1 for all legal actions if the network gives none."""
    if "probabilities" in results:
        weights = np.where(masks, np.clip(np.nan_to_num(results["probabilities"]), 0, None), 0)
    else:
        logits = np.where(masks, results["logits"], -np.inf)
        highest = logits.max(axis=1, keepdims=True)
        weights = np.exp(logits - np.where(np.isneginf(highest), 0, highest))
    lost = weights.sum(axis=1) == 0
    weights[lost] = masks[lost]
    return weights.astype(np.float32)
