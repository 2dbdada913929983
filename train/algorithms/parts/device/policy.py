"""A saved policy as an opponent on a GPU: :class:`PolicyOnDevice`."""

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from agents.policy.policy_agent import PolicyAgent, layer_of
from train.algorithms.parts.device.kernels import SHOW_POLICY
from train.algorithms.parts.kernels import OPPONENT, Decided, arrays_on
from train.algorithms.parts.masked_softmax import draw_weighted, sample_masked
from uno_env.core.observe.layout import scales_in
from uno_env.editions import edition_for
from uno_env.placed_games import PlacedGames
from uno_env.rules import Rules
from uno_env.symmetry import CanonicalForm
from uno_env.symmetry.tables import forms_of


class Deciding(NamedTuple):
    """The arrays that the opponents of a rollout read and write: those of the rollout, for all of its N games."""

    seen: tuple[Any, Any, Any]
    """Observations uint8 [N, D], masks uint8 [N, A] and seats int8 [N] of the players to move."""
    decided: Decided
    real: Any
    """int64 [F, A]: the catalogue id of each of the network's outputs, by form."""
    generator: Any
    """Of NumPy on the processor, else of PyTorch."""


class PolicyOnDevice:
    """Decides as a :class:`agents.policy.policy_agent.PolicyAgent` in the games of a rollout, on their device.

    Args:
        agent: the saved policy; not one of random rules.
        games: the games.
        playing: int64 [K], the games that have opponents.
        deciding: what is shared with the rollout.
    """

    def __init__(self, agent: PolicyAgent, games: PlacedGames[Tensor], playing: Tensor, deciding: Deciding) -> None:
        card, place, number = agent.card, games.place, len(playing)
        self._sample, self._playing, self._deciding = agent.sample, playing, deciding
        edition = edition_for(Rules.from_dict(card.rules))
        canonical = CanonicalForm(card.columns, card.actions, edition=edition)
        arrays = arrays_on(place, canonical.arrays(games.rules, card.symmetry))
        self._real, self._form = arrays.actions, torch.zeros_like(playing)
        self._rows = place.zeros(number, len(card.columns), dtype=np.uint8)
        self._legal = place.zeros(number, len(card.actions), dtype=np.uint8)
        shown = self._form, self._rows, self._legal
        obs, mask, _ = deciding.seen
        tables = arrays_on(place, forms_of(edition).tables)
        self._show = place.bind(SHOW_POLICY, number, (playing, obs, mask, tables, arrays, shown))
        self._scales = place.from_numpy(scales_in(edition)[np.array(card.columns)])
        names = [*(f"trunk.{number}" for number in range(len(card.hidden))), "policy"]
        self._layers = [tuple(map(place.from_numpy, layer_of(agent.weights, name))) for name in names]

    def decide(self, opponent: Tensor, number: int) -> None:
        """Write the actions in the games that wait for the opponent of this number; ``opponent`` is int64 [N]."""
        playing, (seen, decided, _, generator) = self._playing, self._deciding
        self._show()
        logits, is_legal = torch.nan_to_num(self._logits()), self._legal != 0  # finite weights can overflow
        if self._sample:
            output, _ = sample_masked(logits, self._legal, generator)
        else:
            output = logits.masked_fill(~is_legal, -torch.inf).argmax(dim=1)
        anything = draw_weighted(seen[1][playing].float(), generator)
        action = torch.where(is_legal.any(dim=1), self._real[self._form, output], anything)
        waiting = (decided.decider[playing] == OPPONENT) & (opponent[playing] == number)
        decided.action[playing] = torch.where(waiting, action, decided.action[playing])

    def _logits(self) -> Tensor:
        *trunk, (weights, biases) = self._layers
        x = self._rows * self._scales
        for weight, bias in trunk:
            x = torch.relu_(torch.addmm(bias, x, weight))
        return torch.addmm(biases, x, weights)
