"""A privileged critic: it sees all hands and values positions while a policy is trained; no saved policy contains it.

The value of a position depends on cards that the player to move does not see. A critic that sees them takes luck out of
the advantages, and the policy still depends on nothing but its player's observations. The network's value head is
fitted to the same targets, so that a saved policy has a value that depends on observations alone.

Source: L. Pinto et al., "Asymmetric actor critic for image-based robot learning", 2018.
"""

import itertools
from collections.abc import Sequence
from typing import cast

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from train.networks.policy_network import VALUE_GAIN, SavedModule, initialise
from uno_env.observation import LAYOUT, SCALES
from uno_env.rules import Rules


class PrivilegedCritic(SavedModule):
    """Values of positions with all hands open; a trunk of its own, as large as a policy's.

    It reads ``columns``, int64 [C], of an observation, and the hands of the others under the rules with the most
    players; empty seats have empty hands. ``dtype`` is the type of the matrix products.
    """

    scales: Tensor

    def __init__(self, rules: Rules, columns: npt.NDArray[np.int64], hidden: Sequence[int], dtype: torch.dtype) -> None:
        super().__init__()
        self.columns, self.dtype = len(columns), dtype
        self.hands = (rules.players - 1) * len(hand_kinds(rules))  # a number for each of the others and each kind
        scales = np.concatenate((SCALES[columns], np.full(self.hands, SCALES[LAYOUT["hand"].start])))
        self.register_buffer("scales", torch.from_numpy(scales), persistent=False)
        sizes = [len(scales), *hidden, 1]
        self.layers = nn.ModuleList(nn.Linear(size, outputs) for size, outputs in itertools.pairwise(sizes))
        for layer in self.layers[:-1]:
            initialise(layer, 2**0.5)
        initialise(self.layers[-1], VALUE_GAIN)

    def forward(self, rows: Tensor, hands: Tensor) -> Tensor:
        """Values float32 [N] for the players to move, whose observations' columns come first in rows, uint8 [N, ≥ C];
        the hands of the others, uint8 [N, H], are those of :func:`train.networks.kernels.gather_other_hands`."""
        x = torch.cat((rows[:, : self.columns], hands), dim=1).to(self.dtype)
        for number, layer in enumerate(cast(list[nn.Linear], self.layers)):
            weight = layer.weight if number else layer.weight * self.scales
            x = F.linear(torch.relu_(x) if number else x, weight.to(self.dtype), layer.bias.to(self.dtype))
        return x.float().squeeze(1)


def hand_kinds(rules: Rules) -> npt.NDArray[np.int64]:
    """Kinds of cards that a hand can hold under the rules, ascending."""
    return np.flatnonzero(np.array(rules.deck_counts))
