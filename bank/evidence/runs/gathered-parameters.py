"""Gathered parameters that a rank holds at the end of forward, and after backward.

Eight blocks and a root in fp32 on four processes. Bytes are those of the storages of the parameters that FSDP2 has
gathered and not freed.
"""

from __future__ import annotations

from typing import Any

import torch.distributed as dist
from toolbox import Transformer, loss, main, ranks, sharded, size, tokens
from torch import nn
from torch.distributed.fsdp import FSDPModule

SETTINGS = {"processes": 4, "blocks": 8, "reshard": None}
# As if blocks were kept by default.
MUTATION = {"reshard": False}


def gathered(model: nn.Module) -> int:
    total = 0
    for module in model.modules():
        if isinstance(module, FSDPModule):
            group = module._get_fsdp_state()._fsdp_param_group
            for parameter in group.fsdp_params:
                whole = getattr(parameter, "_unsharded_param", None)
                total += 0 if whole is None else whole.untyped_storage().nbytes()
    return total


def held(blocks: int, reshard: bool | None) -> dict[str, int]:
    model = sharded(Transformer(blocks), reshard_after_forward=reshard)
    for _ in range(2):
        value = loss(model, tokens(dist.get_rank()))
        at_the_end = gathered(model)
        value.backward()
    return {"after_forward": at_the_end, "after_backward": gathered(model)}


def every(blocks: int, reshard: bool | None) -> dict[str, Any]:
    model = Transformer(blocks)
    block = 4 * size(model.blocks[0])
    return {
        "bytes": {"model": 4 * size(model), "block": block, "root": 4 * size(model) - blocks * block},
        "default": held(blocks, reshard),
        "never": held(blocks, False),
        "always": held(blocks, True),
    }


def measure(processes: int, blocks: int, reshard: bool | None) -> dict[str, Any]:
    return ranks(processes, every, blocks, reshard)[0]


if __name__ == "__main__":
    main(measure, SETTINGS, MUTATION)
