"""Peak memory of forward and backward on rank 0, from one rank to thousands.

Twelve MLP blocks of width 256 and a root with embedding and head (vocabulary 4,096), in fp32, each a unit of FSDP2.
The ranks are simulated: a fake process group moves nothing, and tensors without data are counted by PyTorch's own
memory tracker. One sequence of 32 tokens; Adam's state is there; the peak, in MiB, is that of the second iteration's
forward and backward. `state` is what stays between steps, gradients cleared; `at_peak` splits the peak.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from toolbox import main
from torch import Tensor, nn
from torch._subclasses import FakeTensorMode
from torch.distributed._tools.fsdp2_mem_tracker import FSDPMemTracker
from torch.distributed._tools.mem_tracker import MemTracker
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.testing._internal.distributed.fake_pg import FakeStore

SETTINGS = {"width": 256, "blocks": 12, "vocabulary": 4096, "tokens": 32, "reshard": True}
# Blocks that are kept after forward add up to the whole model.
MUTATION = {"reshard": False}
RANKS = (1, 8, 64, 256, 1024, 4096)
MIB = 2**20


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.down(nn.functional.gelu(self.up(self.norm(x))))


class Model(nn.Module):
    def __init__(self, width: int, blocks: int, vocabulary: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.blocks = nn.ModuleList(Block(width) for _ in range(blocks))
        self.head = nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def peak(
    world: int,
    settings: dict[str, Any],
    *,
    sharded: bool = True,
    root_alone: bool = False,
    optimizer_name: str = "Adam",
    policy: MixedPrecisionPolicy | None = None,
    loaded: torch.dtype = torch.float32,
) -> dict[str, Any]:
    """Of the second iteration, on rank 0 of `world`."""
    dist.init_process_group("fake", rank=0, world_size=world, store=FakeStore())
    mesh = init_device_mesh("cpu", (world,))
    with FakeTensorMode():
        torch.set_default_dtype(loaded)
        model = Model(settings["width"], settings["blocks"], settings["vocabulary"])
        torch.set_default_dtype(torch.float32)
        parameters = sum(weight.numel() for weight in model.parameters())
        if sharded:
            common: dict[str, Any] = {"mesh": mesh} | ({"mp_policy": policy} if policy else {})
            for block in model.blocks if not root_alone else ():
                fully_shard(block, reshard_after_forward=settings["reshard"], **common)
            fully_shard(model, **common)
        optimizer = getattr(torch.optim, optimizer_name)(model.parameters())
        batch = torch.randint(settings["vocabulary"], (1, settings["tokens"]))
        tracker: Any = FSDPMemTracker(model, optimizer) if sharded else MemTracker()
        if sharded:
            tracker.track_inputs((batch,))
        else:
            tracker.track_external(model, optimizer, batch)
        with tracker:
            for _ in range(2):
                # The first iteration's peak holds the tensors that DTensor works out its sharding by.
                tracker._peak_mem, tracker._peak_mem_snap = {}, {}
                nn.functional.cross_entropy(model(batch).flatten(0, 1), batch.flatten()).backward()
                highest = tracker.get_tracker_snapshot("peak")
                optimizer.step()
                optimizer.zero_grad()
                tracker.reset_mod_stats()
            between = tracker.get_tracker_snapshot("current")
    dist.destroy_process_group()
    device = torch.device("cpu")
    split = {str(getattr(kind, "value", kind)): size for kind, size in highest[device].items()}
    state = {str(getattr(kind, "value", kind)): size for kind, size in between[device].items()}
    return {
        "parameters": parameters,
        "peak": round(split["Total"] / MIB, 2),
        "at_peak": {_name(kind): round(size / MIB, 2) for kind, size in split.items() if size and kind != "Total"},
        "state": round(sum(size for kind, size in state.items() if kind in STATE) / MIB, 2),
    }


STATE = ("Sharded Param", "Parameter", "OptState", "Optstate")


def _name(kind: str) -> str:
    return kind.lower().replace(" ", "_")


def measure(**settings: Any) -> dict[str, Any]:
    found = {f"world_{world}": peak(world, settings) for world in RANKS}
    found["plain"] = peak(1, settings, sharded=False)
    found["root_alone"] = peak(8, settings, root_alone=True)
    low = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    found["low"] = peak(8, settings, policy=low)
    found["loaded_low"] = peak(8, settings, policy=low, loaded=torch.bfloat16)
    found["sgd_of_2"] = {
        "plain": peak(1, settings, sharded=False, optimizer_name="SGD"),
        "blocks": peak(2, settings, optimizer_name="SGD"),
        "root_alone": peak(2, settings, optimizer_name="SGD", root_alone=True),
    }
    return found


if __name__ == "__main__":
    main(measure, SETTINGS, MUTATION)
