"""Collectives of one step of FSDP2, by phase and setting.

Four transformer blocks and the root are wrapped, on one to four processes. Forward and backward are listened to apart,
in the third of three iterations: the first is where FSDP2 finds out which module is the root.
"""

from __future__ import annotations

from typing import Any

import torch.distributed as dist
from toolbox import Ear, Transformer, agreed, counts, loss, main, tokens
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

SETTINGS = {"processes": 4, "blocks": 4, "reshard_root": None}
# As if the root were resharded after forward by default.
MUTATION = {"reshard_root": True}


def phases(mode: str, blocks: int, reshard_root: bool | None) -> dict[str, Any]:
    model = Transformer(blocks)
    world = dist.get_world_size()
    # Replicated along the first dimension, sharded along the second.
    shape = {"hybrid": (2, world // 2), "replicas": (world, 1)}.get(mode, (world,))
    mesh = init_device_mesh("cpu", shape, mesh_dim_names=("replicate", "shard")[-len(shape) :])
    if mode == "root_alone":
        fully_shard(model, mesh=mesh)
    else:
        reshard = {"always": True, "never": False}.get(mode)
        for block in model.blocks:
            fully_shard(block, mesh=mesh, reshard_after_forward=reshard)
        fully_shard(model, mesh=mesh, reshard_after_forward=reshard_root if reshard is None else reshard)
    batch = tokens(dist.get_rank())
    with Ear() as ear:
        for _ in range(3):
            begin = len(ear.heard)
            value = loss(model, batch)
            middle = len(ear.heard)
            value.backward()
    return {"forward": counts(ear.heard[begin:middle]), "backward": counts(ear.heard[middle:])}


def by_mode(modes: list[str], blocks: int, reshard_root: bool | None) -> dict[str, Any]:
    return {mode: phases(mode, blocks, reshard_root) for mode in modes}


def measure(processes: int, blocks: int, reshard_root: bool | None) -> dict[str, Any]:
    found = {}
    for world, modes in (
        (processes, ["default", "always", "never", "root_alone", "hybrid"]),
        (2, ["default", "replicas"]),
        (1, ["default"]),
    ):
        found[f"world_{world}"] = agreed(world, by_mode, modes, blocks, reshard_root)
    return found


if __name__ == "__main__":
    main(measure, SETTINGS, MUTATION)
