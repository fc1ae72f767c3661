"""Collectives of an optimizer's step on FSDP2's shards.

One step of each optimizer after a backward on four processes, clipping and the unscaling of a gradient scaler apart.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from toolbox import Ear, Transformer, counts, loss, main, ranks, sharded, tokens
from torch import nn

SETTINGS = {"processes": 4, "clip_before_step": False}
# With the norm of all gradients taken inside the step, the ranks have to talk.
MUTATION = {"clip_before_step": True}


def model_with_gradients() -> Transformer:
    torch.manual_seed(0)
    model = sharded(Transformer())
    loss(model, tokens(dist.get_rank())).backward()
    return model


def heard_in_step(name: str, clip_before_step: bool, **settings: Any) -> dict[str, int]:
    model = model_with_gradients()
    matrices = [weight for weight in model.blocks.parameters() if weight.ndim == 2][:8]
    updated = matrices if name == "Muon" else list(model.parameters())
    updating = getattr(torch.optim, name)(updated, **settings)
    with Ear() as ear:
        if clip_before_step:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        updating.step()
    return counts(ear.heard)


def heard_in_clipping() -> dict[str, int]:
    model = model_with_gradients()
    with Ear() as ear:
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    return counts(ear.heard)


def heard_in_unscaling() -> dict[str, int]:
    model = model_with_gradients()
    updating = torch.optim.AdamW(model.parameters())
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale(torch.zeros(1))
    with Ear() as ear:
        scaler.unscale_(updating)
    return counts(ear.heard)


def every(clip_before_step: bool) -> dict[str, Any]:
    return {
        "adamw": heard_in_step("AdamW", clip_before_step),
        "adamw_foreach": heard_in_step("AdamW", clip_before_step, foreach=True),
        "adamw_fused": heard_in_step("AdamW", clip_before_step, fused=True),
        "sgd": heard_in_step("SGD", clip_before_step, lr=0.1, momentum=0.9),
        "muon_8_matrices": heard_in_step("Muon", clip_before_step),
        "clipping": heard_in_clipping(),
        "unscaling": heard_in_unscaling(),
    }


def measure(processes: int, clip_before_step: bool) -> dict[str, Any]:
    return ranks(processes, every, clip_before_step)[0]


if __name__ == "__main__":
    main(measure, SETTINGS, MUTATION)
