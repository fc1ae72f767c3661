"""A checkpoint saved on four ranks and loaded on two and on three.

A small transformer in fp32 under FSDP2 with AdamW, saved by `torch.distributed.checkpoint` after two steps, then loaded
into a new model and a new optimizer. Parameters and moments are compared element by element with those that were saved.
`bytes_by_rank` are those of the parameters and moments in the file that a rank wrote, `own_bytes` those of the shards
in a rank's `model.state_dict()`, and `collectives` what making that takes. `own_state_dict` is what comes back
where the optimizer's own `state_dict()` is saved, and that of a new optimizer is filled.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from math import prod
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from toolbox import Ear, Transformer, agreed, loss, main, ranks, sharded, size, tokens, whole
from torch import Tensor
from torch.distributed.checkpoint.metadata import TensorStorageMetadata
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict

SETTINGS = {"saved_on": 4, "loaded_on": [2, 3], "with_optimizer": True}
# A new optimizer has no moments to continue from.
MUTATION = {"with_optimizer": False}
MOMENTS = ("exp_avg", "exp_avg_sq")


def training() -> tuple[Transformer, torch.optim.Optimizer]:
    model = sharded(Transformer())
    return model, torch.optim.AdamW(model.parameters(), lr=0.01)


def state(model: Transformer, optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """Parameters and moments, whole; of a parameter that the optimizer has not met, there are no moments."""
    found: dict[str, Tensor] = {}
    for name, weight in model.named_parameters():
        held = optimizer.state.get(weight, {})
        parts = {"parameter": weight} | {moment: held[moment] for moment in MOMENTS if moment in held}
        found |= {f"{name}.{part}": whole(tensor) for part, tensor in parts.items()}
    return found


def save(folder: str) -> dict[str, Any]:
    model, optimizer = training()
    for _ in range(2):
        loss(model, tokens(dist.get_rank())).backward()
        optimizer.step()
        optimizer.zero_grad()
    right = state(model, optimizer)
    if dist.get_rank() == 0:
        torch.save(right, Path(folder, "whole"))
    weights, moments = get_state_dict(model, optimizer)
    dcp.save({"model": weights, "optimizer": moments}, checkpoint_id=Path(folder, "saved"))
    dcp.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, checkpoint_id=Path(folder, "own"))
    with Ear() as ear:
        own = model.state_dict()
    return {
        "parameters": size(model),
        "own_bytes": sum(weight.to_local().nbytes for weight in own.values()),
        "collectives": len(ear.heard),
    }


def written(folder: Path) -> list[int]:
    """Bytes of sharded tensors in each file; a rank writes one."""
    metadata = dcp.FileSystemReader(folder).read_metadata()
    total: Counter[str] = Counter()
    for index, place in metadata.storage_data.items():
        saved = metadata.state_dict_metadata[index.fqn]
        if isinstance(saved, TensorStorageMetadata) and saved.size:
            shape = next(chunk.sizes for chunk in saved.chunks if chunk.offsets == index.offset)
            total[place.relative_path] += prod(shape) * saved.properties.dtype.itemsize
    return [total[name] for name in sorted(total)]


def load(folder: str, with_optimizer: bool) -> dict[str, Any]:
    torch.manual_seed(1)
    model, optimizer = training()
    weights, moments = get_state_dict(model, optimizer)
    dcp.load({"model": weights, "optimizer": moments}, checkpoint_id=Path(folder, "saved"))
    set_state_dict(model, optimizer, model_state_dict=weights, optim_state_dict=moments)
    if not with_optimizer:
        optimizer = torch.optim.AdamW(model.parameters())
    return {"rows": model.embedding.weight.to_local().shape[0], "same": same(folder, model, optimizer)}


def load_own(folder: str) -> dict[str, bool]:
    torch.manual_seed(1)
    model, optimizer = training()
    weights, moments = model.state_dict(), optimizer.state_dict()
    dcp.load({"model": weights, "optimizer": moments}, checkpoint_id=Path(folder, "own"))
    optimizer.load_state_dict(moments)
    return same(folder, model, optimizer)


def same(folder: str, model: Transformer, optimizer: torch.optim.Optimizer) -> dict[str, bool]:
    right, found = torch.load(Path(folder, "whole")), state(model, optimizer)
    return {
        part: all(
            name in found and torch.equal(tensor, found[name]) for name, tensor in right.items() if name.endswith(part)
        )
        for part in ("parameter", *MOMENTS)
    }


def measure(saved_on: int, loaded_on: list[int], with_optimizer: bool) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        saved = agreed(saved_on, save, folder) | {"bytes_by_rank": written(Path(folder, "saved"))}
        own = agreed(max(loaded_on), load_own, folder)
        loaded = {world: ranks(world, load, folder, with_optimizer) for world in loaded_on}
    found: dict[str, Any] = {"saved": saved, "own_state_dict": own}
    for world, by_rank in loaded.items():
        parts = {part: all(rank["same"][part] for rank in by_rank) for part in by_rank[0]["same"]}
        found[f"loaded_on_{world}"] = {"rows_of_the_embedding": [rank["rows"] for rank in by_rank], "same": parts}
    return found


if __name__ == "__main__":
    main(measure, SETTINGS, MUTATION)
