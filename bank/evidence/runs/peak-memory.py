"""Peak memory of forward and backward on rank 0, from one rank to thousands.

Twelve MLP blocks of width 256 and a root with embedding and head (vocabulary 4,096), in fp32, each a unit of FSDP2.
The ranks are simulated: a fake process group moves nothing, and tensors without data are counted by PyTorch's own
memory tracker. One sequence of 32 tokens; Adam's state is there; the peak, in MiB, is that of the second iteration's
forward and backward. `state` is what stays between steps, gradients cleared; `at_peak` splits the peak.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from simulation import MIB, STATE, MlpBlock, Stack, each_block, second_iteration
from toolbox import main
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

SETTINGS = {"width": 256, "blocks": 12, "vocabulary": 4096, "tokens": 32, "reshard": True}
# Blocks that are kept after forward add up to the whole model.
MUTATION = {"reshard": False}
RANKS = (1, 8, 64, 256, 1024, 4096)


def peak(
    world: int,
    settings: dict[str, Any],
    *,
    sharded: bool = True,
    root_alone: bool = False,
    optimizer: Callable[..., torch.optim.Optimizer] = torch.optim.Adam,
    policy: MixedPrecisionPolicy | None = None,
    loaded: torch.dtype = torch.float32,
) -> dict[str, Any]:
    """Of the second iteration, on rank 0 of `world`, in MiB."""

    def build() -> Stack:
        torch.set_default_dtype(loaded)
        model = Stack(MlpBlock, settings["width"], settings["blocks"], settings["vocabulary"])
        torch.set_default_dtype(torch.float32)
        return model

    def shard(model: Stack, mesh: DeviceMesh) -> None:
        common = {"mp_policy": policy} if policy else {}
        if root_alone:
            fully_shard(model, mesh=mesh, **common)
        else:
            each_block(model, mesh, reshard=settings["reshard"], **common)

    found = second_iteration(world, build, settings["tokens"], shard if sharded else None, optimizer)
    highest = found["at_peak"]
    return {
        "parameters": found["parameters"],
        "peak": round(highest.pop("total") / MIB, 2),
        "at_peak": {kind: round(size / MIB, 2) for kind, size in highest.items()},
        "state": round(sum(found["between"].get(kind, 0) for kind in STATE) / MIB, 2),
    }


def measure(**settings: Any) -> dict[str, Any]:
    found = {f"world_{world}": peak(world, settings) for world in RANKS}
    found["plain"] = peak(1, settings, sharded=False)
    found["root_alone"] = peak(8, settings, root_alone=True)
    low = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    found["low"] = peak(8, settings, policy=low)
    found["loaded_low"] = peak(8, settings, policy=low, loaded=torch.bfloat16)
    found["sgd_of_2"] = {
        "plain": peak(1, settings, sharded=False, optimizer=torch.optim.SGD),
        "blocks": peak(2, settings, optimizer=torch.optim.SGD),
        "root_alone": peak(2, settings, optimizer=torch.optim.SGD, root_alone=True),
    }
    return found


if __name__ == "__main__":
    main(measure, SETTINGS, MUTATION)
