"""What a transformer layer stores for backward.

One layer in bf16 on 128 tokens, with SwiGLU and grouped queries as in Llama, and ungated as in GPT: no dropout, no
biases. The bytes that autograd saves, each storage once, parameters left out; `statistics` of them are the norms' means
and deviations. Attention is PyTorch's, whose kernel keeps one logarithm a token and head; `unfused` is that of GPT in
single operations, which keeps the output of softmax.
"""

from __future__ import annotations

from typing import Any

import torch
from blocks import Layer
from toolbox import main
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

SETTINGS = {"tokens": 128, "width": 256, "heads": 8, "kernel": "FLASH_ATTENTION"}
# Attention of single operations keeps its matrices.
MUTATION = {"kernel": "MATH"}


def stored(layer: Layer, tokens: int, width: int) -> dict[str, int]:
    weights = {weight.untyped_storage().data_ptr() for weight in layer.parameters()}
    kept: dict[int, Tensor] = {}

    def note(tensor: Tensor) -> Tensor:
        place = tensor.untyped_storage().data_ptr()
        if place not in weights:
            kept[place] = tensor
        return tensor

    batch = torch.randn(1, tokens, width, dtype=torch.bfloat16, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        layer(batch)
    sizes = {place: tensor.untyped_storage().nbytes() for place, tensor in kept.items()}
    statistics = sum(sizes[place] for place, tensor in kept.items() if tensor.shape[-1] == 1)
    return {"bytes": sum(sizes.values()), "statistics": statistics}


def measure(tokens: int, width: int, heads: int, kernel: str) -> dict[str, Any]:
    llama = Layer(width, 7 * width // 2, heads, heads // 4, gated=True).bfloat16()
    gpt = Layer(width, 4 * width, heads, heads, gated=False).bfloat16()
    unfused = Layer(width, 4 * width, heads, heads, gated=False, fused=False).bfloat16()
    layers = {"llama": llama, "gpt": gpt, "unfused": unfused}
    with sdpa_kernel(getattr(SDPBackend, kernel)):
        return {name: stored(layer, tokens, width) for name, layer in layers.items()}


if __name__ == "__main__":
    main(measure, SETTINGS, MUTATION)
