"""The order of a training step under FSDP2.

Four transformer blocks and a root that holds embedding, norm and head; the second step of rank 0 of two, on gloo. Told
in the order in which the process does it: a unit's parameters are gathered, its layers run forward or backward, its
gathered parameters are freed, its gradients are reduced. On a GPU collectives run beside compute; which event begins
first is the same, when each ends is not told.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from toolbox import Ear, Transformer, loss, main, ranks, sharded, tokens
from torch import nn
from torch.distributed.fsdp._fully_shard._fsdp_param_group import FSDPParamGroup

SETTINGS = {"processes": 2, "reshard": None}
# Nothing is freed after forward then, and nothing gathered again.
MUTATION = {"reshard": False}


def followed(model: Transformer, ear: Ear) -> list[list[str]]:
    """The events of the model from now on, each with its unit."""
    events: list[list[str]] = []
    units = {id(block._get_fsdp_state()._fsdp_param_group): f"block {i}" for i, block in enumerate(model.blocks, 1)}

    def follow(name: str, event: str, kind: str) -> None:
        original = getattr(FSDPParamGroup, name)

        def told(group: FSDPParamGroup, *arguments: Any, **named: Any) -> Any:
            heard, whole = len(ear.heard), group.is_unsharded
            result = original(group, *arguments, **named)
            collective = kind in {collective.kind for collective in ear.heard[heard:]}
            if collective or (event == "free" and whole and not group.is_unsharded):
                events.append([event, units.get(id(group), "root")])
            return result

        setattr(FSDPParamGroup, name, told)

    follow("unshard", "gather", "all_gather")
    follow("reshard", "free", "")
    follow("post_backward", "reduce", "reduce_scatter")

    def runs(layer: nn.Module, unit: str) -> None:
        layer.register_forward_pre_hook(lambda *_: events.append(["forward", unit]))
        layer.register_full_backward_pre_hook(lambda *_: events.append(["backward", unit]))

    for i, block in enumerate(model.blocks, 1):
        runs(block, f"block {i}")
    runs(model.embedding, "root")
    runs(model.head, "root")
    return events


def step(reshard: bool | None) -> list[list[str]]:
    model = sharded(Transformer(), **({} if reshard is None else {"reshard_after_forward": reshard}))
    adam = torch.optim.AdamW(model.parameters())
    batch = tokens(dist.get_rank())
    with Ear() as ear:
        events = followed(model, ear)
        for _ in range(2):
            events.clear()
            loss(model, batch).backward()
            events.append(["update", "optimizer"])
            adam.step()
            adam.zero_grad()
    return events


def measure(processes: int, reshard: bool | None) -> dict[str, Any]:
    events = ranks(processes, step, reshard)[0]
    kinds = [event for event, _ in events]
    return {
        "events": [" ".join(event) for event in events],
        "gathered": kinds.count("gather"),
        "freed": kinds.count("free"),
        "reduced": kinds.count("reduce"),
    }


if __name__ == "__main__":
    main(measure, SETTINGS, MUTATION)
