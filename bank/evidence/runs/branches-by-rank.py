"""Gradients of two branches of which each rank takes one, under DDP and FSDP2.

A linear layer, then one of two of the same shape, on two processes: rank 0 takes the left and rank 1 the right. All
three are one unit of FSDP2. Told are the layers that have a gradient on a rank after backward; those of them in which
it is the mean over the ranks of that layer's gradients, zero where it was not taken (`right`); those in which it is the
mean of the left one's on rank 0 and the right one's on rank 1 (`mixed`); and the bytes that a reduction takes.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from toolbox import Ear, main, ranks
from torch import Tensor, nn
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor
from torch.nn.parallel import DistributedDataParallel

SETTINGS = {"processes": 2, "zeros": False}
# Zeros stand in for the gradients that a rank does not have.
MUTATION = {"zeros": True}
WIDTH = 8
TAKEN = ("left", "right")


class Fork(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(WIDTH, WIDTH, bias=False)
        self.left, self.right = nn.Linear(WIDTH, WIDTH, bias=False), nn.Linear(WIDTH, WIDTH, bias=False)

    def forward(self, x: Tensor, taken: str) -> Tensor:
        branch: nn.Module = getattr(self, taken)
        return branch(self.stem(x)).square().mean()


def fork() -> Fork:
    torch.manual_seed(0)
    return Fork()


def batch(rank: int) -> Tensor:
    return torch.randn(4, WIDTH, generator=torch.Generator().manual_seed(rank))


def by_rank(layer: str) -> list[Tensor]:
    """The gradient of a layer from each rank's batch and branch, in one process."""
    found = []
    for rank, taken in enumerate(TAKEN):
        model = fork()
        model(batch(rank), taken).backward()
        weight = model.get_submodule(layer).weight
        found.append(torch.zeros_like(weight) if weight.grad is None else weight.grad)
    return found


def outcome(learner: nn.Module, model: Fork) -> dict[str, Any]:
    rank, world = dist.get_rank(), dist.get_world_size()
    with Ear() as ear:
        learner(batch(rank), TAKEN[rank]).backward()
    mixed = (by_rank("left")[0] + by_rank("right")[1]) / world
    found: dict[str, Any] = {"with_gradient": [], "right": [], "mixed": []}
    for name, layer in model.named_children():
        if layer.weight.grad is not None:
            found["with_gradient"].append(name)
            for kind, expected in (("right", sum(by_rank(name)) / world), ("mixed", mixed)):
                grad, part = layer.weight.grad, expected
                if isinstance(grad, DTensor):
                    grad, part = grad.to_local(), expected.chunk(world)[rank]
                if torch.allclose(grad, part, atol=1e-7):
                    found[kind].append(name)
    return found | {"reduced": max(one.bytes for one in ear.heard if one.kind != "all_gather")}


def every(zeros: bool) -> dict[str, Any]:
    unit, filled, copy = fully_shard(fork()), fully_shard(fork()), fork()
    unit.set_reduce_scatter_unused_params(zeros)
    filled.set_reduce_scatter_unused_params(True)
    plain = DistributedDataParallel(fork())
    plain(batch(dist.get_rank()), TAKEN[dist.get_rank()]).backward()
    try:
        plain(batch(dist.get_rank()), TAKEN[dist.get_rank()])
        second = "accepted"
    except RuntimeError:
        second = "RuntimeError"
    return {
        "ddp_second_forward": second,
        "ddp_find_unused": outcome(DistributedDataParallel(copy, find_unused_parameters=True), copy),
        "fsdp2": outcome(unit, unit),
        "fsdp2_with_zeros": outcome(filled, filled),
    }


def measure(processes: int, zeros: bool) -> dict[str, Any]:
    return {f"rank_{rank}": found for rank, found in enumerate(ranks(processes, every, zeros))}


if __name__ == "__main__":
    main(measure, SETTINGS, MUTATION)
