"""Bytes and data types of the model state, by the way of sharding and of loading.

One AdamW step of a small transformer on four processes, gradients kept. Bytes are summed over the processes and divided
by the number of parameters; AdamW's step counters are left out, one a tensor, whose bytes are told. Data types are
those on rank 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
from toolbox import Ear, Transformer, loss, main, ranks, sharded, size, tokens
from torch import Tensor, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy
from torch.distributed.tensor import DTensor
from torch.nn.parallel import DistributedDataParallel

SETTINGS = {"processes": 4, "optimizer": "AdamW", "shards_per_copy": 2}
# As if hybrid sharding divided by all processes.
MUTATION = {"shards_per_copy": 4}
LOW = {"param_dtype": torch.bfloat16, "reduce_dtype": torch.float32}


def local(tensor: Tensor) -> Tensor:
    return tensor.to_local() if isinstance(tensor, DTensor) else tensor


def held(tensors: list[Tensor]) -> int:
    return sum(local(tensor).numel() * local(tensor).element_size() for tensor in tensors)


def dtype(tensor: Tensor) -> str:
    return str(local(tensor).dtype).removeprefix("torch.")


def stepped(model: nn.Module, parameters: int, optimizer: str) -> dict[str, Any]:
    """Bytes on this rank after one step, and the data types of what it holds and reduces."""
    updating = getattr(torch.optim, optimizer)(model.parameters())
    with Ear() as ear:
        loss(model, tokens(dist.get_rank())).backward()
    updating.step()
    weights = list(model.parameters())
    states = [updating.state[weight] for weight in weights]
    moments = [state[name] for state in states for name in ("exp_avg", "exp_avg_sq")]
    gradients = [weight.grad for weight in weights if weight.grad is not None]
    reduced = {heard.dtype for heard in ear.heard if heard.kind != "all_gather"}
    return {
        "parameters": parameters,
        "step_counter": held([states[0]["step"]]),
        "bytes": {"parameters": held(weights), "gradients": held(gradients), "moments": held(moments)},
        "dtypes": {
            "shard": dtype(weights[0]),
            "gradient": dtype(gradients[0]),
            "moments": dtype(moments[0]),
            "reduced": "+".join(sorted(reduced)),
        },
    }


def every(optimizer: str, shards_per_copy: int) -> dict[str, Any]:
    world = dist.get_world_size()
    shape = (world // shards_per_copy, shards_per_copy)
    hybrid = init_device_mesh("cpu", shape, mesh_dim_names=("replicate", "shard"))
    low = MixedPrecisionPolicy(**LOW)
    parameters = size(Transformer())
    models: dict[str, Callable[[], nn.Module]] = {
        "ddp": lambda: DistributedDataParallel(Transformer()),
        "full": lambda: sharded(Transformer()),
        "hybrid": lambda: sharded(Transformer(), mesh=hybrid),
        "low": lambda: sharded(Transformer(), mp_policy=low),
        "loaded_low": lambda: sharded(Transformer().bfloat16(), mp_policy=low),
    }
    return {name: stepped(model(), parameters, optimizer) for name, model in models.items()}


def measure(processes: int, optimizer: str, shards_per_copy: int) -> dict[str, Any]:
    by_rank = ranks(processes, every, optimizer, shards_per_copy)
    found: dict[str, Any] = {}
    for name, first in by_rank[0].items():
        per_parameter = {
            kind: sum(rank[name]["bytes"][kind] for rank in by_rank) / first["parameters"] for kind in first["bytes"]
        }
        found[name] = {
            "parameters": first["parameters"],
            "cluster": per_parameter | {"state": sum(per_parameter.values())},
            "rank_0": first["bytes"],
            "step_counter": first["step_counter"],
            "dtypes": first["dtypes"],
        }
    return found


if __name__ == "__main__":
    main(measure, SETTINGS, MUTATION)
