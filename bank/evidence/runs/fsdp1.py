"""FSDP1 beside FSDP2: one process, accumulation, recomputation, and activations.

Four transformer blocks and a root. Collectives of one forward and backward on one process; of four micro-batches under
`no_sync`; all-gathers of backward with activation checkpointing of each block; and the bytes that autograd saves, the
parameters left out.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from toolbox import Ear, Transformer, by_phase, counts, flattened, fsdp1, loss, main, ranks, sharded, tokens
from torch import Tensor, nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import CheckpointImpl, checkpoint_wrapper
from torch.distributed.tensor import DTensor

SETTINGS = {"processes": 2, "micro_batches": 4, "reentrant": True}
# The other implementation of checkpointing gathers no more.
MUTATION = {"reentrant": False}


def heard(model: nn.Module) -> dict[str, dict[str, int]]:
    return {phase: counts(collectives) for phase, collectives in by_phase(model).items()}


def accumulated(micro_batches: int) -> dict[str, int]:
    model = flattened(Transformer())
    batch = tokens(dist.get_rank())
    loss(model, batch).backward()
    with Ear() as ear:
        with model.no_sync():
            for _ in range(micro_batches - 1):
                loss(model, batch).backward()
        loss(model, batch).backward()
    return counts(ear.heard)


def checkpointed(outer: nn.Module, *, reentrant: bool) -> nn.Module:
    kind = CheckpointImpl.REENTRANT if reentrant else CheckpointImpl.NO_REENTRANT
    return checkpoint_wrapper(outer, checkpoint_impl=kind)


def fsdp1_checkpointed(*, reentrant: bool) -> nn.Module:
    """Each block wrapped by FSDP1, and that by a checkpoint."""
    model = Transformer()
    model.blocks = nn.ModuleList(checkpointed(fsdp1(block), reentrant=reentrant) for block in model.blocks)
    return fsdp1(model)


def fsdp2_checkpointed() -> nn.Module:
    model = Transformer()
    model.blocks = nn.ModuleList(checkpointed(block, reentrant=False) for block in model.blocks)
    return sharded(model)


def saved(model: nn.Module) -> int:
    """Bytes that autograd saves in a forward, each storage once, parameters left out."""
    kept: dict[int, int] = {}

    def note(tensor: Tensor) -> Tensor:
        # Under FSDP2 a parameter is a plain tensor just while its unit is gathered.
        weights = (weight for weight in model.parameters() if not isinstance(weight, DTensor))
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in {weight.untyped_storage().data_ptr() for weight in weights}:
            kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        value = loss(model, tokens(dist.get_rank()))
    del value
    return sum(kept.values())


def one_process() -> dict[str, Any]:
    torch.manual_seed(0)
    plain = Transformer()
    torch.manual_seed(0)
    # Gradients in their own shapes, to be held against those of the plain model one by one.
    model = flattened(Transformer(), use_orig_params=True)
    found = heard(model)
    batch = tokens(0)
    plain.zero_grad()
    loss(plain, batch).backward()
    model.zero_grad()
    loss(model, batch).backward()
    pairs = zip(plain.parameters(), model.parameters(), strict=True)
    return {
        "strategy": model.sharding_strategy.name,
        "heard": found,
        "same_gradients": all(torch.equal(one.grad, other.grad) for one, other in pairs),
    }


def every(micro_batches: int, reentrant: bool) -> dict[str, Any]:
    return {
        "no_sync": accumulated(micro_batches),
        "checkpoint_fsdp1": heard(fsdp1_checkpointed(reentrant=reentrant)),
        "plain_fsdp1": heard(flattened(Transformer())),
        "checkpoint_fsdp2": heard(fsdp2_checkpointed()),
        "plain_fsdp2": heard(sharded(Transformer())),
    }


def activations() -> dict[str, int]:
    return {"without": saved(Transformer()), "fsdp2": saved(sharded(Transformer()))}


def measure(processes: int, micro_batches: int, reentrant: bool) -> dict[str, Any]:
    found = ranks(processes, every, micro_batches, reentrant)[0]
    found["one_process"] = ranks(1, one_process)[0]
    found["saved"] = {f"world_{world}": ranks(world, activations)[0] for world in (1, 2, 4)}
    return found


if __name__ == "__main__":
    main(measure, SETTINGS, MUTATION)
