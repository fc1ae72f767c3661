"""What layers of GPT-3's size hold in flight.

Four transformer layers of width 12,288 (attention and MLP, 12 h² parameters each) with embedding and head, sharded by
FSDP2 over 512 simulated ranks: each layer, the embedding and the head a unit. Gathers in bf16, reduction in fp32. A
micro-batch of 32 tokens, so that activations are small. Forward and backward of the second iteration, in GB.
`in_flight` is all at the peak that is neither shard, optimizer state nor activation.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from simulation import GB, Stack, each_block, second_iteration
from toolbox import Block, main
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

SETTINGS = {"layers": 4, "width": 12288, "vocabulary": 51200, "ranks": 512, "tokens": 32, "reduce": "float32"}
# The input of the reduce-scatter is half as large.
MUTATION = {"reduce": "bfloat16"}
STAYS = ("sharded_param", "sharded_grad", "optstate", "activation", "inputs", "buffer", "total")


def measure(layers: int, width: int, vocabulary: int, ranks: int, tokens: int, reduce: str) -> dict[str, Any]:
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=getattr(torch, reduce))

    def shard(model: Stack, mesh: DeviceMesh) -> None:
        for part in (model.embedding, model.head):
            fully_shard(part, mesh=mesh, mp_policy=policy)
        each_block(model, mesh, mp_policy=policy)

    highest = second_iteration(ranks, partial(Stack, Block, width, layers, vocabulary), tokens, shard)["at_peak"]
    in_flight = {kind: size for kind, size in highest.items() if kind not in STAYS}
    with torch.device("meta"):
        layer = sum(weight.numel() for weight in Block(width).parameters())
    return {
        "layer": layer,
        "at_peak": {kind: round(size / GB, 2) for kind, size in highest.items() if round(size / GB, 2)},
        "in_flight": round(sum(in_flight.values()) / GB, 2),
    }


if __name__ == "__main__":
    main(measure, SETTINGS, MUTATION)
