"""Plans of a training run.

What one GPU holds at its peak, what it sends, and how long a step takes.

Units are those of formulas.py. The fullest GPU is counted: of a pipeline, its first or its last stage. What is taken
for granted:

- Tensor-parallel ranks are neighbors and split activations too; data-parallel ranks stand around them.
- Mixed precision: DDP and ZeRO keep 16-bit parameters and gradients, and an fp32 copy beside the moments
  (rajbhandari-2020 §3.1); FSDP2 keeps fp32 shards, gathers in bf16 and reduces in fp32 (pytorch-fully-shard,
  MixedPrecisionPolicy).
- Under full sharding each layer is a unit; embedding, last norm and head are the root, which stays gathered.
- Layers have no dropout and no biases. All experts of a layer are sharded alike.
- A pipeline runs 1F1B at the pace of its fullest stage, which has ⌈layers/stages⌉ layers and the head. A stage under
  FSDP2 reduces its gradients once a step and holds them whole until then (pytorch-pipelining, `stage.py`,
  `backward_maybe_with_nosync`).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any

from formulas import (
    BYTES,
    GB,
    MOMENTS,
    TFLOPS,
    US,
    all_gather_bytes,
    all_reduce_bytes,
    block_parameters,
    gradient_bytes,
    logit_bytes,
    moment_bytes,
    optimizer_bytes,
    parameter_bytes,
    reduce_scatter_bytes,
    stored_bytes,
    training_flops,
)

# Which of optimizer state, gradients and parameters are divided: the first one, two or three.
STAGES = {"ddp": 0, "zero1": 1, "zero2": 2, "zero3": 3, "fsdp": 3, "fsdp-kept": 3, "hsdp": 3}

LLAMA_8B: dict[str, Any] = {
    "layers": 32, "hidden": 4096, "mlp": 14336, "heads": 32, "kv_heads": 8, "vocabulary": 128256, "gated": True,
    "tied": False, "experts": 1, "active_experts": 1,
}  # fmt: skip
# torchtitan's cluster of H100s, and what of a plan its runs have in common.
TITAN: dict[str, Any] = {
    "node_gpus": 8, "memory": 96, "peak": 989, "fp32_peak": 67, "utilization": 0.4, "node_bandwidth": 450,
    "network_bandwidth": 50, "latency": 5, "strategy": "fsdp", "tensor": 1, "pipeline": 1, "optimizer": "adamw",
    "fused_optimizer": False, "precision": "mixed", "reduction": "fp32", "length": 8192, "sequences": 2,
    "micro_batches": 1, "recompute": "selective", "fused_attention": True,
}  # fmt: skip


@dataclass(frozen=True)
class Plan:
    """`memory` in GB, peaks in TFLOP/s, bandwidths in GB/s, `latency` in µs; `utilization` is a part of the peak.

    `peak` is that of 16-bit products. `reduction` is the precision in which mixed precision reduces gradients.
    """

    layers: int
    hidden: int
    mlp: int
    heads: int
    kv_heads: int
    vocabulary: int
    gated: bool
    tied: bool
    experts: int
    active_experts: int
    gpus: int
    node_gpus: int
    memory: float
    peak: float
    fp32_peak: float
    utilization: float
    node_bandwidth: float
    network_bandwidth: float
    latency: float
    strategy: str
    tensor: int
    pipeline: int
    optimizer: str
    fused_optimizer: bool
    precision: str
    reduction: str
    sequences: int
    length: int
    micro_batches: int
    recompute: str
    fused_attention: bool

    @property
    def native(self) -> bool:
        """Whether it is PyTorch's own sharding."""
        return self.strategy in ("fsdp", "fsdp-kept", "hsdp")

    @property
    def accumulates(self) -> bool:
        """Whether the gradients of a step's micro-batches add up whole, to be reduced once."""
        return self.native and self.pipeline > 1

    @property
    def data_ranks(self) -> int:
        return self.gpus // (self.tensor * self.pipeline)

    @property
    def shard_ranks(self) -> int:
        """GPUs among which the state is divided."""
        if self.strategy == "hsdp":
            return min(self.data_ranks, max(1, self.node_gpus // self.tensor))
        return 1 if self.strategy == "ddp" else self.data_ranks

    @property
    def ring_ranks(self) -> int:
        """GPUs that reduce and gather together: of DDP, which divides nothing, all of them."""
        return self.data_ranks if self.strategy == "ddp" else self.shard_ranks

    @property
    def replicas(self) -> int:
        return self.data_ranks // self.shard_ranks

    @property
    def block(self) -> int:
        """Parameters of a layer."""
        return block_parameters(
            self.hidden, self.mlp, self.heads, self.kv_heads, gated=self.gated, experts=self.experts
        )

    @property
    def active_block(self) -> int:
        """Parameters of a layer that a token meets."""
        mlp = (3 if self.gated else 2) * self.hidden * self.mlp
        return self.block - (self.experts - self.active_experts) * mlp

    @property
    def parameters(self) -> int:
        return self.layers * self.block + (1 if self.tied else 2) * self.vocabulary * self.hidden + self.hidden

    @property
    def stage_layers(self) -> int:
        """Layers of the fullest stage."""
        return ceil(self.layers / self.pipeline)

    @property
    def unit(self) -> float:
        """Parameters of a layer on one tensor-parallel rank."""
        return self.block / self.tensor

    @property
    def compute_width(self) -> int:
        """Bytes of a parameter, a gradient or an activation in computation."""
        return 4 if self.precision == "fp32" else 2

    @property
    def reduce_width(self) -> int:
        """Bytes of a gradient on the wire."""
        return BYTES[self.reduction] if self.precision == "mixed" else self.compute_width

    @property
    def widths(self) -> tuple[int, int, int]:
        """Bytes that a parameter costs at rest: itself, its gradient, its optimizer state."""
        if self.native and self.precision == "mixed":
            return BYTES["fp32"], BYTES["fp32"], moment_bytes(self.optimizer)
        return (
            parameter_bytes(self.precision),
            gradient_bytes(self.precision),
            optimizer_bytes(self.optimizer, self.precision),
        )


def ends(plan: Plan, *, first: bool, last: bool) -> float:
    """Parameters of embedding, last norm and head on one tensor-parallel rank of a stage."""
    tables = 1 if first and last and plan.tied else first + last
    return (tables * plan.vocabulary * plan.hidden + last * plan.hidden) / plan.tensor


def moments(plan: Plan, *, first: bool, last: bool) -> dict[str, dict[str, float]]:
    """Bytes by kind on a GPU of a stage, at each moment that can be the peak.

    "loss": all activations and the logits are there. "backward": the last layer's gradients are, whole. "end": the
    root's are. "step": unless it is fused, PyTorch's Adam updates all tensors together (`foreach`), with a copy's worth
    of intermediates. On one rank too, FSDP2 computes with copies of its parameters, made one unit at a time.
    Programs: logits-at-the-loss, large-units, step-of-adam, planned-memory.
    """
    root, stage, shards = ends(plan, first=first, last=last), STAGES[plan.strategy], plan.shard_ranks
    local = plan.stage_layers * plan.unit + root
    parameter, gradient, state = (
        width * local / (shards if stage > place else 1) for width, place in zip(plan.widths, (2, 1, 0), strict=True)
    )
    # Whole gradients, the input of their reduction, and on one rank its output too.
    whole, reduced = plan.compute_width, plan.compute_width + plan.reduce_width * (1 if shards > 1 else 2)
    kept = plan.stage_layers if plan.strategy == "fsdp-kept" else 0
    copies = shards > 1 or plan.native
    splits_parameters, splits_gradients = stage > 2 and copies, stage > 1 and copies
    units = max(kept, min(2 if shards > 1 else 1, plan.stage_layers))
    head = plan.vocabulary * plan.hidden / plan.tensor if last else 0
    accumulated = plan.reduce_width * local if plan.accumulates else 0

    layer = {how: _layer(plan, how) for how in {"none", plan.recompute}}
    in_flight = 1 if last else min(plan.pipeline, plan.micro_batches)
    stored = plan.stage_layers * in_flight * layer[plan.recompute]
    # What the last norm and the head read.
    outside = 2 * whole * plan.sequences * plan.length * plan.hidden / plan.tensor if last else 0
    again = layer["none"] - layer[plan.recompute]
    # Each gradient comes when its layer is done: in a single micro-batch there is none before.
    reduced_before = plan.micro_batches > 1 and not plan.accumulates
    earlier = gradient if reduced_before else 0
    updated = BYTES["fp32"] if plan.precision == "mixed" else plan.compute_width
    found = {
        "backward": {
            "gradients": earlier,
            "gathered": splits_parameters * whole * (root + units * plan.unit),
            "whole_gradients": splits_gradients * (whole * head + reduced * plan.unit + accumulated),
            "activations": stored + outside + again,
        },
        "end": {
            # The root's parameters are freed, and the first shard of its gradient is yet to come.
            "gradients": gradient if reduced_before or not splits_gradients else gradient * (1 - root / local),
            "whole_gradients": splits_gradients * (reduced * root + accumulated),
        },
        "step": {
            "gradients": gradient,
            "temporaries": updated * local / (shards if stage > 0 else 1)
            if MOMENTS[plan.optimizer] == 2 and not plan.fused_optimizer
            else 0,
        },
    }
    if last:
        found["loss"] = {
            "gradients": earlier,
            "gathered": splits_parameters * whole * (root + kept * plan.unit),
            "whole_gradients": splits_gradients * accumulated,
            "activations": stored + outside,
            # Their log-softmax and two temporaries of the loss's backward: logits-at-the-loss.
            "logits": 3 * logit_bytes(plan.sequences * plan.length, plan.vocabulary) / plan.tensor,
        }
    return {name: {"parameters": parameter, "optimizer": state} | kinds for name, kinds in found.items()}


def _layer(plan: Plan, recompute: str) -> float:
    """Bytes that a layer stores for backward, of one micro-batch."""
    stored = stored_bytes(
        plan.sequences * plan.length,
        plan.hidden,
        plan.mlp * plan.active_experts,
        plan.heads,
        plan.kv_heads,
        gated=plan.gated,
        recompute=recompute,
        width=plan.compute_width,
    )
    if plan.fused_attention or recompute != "none":
        return stored / plan.tensor
    # Of attention in single operations softmax keeps its output, and no logarithms: stored-activations, `unfused`.
    tokens = plan.sequences * plan.length
    return (stored + plan.heads * tokens * (plan.compute_width * plan.length - 4)) / plan.tensor


def peak(plan: Plan) -> tuple[str, dict[str, float]]:
    """The moment at which the fullest GPU holds most, and what it holds."""
    stages = [(True, True)] if plan.pipeline == 1 else [(True, False), (False, True)]
    every = [item for first, last in stages for item in moments(plan, first=first, last=last).items()]
    return max(every, key=lambda item: sum(item[1].values()))


def traffic(plan: Plan) -> dict[str, float]:
    """Bytes that a GPU sends in a step.

    For data parallelism the gathers before forward (of ZeRO-1 and 2, after the update), those again before backward,
    the reductions, and the all-reduces across shard groups; for tensors; between stages.
    rajbhandari-2020 §7; zhao-2023 §3.2.2; korthikanti-2022 §4.2.2 (each layer gathers twice and reduce-scatters twice
    in each direction, and gathers twice more for the gradients of weights). Full recomputation repeats what forward
    sends. A stage between others sends activations on and gradients back. What the embedding and the head send among
    tensor-parallel ranks is left out.
    """
    last_root = ends(plan, first=plan.pipeline == 1, last=True)
    local = plan.stage_layers * plan.unit + last_root
    whole, reduced = plan.compute_width * local, plan.reduce_width * local
    kept = 0 if plan.strategy == "zero3" else plan.compute_width * last_root
    gathers, again, reductions = rounds(plan)
    reduction = all_reduce_bytes if plan.strategy == "ddp" else reduce_scatter_bytes
    passed = plan.compute_width * plan.sequences * plan.length * plan.hidden
    return {
        "gather": gathers * all_gather_bytes(whole, plan.ring_ranks),
        "again": again * all_gather_bytes(whole - kept, plan.ring_ranks),
        "reduce": reductions * reduction(reduced, plan.ring_ranks),
        "across": reductions * all_reduce_bytes(reduced / plan.shard_ranks, _across(plan)),
        "tensor": plan.micro_batches * plan.stage_layers * _tensor_passes(plan) * all_gather_bytes(passed, plan.tensor),
        "pipeline": plan.micro_batches * _ways(plan) * passed / plan.tensor,
    }


def rounds(plan: Plan) -> tuple[int, int, int]:
    """How often in a step the parameters are gathered, and gathered again for backward, and gradients are reduced."""
    steps = plan.micro_batches
    once = 1 if plan.accumulates else steps
    known = {
        "ddp": (0, 0, 1),
        "zero1": (1, 0, 1),
        "zero2": (1, 0, steps),
        "zero3": (steps, steps, steps),
        "fsdp-kept": (once, 0, once),
    }
    return known.get(plan.strategy, (steps, steps, once))


def _across(plan: Plan) -> int:
    return plan.replicas if plan.strategy == "hsdp" else 1


def _tensor_passes(plan: Plan) -> int:
    return 14 if plan.recompute == "full" else 10


def _ways(plan: Plan) -> int:
    """Activations on, gradients back: of two stages each sends one of them."""
    return min(2, plan.pipeline - 1)


def latencies(plan: Plan) -> dict[str, float]:
    """Steps of rings in a row, each with its latency; a collective for each layer and one for the root."""
    gathers, again, reductions = rounds(plan)
    collectives, hops = plan.stage_layers + 1, plan.ring_ranks - 1
    return {
        "gather": gathers * collectives * hops,
        "again": again * (collectives if plan.strategy == "zero3" else plan.stage_layers) * hops,
        "reduce": reductions * (2 if plan.strategy == "ddp" else 1) * collectives * hops,
        "across": reductions * 2 * collectives * (_across(plan) - 1),
        "tensor": plan.micro_batches * plan.stage_layers * _tensor_passes(plan) * (plan.tensor - 1),
        "pipeline": plan.micro_batches * _ways(plan),
    }


def operations(plan: Plan) -> tuple[float, float]:
    """Floating-point operations of a GPU of the fullest stage in a step: of forward, and of backward.

    Recomputation counts to backward.
    """
    tokens = plan.sequences * plan.length * plan.micro_batches
    per_layer = training_flops(plan.active_block, tokens, plan.length, plan.hidden)
    again = {"none": 0, "full": per_layer / 3, "selective": 2 * _recomputed(plan) * tokens}[plan.recompute]
    once = (plan.stage_layers * per_layer + training_flops(plan.vocabulary * plan.hidden, tokens, 0, 0)) / plan.tensor
    return once / 3, once * 2 / 3 + plan.stage_layers * again / plan.tensor


def _recomputed(plan: Plan) -> float:
    """Parameters of every second matrix of a layer: key, output, and one of the MLP's."""
    kept = plan.hidden * plan.hidden * plan.kv_heads / plan.heads + plan.hidden**2
    return kept + plan.active_experts * plan.hidden * plan.mlp


def ring_bandwidth(plan: Plan, ranks: int, apart: int) -> float:
    """GB/s at which each GPU of rings sends, of ranks that are `apart` GPUs from each other.

    Rings that leave a node do so by as many links as they have GPUs in it, one ring by each; within it they share those
    of the GPUs.
    """
    if ranks * apart <= plan.node_gpus:
        return plan.node_bandwidth
    return min(plan.node_bandwidth, plan.network_bandwidth * max(1, plan.node_gpus // apart))


def seconds(plan: Plan) -> dict[str, float]:
    """What each part of a step takes by itself: (steps of the ring) · latency + bytes / bandwidth."""
    node, network = plan.node_bandwidth * GB, plan.network_bandwidth * GB
    ring = ring_bandwidth(plan, plan.ring_ranks, plan.tensor) * GB
    bandwidth = {
        "gather": ring,
        "again": ring,
        "reduce": ring,
        "across": network,
        "tensor": ring_bandwidth(plan, plan.tensor, 1) * GB,
        "pipeline": node if plan.gpus <= plan.node_gpus else network,
    }
    sent, steps = traffic(plan), latencies(plan)
    speed = (plan.fp32_peak if plan.precision == "fp32" else plan.peak) * TFLOPS * plan.utilization
    forward, backward = (part / speed for part in operations(plan))
    found = {name: steps[name] * plan.latency * US + sent[name] / bandwidth[name] for name in sent}
    # A pipeline of p stages idles for p - 1 micro-batches: korthikanti-2022's [13], 1F1B.
    idle = (forward + backward + found["tensor"]) * (plan.pipeline - 1) / plan.micro_batches
    return {"forward": forward, "backward": backward, "idle": idle} | found


def waits(plan: Plan) -> float:
    """Seconds of a step in which a GPU waits for data-parallel traffic, though all that can runs beside compute.

    A gather can run beside the forward of its micro-batch, a gather again and a reduction beside its backward: if
    gradients are reduced once, beside the last backward alone. What ZeRO-1 and 2 gather comes after the update, beside
    nothing.
    """
    took, steps = seconds(plan), plan.micro_batches
    gathers, again, reductions = rounds(plan)
    forward = 0 if STAGES[plan.strategy] < 3 else took["forward"] / steps
    backward = took["backward"] / steps
    gather, regather = took["gather"] / max(1, gathers), took["again"] / max(1, again)
    reduce = (took["reduce"] + took["across"]) / reductions
    return (
        gathers * max(0, gather - forward)
        + reductions * max(0, regather + reduce - backward)
        + (steps - reductions) * max(0, regather - backward)
    )


def figures(plan: Plan) -> dict[str, Any]:
    """All of it, flat, for the page to be held against."""
    moment, held = peak(plan)
    took = seconds(plan)
    data = took["gather"] + took["again"] + took["reduce"] + took["across"]
    exposed = sum(took.values())
    hidden = exposed - data + waits(plan)
    tokens = plan.sequences * plan.length * plan.micro_batches * plan.data_ranks
    return {
        "parameters": plan.parameters,
        "data_ranks": plan.data_ranks,
        "shard_ranks": plan.shard_ranks,
        "moment": moment,
        "peak_bytes": sum(held.values()),
        "flops": sum(operations(plan)),
        "step_hidden": hidden,
        "step_exposed": exposed,
        "tokens_per_second": tokens / hidden / plan.gpus,
        **{f"hold_{kind}": size for kind, size in held.items()},
        **{f"sent_{name}": size for name, size in traffic(plan).items()},
        **{f"time_{name}": size for name, size in took.items()},
    }
