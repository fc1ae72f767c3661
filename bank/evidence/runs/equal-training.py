"""Training under FSDP2 beside DDP and one process, and losses over unequal numbers of tokens.

AdamW on a small transformer in fp32 on four processes, each with two sequences a step; one process sees the eight
sequences together. Parameters are compared element by element after the last step. The gradients of a loss are those
of a first step, in which the ranks take the first 1, 7, 2 and 6 tokens of a sequence: each rank's mean, or its sum
times the ranks over all tokens. Errors are relative to the gradient of one process, as norms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
import torch.distributed as dist
from toolbox import Transformer, agreed, loss, main, sharded, tokens, whole
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

SETTINGS = {"processes": 4, "steps": 20, "lengths": [1, 7, 2, 6], "same_batch": False}
# Ranks that all see the first rank's batches agree with each other, not with one process.
MUTATION = {"same_batch": True}
# What rounding may leave between two parameters, or between two gradients as a part of their norm.
LIMIT = 1e-6


def model() -> Transformer:
    torch.manual_seed(0)
    return Transformer()


def joined(tensors: Iterable[Tensor]) -> Tensor:
    return torch.cat([whole(tensor).flatten() for tensor in tensors])


def trained(learner: nn.Module, steps: int, batch: Callable[[int], Tensor]) -> Tensor:
    optimizer = torch.optim.AdamW(learner.parameters(), lr=1e-3)
    for step in range(steps):
        loss(learner, batch(step)).backward()
        optimizer.step()
        optimizer.zero_grad()
    return joined(learner.parameters())


def training(steps: int, same_batch: bool) -> dict[str, Any]:
    world, rank = dist.get_world_size(), dist.get_rank()

    def own(step: int) -> Tensor:
        return tokens(step * world + (0 if same_batch else rank))

    def together(step: int) -> Tensor:
        return torch.cat([tokens(step * world + member) for member in range(world)])

    alone = trained(model(), steps, together)
    ddp = trained(DistributedDataParallel(model()), steps, own)
    always = trained(sharded(model(), reshard_after_forward=True), steps, own)
    never = trained(sharded(model(), reshard_after_forward=False), steps, own)

    def close(one: Tensor, other: Tensor) -> bool:
        return float((one - other).abs().max()) < LIMIT

    return {
        "steps": steps,
        "moved": round(float((alone - joined(model().parameters())).abs().max()), 2),
        "always_and_never": {"same": torch.equal(always, never)},
        "always_and_ddp": {"within_a_millionth": close(always, ddp)},
        "always_and_alone": {"within_a_millionth": close(always, alone)},
        "ddp_and_alone": {"within_a_millionth": close(ddp, alone)},
    }


def summed_loss(learner: nn.Module, sequence: int, length: int) -> Tensor:
    """Over the first tokens of a sequence; the others are padding."""
    batch = tokens(sequence, 1)
    return nn.functional.cross_entropy(learner(batch)[0, :length], batch[0, :length], reduction="sum")


def gradient(learner: nn.Module, value: Tensor) -> Tensor:
    value.backward()
    return joined(weight.grad for weight in learner.parameters() if weight.grad is not None)


def losses(lengths: list[int]) -> dict[str, Any]:
    rank, world, total = dist.get_rank(), dist.get_world_size(), sum(lengths)
    alone = model()
    right = gradient(alone, sum(summed_loss(alone, i, length) for i, length in enumerate(lengths)) / total)

    def error(divisor: float) -> float:
        learner = sharded(model())
        found = gradient(learner, summed_loss(learner, rank, lengths[rank]) / divisor)
        return float((found - right).norm() / right.norm())

    return {
        "of_own_mean": round(error(lengths[rank]), 2),
        "of_all_tokens": {"within_a_millionth": error(total / world) < LIMIT},
    }


def every(steps: int, lengths: list[int], same_batch: bool) -> dict[str, Any]:
    found = {"uneven": losses(lengths), "even": losses([max(lengths)] * len(lengths))}
    return training(steps, same_batch) | {"error": found}


def measure(processes: int, steps: int, lengths: list[int], same_batch: bool) -> dict[str, Any]:
    return agreed(processes, every, steps, lengths, same_batch)


if __name__ == "__main__":
    main(measure, SETTINGS, MUTATION)
