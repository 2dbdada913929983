"""The masked softmax of policies: probabilities over the legal actions only."""

from typing import Any

import torch
from torch import Tensor

from train.networks import kernels


def chosen_logp_and_entropy(logits: Tensor, mask: Tensor, chosen: Tensor) -> tuple[Tensor, Tensor]:
    """Log-probability of the chosen action, int64 [N], and entropy of each row, differentiable by the logits.

    The logits are float32 [N, A]; those of illegal actions do not matter, finite or not. The mask is uint8 [N, A], with
    1 for one action of a row or more. Raises ValueError if an argument has another shape or type.
    """
    if logits.device.type == "cpu":
        _check(logits, mask, chosen)
        logp, entropy = _CompiledSoftmax.apply(logits, mask, chosen)
        return logp, entropy
    return plain_logp_and_entropy(logits, mask, chosen)


def plain_logp_and_entropy(logits: Tensor, mask: Tensor, chosen: Tensor) -> tuple[Tensor, Tensor]:
    """The same in PyTorch's own operations, on any device; four times slower on a CPU."""
    every = torch.log_softmax(logits.masked_fill(mask == 0, -1e9), dim=1)
    return every.gather(1, chosen[:, None]).squeeze(1), -(every.exp() * every).sum(dim=1)


def sample_masked(logits: Tensor, mask: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Draw an action for each row from the softmax over the legal ones: actions int64 [N] and their log-probabilities
    float32 [N], on any device. Logits are float32 [N, A]; the mask is uint8 [N, A], 1 for one action of a row or more.
    """
    every = torch.log_softmax(logits.masked_fill(mask == 0, -1e9), dim=1)
    action = draw_weighted(every.exp(), generator)
    return action, every.gather(1, action[:, None]).squeeze(1)


def draw_weighted(weights: Tensor, generator: torch.Generator) -> Tensor:
    """Draw an index of each row in proportion to its weights, float32 [N, A]; int64 [N].

    Exponential random numbers over their weights: the least one is at each index with that probability. This does not
    wait for the device, as ``torch.multinomial`` does.
    """
    return (weights / torch.empty_like(weights).exponential_(generator=generator)).argmax(dim=1)


def masked_divergence(logits: Tensor, others: Tensor, mask: Tensor) -> Tensor:
    """Kullback–Leibler divergence of a policy from another over the legal actions, float32 [N]; never NaN.

    Both logits are float32 [N, A] and finite; the mask is uint8 [N, A], with 1 for one action of a row or more.
    """
    illegal = mask == 0
    ours, theirs = (torch.log_softmax(each.masked_fill(illegal, -1e9), dim=1) for each in (logits, others))
    return (ours.exp() * (ours - theirs)).sum(dim=1)


def _check(logits: Tensor, mask: Tensor, chosen: Tensor) -> None:
    """Check shapes, types and ranges: compiled code does not."""
    forms = [(tensor.dtype, list(tensor.shape)) for tensor in (logits, mask, chosen)]
    shape = [*logits.shape]
    fits = forms == [(torch.float32, shape), (torch.uint8, shape), (torch.int64, shape[:1])] and len(shape) == 2
    if not fits or (chosen.numel() and not 0 <= chosen.min() <= chosen.max() < shape[1]) or (mask > 1).any():
        raise ValueError(
            "logits, mask and chosen must be float32 [N, A], uint8 [N, A] of 0 and 1, int64 [N] from 0 to A - 1, not "
            + ", ".join(f"{dtype} {form}" for dtype, form in forms)
        )


class _CompiledSoftmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, logits: Tensor, mask: Tensor, chosen: Tensor) -> tuple[Tensor, Tensor]:
        logp, entropy, norm = (torch.empty(len(logits)) for _ in range(3))
        inputs = (logits.detach().numpy(), mask.numpy(), chosen.numpy())
        kernels.masked_softmax_forward(*inputs, logp.numpy(), entropy.numpy(), norm.numpy())
        ctx.save_for_backward(logits, mask, chosen, entropy, norm)
        return logp, entropy

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        logits, mask, chosen, entropy, norm = (tensor.detach().numpy() for tensor in ctx.saved_tensors)
        by_logp, by_entropy = (gradient.contiguous().numpy() for gradient in gradients)
        by_logits = torch.empty(logits.shape)
        kernels.masked_softmax_backward(logits, mask, chosen, entropy, norm, by_logp, by_entropy, by_logits.numpy())
        return by_logits, None, None
