"""Collectives of a step in which most parameters are frozen.

Four transformer blocks and a root on two processes. The blocks are frozen, but for a norm of each in `mixed`; the root
trains, of which `head_alone` leaves the head. `reduced` are the bytes that go into the reduce-scatters of a step.
"""

from __future__ import annotations

from typing import Any

import torch
from toolbox import Transformer, agreed, by_phase, counts, flattened, main, sharded, size
from torch import nn

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
    phases = by_phase(learner)
    reduced = sum(one.bytes for one in phases["backward"] if one.kind == "reduce_scatter")
    return {phase: counts(collectives) for phase, collectives in phases.items()} | {"reduced": reduced}


def mixed_in_fsdp1() -> str:
    try:
        flattened(model("before_mlp"))
    except ValueError:
        return "ValueError"
    return "accepted"


def every(trained: list[str]) -> dict[str, Any]:
    return {
        "bytes": 4 * size(Transformer()),
        "frozen": {
            "fsdp2": heard(sharded(model(*trained))),
            "fsdp1": heard(flattened(model(*trained))),
            "head_alone": heard(sharded(model("head"))),
        },
        "mixed": {
            "fsdp2": heard(sharded(model(*trained, "before_mlp"))),
            "fsdp1": mixed_in_fsdp1(),
            "fsdp1_original": heard(flattened(model(*trained, "before_mlp"), use_orig_params=True)),
        },
    }


def measure(processes: int, trained: list[str]) -> dict[str, Any]:
    return agreed(processes, every, trained)


if __name__ == "__main__":
    main(measure, SETTINGS, MUTATION)
