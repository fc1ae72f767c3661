"""Transformer layers of real shapes.

To be measured: with SwiGLU and grouped queries, or as in GPT.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Layer(nn.Module):
    """Norm, attention, norm, MLP. The norms are LayerNorm, one kernel: on a CPU RMSNorm is several and stores more.

    Attention that is not fused is made of single operations, and has as many keys as queries.
    """

    def __init__(self, width: int, mlp: int, heads: int, kv_heads: int, *, gated: bool, fused: bool = True) -> None:
        super().__init__()
        self.head_width, self.fused = width // heads, fused
        self.before_attention, self.before_mlp = nn.LayerNorm(width, bias=False), nn.LayerNorm(width, bias=False)
        self.query, self.out = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, kv_heads * self.head_width, bias=False)
        self.value = nn.Linear(width, kv_heads * self.head_width, bias=False)
        self.gate = nn.Linear(width, mlp, bias=False) if gated else None
        self.up, self.down = nn.Linear(width, mlp, bias=False), nn.Linear(mlp, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        normed = self.before_attention(x)
        q, k, v = (
            part(normed).unflatten(-1, (-1, self.head_width)).transpose(1, 2)
            for part in (self.query, self.key, self.value)
        )
        if self.fused:
            mixed = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        else:
            later = torch.full((x.shape[1], x.shape[1]), float("-inf"), dtype=x.dtype).triu(1)
            mixed = (q @ k.transpose(-1, -2) / self.head_width**0.5 + later).softmax(-1) @ v
        x = x + self.out(mixed.transpose(1, 2).flatten(2))
        normed = self.before_mlp(x)
        if self.gate is None:
            return x + self.down(nn.functional.gelu(self.up(normed)))
        return x + self.down(nn.functional.silu(self.gate(normed)) * self.up(normed))
