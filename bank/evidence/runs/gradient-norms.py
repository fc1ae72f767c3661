"""Norms of sharded gradients, and what clipping makes of them.

One backward of a small transformer in fp32 on four processes with a batch each; the bound is half of the norm of all
gradients together, as one process with all four batches finds it. FSDP2's gradients are clipped by PyTorch's function,
and by one written for whole tensors, which takes the norm of a rank's shards; FSDP1's, with flat parameters, by
PyTorch's function and by the wrapper's method. Norms and factors are rounded to four digits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
from toolbox import Ear, Transformer, counts, flattened, loss, main, ranks, sharded, tokens, whole
from torch import Tensor, nn
from torch.distributed.tensor import DTensor

SETTINGS = {"processes": 4, "bound": 0.5}
# With a bound above the norm nothing is clipped, and nobody goes wrong.
MUTATION = {"bound": 2.0}


def model() -> Transformer:
    torch.manual_seed(0)
    return Transformer()


def norm(tensors: list[Tensor]) -> Tensor:
    return torch.stack([tensor.norm() for tensor in tensors]).norm()


def gradients(learner: nn.Module) -> list[Tensor]:
    return [weight.grad for weight in learner.parameters() if weight.grad is not None]


def shards(learner: nn.Module) -> list[Tensor]:
    return [grad.to_local() if isinstance(grad, DTensor) else grad for grad in gradients(learner)]


def together() -> float:
    alone = model()
    loss(alone, torch.cat([tokens(member) for member in range(dist.get_world_size())])).backward()
    return float(norm(gradients(alone)))


def clip_shards(learner: nn.Module, bound: float) -> Tensor:
    """As one would write it for whole tensors."""
    found = norm(shards(learner))
    for shard in shards(learner):
        shard.mul_(min(1.0, bound / float(found)))
    return found


def clip_parameters(learner: nn.Module, bound: float) -> Tensor:
    return nn.utils.clip_grad_norm_(learner.parameters(), bound)


def clip_by_method(learner: nn.Module, bound: float) -> Tensor:
    return learner.clip_grad_norm_(bound)


def clipped(learner: nn.Module, clip: Callable[[nn.Module, float], Tensor], bound: float) -> dict[str, Any]:
    loss(learner, tokens(dist.get_rank())).backward()
    before = norm(shards(learner))
    with Ear() as ear:
        found = clip(learner, bound)
    after = norm(shards(learner))
    return {
        "found": round(float(whole(found)), 4),
        "factor": round(float(after / before), 4),
        "all_reduce": counts(ear.heard)["all_reduce"],
        "kind": type(found).__name__,
    }


def every(bound: float) -> dict[str, Any]:
    right = together()
    return {
        "alone": round(right, 4),
        "fsdp2": clipped(sharded(model()), clip_parameters, bound * right),
        "fsdp2_shards": clipped(sharded(model()), clip_shards, bound * right),
        "fsdp1": clipped(flattened(model()), clip_parameters, bound * right),
        "fsdp1_method": clipped(flattened(model()), clip_by_method, bound * right),
    }


def measure(processes: int, bound: float) -> dict[str, Any]:
    by_rank = ranks(processes, every, bound)
    alone = by_rank[0].pop("alone")
    ways = {way: {fact: [rank[way][fact] for rank in by_rank] for fact in by_rank[0][way]} for way in by_rank[0]}
    return {"alone": alone, "bound": round(bound * alone, 4)} | ways


if __name__ == "__main__":
    main(measure, SETTINGS, MUTATION, tolerance=0.001)
