"""Memory over a training step, by kind.

Twelve MLP blocks of width 256 and a root with embedding and head (vocabulary 4,096), in fp32, under FSDP2 on 8
simulated ranks; one sequence of 256 tokens, Adam. The second step of rank 0: what PyTorch's memory tracker counts, in
MiB, where the embedding's forward ends, where each block's forward and backward end, and on both sides of the head.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from simulation import MIB, MlpBlock, Stack, each_block, second_iteration
from toolbox import main

SETTINGS = {"ranks": 8, "blocks": 12, "width": 256, "vocabulary": 4096, "tokens": 256, "reshard": True}
# Kept after forward, the gathered parameters grow to the whole model.
MUTATION = {"reshard": False}
# Temporary are gradients of activations and of whole units, and what the loss works with.
KINDS = {
    "shards": ("sharded_param",),
    "moments": ("optstate",),
    "gradient_shards": ("sharded_grad",),
    "gathered": ("unsharded_param", "all_gather"),
    "activations": ("activation", "inputs"),
    "temporary": ("unsharded_grad", "temp", "reduce_scatter"),
}


def watch(model: Stack, look: Callable[[str], None]) -> None:
    """Looks where the embedding's forward ends, where each block's forward and backward end, and around the head."""
    model.embedding.register_forward_hook(lambda *_: look("embedding forward"))
    for i, block in enumerate(model.blocks, 1):
        block.register_forward_hook(lambda *_, i=i: look(f"block {i} forward"))
        block.register_full_backward_hook(lambda *_, i=i: look(f"block {i} backward"))
    model.head.register_forward_hook(lambda *_: look("head forward"))
    model.head.register_full_backward_hook(lambda *_: look("head backward"))


def measure(ranks: int, blocks: int, width: int, vocabulary: int, tokens: int, reshard: bool) -> dict[str, Any]:
    build, shard = partial(Stack, MlpBlock, width, blocks, vocabulary), partial(each_block, reshard=reshard)
    found = second_iteration(ranks, build, tokens, shard, watch=watch)
    return {
        "points": {
            point["place"].replace(" ", "_"): {
                name: round(sum(point.get(part, 0) for part in parts) / MIB, 2) for name, parts in KINDS.items()
            }
            for point in found["points"]
        }
    }


if __name__ == "__main__":
    main(measure, SETTINGS, MUTATION)
