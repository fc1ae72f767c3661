"""What the programs have in common.

Processes that talk over gloo, a small transformer, and an ear for collectives.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import Tensor, nn
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from torch.distributed.tensor import DTensor
from torch.utils._python_dispatch import TorchDispatchMode

VOCABULARY, WIDTH, HEADS, BLOCKS, LENGTH = 64, 32, 4, 4, 16


def main(
    measure: Callable[..., dict[str, Any]], settings: dict[str, Any], mutation: dict[str, Any], tolerance: float = 0
) -> None:
    """Print what a program measures, as JSON; with `--mutate`, under a setting that has to change it."""
    given = settings | (mutation if "--mutate" in sys.argv else {})
    torch.set_num_threads(1)
    results = measure(**given)
    versions = {"torch": torch.__version__.partition("+")[0], "Python": ".".join(platform.python_version_tuple()[:2])}
    found = {"settings": settings, "versions": versions, "tolerance": tolerance, "results": results}
    print(json.dumps(found, indent=1))


# Processes


def ranks(world: int, function: Callable[..., Any], *arguments: Any, timeout: float = 120) -> list[Any]:
    """Call a function in `world` processes that form one gloo group; what each returned, by rank."""
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(_rank, (world, folder, timeout, function, arguments), nprocs=world)
        return [json.loads(Path(folder, str(rank)).read_text()) for rank in range(world)]


def agreed(world: int, function: Callable[..., Any], *arguments: Any) -> Any:
    """What each of `world` processes returned, if that was the same."""
    found = ranks(world, function, *arguments)
    if any(other != found[0] for other in found):
        raise RuntimeError(f"the ranks of {function.__name__} differ: {found}")
    return found[0]


def _rank(
    rank: int, world: int, folder: str, timeout: float, function: Callable[..., Any], arguments: tuple[Any, ...]
) -> None:
    torch.set_num_threads(1)
    store = dist.FileStore(f"{folder}/store", world)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=world, timeout=timedelta(seconds=timeout))
    torch.manual_seed(0)
    Path(folder, str(rank)).write_text(json.dumps(function(*arguments)))
    # Not a barrier of the group, in which the ranks may be out of step.
    store.set(f"{rank} is done", "")
    store.wait([f"{other} is done" for other in range(world)])
    # A group in which someone waited in vain can't be taken down in order.
    os._exit(0)


# A small transformer


class Block(nn.Module):
    def __init__(self, width: int = WIDTH) -> None:
        super().__init__()
        self.before_attention, self.before_mlp = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)
        self.up, self.down = nn.Linear(width, 4 * width, bias=False), nn.Linear(4 * width, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        heads = self.qkv(self.before_attention(x)).view(batch, length, 3, HEADS, width // HEADS).transpose(1, 3)
        q, k, v = heads.unbind(2)
        mixed = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(nn.functional.gelu(self.up(self.before_mlp(x))))


class Transformer(nn.Module):
    """Embedding, blocks, norm and head, none of them tied."""

    def __init__(self, blocks: int = BLOCKS) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(blocks))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def sharded(model: Transformer, **settings: Any) -> Transformer:
    """Each block a unit, and the root."""
    for block in model.blocks:
        fully_shard(block, **settings)
    return fully_shard(model, **settings)


def fsdp1(module: nn.Module, **settings: Any) -> FullyShardedDataParallel:
    with warnings.catch_warnings():
        # It is deprecated and says so; and on one process that there is nothing to shard.
        warnings.simplefilter("ignore")
        return FullyShardedDataParallel(module, device_id=torch.device("cpu"), **settings)


def flattened(model: Transformer, **settings: Any) -> FullyShardedDataParallel:
    """Each block a unit of FSDP1, and the root."""
    return fsdp1(model, auto_wrap_policy=ModuleWrapPolicy({Block}), **settings)


def tokens(rank: int, sequences: int = 2) -> Tensor:
    return torch.randint(VOCABULARY, (sequences, LENGTH), generator=torch.Generator().manual_seed(rank))


def loss(model: nn.Module, batch: Tensor) -> Tensor:
    return nn.functional.cross_entropy(model(batch).flatten(0, 1), batch.flatten())


def size(model: nn.Module) -> int:
    """Parameters of the whole model, sharded or not."""
    return sum(parameter.numel() for parameter in model.parameters())


def whole(tensor: Tensor) -> Tensor:
    """All of a tensor, on each rank, sharded or not."""
    return (tensor.full_tensor() if isinstance(tensor, DTensor) else tensor).detach()


# Collectives


@dataclass(frozen=True)
class Collective:
    """One collective: its kind, and the bytes of the tensor that is whole (gathered, or reduced)."""

    kind: str
    bytes: int
    dtype: str
    group: int

    @property
    def sent(self) -> float:
        """Bytes that a rank sends on a ring."""
        passes = 2 if self.kind == "all_reduce" else 1
        return passes * (self.group - 1) / self.group * self.bytes


# Which argument of each is the whole tensor, and which the group.
KINDS = {
    "_allgather_base_": ("all_gather", 0, 2),
    "_reduce_scatter_base_": ("reduce_scatter", 1, 2),
    "allreduce_": ("all_reduce", 0, 1),
    "allgather_": ("all_gather", 0, 2),
    "broadcast_": ("broadcast", 0, 1),
    "reduce_scatter_": ("reduce_scatter", 1, 2),
}


# Those that operations on DTensors are made of: the argument that tells the group, and whether the input is a shard.
FUNCTIONAL = {
    "all_gather_into_tensor": ("all_gather", 2, True),
    "reduce_scatter_tensor": ("reduce_scatter", 3, False),
    "all_reduce": ("all_reduce", 2, False),
    "all_reduce_": ("all_reduce", 2, False),
}


class Ear(TorchDispatchMode):
    """Hears every collective of this process, those inside operations on DTensors too."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[Collective] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if any(issubclass(kind, DTensor) for kind in types):
            return NotImplemented
        name = func._schema.name.partition("::")[2]
        if func.namespace == "c10d" and name in KINDS:
            kind, whole, group = KINDS[name]
            self._note(kind, _flat(args[whole]), dist.distributed_c10d.ProcessGroup.unbox(args[group]).size(), 1)
        elif func.namespace == "_c10d_functional" and name in FUNCTIONAL:
            kind, group, of_shard = FUNCTIONAL[name]
            members = dist.distributed_c10d._resolve_process_group(args[group]).size()
            self._note(kind, [args[0]], members, members if of_shard else 1)
        return func(*args, **(kwargs or {}))

    def _note(self, kind: str, tensors: list[Tensor], members: int, times: int) -> None:
        total = times * sum(tensor.numel() * tensor.element_size() for tensor in tensors)
        self.heard.append(Collective(kind, total, str(tensors[0].dtype).removeprefix("torch."), members))


def _flat(value: Any) -> list[Tensor]:
    return [value] if isinstance(value, Tensor) else [tensor for item in value for tensor in _flat(item)]


def counts(heard: list[Collective]) -> dict[str, int]:
    """How many of each kind."""
    found = Counter(collective.kind for collective in heard)
    return {kind: found[kind] for kind in ("all_gather", "reduce_scatter", "all_reduce")}


def sent(heard: list[Collective]) -> float:
    """Bytes that a rank sends on a ring in all of them."""
    return sum(collective.sent for collective in heard)


def by_phase(model: nn.Module) -> dict[str, list[Collective]]:
    """What is heard in forward and in backward of the second step: in the first, FSDP finds out what the root is."""
    batch = tokens(dist.get_rank())
    loss(model, batch).backward()
    with Ear() as ear:
        value = loss(model, batch)
        middle = len(ear.heard)
        value.backward()
    return {"forward": ear.heard[:middle], "backward": ear.heard[middle:]}
