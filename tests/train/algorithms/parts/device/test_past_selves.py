"""train/algorithms/parts/device/past_selves.py: several networks together give what each gives by itself."""

import numpy as np
import pytest
import torch

from train.algorithms.parts.device.past_selves import PastSelves
from train.networks.policy_network import Network
from uno_env import Rules

RULES = Rules.preset("house", players=4)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_past_selves_together_are_each_by_itself(dtype: torch.dtype) -> None:
    """Also after some have left and others have come; those who stay are where they were."""
    networks = {}
    for number in range(6):
        torch.manual_seed(number)
        networks[number] = Network(RULES, (24, 8), dtype).requires_grad_(False)
    rows = torch.randint(0, 9, (50, networks[0].width), dtype=torch.uint8, generator=torch.Generator().manual_seed(1))
    selves = PastSelves()
    places, addresses = [], []
    for present in ((0, 1), (0, 1, 2), (1, 2, 3), (3, 4, 5), (5,)):
        selves.set({number: networks[number] for number in present})
        wanted = torch.arange(50) % 7 - 1
        logits, found = selves.logits(rows, wanted)
        assert found.tolist() == [number in present for number in wanted.tolist()]
        for number in present:
            own = wanted == number
            expected, _ = networks[number](rows[own])
            assert torch.allclose(logits[own], expected, atol=1e-6 if dtype == torch.float32 else 1e-3)
        places.append(selves.places)
        addresses.append([weight.data_ptr() for weight, _ in selves._layers])
    assert places == [2, 3, 3, 3, 3]
    assert all(each == addresses[1] for each in addresses[2:])


def test_a_network_keeps_its_weights_when_its_place_is_taken() -> None:
    one, other = (Network(RULES, (8,)).requires_grad_(False) for _ in range(2))
    before, selves = one.weights(), PastSelves()
    selves.set({0: one})
    selves.set({1: other})
    for name, weight in one.weights().items():
        np.testing.assert_array_equal(weight, before[name])
