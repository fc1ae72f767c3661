"""The planner's peak beside what PyTorch's own tracker counts.

Llama-3.1-8B's shapes (LayerNorm for RMSNorm) under FSDP2 on simulated ranks, gathers in bf16, reduction in fp32, the
loss in fp32, AdamW with `foreach`; the second step. `large` are two sequences of 8,192 tokens a GPU with torchtitan's
selective recomputation, as in its published runs on 8 and 128 GPUs. In the others, of few layers, the peak lies
elsewhere. In bytes; `of_plan` is the tracker's peak divided by the plan's, `at_peak` splits the tracker's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from blocks import Layer
from plans import LLAMA_8B, TITAN, Plan, peak
from simulation import Stack, each_block, second_iteration
from toolbox import main
from torch import nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import MixedPrecisionPolicy
from torch.utils.checkpoint import CheckpointPolicy, create_selective_checkpoint_contexts

SETTINGS = {"layers": 32, "length": 8192, "foreach": True}
# Updated one by one, the tensors need no intermediates for all of them at once.
MUTATION = {"layers": 2, "foreach": False}
SAVED = {torch.ops.aten.mm.default, torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default}


def contexts() -> Any:
    """Every second matrix product and the attention are saved: torchtitan's policy of "op"."""
    products: Counter[bool] = Counter()

    def policy(context: Any, function: Any, *_: Any, **__: Any) -> CheckpointPolicy:
        if function == torch.ops.aten.mm.default:
            products[context.is_recompute] += 1
            kept = products[context.is_recompute] % 2 == 1
        else:
            kept = function in SAVED
        return CheckpointPolicy.MUST_SAVE if kept else CheckpointPolicy.PREFER_RECOMPUTE

    return create_selective_checkpoint_contexts(policy)


WRAPPERS: dict[str, Callable[[nn.Module], nn.Module]] = {
    "none": lambda layer: layer,
    "selective": partial(checkpoint_wrapper, context_fn=contexts, preserve_rng_state=False),
    "full": partial(checkpoint_wrapper, preserve_rng_state=False),
}


def compared(
    gpus: int, layers: int, sequences: int, length: int, recompute: str, optimizer: str = "adamw", *, foreach: bool
) -> dict[str, Any]:
    def build() -> Stack:
        layer = partial(Layer, **{name: LLAMA_8B[name] for name in ("mlp", "heads", "kv_heads", "gated")})
        return Stack(layer, LLAMA_8B["hidden"], layers, LLAMA_8B["vocabulary"], norm=True)

    def shard(model: Stack, mesh: DeviceMesh) -> None:
        model.blocks = nn.ModuleList(WRAPPERS[recompute](block) for block in model.blocks)
        each_block(model, mesh, mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32))
        model.head.register_forward_hook(lambda _, __, logits: logits.float())

    updating = partial({"adamw": torch.optim.AdamW, "sgd": torch.optim.SGD}[optimizer], foreach=foreach)
    seen = second_iteration(gpus, build, sequences * length, shard, updating, optimizer_step=True)
    step = {"sequences": sequences, "length": length, "recompute": recompute, "optimizer": optimizer}
    moment, held = peak(Plan(**LLAMA_8B | TITAN | step | {"layers": layers, "gpus": gpus}))
    tracked = seen["at_peak"].pop("total")
    return {
        "moment": moment,
        "tracked": tracked,
        "of_plan": round(tracked / sum(held.values()), 4),
        "at_peak": seen["at_peak"],
    }


def measure(layers: int, length: int, foreach: bool) -> dict[str, Any]:
    look = partial(compared, foreach=foreach)
    return {
        "large": {f"world_{world}": look(world, layers, 2, length, "selective") for world in (8, 128)},
        "loss": {how: look(8, 4, 2, length, how) for how in ("none", "selective", "full")},
        "backward": look(8, 8, 1, length // 4, "none"),
        "end": look(64, 8, 1, 256, "none"),
        "step": look(1, 4, 1, 128, "none"),
        # One rank still computes with copies of its parameters.
        "alone": look(1, 4, 2, length, "selective"),
        "alone_at_the_end": look(1, 8, 1, length // 4, "none", "sgd"),
    }


if __name__ == "__main__":
    main(measure, SETTINGS, MUTATION)
