"""A weight of one under a hundred small AdamW steps, in fp32 and in bf16.

The gradient is one throughout, the learning rate a thousandth, without weight decay: each step takes away a thousandth,
which bf16 can't tell from nothing at a weight of one.
"""

from __future__ import annotations

from typing import Any

import torch
from toolbox import main

SETTINGS = {"steps": 100, "learning_rate": 0.001}
# A step that bf16 does see.
MUTATION = {"learning_rate": 0.01}


def weight_after(dtype: torch.dtype, steps: int, learning_rate: float) -> float:
    weight = torch.nn.Parameter(torch.ones(1, dtype=dtype))
    optimizer = torch.optim.AdamW([weight], lr=learning_rate, weight_decay=0)
    for _ in range(steps):
        weight.grad = torch.ones_like(weight)
        optimizer.step()
    return round(float(weight), 4)


def measure(steps: int, learning_rate: float) -> dict[str, Any]:
    return {
        "fp32": weight_after(torch.float32, steps, learning_rate),
        "bf16": weight_after(torch.bfloat16, steps, learning_rate),
        "one_less_a_thousandth": float(torch.tensor(1 - 0.001, dtype=torch.bfloat16)),
    }


if __name__ == "__main__":
    main(measure, SETTINGS, MUTATION)
