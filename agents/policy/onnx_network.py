"""A saved policy as a PyTorch module, whose operators an ONNX file lists: :class:`ExportedPolicy`.

It computes what :mod:`agents.policy.policy_agent` computes, with the canonical form of observations
(:mod:`uno_env.symmetry`) where the policy reads that.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

from agents.policy.policy_file import PolicyCard, Weights
from uno_env.actions import NUM_ACTIONS
from uno_env.cards import NUM_COLOURS
from uno_env.core.record import MAX_SEATS
from uno_env.editions.classic import CLASSIC
from uno_env.observation import LAYOUT, OBSERVATION_SIZE, SCALES
from uno_env.symmetry.tables import NUM_ORDERS, PER_COLOUR, forms_of

_REAL_COLUMNS, _REAL_ACTIONS, _, _TABLES = forms_of(CLASSIC)
_LEAST = -1e30
"""Stands for a logit of −∞, with which there is no arithmetic."""
_COLOURS = torch.arange(NUM_COLOURS)
_RANKS = torch.arange(1, PER_COLOUR + 1)
_EARLIER = torch.ones(NUM_COLOURS, NUM_COLOURS).triu(1)
"""float32 [colours, colours]: 1 where the first comes before the second by number."""
_COMPARED = torch.from_numpy(_TABLES.compared).long().flatten(1)
_ORDER_NUMBERS = torch.from_numpy(_TABLES.order_numbers).long()
_CANONICAL_ACTIONS = torch.from_numpy(_REAL_ACTIONS.argsort(axis=1))
_COLOUR_ACTIONS = torch.from_numpy(_TABLES.colour_actions).long().flatten()
_WITH_MEANS = torch.arange(NUM_ACTIONS).index_copy(0, _COLOUR_ACTIONS, NUM_ACTIONS + torch.arange(len(_COLOUR_ACTIONS)))
"""int64 [A]: where each action stands behind all actions and then those of colours."""


class ExportedPolicy(torch.nn.Module):
    """A policy's network, with float32 inputs and outputs as :mod:`agents.policy.onnx_file` names them."""

    def __init__(self, weights: Weights, card: PolicyCard) -> None:
        super().__init__()
        self.card = card
        self.weights = {name: torch.from_numpy(array) for name, array in weights.items()}
        for part, missing in (("policy.weight", 0.0), ("policy.bias", -torch.inf)):  # logits of the whole catalogue
            rows = self.weights[part]
            full = torch.full((NUM_ACTIONS, *rows.shape[1:]), missing)
            self.weights[part] = full.index_copy(0, torch.tensor(card.actions), rows)
        self.columns = torch.tensor(card.columns)

    def inputs(self, number: int) -> dict[str, Tensor]:
        """Zeros for ``number`` decisions, by the names of the inputs."""
        sizes = {"observation": OBSERVATION_SIZE, "mask": NUM_ACTIONS}
        return {name: torch.zeros(number, size) for name, size in sizes.items()}

    def forward(self, observation: Tensor, mask: Tensor) -> tuple[Tensor, ...]:
        """``logits`` [N, A], −∞ for illegal actions; ``value`` [N, 1]; with symmetry, ``probabilities`` [N, A]."""
        form = CanonicalTensors(observation) if self.card.symmetry else None
        x = observation[:, self.columns] if form is None else form.features(self.columns)
        for number in range(len(self.card.hidden)):
            x = torch.relu(self._layer(f"trunk.{number}", x))
        logits, value = self._layer("policy", x), self._layer("value", x)
        logits = (logits if form is None else form.real(logits)).masked_fill(mask == 0, -torch.inf)
        return (logits, value) if form is None else (logits, value, form.probabilities(logits, mask))

    def _layer(self, name: str, x: Tensor) -> Tensor:
        return F.linear(x, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])


class CanonicalTensors:
    """The form of each observation, float32 [N, D], found as :mod:`uno_env.symmetry.kernels` does."""

    def __init__(self, observation: Tensor) -> None:
        self._scales = torch.from_numpy(SCALES)
        self._seen = torch.round(observation / self._scales)
        players = _section(self._seen, "seats", MAX_SEATS).sum(1)
        mirror = (players * (1 - _section(self._seen, "clockwise", 1)[:, 0])).long()
        keys = self._sort_keys(mirror)
        difference = torch.sign(keys[:, :, None] - keys[:, None])
        first = difference.abs().argmax(3, keepdim=True)  # ONNX takes the first of equals
        compared = difference.gather(3, first)[..., 0]
        self._same_deck = _all_equal(_by_colour(self._seen, "deck"))
        self._alike = (compared == 0) * self._same_deck
        ahead = torch.relu(compared) * self._same_deck + self._alike * _EARLIER
        rank = ahead.sum(1)  # of each colour in its group
        place = (self._same_deck * _EARLIER).sum(1)  # of each place among those of its group
        sits = (rank[:, :, None] == place[:, None]) * self._same_deck
        colours = (sits * _COLOURS[:, None]).sum(1)
        order = (colours * 4**_COLOURS).sum(1).long()  # 2 bits for each place, the first lowest
        self._forms = mirror * NUM_ORDERS + _ORDER_NUMBERS[order]

    def features(self, columns: Tensor) -> Tensor:
        """The network's columns in canonical form, float32 [N, C]."""
        real = torch.from_numpy(_REAL_COLUMNS).int()[:, columns][self._forms].long()  # int: half as large in the file
        read = self._seen.gather(1, real)
        turned = (self._forms >= NUM_ORDERS)[:, None] * (columns == LAYOUT["clockwise"].start)
        return (read + turned) * self._scales[columns]

    def real(self, logits: Tensor) -> Tensor:
        """Logits [N, A] of the real actions, given those of canonical ones."""
        return logits.gather(1, _CANONICAL_ACTIONS[self._forms])

    def probabilities(self, logits: Tensor, mask: Tensor) -> Tensor:
        """Probabilities [N, A] of the real actions; those of colours that nothing tells apart have their mean."""
        kept = logits.clamp(min=_LEAST)
        weights = torch.exp(kept - kept.amax(1, keepdim=True)) * (logits > -torch.inf)
        total = weights.sum(1, keepdim=True).clamp(min=1 / -_LEAST)
        masks = mask[:, _COLOUR_ACTIONS].reshape(-1, NUM_COLOURS, len(_COLOUR_ACTIONS) // NUM_COLOURS)
        alike = self._alike * _all_equal(masks)
        shares = alike / alike.sum(2, keepdim=True)
        own = weights[:, _COLOUR_ACTIONS].reshape(-1, *masks.shape[1:])
        means = (shares @ own).reshape(-1, len(_COLOUR_ACTIONS))
        return torch.cat((weights, means), 1)[:, _WITH_MEANS] / total

    def _sort_keys(self, mirror: Tensor) -> Tensor:
        """Sort keys of the colours, the most important first, float32 [N, colours, M]."""
        hand, discards = _by_colour(self._seen, "hand"), _by_colour(self._seen, "discards")
        sums = (each.sum(2, keepdim=True) for each in (hand, discards, (3 * hand + discards) * _RANKS))
        others = self._seen.gather(1, _COMPARED[mirror]).reshape(-1, NUM_COLOURS, _TABLES.compared.shape[2])
        return torch.cat((_section(self._seen, "colour", NUM_COLOURS)[:, :, None], *sums, others), 2)


def _section(seen: Tensor, name: str, width: int) -> Tensor:
    """The first columns of a section of observations."""
    return seen[:, LAYOUT[name].start : LAYOUT[name].start + width]


def _by_colour(seen: Tensor, name: str) -> Tensor:
    """The coloured kinds of a section that counts kinds of cards, float32 [N, colours, ranks]."""
    return _section(seen, name, NUM_COLOURS * PER_COLOUR).reshape(-1, NUM_COLOURS, PER_COLOUR)


def _all_equal(values: Tensor) -> Tensor:
    """1 where two colours have the same values, else 0, float32 [N, colours, colours] of values [N, colours, M]."""
    return ((values[:, :, None] - values[:, None]).abs().sum(3) == 0).float()
