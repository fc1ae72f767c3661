"""Collectives of a step in which most parameters are frozen.

Four transformer blocks and a root on two processes. The blocks are frozen, but for a norm of each in `mixed`; the root
trains, of which `head_alone` leaves the head. `reduced` are the bytes that go into the reduce-scatters of a step.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from toolbox import Block, Ear, Transformer, agreed, counts, fsdp1, loss, main, sharded, size, tokens
from torch import nn
from torch.distributed.fsdp.wrap import ModuleWrapPolicy

SETTINGS = {"processes": 2, "trained": ["embedding", "norm", "head"]}
# Blocks that train reduce their gradients.
MUTATION = {"trained": ["embedding", "norm", "head", "blocks"]}


def model(*trained: str) -> Transformer:
    """The model, in which nothing trains but what has one of these in its name."""
    torch.manual_seed(0)
    made = Transformer()
    for name, weight in made.named_parameters():
        weight.requires_grad_(any(part in name for part in trained))
    return made


def heard(learner: nn.Module) -> dict[str, Any]:
    """Collectives of the second step, forward and backward apart, and the bytes that are reduced."""
    batch = tokens(dist.get_rank())
    loss(learner, batch).backward()
    with Ear() as ear:
        value = loss(learner, batch)
        middle = len(ear.heard)
        value.backward()
    reduced = sum(one.bytes for one in ear.heard if one.kind == "reduce_scatter")
    return {"forward": counts(ear.heard[:middle]), "backward": counts(ear.heard[middle:]), "reduced": reduced}


def flat(learner: nn.Module, *, use_orig_params: bool = False) -> nn.Module:
    return fsdp1(learner, auto_wrap_policy=ModuleWrapPolicy({Block}), use_orig_params=use_orig_params)


def mixed_in_fsdp1() -> str:
    try:
        flat(model("before_mlp"))
    except ValueError:
        return "ValueError"
    return "accepted"


def every(trained: list[str]) -> dict[str, Any]:
    return {
        "bytes": 4 * size(Transformer()),
        "frozen": {
            "fsdp2": heard(sharded(model(*trained))),
            "fsdp1": heard(flat(model(*trained))),
            "head_alone": heard(sharded(model("head"))),
        },
        "mixed": {
            "fsdp2": heard(sharded(model(*trained, "before_mlp"))),
            "fsdp1": mixed_in_fsdp1(),
            "fsdp1_original": heard(flat(model(*trained, "before_mlp"), use_orig_params=True)),
        },
    }


def measure(processes: int, trained: list[str]) -> dict[str, Any]:
    return agreed(processes, every, trained)


if __name__ == "__main__":
    main(measure, SETTINGS, MUTATION)
