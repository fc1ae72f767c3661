"""A ring written by hand, and what each rank sends on it.

Sends and receives between neighbors alone, on four processes: the all-gather passes pieces on, the reduce-scatter adds
to them first. Results are compared with those of the library's own collectives.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from toolbox import agreed, main
from torch import Tensor

SETTINGS = {"processes": 4, "elements": 4096, "steps_left_out": 0}
# A ring that stops a step early sends less, and is wrong.
MUTATION = {"steps_left_out": 1}


class Ring:
    def __init__(self, steps_left_out: int) -> None:
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        self.steps = self.world - 1 - steps_left_out
        self.messages, self.bytes = 0, 0

    def pass_on(self, piece: Tensor) -> Tensor:
        """Send a piece to the next rank, and give what the one before sends."""
        received = torch.empty_like(piece)
        sending = dist.isend(piece, (self.rank + 1) % self.world)
        dist.recv(received, (self.rank - 1) % self.world)
        sending.wait()
        self.messages += 1
        self.bytes += piece.numel() * piece.element_size()
        return received

    def reduce_scatter(self, whole: Tensor) -> Tensor:
        pieces = list(whole.chunk(self.world))
        # The piece that ends here began one rank further on.
        partial = pieces[(self.rank - 1) % self.world]
        for step in range(self.steps):
            partial = self.pass_on(partial) + pieces[(self.rank - 2 - step) % self.world]
        return partial

    def all_gather(self, own: Tensor) -> Tensor:
        pieces = {self.rank: own}
        piece = own
        for step in range(self.steps):
            piece = self.pass_on(piece)
            pieces[(self.rank - 1 - step) % self.world] = piece
        return torch.cat([pieces.get(i, torch.zeros_like(own)) for i in range(self.world)])


def collectives(elements: int, steps_left_out: int) -> dict[str, Any]:
    # Whole numbers: their sums are exact in any order.
    whole = torch.randint(100, (elements,), generator=torch.Generator().manual_seed(dist.get_rank())).float()
    expected = torch.empty(elements // dist.get_world_size())
    dist.reduce_scatter_tensor(expected, whole)
    reduced = Ring(steps_left_out)
    shard = reduced.reduce_scatter(whole)
    gathered = Ring(steps_left_out)
    everything = gathered.all_gather(shard)
    total = whole.clone()
    dist.all_reduce(total)
    return {
        "tensor_bytes": whole.numel() * whole.element_size(),
        "reduce_scatter": {"messages": reduced.messages, "bytes": reduced.bytes, "right": torch.equal(shard, expected)},
        "all_gather": {"messages": gathered.messages, "bytes": gathered.bytes},
        "all_reduce": {"bytes": reduced.bytes + gathered.bytes, "right": torch.equal(everything, total)},
    }


def measure(processes: int, elements: int, steps_left_out: int) -> dict[str, Any]:
    return agreed(processes, collectives, elements, steps_left_out)


if __name__ == "__main__":
    main(measure, SETTINGS, MUTATION)
