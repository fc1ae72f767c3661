"""The memory of one rank among many.

The others are simulated: a fake process group, and tensors without data. PyTorch's own tracker counts what would be
allocated. It sees a CPU, so no stream delays the freeing of a buffer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch._subclasses import FakeTensorMode
from torch.distributed._tools.fsdp2_mem_tracker import FSDPMemTracker
from torch.distributed._tools.mem_tracker import MemTracker
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.testing._internal.distributed.fake_pg import FakeStore

MIB, GB = 2**20, 10**9
STATE = ("sharded_param", "parameter", "optstate")


class MlpBlock(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.down(nn.functional.gelu(self.up(self.norm(x))))


class Stack(nn.Module):
    """Embedding, blocks, a norm if asked for, and head, not tied."""

    def __init__(
        self, block: Callable[[int], nn.Module], width: int, blocks: int, vocabulary: int, *, norm: bool = False
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.blocks = nn.ModuleList(block(width) for _ in range(blocks))
        self.norm = nn.LayerNorm(width, bias=False) if norm else nn.Identity()
        self.head = nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def second_iteration(
    world: int,
    build: Callable[[], Stack],
    tokens: int,
    shard: Callable[[Stack, DeviceMesh], None] | None,
    optimizer: Callable[..., torch.optim.Optimizer] = torch.optim.Adam,
    *,
    optimizer_step: bool = False,
    watch: Callable[[Stack, Callable[[str], None]], None] | None = None,
) -> dict[str, Any]:
    """Bytes on rank 0 of `world` by kind, in the second iteration, in which the optimizer's state is there.

    `between` is what stays between steps, `at_peak` the peak of forward and backward, or of the whole step. `watch` is
    given the model and a function that looks at the memory at a named place; `points` are what it saw in order.
    """
    points: list[dict[str, Any]] = []
    dist.init_process_group("fake", rank=0, world_size=world, store=FakeStore())
    mesh = init_device_mesh("cpu", (world,))
    with FakeTensorMode():
        model = build()
        parameters = sum(weight.numel() for weight in model.parameters())
        if shard:
            shard(model, mesh)
        updating = optimizer(model.parameters())
        batch = torch.randint(model.embedding.num_embeddings, (1, tokens))
        tracker: Any = FSDPMemTracker(model, updating) if shard else MemTracker()
        if shard:
            tracker.track_inputs((batch,))
        else:
            tracker.track_external(model, updating, batch)
        if watch:
            watch(
                model, lambda place: points.append({"place": place} | _by_kind(tracker.get_tracker_snapshot("current")))
            )
        with tracker:
            for _ in range(2):
                points.clear()
                # The first iteration's peak holds the tensors that DTensor works out its sharding by.
                tracker._peak_mem, tracker._peak_mem_snap = {}, {}
                nn.functional.cross_entropy(model(batch).flatten(0, 1), batch.flatten()).backward()
                highest = tracker.get_tracker_snapshot("peak")
                updating.step()
                if optimizer_step:
                    highest = tracker.get_tracker_snapshot("peak")
                updating.zero_grad()
                tracker.reset_mod_stats()
            between = tracker.get_tracker_snapshot("current")
    dist.destroy_process_group()
    return {"parameters": parameters, "at_peak": _by_kind(highest), "between": _by_kind(between), "points": points}


def each_block(model: Stack, mesh: DeviceMesh, *, reshard: bool | None = None, **settings: Any) -> None:
    """Each block a unit, freed after forward unless told otherwise, and the root, which holds embedding and head."""
    for block in model.blocks:
        fully_shard(block, mesh=mesh, reshard_after_forward=reshard, **settings)
    fully_shard(model, mesh=mesh, **settings)


def _by_kind(snapshot: dict[torch.device, dict[Any, int]]) -> dict[str, int]:
    return {
        str(getattr(kind, "value", kind)).lower().replace(" ", "_"): size
        for kind, size in snapshot[torch.device("cpu")].items()
        if size
    }
