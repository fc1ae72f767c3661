"""The peak of a whole step that has its peak in the optimizer.

Forty-eight MLP blocks of width 256 with embedding and head (vocabulary 4,096), in fp32, each block a unit of FSDP2, on
simulated ranks. One sequence of 32 tokens; the second iteration, Adam's step included. `foreach=True` updates all
tensors together and holds what that takes for all of them at once.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from simulation import MIB, MlpBlock, Stack, each_block, second_iteration
from toolbox import main

SETTINGS = {"blocks": 48, "width": 256, "vocabulary": 4096, "tokens": 32, "foreach": True}
# Tensor by tensor, the step needs little more than it keeps: then the peak lies in backward.
MUTATION = {"foreach": False}


def measure(blocks: int, width: int, vocabulary: int, tokens: int, foreach: bool) -> dict[str, Any]:
    build = partial(Stack, MlpBlock, width, blocks, vocabulary)
    adam = partial(torch.optim.Adam, foreach=foreach)
    found: dict[str, Any] = {}
    for name, world, shard in (("plain", 1, None), ("world_2", 2, each_block)):
        for what, optimizer_step in (("backward", False), ("step", True)):
            seen = second_iteration(world, build, tokens, shard, adam, optimizer_step=optimizer_step)
            found.setdefault(name, {})[what] = round(seen["at_peak"]["total"] / MIB, 2)
    return found


if __name__ == "__main__":
    main(measure, SETTINGS, MUTATION)
