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
- A pipeline runs 1F1B. A stage under FSDP2 reduces its gradients once a step and holds them whole until then
  (pytorch-pipelining, `stage.py`, `backward_maybe_with_nosync`).
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
    "node_gpus": 8, "memory": 96, "peak": 989, "utilization": 0.4, "node_bandwidth": 450, "network_bandwidth": 50,
    "latency": 5, "strategy": "fsdp", "tensor": 1, "pipeline": 1, "optimizer": "adamw", "precision": "mixed",
    "length": 8192, "sequences": 2, "micro_batches": 1, "recompute": "selective", "fused_attention": True,
}  # fmt: skip


@dataclass(frozen=True)
class Plan:
    """`memory` in GB, `peak` in TFLOP/s, bandwidths in GB/s, `latency` in µs; `utilization` is a part of `peak`."""

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
    utilization: float
    node_bandwidth: float
    network_bandwidth: float
    latency: float
    strategy: str
    tensor: int
    pipeline: int
    optimizer: str
    precision: str
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
        return 4 if self.native and self.precision == "mixed" else self.compute_width

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
    root's are. "step": PyTorch's Adam updates all tensors together (`foreach`), with a copy's worth of intermediates.
    Programs: logits-at-the-loss, large-units, step-of-adam.
    """
    root, stage, shards = ends(plan, first=first, last=last), STAGES[plan.strategy], plan.shard_ranks
    local = plan.stage_layers * plan.unit + root
    parameter, gradient, state = (
        width * local / (shards if stage > place else 1) for width, place in zip(plan.widths, (2, 1, 0), strict=True)
    )
    whole, reduced = plan.compute_width, plan.compute_width + plan.reduce_width
    kept = plan.stage_layers if plan.strategy == "fsdp-kept" else 0
    splits_parameters, splits_gradients = stage > 2 and shards > 1, stage > 1 and shards > 1
    head = plan.vocabulary * plan.hidden / plan.tensor if last else 0
    accumulated = plan.reduce_width * local if plan.accumulates else 0

    layer = {how: _layer(plan, how) for how in {"none", plan.recompute}}
    in_flight = 1 if last else min(plan.pipeline, plan.micro_batches)
    stored = plan.stage_layers * in_flight * layer[plan.recompute]
    # What the last norm and the head read.
    outside = 2 * whole * plan.sequences * plan.length * plan.hidden / plan.tensor if last else 0
    again = layer["none"] - layer[plan.recompute]
    # Each gradient comes when its layer is done: in a single micro-batch there is none before.
    earlier = gradient if plan.micro_batches > 1 and not plan.accumulates else 0
    found = {
        "backward": {
            "gradients": earlier,
            "gathered": splits_parameters * whole * (root + max(kept, min(2, plan.stage_layers)) * plan.unit),
            "whole_gradients": splits_gradients * (whole * head + reduced * plan.unit + accumulated),
            "activations": stored + outside + again,
        },
        "end": {
            # The root's parameters are freed, and its gradient's shard is yet to come.
            "gradients": gradient * (1 - root / local) if splits_gradients else gradient,
            "whole_gradients": splits_gradients * (reduced * root + accumulated),
        },
        "step": {
            "gradients": gradient,
            "temporaries": parameter if plan.native and MOMENTS[plan.optimizer] == 2 else 0,
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
    # What attention stores that keeps its matrices: korthikanti-2022 §4.1, the term 5as/h.
    matrices = 0 if plan.fused_attention or recompute != "none" else 5 * plan.heads * plan.sequences * plan.length**2
    return (stored + matrices) / plan.tensor


def peak(plan: Plan) -> tuple[str, dict[str, float]]:
    """The moment at which the fullest GPU holds most, and what it holds."""
    stages = [(True, True)] if plan.pipeline == 1 else [(True, False), (False, True)]
    every = [item for first, last in stages for item in moments(plan, first=first, last=last).items()]
    return max(every, key=lambda item: sum(item[1].values()))


def traffic(plan: Plan) -> dict[str, float]:
    """Bytes that a GPU sends in a step: for data parallelism within a shard group and across, for tensors, for stages.

    rajbhandari-2020 §7; zhao-2023 §3.2.2; korthikanti-2022 §4.2.2 (two all-reduces a layer and direction, or what they
    are made of). A stage sends activations on and gradients back. Full recomputation repeats the forward's all-reduces.
    """
    last_root = ends(plan, first=plan.pipeline == 1, last=True)
    local = plan.stage_layers * plan.unit + last_root
    whole, reduced = plan.compute_width * local, plan.reduce_width * local
    shards, steps = plan.ring_ranks, plan.micro_batches
    across = 0.0
    if plan.strategy == "ddp":
        within = all_reduce_bytes(reduced, shards)
    elif plan.strategy == "zero1":
        within = reduce_scatter_bytes(reduced, shards) + all_gather_bytes(whole, shards)
    elif plan.strategy == "zero2":
        within = steps * reduce_scatter_bytes(reduced, shards) + all_gather_bytes(whole, shards)
    else:
        again = {"zero3": whole, "fsdp-kept": 0}.get(plan.strategy, whole - plan.compute_width * last_root)
        gathers, reductions = _rounds(plan)
        within = gathers * all_gather_bytes(whole + again, shards) + reductions * reduce_scatter_bytes(reduced, shards)
        across = reductions * all_reduce_bytes(reduced / shards, plan.replicas)
    passed = plan.compute_width * plan.sequences * plan.length * plan.hidden
    return {
        "within": within,
        "across": across,
        "tensor": steps * plan.stage_layers * _tensor_reductions(plan) * all_reduce_bytes(passed, plan.tensor),
        "pipeline": steps * 2 * passed / plan.tensor if plan.pipeline > 1 else 0,
    }


def _rounds(plan: Plan) -> tuple[int, int]:
    """How often in a step full sharding goes through forward's gathers, and through the reductions."""
    steps = plan.micro_batches
    return 1 if plan.accumulates and plan.strategy == "fsdp-kept" else steps, 1 if plan.accumulates else steps


def _tensor_reductions(plan: Plan) -> int:
    return 6 if plan.recompute == "full" else 4


def latencies(plan: Plan) -> dict[str, float]:
    """Steps of rings in a row, each with its latency; a collective for each layer and one for the root."""
    gathers, reductions = _rounds(plan)
    sharded = gathers * (1 if plan.strategy == "fsdp-kept" else 2) + reductions
    passes = {"ddp": 2, "zero1": 2, "zero2": plan.micro_batches + 1}.get(plan.strategy, sharded)
    collectives = plan.stage_layers + 1
    return {
        "within": passes * collectives * (plan.ring_ranks - 1),
        "across": 2 * reductions * collectives * (plan.replicas - 1) if plan.strategy == "hsdp" else 0,
        "tensor": plan.micro_batches * plan.stage_layers * _tensor_reductions(plan) * 2 * (plan.tensor - 1),
        "pipeline": plan.micro_batches * 2 if plan.pipeline > 1 else 0,
    }


def operations(plan: Plan) -> float:
    """Floating-point operations of a GPU in a step, recomputation included."""
    tokens = plan.sequences * plan.length * plan.micro_batches
    per_layer = training_flops(plan.active_block, tokens, plan.length, plan.hidden)
    forward = per_layer / 3
    again = {"none": 0, "full": forward, "selective": 2 * _recomputed(plan) * tokens}[plan.recompute]
    head = training_flops(plan.vocabulary * plan.hidden, tokens, 0, 0)
    return (plan.layers * (per_layer + again) + head) / (plan.tensor * plan.pipeline)


def _recomputed(plan: Plan) -> float:
    """Parameters of every second matrix of a layer: key, output, and one of the MLP's."""
    kept = plan.hidden * plan.hidden * plan.kv_heads / plan.heads + plan.hidden**2
    return kept + plan.active_experts * plan.hidden * plan.mlp


def seconds(plan: Plan) -> dict[str, float]:
    """What each part of a step takes by itself: (steps of the ring) · latency + bytes / bandwidth."""
    node, network = plan.node_bandwidth * GB, plan.network_bandwidth * GB
    bandwidth = {
        "within": node if plan.ring_ranks * plan.tensor <= plan.node_gpus else network,
        "across": network,
        "tensor": node if plan.tensor <= plan.node_gpus else network,
        "pipeline": node if plan.gpus <= plan.node_gpus else network,
    }
    sent, steps = traffic(plan), latencies(plan)
    compute = operations(plan) / (plan.peak * TFLOPS * plan.utilization)
    found = {name: steps[name] * plan.latency * US + sent[name] / bandwidth[name] for name in sent}
    # A pipeline of p stages idles for p - 1 micro-batches: korthikanti-2022's [13], 1F1B.
    bubble = compute * (plan.pipeline - 1) / plan.micro_batches
    return {"compute": compute, "bubble": bubble} | found


def figures(plan: Plan) -> dict[str, Any]:
    """All of it, flat, for the page to be held against."""
    moment, held = peak(plan)
    took = seconds(plan)
    data, rest = took["within"] + took["across"], took["tensor"] + took["pipeline"] + took["bubble"]
    hidden, exposed = max(took["compute"], data) + rest, took["compute"] + data + rest
    tokens = plan.sequences * plan.length * plan.micro_batches * plan.data_ranks
    return {
        "parameters": plan.parameters,
        "data_ranks": plan.data_ranks,
        "shard_ranks": plan.shard_ranks,
        "moment": moment,
        "peak_bytes": sum(held.values()),
        "flops": operations(plan),
        "step_hidden": hidden,
        "step_exposed": exposed,
        "tokens_per_second": tokens / hidden / plan.gpus,
        **{f"hold_{kind}": size for kind, size in held.items()},
        **{f"sent_{name}": size for name, size in traffic(plan).items()},
        **{f"time_{name}": size for name, size in took.items()},
    }
