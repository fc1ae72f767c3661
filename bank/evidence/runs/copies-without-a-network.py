"""Copies into and out of communication buffers, on a network that moves nothing.

Four transformer blocks and a root in fp32, all resharded after forward, on eight simulated ranks: a fake process group
returns at once. What is left are FSDP2's own copies, in bytes over the second step: shards into the gather's input,
gathered units out of its output, gradients into the reduce-scatter's input.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import torch.distributed as dist
from toolbox import Transformer, loss, main, sharded, size, tokens
from torch import Tensor
from torch.distributed.tensor import DTensor
from torch.testing._internal.distributed.fake_pg import FakeStore
from torch.utils._python_dispatch import TorchDispatchMode

SETTINGS = {"ranks": 8, "blocks": 4, "reshard": True}
# Units that are kept are copied once less.
MUTATION = {"reshard": False}


class Copies(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.bytes: Counter[str] = Counter()
        self.times: Counter[str] = Counter()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if any(issubclass(kind, DTensor) for kind in types):
            return NotImplemented
        kwargs = kwargs or {}
        if func.namespace == "fsdp":
            name = func._schema.name.partition("::")[2]
            if name == "all_gather_copy_in":
                self._note("into_gather", args[0])
            elif name == "split_with_sizes_copy":
                self._note("out_of_gather", [args[0]])
            elif name == "chunk_cat":
                self._note("into_reduce_scatter", [kwargs["out"]])
        return func(*args, **kwargs)

    def _note(self, place: str, tensors: list[Tensor]) -> None:
        self.times[place] += 1
        self.bytes[place] += sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def measure(ranks: int, blocks: int, reshard: bool) -> dict[str, Any]:
    dist.init_process_group("fake", rank=0, world_size=ranks, store=FakeStore())
    model = sharded(Transformer(blocks), reshard_after_forward=reshard)
    loss(model, tokens(0)).backward()
    with Copies() as copies:
        loss(model, tokens(0)).backward()
    dist.destroy_process_group()
    return {"model": 4 * size(model), "bytes": dict(copies.bytes), "times": dict(copies.times)}


if __name__ == "__main__":
    main(measure, SETTINGS, MUTATION)
