"""A saved policy as an opponent on a GPU: :class:`PolicyOnDevice`."""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from agents.policy.policy_agent import PolicyAgent, layer_of
from train.algorithms.parts.device.kernels import OPPONENT, SHOW_POLICY, Decided
from train.algorithms.parts.device.tensors import tables_on, tensor_on, tensors_on
from train.algorithms.parts.masked_softmax import draw_weighted, sample_masked
from uno_env.core.jit.devices import machine_of
from uno_env.envs.device_games import Seen
from uno_env.observation import SCALES
from uno_env.rules import Rules
from uno_env.symmetry import CanonicalForm


class Deciding(NamedTuple):
    """What the opponents of a rollout read, and where they write; tensors of the rollout, for all of its N games."""

    seen: Seen
    """Observations uint8 [N, D], masks uint8 [N, A] and seats int8 [N] of the players to move."""
    decided: Decided
    real: Tensor
    """int64 [F, A]: the catalogue id of each of the network's outputs, by form."""
    actions: Tensor
    """int64 [N]: the actions that the games go on with."""
    generator: torch.Generator


class PolicyOnDevice:
    """Decides as a :class:`agents.policy.policy_agent.PolicyAgent` in the games of a rollout, on their device.

    Args:
        agent: the saved policy; not one of random rules.
        rules: the rules of the games.
        playing: int64 [K], the games that have opponents.
        deciding: what is shared with the rollout.
    """

    def __init__(self, agent: PolicyAgent, rules: Rules, playing: Tensor, deciding: Deciding) -> None:
        card, device, games = agent.card, playing.device, len(playing)
        self._sample, self._playing, self._deciding = agent.sample, playing, deciding
        canonical = CanonicalForm(card.columns, card.actions)
        arrays = tensors_on(device, canonical.arrays(rules, card.symmetry))
        self._real, self._form = arrays.actions, torch.zeros_like(playing)
        self._rows = torch.zeros(games, len(card.columns), dtype=torch.uint8, device=device)
        self._legal = torch.zeros(games, len(card.actions), dtype=torch.uint8, device=device)
        shown = self._form, self._rows, self._legal
        obs, mask, _ = deciding.seen
        arguments = playing, obs, mask, tables_on(device), arrays, shown
        self._show = machine_of(device).bind(SHOW_POLICY, games, arguments)
        self._scales = tensor_on(device, SCALES[np.array(card.columns)])
        names = [*(f"trunk.{number}" for number in range(len(card.hidden))), "policy"]
        self._layers = [tuple(tensor_on(device, each) for each in layer_of(agent.weights, name)) for name in names]

    def decide(self, opponent: Tensor, number: int) -> None:
        """Write the actions in the games that wait for the opponent of this number; ``opponent`` is int64 [N]."""
        playing, (seen, decided, _, actions, generator) = self._playing, self._deciding
        self._show()
        logits, is_legal = torch.nan_to_num(self._logits()), self._legal != 0  # finite weights can overflow
        if self._sample:
            output, _ = sample_masked(logits, self._legal, generator)
        else:
            output = logits.masked_fill(~is_legal, -torch.inf).argmax(dim=1)
        anything = draw_weighted(seen[1][playing].float(), generator)
        action = torch.where(is_legal.any(dim=1), self._real[self._form, output], anything)
        waiting = (decided.decider[playing] == OPPONENT) & (opponent[playing] == number)
        actions[playing] = torch.where(waiting, action, actions[playing])

    def _logits(self) -> Tensor:
        *trunk, (weights, biases) = self._layers
        x = self._rows * self._scales
        for weight, bias in trunk:
            x = torch.relu_(torch.addmm(bias, x, weight))
        return torch.addmm(biases, x, weights)
