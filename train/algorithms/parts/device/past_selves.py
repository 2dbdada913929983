"""Past selves of a learner, evaluated together: :class:`PastSelves`."""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from train.networks.policy_network import Network

FREE = -2
"""In place of the number of a past self; no game has such an opponent."""


class PastSelves:
    """Networks of the same shape, whose weights are side by side, so that one product of matrices is for all of them.

    Each has a place. Who comes later takes a place that is free, so that weights stay where they are in memory.
    """

    def __init__(self) -> None:
        self._numbers: list[int] = []
        self._number = torch.zeros(0, 1)
        self._layers: list[tuple[Tensor, Tensor]] = []

    @property
    def places(self) -> int:
        """The number of places, taken or free."""
        return len(self._numbers)

    def set(self, networks: Mapping[int, Network]) -> None:
        """Set the networks by their numbers; those that were here before are as they were."""
        self._numbers = [number if number in networks else FREE for number in self._numbers]
        for number in sorted(networks.keys() - set(self._numbers)):
            self._take_place(number, networks[number].prepared_layers())
        if self._numbers:
            numbers = torch.tensor(self._numbers, device=self._layers[0][0].device)[:, None]
            self._number = self._number.copy_(numbers) if len(self._number) == len(numbers) else numbers

    def _take_place(self, number: int, layers: Sequence[tuple[Tensor, Tensor]]) -> None:
        """Put weights in a place that is free, or in a new one."""
        if FREE in self._numbers:
            place = self._numbers.index(FREE)
            self._numbers[place] = number
            for (weights, biases), (weight, bias) in zip(self._layers, layers, strict=True):
                weights[place], biases[place] = weight.T, bias
            return
        self._numbers.append(number)
        old = self._layers or [(weight.T[None][:0], bias[None, None][:0]) for weight, bias in layers]
        self._layers = [
            (torch.cat((weights, weight.T[None])), torch.cat((biases, bias[None, None])))
            for (weights, biases), (weight, bias) in zip(old, layers, strict=True)
        ]

    def logits(self, rows: Tensor, wanted: Tensor) -> tuple[Tensor, Tensor]:
        """For each of K rows, uint8 [K, C], the logits, float32 [K, A], of the network of the number ``wanted``, int64
        [K]; and whether there is one, bool [K]. Without one, they are those of any.
        """
        *trunk, heads = self._layers
        x = rows.to(heads[0].dtype).expand(self.places, *rows.shape)
        for weight, bias in trunk:
            x = torch.relu_(torch.baddbmm(bias, x, weight))
        outputs = torch.baddbmm(heads[1], x, heads[0])
        is_own = self._number == wanted
        own = outputs[is_own.byte().argmax(dim=0), torch.arange(len(rows), device=rows.device)]
        return own[:, :-1].float(), is_own.any(dim=0)
