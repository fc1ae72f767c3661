"""Tensor parallelism and full sharding of one MLP, in either order.

A mesh of two by two processes: `fully_shard` over its first dimension, tensor parallelism over its second. The wider
layer is split by its outputs, the rows of its weight, and the other one by its inputs. Told of each rank are the rows
of the wider weight that it stores, the placements, and bytes and ranks of the unit's gather. Gradients are held against
those of one process that sees the batches of both data-parallel ranks.
"""

from __future__ import annotations

from typing import Any

import torch
from toolbox import Ear, main, ranks, whole
from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

SETTINGS = {"processes": 4, "tensor_ranks": 2}
# As if all ranks split the matmul.
MUTATION = {"tensor_ranks": 4}
WIDTH, WIDER = 8, 32


class Mlp(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.up, self.down = nn.Linear(WIDTH, WIDER, bias=False), nn.Linear(WIDER, WIDTH, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(torch.relu(self.up(x)))


def split(model: Mlp, mesh: DeviceMesh) -> Mlp:
    parallelize_module(model, mesh["tensor"], {"up": ColwiseParallel(), "down": RowwiseParallel()})
    return model


def batch(rank: int) -> Tensor:
    return torch.randn(4, WIDTH, generator=torch.Generator().manual_seed(rank))


def stored(model: Mlp) -> list[int]:
    """Which rows of the wider weight this rank has, by what stands in them."""
    rows = {row.tolist()[0]: number for number, row in enumerate(Mlp().up.weight.detach())}
    return [rows[row.tolist()[0]] for row in model.up.weight.to_local().detach()]


def right(model: Mlp, copies: int) -> bool:
    alone = Mlp()
    for rank in range(copies):
        (alone(batch(rank)).square().mean() / copies).backward()
    pairs = zip(alone.parameters(), model.parameters(), strict=True)
    return all(torch.allclose(whole(other.grad), one.grad, rtol=0, atol=1e-6) for one, other in pairs)


def every(tensor_ranks: int, world: int) -> dict[str, Any]:
    mesh = init_device_mesh("cpu", (world // tensor_ranks, tensor_ranks), mesh_dim_names=("data", "tensor"))
    model = fully_shard(split(Mlp(), mesh), mesh=mesh["data"])
    rows = stored(model)
    with Ear() as ear:
        model(batch(mesh.get_local_rank("data"))).square().mean().backward()
    try:
        split(fully_shard(Mlp(), mesh=mesh["data"]), mesh)
        other_order = "accepted"
    except ValueError:
        other_order = "ValueError"
    return {
        "coordinate": mesh.get_coordinate(),
        "rows": rows,
        "placements": [str(placement) for placement in model.up.weight.placements],
        "shape_of_the_other": list(model.down.weight.to_local().shape),
        "all_gather": [[heard.bytes, heard.group] for heard in ear.heard if heard.kind == "all_gather"],
        "right_gradients": right(model, world // tensor_ranks),
        "other_order": other_order,
    }


def measure(processes: int, tensor_ranks: int) -> dict[str, Any]:
    by_rank = ranks(processes, every, tensor_ranks, processes)
    return {"bytes": 4 * 2 * WIDTH * WIDER} | {f"rank_{rank}": found for rank, found in enumerate(by_rank)}


if __name__ == "__main__":
    main(measure, SETTINGS, MUTATION)
