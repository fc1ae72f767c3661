"""What a gather brings, and what the forward beside it computes.

One MLP under FSDP2 with bf16 gathers on four processes: bytes that its all-gather brings, and floating-point operations
of its forward on one rank. Then the same with twice the tokens, with layers four times as wide, and as a mixture of
four experts of which each token goes through one.
"""

from __future__ import annotations

from typing import Any

import torch
from toolbox import Ear, agreed, main
from torch import Tensor, nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.utils.flop_counter import FlopCounterMode

SETTINGS = {"processes": 4, "tokens": 64, "width": 32, "bias": False}
# A bias is gathered, and no matrix product reads it.
MUTATION = {"bias": True}


class Mixture(nn.Module):
    """Experts that take the tokens in turn."""

    def __init__(self, experts: list[nn.Module]) -> None:
        super().__init__()
        self.experts = nn.ModuleList(experts)

    def forward(self, x: Tensor) -> Tensor:
        parts = x.chunk(len(self.experts))
        return torch.cat([expert(part) for expert, part in zip(self.experts, parts, strict=True)])


def mlp(width: int, bias: bool) -> nn.Module:
    return nn.Sequential(nn.Linear(width, 4 * width, bias=bias), nn.GELU(), nn.Linear(4 * width, width, bias=bias))


def beside(unit: nn.Module, tokens: int, width: int) -> dict[str, Any]:
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    fully_shard(unit, mp_policy=policy)
    with Ear() as ear, FlopCounterMode(display=False) as counter:
        unit(torch.randn(tokens, width))
    gathered = [collective.bytes for collective in ear.heard if collective.kind == "all_gather"]
    return {"gathered": sum(gathered), "flops": counter.get_total_flops()}


def every(tokens: int, width: int, bias: bool) -> dict[str, Any]:
    return {
        "one": beside(mlp(width, bias), tokens, width),
        "twice_the_tokens": beside(mlp(width, bias), 2 * tokens, width),
        "four_times_as_wide": beside(mlp(4 * width, bias), tokens, 4 * width),
        "four_experts": beside(Mixture([mlp(width, bias) for _ in range(4)]), tokens, width),
    }


def measure(processes: int, tokens: int, width: int, bias: bool) -> dict[str, Any]:
    return agreed(processes, every, tokens, width, bias)


if __name__ == "__main__":
    main(measure, SETTINGS, MUTATION)
