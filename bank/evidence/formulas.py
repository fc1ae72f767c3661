"""The arithmetic of sharded training.

Bytes that a GPU holds, bytes that it sends, and the time that both take.

Sizes are in bytes, times in seconds, bandwidths in bytes a second, compute in floating-point operations a second.
`parameters` counts parameters. `ranks` counts the GPUs among which something is divided or a collective runs.
Each docstring gives the equation and its source, under its key in sources.yaml. `precision` is a key of BYTES,
`optimizer` one of MOMENTS.
"""

from __future__ import annotations

from math import ceil

KB, MB, GB, TB = 10**3, 10**6, 10**9, 10**12
# What links are sold by, in bytes.
GBIT = GB // 8
KIB, MIB, GIB, TIB = 2**10, 2**20, 2**30, 2**40
MILLION, BILLION = 10**6, 10**9
MS, US = 1e-3, 1e-6
TFLOPS = 10**12

# Bytes of one number.
BYTES = {"fp32": 4, "bf16": 2, "fp16": 2, "fp8": 1}
# Running averages that an optimizer keeps for each parameter.
MOMENTS = {"sgd": 0, "momentum": 1, "adam": 2, "adamw": 2, "amsgrad": 3}


# What a GPU holds: the model state


def moment_bytes(optimizer: str, precision: str = "fp32") -> int:
    """Bytes of an optimizer's running averages for one parameter: m · bytes(precision).

    rajbhandari-2020 §3.1; pytorch-optim-adam, `_init_group` (the precision is that of the parameter).
    """
    return MOMENTS[optimizer] * BYTES[precision]


def parameter_bytes(precision: str = "mixed") -> int:
    """Bytes of one parameter as the layers read it: 2 in "mixed" precision, else those of `precision`.

    rajbhandari-2020 §3.1.
    """
    return 2 if precision == "mixed" else BYTES[precision]


def gradient_bytes(precision: str = "mixed") -> int:
    """Bytes of one gradient: as many as of the parameter.

    rajbhandari-2020 §3.1.
    """
    return parameter_bytes(precision)


def optimizer_bytes(optimizer: str = "adam", precision: str = "mixed") -> int:
    """Bytes of optimizer state for one parameter: m · bytes, or in "mixed" precision 4 + 4m, an fp32 copy included.

    rajbhandari-2020 §3.1, where it is K = 12 for Adam.
    """
    return 4 + moment_bytes(optimizer) if precision == "mixed" else moment_bytes(optimizer, precision)


def state_bytes(optimizer: str = "adam", precision: str = "mixed") -> int:
    """Bytes of model state for one parameter: the parameter, its gradient and its optimizer state.

    rajbhandari-2020 §3.1: 2 + 2 + K = 16 with mixed-precision Adam.
    """
    return parameter_bytes(precision) + gradient_bytes(precision) + optimizer_bytes(optimizer, precision)


def zero_state(parameters: float, stage: int, ranks: int, optimizer: str = "adam", precision: str = "mixed") -> float:
    """Bytes of model state on one GPU under ZeRO.

    Stage 0 divides nothing; 1 the optimizer state, 4Ψ + KΨ/N; 2 the gradients too, 2Ψ + (2 + K)Ψ/N; 3 all, (4 + K)Ψ/N.
    rajbhandari-2020 §5.1 to §5.3, Figure 1.
    """
    kinds = [optimizer_bytes(optimizer, precision), gradient_bytes(precision), parameter_bytes(precision)]
    return parameters * (sum(kinds[:stage]) / ranks + sum(kinds[stage:]))


def fsdp_state(parameters: float, ranks: int, optimizer: str = "adam", precision: str = "fp32") -> float:
    """Bytes of model state on one GPU under full sharding: state_bytes · Ψ/N, in the precision that was wrapped.

    With hybrid sharding, `ranks` is the size of a shard group.
    zhao-2023 §3.2, §3.2.2; pytorch-fully-shard, MixedPrecisionPolicy.
    """
    return parameters * state_bytes(optimizer, precision) / ranks


def cluster_state(
    parameters: float, ranks: int, shard_ranks: int, optimizer: str = "adam", precision: str = "fp32"
) -> float:
    """Bytes of model state over all GPUs: one copy for each shard group, ranks / shard_ranks of them.

    DDP is shard_ranks = 1, full sharding shard_ranks = ranks. zhao-2023 §2.1, §3.2.2.
    """
    return ranks * fsdp_state(parameters, shard_ranks, optimizer, precision)


# What a GPU holds: shards, padding, units


def shard_rows(rows: int, ranks: int, rank: int) -> int:
    """Rows of a weight on one rank under FSDP2: chunks of ⌈rows/N⌉ until nothing is left.

    pytorch-fully-shard, `_fsdp_common.py`, `_chunk_with_empty`.
    """
    chunk = ceil(rows / ranks)
    return max(0, min(rows - rank * chunk, chunk))


def padded_rows(rows: int, ranks: int) -> int:
    """Rows that a collective of FSDP2 carries for a weight: N · ⌈rows/N⌉.

    pytorch-fully-shard, `_fsdp_common.py`, `_get_dim0_padded_size`.
    """
    return ranks * ceil(rows / ranks)


def padded_flat(elements: int, ranks: int) -> int:
    """Elements of FSDP1's flat parameter: the next multiple of N (use_orig_params=False).

    zhao-2023 §3.2.1; pytorch-fsdp1, `_flat_param.py`.
    """
    return ranks * ceil(elements / ranks)


def linear_parameters(inputs: int, outputs: int, *, bias: bool = False) -> int:
    """Parameters of a linear layer: inputs · outputs, and one a row for a bias."""
    return inputs * outputs + (outputs if bias else 0)


def block_parameters(hidden: int, mlp: int, heads: int, kv_heads: int, *, gated: bool = True, experts: int = 1) -> int:
    """Parameters of a transformer layer with grouped queries and without biases.

    h² · (2 + 2 · kv/heads) + E · m · h · mlp + 2h, with m = 3 matrices if gated, else 2; more than one expert has a
    router, E · h.
    """
    matrices = 3 if gated else 2
    attention = 2 * hidden * hidden + 2 * hidden * (hidden * kv_heads // heads)
    router = experts * hidden if experts > 1 else 0
    return attention + experts * matrices * hidden * mlp + router + 2 * hidden


# What a GPU holds: activations


def layer_activations(
    sequences: int, length: int, hidden: int, heads: int, recompute: str = "none", tensor_ranks: int = 1
) -> float:
    """Bytes that a 16-bit transformer layer stores for backward (GELU, MLP of width 4h, full attention, dropout).

    "none": sbh(10 + 24/t + 5as/(ht)); "selective": sbh(10 + 24/t); "full": 2sbh. With t = 1: sbh(34 + 5as/h), 34sbh.
    korthikanti-2022 §4.1 (Eq. 1), §4.2.1 (Eq. 2), §5, Table 2.
    """
    token_width = sequences * length * hidden
    if recompute == "full":
        return 2 * token_width
    attention = 5 * heads * length / hidden if recompute == "none" else 0
    return token_width * (10 + (24 + attention) / tensor_ranks)


def stored_bytes(
    tokens: int,
    hidden: int,
    mlp: int,
    heads: int,
    kv_heads: int,
    *,
    gated: bool = True,
    recompute: str = "none",
    width: int = 2,
) -> float:
    """Bytes that a layer without dropout stores for backward, with attention that keeps no matrix (FlashAttention).

    "none": wT(6h + 2h·kv/a + 2f, or 4f if gated) + 4Ta: inputs of the norms and of the first matrices, query, key,
    value, the attention's output and its logarithms of sums, the MLP's numbers. "full": wTh, the layer's input.
    "selective": input, attention and every second matrix product, wT(3h + h·kv/a + f, and h if gated) + 4Ta.
    Program: stored-activations. The policy is torchtitan's "op", `distributed/activation_checkpoint.py`.
    """
    if recompute == "full":
        return width * tokens * hidden
    key = hidden * kv_heads / heads
    numbers = 6 * hidden + 2 * key + (4 if gated else 2) * mlp
    if recompute == "selective":
        numbers = 3 * hidden + key + mlp + (hidden if gated else 0)
    return tokens * (width * numbers + 4 * heads)


def logit_bytes(tokens: int, vocabulary: int, precision: str = "fp32") -> int:
    """Bytes of the logits: one number a token and vocabulary entry.

    korthikanti-2022 §4.3: 4sbv.
    """
    return tokens * vocabulary * BYTES[precision]


# What a GPU sends


def all_gather_bytes(size: float, ranks: int) -> float:
    """Bytes that a rank sends in a ring all-gather whose output has `size` bytes: (N-1)/N · S.

    nccl-tests-performance, AllGather.
    """
    return size * (ranks - 1) / ranks


def reduce_scatter_bytes(size: float, ranks: int) -> float:
    """Bytes that a rank sends in a ring reduce-scatter of an input of `size` bytes: (N-1)/N · S.

    nccl-tests-performance, ReduceScatter.
    """
    return size * (ranks - 1) / ranks


def all_reduce_bytes(size: float, ranks: int) -> float:
    """Bytes that a rank sends in a ring all-reduce of `size` bytes: a reduce-scatter and an all-gather, 2(N-1)/N · S.

    nccl-tests-performance, AllReduce; rajbhandari-2020 §7.1.
    """
    return reduce_scatter_bytes(size, ranks) + all_gather_bytes(size, ranks)


def ddp_traffic(parameters: float, ranks: int, precision: str = "fp32") -> float:
    """Bytes that a rank sends in a step of DDP: one all-reduce of the gradients, with `no_sync` as well.

    rajbhandari-2020 §7.1; pytorch-ddp, no_sync.
    """
    return all_reduce_bytes(parameters * BYTES[precision], ranks)


def fsdp_traffic(
    parameters: float,
    ranks: int,
    gather: str = "fp32",
    reduce: str = "fp32",
    *,
    gathers: int = 2,
    micro_batches: int = 1,
    kept: float = 0,
) -> float:
    """Bytes that a rank sends in a step of full sharding.

    Each micro-batch gathers the parameters `gathers` times (2 with resharding after forward, 1 without) and reduces the
    gradients once; `kept` parameters (FSDP2's root by default) are gathered once only.
    zhao-2023 §3.2.1, §3.3.1; rajbhandari-2020 §7.2.2; pytorch-fully-shard, reshard_after_forward.
    """
    gathered = all_gather_bytes((gathers * parameters - kept) * BYTES[gather], ranks)
    return micro_batches * (gathered + reduce_scatter_bytes(parameters * BYTES[reduce], ranks))


def pipeline_gathers(ranks: int, stages: int, micro_batches: int) -> float:
    """All-gather bytes of a rank in a sharded pipeline, in those of plain FSDP with one micro-batch.

    2m · M/P · (n-1)/n against 2M · (nP-1)/(nP), with n `ranks` a stage and everything resharded. zhao-2023 §7.1.1.
    """
    plain = all_gather_bytes(2, ranks * stages)
    return micro_batches * all_gather_bytes(2 / stages, ranks) / plain


# Time


def ring_time(size: float, ranks: int, latency: float, bandwidth: float) -> float:
    """Seconds of a ring all-gather or reduce-scatter of `size` bytes: (N-1)α + (N-1)/N · S/B.

    nccl-tuning, ncclTopoTuneModel; nccl-tests-performance.
    """
    return (ranks - 1) * latency + all_gather_bytes(size, ranks) / bandwidth


def latency_bound_size(ranks: int, latency: float, bandwidth: float) -> float:
    """Bytes at which latency and transfer take equal time on a ring: N · α · B. It follows from ring_time."""
    return ranks * latency * bandwidth


def forward_flops(parameters: float, tokens: float) -> float:
    """Operations of the matmuls of a forward: 2 a parameter and token; a backward takes twice that.

    korthikanti-2022, Appendix A, attention scores left out.
    """
    return 2 * parameters * tokens


def training_flops(parameters: float, tokens: float, length: float, hidden: float) -> float:
    """Operations of forward and backward: 6 a parameter and token, and 12sh a token for the attention scores.

    korthikanti-2022, Appendix A (Eq. 7): 72BLsh² (1 + s/(6h) + v/(12hL)).
    """
    return tokens * (6 * parameters + 12 * length * hidden)


def hiding_tokens(
    flops: float, bandwidth: float, *, moved: float = 2, operations: float = 2, active: float = 1
) -> float:
    """Tokens of a micro-batch at which compute lasts as long as the transfer beside it.

    operations · p · active · T / F = moved · p / B, where `moved` are bytes a parameter, `operations` are those a
    parameter and token, `active` is the part of the parameters that computes; (N-1)/N is taken as 1.
    nccl-tests-performance (bus bandwidth); korthikanti-2022, Appendix A.
    """
    return moved * flops / (operations * active * bandwidth)


def attention_factor(length: int, hidden: int) -> float:
    """By how much the attention scores raise the operations of a layer: 1 + s/(6h).

    korthikanti-2022, Appendix A.
    """
    return 1 + length / (6 * hidden)
