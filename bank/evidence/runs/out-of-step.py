"""What rank 0 does alone, and where the ranks notice.

A sharded model on two processes of one group, whose collectives give up after a few seconds. Rank 0 does something that
rank 1 does not do. Told of each rank are what it came through and in what it waited in vain. `next` are the kinds and
bytes of the first three collectives in a forward that follows validation, and in the backward that follows a forward:
those that meet if rank 0 validates alone and both go on. `after_validation` are those of a forward once all ranks have
validated, with and without a `state_dict` before it: what would meet if rank 0 alone asked for one.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from toolbox import Ear, Transformer, agreed, loss, main, ranks, sharded, tokens

SETTINGS = {"processes": 2, "seconds": 5, "alone": True}
# What all ranks do, nobody waits for.
MUTATION = {"alone": False}
STEP = ("forward", "backward")
# What rank 0 does, and what rank 1 does.
SCENARIOS = {
    "validation_in_between": (("validation", *STEP), STEP),
    "validation_at_the_end": (("validation",), ()),
    "batch_more": ((*STEP, *STEP), STEP),
    "state_dict": (("state_dict", *STEP), STEP),
}


class Rank:
    def __init__(self) -> None:
        self.model = sharded(Transformer())
        self.batch = tokens(dist.get_rank())
        # The first forward is where FSDP2 finds out which module is the root.
        self.forward()
        self.backward()

    def forward(self) -> None:
        self.loss = loss(self.model, self.batch)

    def backward(self) -> None:
        self.loss.backward()

    def validation(self) -> None:
        with torch.no_grad():
            loss(self.model, self.batch)

    def state_dict(self) -> None:
        self.model.state_dict()


def outcome(acts: tuple[tuple[str, ...], ...], alone: bool) -> dict[str, Any]:
    rank = Rank()
    through: list[str] = []
    for act in acts[dist.get_rank() if alone else 0]:
        try:
            getattr(rank, act)()
        except RuntimeError as error:
            if "Timed out" not in str(error):
                raise
            return {"through": through, "waited_in": act}
        through.append(act)
    return {"through": through, "waited_in": ""}


def following(before: tuple[str, ...], act: str) -> list[list[Any]]:
    rank = Rank()
    for earlier in before:
        getattr(rank, earlier)()
    with Ear() as ear:
        getattr(rank, act)()
    return [[heard.kind, heard.bytes] for heard in ear.heard[:3]]


def measure(processes: int, seconds: float, alone: bool) -> dict[str, Any]:
    found: dict[str, Any] = {
        "seconds": seconds,
        "next": {
            "rank_0": agreed(processes, following, ("validation",), "forward"),
            "rank_1": agreed(processes, following, ("forward",), "backward"),
        },
        "after_validation": {
            "plain": agreed(processes, following, ("validation",), "forward"),
            "state_dict": agreed(processes, following, ("validation", "state_dict"), "forward"),
        },
    }
    for name, acts in SCENARIOS.items():
        by_rank = ranks(processes, outcome, acts, alone, timeout=seconds)
        found[name] = {f"rank_{rank}": what for rank, what in enumerate(by_rank)}
    return found


if __name__ == "__main__":
    main(measure, SETTINGS, MUTATION)
