"""Operations that recomputing activations adds.

Matrix multiplications of forward and backward, with and without `checkpoint` around each block, counted by PyTorch: a
transformer that is trained whole, and one whose weights are frozen beside small adapters of rank 8. Attention scores
are left out.
"""

from __future__ import annotations

from typing import Any

import torch
from toolbox import Block, main
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint, set_checkpoint_early_stop
from torch.utils.flop_counter import FlopCounterMode

SETTINGS = {
    "width": 256,
    "blocks": 4,
    "vocabulary": 1000,
    "adapter_width": 512,
    "adapter_blocks": 12,
    "early_stop": True,
}
# As if PyTorch recomputed to the end of each block.
MUTATION = {"early_stop": False}
TOKENS = (1, 64)


class Adapted(nn.Module):
    """A frozen linear layer and a product of two thin ones beside it."""

    def __init__(self, linear: nn.Linear, rank: int = 8) -> None:
        super().__init__()
        self.linear = linear.requires_grad_(False)
        self.down = nn.Linear(linear.in_features, rank, bias=False)
        self.up = nn.Linear(rank, linear.out_features, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x) + self.up(self.down(x))


def adapted(width: int) -> Block:
    block = Block(width)
    for name in ("qkv", "out", "up", "down"):
        setattr(block, name, Adapted(getattr(block, name)))
    return block


def operations(blocks: list[nn.Module], head: nn.Module, width: int, *, recompute: bool, early_stop: bool) -> int:
    x = torch.randn(*TOKENS, width)
    with FlopCounterMode(display=False) as counter, set_checkpoint_early_stop(early_stop):
        for block in blocks:
            x = checkpoint(block, x, use_reentrant=False) if recompute else block(x)
        head(x).sum().backward()
    found = counter.get_flop_counts()["Global"]
    return sum(count for operation, count in found.items() if operation in (torch.ops.aten.mm, torch.ops.aten.addmm))


def added(blocks: list[nn.Module], head: nn.Module, width: int, *, early_stop: bool) -> float:
    """Percent of the operations without recomputation."""
    plain = operations(blocks, head, width, recompute=False, early_stop=early_stop)
    return round(100 * (operations(blocks, head, width, recompute=True, early_stop=early_stop) / plain - 1), 3)


def measure(
    width: int, blocks: int, vocabulary: int, adapter_width: int, adapter_blocks: int, early_stop: bool
) -> dict[str, Any]:
    whole: list[nn.Module] = [Block(width) for _ in range(blocks)]
    head = nn.Linear(width, vocabulary, bias=False)
    frozen: list[nn.Module] = [adapted(adapter_width) for _ in range(adapter_blocks)]
    return {
        "percent_early_stop": added(whole, head, width, early_stop=early_stop),
        "percent_to_the_end": added(whole, head, width, early_stop=False),
        "percent_adapters": added(frozen, nn.Identity(), adapter_width, early_stop=False),
    }


if __name__ == "__main__":
    main(measure, SETTINGS, MUTATION)
