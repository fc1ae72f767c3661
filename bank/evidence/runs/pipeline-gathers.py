"""Collectives of a sharded pipeline stage in one step.

Two stages of two FSDP2 units each, two ranks a stage, under `Schedule1F1B`; of the second step. `units` are wrapped
alone; under `stage` the module of the whole stage is wrapped too, and the schedule then holds parameters and gradients.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from toolbox import Ear, agreed, counts, main, ranks
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.pipelining import PipelineStage, Schedule1F1B

SETTINGS = {"processes": 4, "stages": 2, "micro_batches": 8, "reshard": True}
# Parameters that are kept after forward are gathered once less.
MUTATION = {"reshard": False}
WIDTH = 16


def step(stages: int, micro_batches: int, *, reshard: bool, whole_stage: bool) -> dict[str, int]:
    mesh = init_device_mesh("cpu", (stages, dist.get_world_size() // stages), mesh_dim_names=("pipeline", "shard"))
    place = mesh.get_local_rank("pipeline")
    module = nn.Sequential(*(nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(2)))
    for unit in module:
        fully_shard(unit, mesh=mesh["shard"], reshard_after_forward=reshard)
    if whole_stage:
        fully_shard(module, mesh=mesh["shard"], reshard_after_forward=reshard)
    stage = PipelineStage(module, place, stages, torch.device("cpu"), group=mesh.get_group("pipeline"))
    schedule = Schedule1F1B(stage, n_microbatches=micro_batches, loss_fn=nn.functional.mse_loss)
    batch = torch.ones(2 * micro_batches, WIDTH)

    def run() -> None:
        if place == 0:
            schedule.step(batch)
        else:
            schedule.step(target=batch)

    run()
    with Ear() as ear:
        run()
    return counts(ear.heard)


def every(stages: int, micro_batches: int, reshard: bool) -> dict[str, Any]:
    return {
        "units_resharded": step(stages, micro_batches, reshard=reshard, whole_stage=False),
        "units_kept": step(stages, micro_batches, reshard=False, whole_stage=False),
        "stage_kept": {f"micro_{m}": step(stages, m, reshard=False, whole_stage=True) for m in (2, 4, micro_batches)},
    }


def measure(processes: int, stages: int, micro_batches: int, reshard: bool) -> dict[str, Any]:
    found = agreed(processes, every, stages, micro_batches, reshard)
    try:
        ranks(processes, too_few)
        refused = "accepted"
    except Exception as error:
        refused = "ValueError" if "ValueError" in str(error) else type(error).__name__
    return found | {"fewer_micro_batches_than_stages": refused}


def too_few() -> dict[str, int]:
    return step(2, 1, reshard=True, whole_stage=False)


if __name__ == "__main__":
    main(measure, SETTINGS, MUTATION)
