"""Tensor parallelism and FSDP2 on one mesh, in either order.

An MLP of width 8 and 32 in fp32 on four processes, two data-parallel by two tensor-parallel; the first weight cut by
columns of the layer, the second by rows. Told are the local shapes, where the shards lie, the collectives of a forward
and backward with the size of their groups, and whether output and gradients are those of one process. `shard_first`
calls `fully_shard` before `parallelize_module`.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import torch
import torch.distributed as dist
from toolbox import Ear, agreed, main, ranks, whole
from torch import nn
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

SETTINGS = {"processes": 4, "tensor_ranks": 2}
# All ranks share each layer then, and nothing is left for FSDP2 to divide.
MUTATION = {"tensor_ranks": 4}
WIDTH = 8


def build() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH, bias=False), nn.ReLU(), nn.Linear(4 * WIDTH, WIDTH, bias=False))


def grid(tensor_ranks: int) -> DeviceMesh:
    shape = (dist.get_world_size() // tensor_ranks, tensor_ranks)
    return init_device_mesh("cpu", shape, mesh_dim_names=("data", "tensor"))


def divide(model: nn.Module, mesh: DeviceMesh) -> None:
    parallelize_module(model, mesh["tensor"], {"0": ColwiseParallel(), "2": RowwiseParallel()})


def step(tensor_ranks: int, shard_first: bool) -> dict[str, Any]:
    mesh = grid(tensor_ranks)
    alone, model = build(), build()
    try:
        if shard_first:
            fully_shard(model, mesh=mesh["data"])
            divide(model, mesh)
        else:
            divide(model, mesh)
            fully_shard(model, mesh=mesh["data"])
        batch = torch.randn(4, WIDTH, generator=torch.Generator().manual_seed(1))
        with Ear() as ear:
            output = model(batch)
            output.square().mean().backward()
    except (RuntimeError, ValueError, NotImplementedError, AssertionError) as error:
        return {"error": type(error).__name__}
    expected = alone(batch)
    expected.square().mean().backward()
    first = model[0].weight
    pairs = zip(model.parameters(), alone.parameters(), strict=True)
    heard = Counter(f"{collective.kind}_of_{collective.group}" for collective in ear.heard)
    return {
        "local": list(first.to_local().shape),
        "mesh": list(first.device_mesh.mesh_dim_names or ()),
        "placements": [type(placement).__name__ for placement in first.placements],
        "heard": dict(sorted(heard.items())),
        "same_output": torch.allclose(whole(output), expected, rtol=1e-5),
        "same_gradients": all(torch.allclose(whole(a.grad), b.grad, rtol=1e-5, atol=1e-7) for a, b in pairs),
    }


def first_row(tensor_ranks: int) -> int:
    """The row of the first weight with which this rank's shard begins."""
    mesh = grid(tensor_ranks)
    alone, model = build(), build()
    divide(model, mesh)
    fully_shard(model, mesh=mesh["data"])
    shard = model[0].weight.to_local()
    return next(row for row, values in enumerate(alone[0].weight) if torch.equal(values, shard[0]))


def measure(processes: int, tensor_ranks: int) -> dict[str, Any]:
    found = {
        name: agreed(processes, step, tensor_ranks, name == "shard_first") for name in ("tensor_first", "shard_first")
    }
    return {"whole": [4 * WIDTH, WIDTH], "first_rows": ranks(processes, first_row, tensor_ranks)} | found


if __name__ == "__main__":
    main(measure, SETTINGS, MUTATION)
