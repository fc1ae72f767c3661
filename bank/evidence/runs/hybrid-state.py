"""State of a rank under hybrid sharding, as hosts are added.

Four weights of 2,048 × 2,048 in fp32 with AdamW, on simulated ranks: a fake process group moves nothing. Bytes of
parameters, gradients and moments on rank 0 after one step.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from toolbox import main
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.testing._internal.distributed.fake_pg import FakeStore

SETTINGS = {"width": 2048, "layers": 4, "gpus_of_a_host": 8}
# Half as many ranks in a shard group hold twice as much.
MUTATION = {"gpus_of_a_host": 4}


def state(shape: tuple[int, ...], width: int, layers: int) -> int:
    world = 1
    for ranks in shape:
        world *= ranks
    dist.init_process_group("fake", rank=0, world_size=world, store=FakeStore())
    mesh = init_device_mesh("cpu", shape, mesh_dim_names=("replicate", "shard")[-len(shape) :])
    model = nn.Sequential(*(nn.Linear(width, width, bias=False) for _ in range(layers)))
    fully_shard(model, mesh=mesh)
    optimizer = torch.optim.AdamW(model.parameters())
    model(torch.ones(1, width)).sum().backward()
    optimizer.step()
    total = 0
    for weight in model.parameters():
        moments = [optimizer.state[weight][name] for name in ("exp_avg", "exp_avg_sq")]
        total += sum(tensor.to_local().nbytes for tensor in (weight, weight.grad, *moments))
    dist.destroy_process_group()
    return total


def measure(width: int, layers: int, gpus_of_a_host: int) -> dict[str, Any]:
    return {
        "parameters": layers * width * width,
        "hybrid": {f"hosts_{n}": state((n, gpus_of_a_host), width, layers) for n in (4, 16)},
        "full": {f"ranks_{n}": state((n,), width, layers) for n in (32, 128)},
    }


if __name__ == "__main__":
    main(measure, SETTINGS, MUTATION)
