"""Bytes on the ring in one optimizer step, against DDP.

Four transformer blocks and a root in fp32, on four processes; what each rank sends is summed over the collectives of
the third step, as a ring sends it, in units of (N-1)/N times the fp32 bytes of the model. `micro_4` are steps of four
micro-batches. `hybrid` shards over pairs of processes, of which there are two. The second step would not do: in it, and
never again, DDP broadcasts the order of its rebuilt buckets.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from toolbox import Ear, Transformer, agreed, counts, loss, main, sent, sharded, size, tokens
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy
from torch.nn.parallel import DistributedDataParallel

SETTINGS = {"processes": 4, "blocks": 4, "micro_batches": 4, "gather_dtype": "bfloat16"}
# As if the policy left the gathers in fp32.
MUTATION = {"gather_dtype": "float32"}


def ddp(blocks: int, micro_batches: int) -> dict[str, Any]:
    model = Transformer(blocks)
    parameters = size(model)
    replica = DistributedDataParallel(model)

    def step() -> None:
        with replica.no_sync():
            for _ in range(micro_batches - 1):
                loss(replica, tokens(dist.get_rank())).backward()
        loss(replica, tokens(dist.get_rank())).backward()

    return heard_in(step, parameters)


def fsdp(
    blocks: int,
    micro_batches: int,
    policy: dict[str, torch.dtype] | None = None,
    *,
    reshard: bool | None = None,
    defer_reduction: bool = False,
    keep_after_backward: bool = False,
    mesh: DeviceMesh | None = None,
) -> dict[str, Any]:
    settings: dict[str, Any] = {"mp_policy": MixedPrecisionPolicy(**policy)} if policy else {}
    model = sharded(Transformer(blocks), reshard_after_forward=reshard, mesh=mesh, **settings)

    def step() -> None:
        for i in range(micro_batches):
            last = i == micro_batches - 1
            model.set_requires_gradient_sync(last or not defer_reduction)
            model.set_reshard_after_backward(last or not keep_after_backward)
            loss(model, tokens(dist.get_rank())).backward()

    return heard_in(step, size(model))


def heard_in(step: Any, parameters: int) -> dict[str, Any]:
    for _ in range(2):
        step()
    with Ear() as ear:
        step()
    world = dist.get_world_size()
    unit = (world - 1) / world * 4 * parameters
    return {"units": round(sent(ear.heard) / unit, 4), "counts": counts(ear.heard)}


def every(blocks: int, micro_batches: int, gather_dtype: str) -> dict[str, Any]:
    low, full = getattr(torch, gather_dtype), torch.float32
    pairs = init_device_mesh("cpu", (dist.get_world_size() // 2, 2), mesh_dim_names=("replicate", "shard"))
    return {
        "parameters": size(Transformer(blocks)),
        "micro_1": {
            "ddp": ddp(blocks, 1),
            "always": fsdp(blocks, 1, reshard=True),
            "default": fsdp(blocks, 1),
            "never": fsdp(blocks, 1, reshard=False),
            "hybrid": fsdp(blocks, 1, reshard=True, mesh=pairs),
            "low_gather": fsdp(blocks, 1, {"param_dtype": low, "reduce_dtype": full}, reshard=True),
            "low_both": fsdp(blocks, 1, {"param_dtype": low}, reshard=True),
        },
        f"micro_{micro_batches}": {
            "ddp": ddp(blocks, micro_batches),
            "always": fsdp(blocks, micro_batches, reshard=True),
            "default": fsdp(blocks, micro_batches),
            "never": fsdp(blocks, micro_batches, reshard=False),
            "hybrid": fsdp(blocks, micro_batches, reshard=True, mesh=pairs),
            "deferred": fsdp(blocks, micro_batches, defer_reduction=True),
            "kept": fsdp(blocks, micro_batches, defer_reduction=True, keep_after_backward=True),
            "kept_never": fsdp(blocks, micro_batches, reshard=False, defer_reduction=True, keep_after_backward=True),
        },
    }


def measure(processes: int, blocks: int, micro_batches: int, gather_dtype: str) -> dict[str, Any]:
    return agreed(processes, every, blocks, micro_batches, gather_dtype)


if __name__ == "__main__":
    main(measure, SETTINGS, MUTATION)
