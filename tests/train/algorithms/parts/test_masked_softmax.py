"""train/algorithms/parts/masked_softmax.py: the compiled softmax against PyTorch's own."""

import pytest
import torch

from train.algorithms.parts.masked_softmax import chosen_logp_and_entropy, masked_divergence, plain_logp_and_entropy

pytestmark = pytest.mark.adapters


def sample(rows=200, actions=17, scale=3.0, seed=0):
    chance = torch.Generator().manual_seed(seed)
    logits = scale * torch.randn(rows, actions, generator=chance)
    mask = (torch.rand(rows, actions, generator=chance) < 0.3).to(torch.uint8)
    chosen = torch.randint(actions, (rows,), generator=chance)
    mask[torch.arange(rows), chosen] = 1
    return logits, mask, chosen


def gradients(function, logits, mask, chosen):
    leaf = logits.clone().requires_grad_()
    logp, entropy = function(leaf, mask, chosen)
    weights = torch.linspace(-1, 2, len(logits))
    (weights * logp + weights.flip(0) * entropy).sum().backward()
    return logp.detach(), entropy.detach(), leaf.grad


@pytest.mark.parametrize("scale", [0.1, 3.0, 40.0])
def test_values_and_gradients_are_those_of_pytorch(scale):
    arguments = sample(scale=scale)
    for ours, theirs in zip(
        gradients(chosen_logp_and_entropy, *arguments), gradients(plain_logp_and_entropy, *arguments), strict=True
    ):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


def test_a_part_of_a_wider_array_can_be_given():
    logits, mask, chosen = sample()
    wide = torch.cat((logits, torch.full((len(logits), 1), 99.0)), dim=1)
    ours = gradients(lambda leaf, *rest: chosen_logp_and_entropy(leaf[:, :-1], *rest), wide, mask, chosen)
    theirs = gradients(chosen_logp_and_entropy, logits, mask, chosen)
    torch.testing.assert_close(ours[0], theirs[0])
    torch.testing.assert_close(ours[2][:, :-1], theirs[2])
    assert not ours[2][:, -1].any()


@pytest.mark.parametrize("function", [chosen_logp_and_entropy, plain_logp_and_entropy])
def test_illegal_logits_never_matter_however_wild(function):
    logits, mask, chosen = sample()
    wild = torch.where(mask == 0, torch.tensor(3e38), logits)
    for changed, unchanged in zip(
        gradients(function, wild, mask, chosen), gradients(function, logits, mask, chosen), strict=True
    ):
        torch.testing.assert_close(changed, unchanged)
    assert not gradients(function, logits, mask, chosen)[2][mask == 0].any()


@pytest.mark.parametrize("illegal", [float("inf"), float("nan")])
def test_masks_never_give_nan(illegal):
    logits, mask, chosen = sample()
    wild = torch.where(mask == 0, torch.tensor(illegal), logits)
    for values in gradients(chosen_logp_and_entropy, wild, mask, chosen):
        assert torch.isfinite(values).all()


def test_a_single_legal_action_has_probability_one():
    logits, _, chosen = sample()
    mask = torch.nn.functional.one_hot(chosen, 17).to(torch.uint8)
    logp, entropy, gradient = gradients(chosen_logp_and_entropy, logits, mask, chosen)
    torch.testing.assert_close(logp, torch.zeros(200))
    torch.testing.assert_close(entropy, torch.zeros(200), rtol=0, atol=1e-5)
    torch.testing.assert_close(gradient, torch.zeros(200, 17), rtol=0, atol=1e-5)


@pytest.mark.parametrize("scale", [0.1, 3.0, 40.0])
def test_the_divergence_is_that_of_the_legal_actions(scale):
    logits, mask, _ = sample(scale=scale)
    others, _, _ = sample(scale=scale, seed=1)
    measured = masked_divergence(logits, others, mask)
    for row in range(len(mask)):
        legal = mask[row] == 1
        ours, theirs = (torch.log_softmax(each[row, legal].double(), 0) for each in (logits, others))
        torch.testing.assert_close(measured[row].double(), (ours.exp() * (ours - theirs)).sum(), rtol=1e-4, atol=1e-5)
    assert not masked_divergence(logits, logits, mask).any()


@pytest.mark.parametrize(
    ("name", "change"),
    [("chosen", lambda each: each + 17), ("chosen", lambda each: each - 17), ("chosen", lambda each: each[:1]),
     ("chosen", lambda each: each.float()), ("mask", lambda each: each[:1]), ("mask", lambda each: each[:, :1]),
     ("mask", lambda each: 3 * each), ("mask", lambda each: each.bool()), ("logits", lambda each: each[:1]),
     ("logits", lambda each: each.double()), ("logits", lambda each: each[0])],
)  # fmt: skip
def test_arguments_of_another_form_are_refused(name, change):
    """Compiled code would read beyond them, or write beyond its own list of legal actions."""
    given = dict(zip(("logits", "mask", "chosen"), sample(), strict=True))
    with pytest.raises(ValueError, match="logits, mask and chosen must be"):
        chosen_logp_and_entropy(**given | {name: change(given[name])})
