"""An optimizer that is built before its model is wrapped.

One AdamW step of a small transformer on two processes, the optimizer built before wrapping and after it. `parameters`
are those that the optimizer was given, `of_the_model` those of them that the wrapped model still has, `gradients_left`
those of the model that have a gradient after `zero_grad`. `like_late`: the step ends where that of the late one does.
`same_loss`: four steps on one batch all have the loss of the first; `warnings` are those of these steps.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
import torch.distributed as dist
from toolbox import Transformer, agreed, flattened, loss, main, sharded, tokens, whole
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

SETTINGS = {"processes": 2, "early": True}
# In the order that the documentation asks for, each of them trains.
MUTATION = {"early": False}


def step(wrap: Callable[[Transformer], nn.Module], *, early: bool) -> tuple[list[Tensor], dict[str, Any]]:
    """The parameters after a step, as far as this rank holds them, and what there is to say about it."""
    torch.manual_seed(0)
    model = Transformer()
    given = list(model.parameters())
    wrapped = wrap(model)
    owned = list(wrapped.parameters())
    before = [whole(weight).clone() for weight in owned]
    optimizer = torch.optim.AdamW(given if early else owned)
    losses = []
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        for i in range(4):
            losses.append(loss(wrapped, tokens(dist.get_rank())))
            losses[-1].backward()
            optimizer.step()
            optimizer.zero_grad()
            if i == 0:
                after = [whole(weight).clone() for weight in owned]
    updated = optimizer.param_groups[0]["params"]
    return after, {
        "moved": not all(torch.equal(*pair) for pair in zip(before, after, strict=True)),
        "parameters": len(updated),
        "of_the_model": len({id(weight) for weight in owned} & {id(weight) for weight in updated}),
        "same_loss": all(torch.equal(each, losses[0]) for each in losses),
        "warnings": len(warned),
        "gradients_left": sum(weight.grad is not None for weight in owned),
    }


def early_and_late(wrap: Callable[[Transformer], nn.Module], *, early: bool) -> dict[str, Any]:
    first, found = step(wrap, early=early)
    second, _ = step(wrap, early=False)
    return found | {"like_late": all(torch.equal(*pair) for pair in zip(first, second, strict=True))}


def every(early: bool) -> dict[str, Any]:
    return {
        "ddp": early_and_late(DistributedDataParallel, early=early),
        "fsdp2": early_and_late(sharded, early=early),
        "fsdp1": early_and_late(flattened, early=early),
        "fsdp1_original": early_and_late(partial(flattened, use_orig_params=True), early=early),
    }


def measure(processes: int, early: bool) -> dict[str, Any]:
    return agreed(processes, every, early)


if __name__ == "__main__":
    main(measure, SETTINGS, MUTATION)
