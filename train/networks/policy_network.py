"""The network of policies: hidden layers with ReLU under a policy head and a value head."""

import operator
from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from agents.policy.policy_file import load_policy
from agents.zoo.shipped import KIND, shipped_file
from uno_env.actions import MAX_SWAP, catalogue
from uno_env.core.arrays import Bytes
from uno_env.core.observe.layout import layout_of, scales_in
from uno_env.editions import edition_for
from uno_env.editions.edition import Edition
from uno_env.observation import rules_columns
from uno_env.player import Player
from uno_env.policy_columns import policy_actions, policy_columns
from uno_env.rules import Rules
from uno_env.symmetry import CanonicalForm

VALUE_GAIN = 0.01
"""Gain of the value head's first weights: all values are about 0. If they begin far above, an untrained policy prefers
an unfinished hand to a win, and its hands are endless until it has learnt better."""
FIRST, FIRST_BIAS, CENTRE = "trunk.0.weight", "trunk.0.bias", "trunk.0.centre"
"""Names of the first weights and biases, and of :attr:`Network.centre`, in a state."""
GAINS = {"hand": 2, "discards": 2, "deck": 2, "known": 4, "penalty": 4, "hand_sizes": 16, "drew_on": 16}
"""Factors by which the columns of a section are larger for a network that learns than in the float form.

The float form has room for the hands of random play, such as hands of a hundred cards, so one card more changes a
hand's size by 1/128. A policy that has learnt a little meets hands of ten, and learns more slowly from such small
numbers. The gains are powers of two, so a saved policy, which reads the float form, computes the same products to the
last bit."""
UNITS_A_HAND_SIZE = 8
"""Least number of units in a hidden layer for each unit that begins as a hand size."""


class SavedModule(nn.Module):
    """A module whose weights are read and set as arrays by name."""

    def weights(self) -> dict[str, npt.NDArray[np.float32]]:
        """The weights, copied."""
        return {name: weight.detach().cpu().numpy().copy() for name, weight in self.state_dict().items()}

    def state(self) -> dict[str, npt.NDArray[np.float32]]:
        """The arrays that a checkpoint has of the module."""
        return self.weights()

    def load_weights(self, weights: Mapping[str, npt.NDArray[np.float32]]) -> None:
        """Load weights that :meth:`weights` or :meth:`state` gave."""
        self.load_state_dict({name: torch.from_numpy(weight) for name, weight in weights.items()})


class Network(SavedModule):
    """Gives logits and values of observations in their integer form; a saved policy has the same weights
    (:mod:`agents.policy.policy_file`).

    Args:
        rules: the rules whose columns it reads and whose actions it can choose; several for several tables.
        hidden: sizes of the hidden layers, at least one.
        dtype: type of the matrix products; the weights are always float32.
        symmetry: whether it reads observations in canonical form (:mod:`uno_env.symmetry`).

    Attributes:
        columns: int64 [C], the columns of an observation that it reads.
        actions: int64 [A], the catalogue ids of its outputs.
        width: columns of the rows that it reads.
        canonical: converts observations and actions to the form that it reads and back.
    """

    scales: Tensor
    """float32 [C]: the integer form times these is what the first weights read."""
    gains: Tensor
    """float32 [C]: these columns' :data:`GAINS`, a part of the scales."""
    centre: Tensor
    """float32 [C]: the values that are subtracted from the integer form, see :meth:`_means`."""

    def __init__(
        self,
        rules: Rules | Sequence[Rules],
        hidden: Sequence[int],
        dtype: torch.dtype = torch.float32,
        symmetry: bool = False,
    ) -> None:
        super().__init__()
        self.columns, self.actions = policy_columns(rules), policy_actions(rules)
        self.hidden = list(hidden)
        self.dtype = dtype
        edition = edition_for(rules if isinstance(rules, Rules) else rules[0])
        self._sections, self._first_swap = layout_of(edition), catalogue(edition).first.swap
        self.symmetry, self.canonical = symmetry, CanonicalForm(self.columns, self.actions, edition=edition)
        self.width = self.canonical.width
        sizes = [len(self.columns), *hidden]
        self.trunk = nn.ModuleList(nn.Linear(size, outputs) for size, outputs in zip(sizes, hidden, strict=False))
        self.policy = nn.Linear(hidden[-1], len(self.actions))
        self.value = nn.Linear(hidden[-1], 1)
        gains = torch.from_numpy(_gains(edition)[self.columns])
        scales = torch.from_numpy(scales_in(edition)[self.columns])
        self.register_buffer("gains", gains, persistent=False)
        self.register_buffer("scales", scales * gains, persistent=False)
        means = self._means(rules)
        self.register_buffer("centre", torch.from_numpy(means), persistent=False)
        self._is_centred = bool(means.any())
        for layer in self.trunk:
            initialise(layer, 2**0.5)
        initialise(self.policy, 0.01)
        initialise(self.value, VALUE_GAIN)
        self._begin_with_hand_sizes()

    def _means(self, rules: Rules | Sequence[Rules]) -> npt.NDArray[np.float32]:
        """The means over several rules of the columns of the deck and the rules, float32 [C]; 0 for all other columns.

        Most of these columns are the same in almost all games. Together they would be one bias that learns as fast as
        they are many, more than fifty times as fast as a bias: ``ppo`` was weaker with the rules than without them.
        """
        several = (rules,) if isinstance(rules, Rules) else rules
        means = np.zeros(len(self.columns), np.float32)
        if len(several) == 1:
            return means
        told = np.stack([rules_columns(each) for each in several])
        first = self._sections["seats"].start
        shown = np.zeros((len(several), first + told.shape[1]), np.uint8)
        shown[:, first:] = told
        is_rule = self.columns >= self._sections["deck"].start
        rows = self.canonical.rows(shown, np.zeros(len(several), np.int64))
        means[is_rule] = rows[:, is_rule].mean(axis=0, dtype=np.float64)
        return means

    def weights(self) -> dict[str, npt.NDArray[np.float32]]:
        """The weights of a saved policy, copied: the first ones read the float form of the observation."""
        state = self.state()
        shift = state.pop(CENTRE, None)
        if shift is not None:
            state[FIRST_BIAS] -= self._scaled().detach().cpu().numpy() @ shift
        return state

    def state(self) -> dict[str, npt.NDArray[np.float32]]:
        """The weights as they are, copied, for a checkpoint: those of :meth:`weights`, but for the first biases and the
        centre that belongs to them."""
        weights = super().weights()
        weights[FIRST] = weights[FIRST] * self.gains.cpu().numpy()
        return weights | ({CENTRE: self.centre.cpu().numpy().copy()} if self._is_centred else {})

    def load_weights(self, weights: Mapping[str, npt.NDArray[np.float32]]) -> None:
        """Load weights that :meth:`weights` or :meth:`state` gave."""
        super().load_weights({name: weight for name, weight in weights.items() if name != CENTRE})
        first, centre = cast(nn.Linear, self.trunk[0]), torch.zeros_like(self.centre)
        if CENTRE in weights:
            centre.copy_(torch.from_numpy(weights[CENTRE]))
        with torch.no_grad():
            first.weight /= self.gains
            first.bias.add_(self._scaled() @ (self.centre - centre))

    def _scaled(self) -> Tensor:
        """The first weights times the scales: those of the integer form."""
        return cast(nn.Linear, self.trunk[0]).weight * self.scales

    def forward(self, rows: Tensor, layers: Sequence[tuple[Tensor, Tensor]] | None = None) -> tuple[Tensor, Tensor]:
        """Logits float32 [N, A] and values float32 [N] of rows uint8 [N, width].

        A row has the network's columns of an observation. Many calls with few rows are faster with ``layers`` from
        :meth:`prepared_layers`.
        """
        x = rows.to(self.dtype)
        *trunk, heads = self.prepared_layers() if layers is None else layers
        for weight, bias in trunk:
            x = torch.relu_(F.linear(x, weight, bias))
        outputs = F.linear(x, *heads).float()
        return outputs[:, :-1], outputs[:, -1]

    def load_weights_from(self, policy: str) -> None:
        """Load the weights of a saved policy, a file or ``zoo:NAME``, with layers at most as wide as these.

        With wider layers, the network plays as the saved policy at first: units of the saved policy ignore the new
        units. Source: T. Chen et al., "Net2Net: accelerating learning via knowledge transfer", 2016. Raises ValueError
        if there is no such policy, or its network does not fit.
        """
        kind, _, name = policy.partition(":")
        weights, card = load_policy(shipped_file(name) if kind == KIND else policy)
        for field in ("columns", "actions", "symmetry"):
            own = getattr(self, field)
            if getattr(card, field) != (own.tolist() if isinstance(own, np.ndarray) else own):
                raise ValueError(f"initial_policy={policy!r} is not allowed: its {field} are not those of this run")
        if len(card.hidden) != len(self.hidden) or any(map(operator.gt, card.hidden, self.hidden)):
            raise ValueError(
                f"initial_policy={policy!r} is not allowed: its hidden layers of {list(card.hidden)} are not in "
                f"hidden={self.hidden}, choose as many layers, each at least as wide"
            )
        self.load_weights({name: _widened(old, weights[name]) for name, old in self.weights().items()})

    def _begin_with_hand_sizes(self) -> None:
        """If hands can be swapped, let some units begin as the sizes of the others' hands.

        The last units of each hidden layer pass the sizes on unmixed, so that the outputs for swaps can compare them.
        From mixed units, a policy for all rules hardly learnt to take the smallest of nine hands. Networks with few
        units begin without such units.
        """
        swap = self._first_swap
        swaps = self.actions[(self.actions >= swap) & (self.actions < swap + MAX_SWAP)]
        number, first = len(swaps), self._sections["hand_sizes"].start + 1
        if not number or min(self.hidden) < UNITS_A_HAND_SIZE * number:
            return
        inputs = np.flatnonzero(np.isin(self.columns, first + swaps - swap))
        units = torch.diag(1 / self.scales[inputs])
        with torch.no_grad():
            for layer in cast(list[nn.Linear], [*self.trunk]):
                if layer is not self.trunk[0]:
                    layer.weight[:, -number:] = 0
                layer.weight[-number:] = 0
                layer.weight[-number:, inputs] = units
                inputs, units = np.arange(layer.out_features)[-number:], torch.eye(number)
            for head in (self.policy, self.value):
                head.weight[:, -number:] = 0

    def prepared_layers(self) -> list[tuple[Tensor, Tensor]]:
        """Weight and bias of each matrix product, in ``dtype``; the last one gives logits and value together.

        The first weights take the scales, so that its inputs can stay integers: exact even in bfloat16.
        """
        layers = [cast(nn.Linear, layer) for layer in self.trunk]
        weights = [layer.weight for layer in layers] + [torch.cat((self.policy.weight, self.value.weight))]
        biases = [layer.bias for layer in layers] + [torch.cat((self.policy.bias, self.value.bias))]
        weights[0] = self._scaled().to(self.dtype)
        if self._is_centred:
            biases[0] = biases[0] - weights[0].float() @ self.centre
        return [(weight.to(self.dtype), bias.to(self.dtype)) for weight, bias in zip(weights, biases, strict=True)]


def _gains(edition: Edition) -> npt.NDArray[np.float32]:
    """The :data:`GAINS` of all columns of an edition, float32 [D]."""
    sections = layout_of(edition)
    gains = np.ones(len(scales_in(edition)), np.float32)
    for name, gain in GAINS.items():
        gains[sections[name].columns] = gain
    return gains


def _widened(wide: npt.NDArray[np.float32], saved: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Weights or biases of a layer of the shape of ``wide``: the saved ones, and 0 from new units to saved units."""
    widened = wide.copy()
    widened[: len(saved)] = 0
    widened[tuple(map(slice, saved.shape))] = saved
    return widened


def initialise(layer: nn.Module, gain: float) -> None:
    """Set orthogonal weights with a gain, and biases of 0."""
    assert isinstance(layer, nn.Linear)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)


class NetworkPlayer(Player):
    """Plays a network's most probable actions, for evaluations in training. It reads no past events."""

    name = "policy"
    obs_dtype = "uint8"

    def __init__(self, network: Network) -> None:
        self.network = network

    def act_batch(self, observations: Bytes, masks: Bytes, histories: Bytes | None = None) -> npt.NDArray[np.int64]:
        """An action for each row of observations uint8 [N, D] and masks uint8 [N, A], as :meth:`agents.Agent`'s."""
        logits, _ = self.logits_and_value(observations)
        return self.network.actions[np.where(masks[:, self.network.actions], logits, -np.inf).argmax(axis=1)]

    def probabilities(
        self, observations: Bytes, masks: Bytes, histories: Bytes | None = None
    ) -> npt.NDArray[np.float32]:
        """Probability of each action, float32 [N, A]; see :class:`agents.policy.policy_agent.PolicyAgent`."""
        logits, _ = self.logits_and_value(observations)
        legal = np.where(masks[:, self.network.actions], logits, -np.inf)
        weights = np.exp(legal - legal.max(axis=1, keepdims=True))
        probabilities = np.zeros(masks.shape, np.float32)
        probabilities[:, self.network.actions] = weights / weights.sum(axis=1, keepdims=True)
        return probabilities

    def values(self, observations: Bytes, histories: Bytes | None = None) -> npt.NDArray[np.float32]:
        """Expected rewards, float32 [N]; see :meth:`logits_and_value`."""
        return self.logits_and_value(observations)[1]

    @torch.inference_mode()
    def logits_and_value(self, observations: Bytes) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Logits float32 [N, len(actions)] and values float32 [N] of observations uint8 [N, D]."""
        network, forms = self.network, np.zeros(len(observations), np.int64)
        if network.symmetry:
            forms = network.canonical.forms(observations, None)
        rows = network.canonical.rows(observations, forms, None)
        logits, values = network(torch.from_numpy(rows).to(network.scales.device))
        real = network.canonical.spread(forms, logits.cpu().numpy())[:, network.actions]
        return real, values.cpu().numpy()
