"""The figures.

Drawn from what the programs measured and what the formulas give.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from formulas import GB, GIB, TFLOPS, training_flops, zero_state
from plans import Plan, figures, peak

RANKS = (1, 8, 64, 256, 1024, 4096)


def peak_against_n(runs: dict[str, Any]) -> dict[str, Any]:
    """The peak on one GPU against the number of GPUs.

    Forward and backward of a model of 8.41 million fp32 parameters under FSDP2, one sequence of 32 tokens on each GPU,
    on simulated ranks. The lower part is what sharding divides; the upper part, activations, gathered units and
    buffers, it leaves. Beyond 256 ranks weights have fewer rows than there are ranks, and padding brings the peak up.
    """
    measured = runs["peak-memory"]
    rows = []
    for ranks in RANKS:
        found = getattr(measured, f"world_{ranks}")
        rows.append(
            {"GPUs": ranks, "divided, MiB": found.state, "not divided, MiB": round(found.peak - found.state, 2)}
        )
    least = min(rows, key=lambda row: row["divided, MiB"] + row["not divided, MiB"])
    words = "; ".join(f"{row['GPUs']:,} GPUs {row['divided, MiB'] + row['not divided, MiB']:.1f} MiB" for row in rows)
    return {
        "rows": rows,
        "words": f"Peak by number of GPUs: {words}. It is least at {least['GPUs']}.",
        "chart": {
            "height": 260,
            "transform": [
                {"fold": ["divided, MiB", "not divided, MiB"], "as": ["part", "MiB"]},
                {"calculate": "replace(datum.part, ', MiB', '')", "as": "part"},
                {"calculate": "format(datum.GPUs, ',')", "as": "N"},
            ],
            "mark": "bar",
            "encoding": {
                "x": {
                    "field": "N",
                    "sort": None,
                    "title": "GPUs",
                    "axis": {"labelAngle": 0},
                    "scale": {"paddingInner": 0.35},
                },
                "y": {"field": "MiB", "type": "quantitative", "title": "MiB on one GPU"},
                "color": {"field": "part"},
                "order": {"field": "part"},
            },
        },
    }


LLAMA_8B = {
    "layers": 32, "hidden": 4096, "mlp": 14336, "heads": 32, "kv_heads": 8, "vocabulary": 128256, "gated": True,
    "tied": False, "experts": 1, "active_experts": 1,
}  # fmt: skip
LLAMA_70B = LLAMA_8B | {"layers": 80, "hidden": 8192, "mlp": 28672, "heads": 64}
LLAMA_405B = LLAMA_8B | {"layers": 126, "hidden": 16384, "mlp": 53248, "heads": 128}
# torchtitan's cluster of H100s, and what of a plan its runs have in common.
TITAN = {
    "node_gpus": 8, "memory": 96, "peak": 989, "utilization": 0.4, "node_bandwidth": 450, "network_bandwidth": 50,
    "latency": 5, "strategy": "fsdp", "tensor": 1, "pipeline": 1, "optimizer": "adamw", "precision": "mixed",
    "length": 8192, "sequences": 2, "micro_batches": 1, "recompute": "selective", "fused_attention": True,
}  # fmt: skip


@dataclass(frozen=True)
class Published:
    """A figure that was published or measured, beside what is computed of the same setup."""

    source: str
    what: str
    unit: str
    published: float
    computed: float

    @property
    def row(self) -> dict[str, Any]:
        off = round(100 * (self.computed / self.published - 1), 1) + 0.0
        return {
            "source": self.source,
            "what": self.what,
            "unit": self.unit,
            "published": self.published,
            "computed": float(f"{self.computed:.3g}"),
            "off by, %": off,
        }


def _peak(shape: dict[str, Any], **changes: Any) -> float:
    _, held = peak(Plan(**shape, **TITAN | changes))
    return sum(held.values()) / GIB


def _model_flops(layers: int, hidden: int, sequences: int) -> float:
    """Operations of an iteration in PFLOP, sequences of 2,048 tokens, vocabulary 51,200: korthikanti-2022, Table 3."""
    tokens = 2048 * sequences
    head = training_flops(hidden * 51200, tokens, 0, 0)
    return (layers * training_flops(12 * hidden**2, tokens, 2048, hidden) + head) / 10**15


def _reported_flops(utilization: float, gpus: int, seconds: float) -> float:
    """The same from its Table 5: model FLOPs utilization · 312 TFLOP/s · GPUs · seconds."""
    return round(utilization * 312 * TFLOPS * gpus * seconds / 10**15, 2)


def published_figures(runs: dict[str, Any]) -> dict[str, Any]:
    """The planner against published figures.

    State, operations and what PyTorch's tracker counts agree. Peaks on GPUs are higher: torchtitan reports what the
    allocator reserves, a plan counts what is allocated, and the two large runs use float8 and compile, which no plan
    knows.
    """
    zero, titan, korthikanti = "Rajbhandari et al., Figure 1", "torchtitan, H100", "Korthikanti et al., Table 5"
    state = [
        Published(zero, f"state of 7.5B parameters on 64 GPUs, {name}", "GB", told, zero_state(7.5e9, stage, 64) / GB)
        for stage, name, told in ((0, "DDP", 120), (1, "ZeRO-1", 31.4), (2, "ZeRO-2", 16.6), (3, "ZeRO-3", 1.9))
    ]
    pipelined = {"tensor": 8, "pipeline": 8, "sequences": 4, "micro_batches": 8, "strategy": "fsdp-kept"}
    fall = _peak(LLAMA_8B, gpus=8) - _peak(LLAMA_8B, gpus=128)
    peaks = [
        Published(titan, what, "GiB", told, _peak(shape, **changes) if changes else fall)
        for what, told, shape, changes in (
            ("peak of 8B on 8 GPUs, FSDP", 82.4, LLAMA_8B, {"gpus": 8}),
            ("peak of 8B on 128 GPUs, FSDP", 67.0, LLAMA_8B, {"gpus": 128}),
            ("what of it goes from 8 GPUs to 128", 15.4, LLAMA_8B, None),
            (
                "peak of 70B on 256 GPUs, FSDP 32, TP 8, float8",
                71.9,
                LLAMA_70B,
                {"gpus": 256, "tensor": 8, "sequences": 16, "recompute": "full"},
            ),
            (
                "peak of 405B on 512 GPUs, FSDP 8, TP 8, PP 8, float8",
                82.5,
                LLAMA_405B,
                {"gpus": 512, "recompute": "full"} | pipelined,
            ),
        )
    ]
    # Peak and links are not published for these H100s: the MFU of 33% that the report gives is taken for the 8B model.
    speed = figures(Plan(**LLAMA_8B, **TITAN | {"gpus": 8, "utilization": 1.0}))
    model = training_flops(speed["parameters"] - 128256 * 4096, 1, 8192, 4096 * 32)
    flops = [
        Published(
            korthikanti, f"operations of an iteration, {name}", "PFLOP", _reported_flops(part, gpus, seconds), mine
        )
        for name, part, gpus, seconds, mine in (
            ("22B", 0.415, 8, 1.10, _model_flops(48, 6144, 4)),
            ("175B", 0.514, 64, 13.75, _model_flops(96, 12288, 64)),
            ("530B", 0.560, 280, 37.83, _model_flops(105, 20480, 280)),
            ("1T", 0.563, 512, 71.49, _model_flops(128, 25600, 512)),
        )
    ]
    throughput = [
        Published(
            titan, "tokens a second and GPU of 8B on 8 GPUs, at 33% MFU", "1/s", 5762, 0.33 * 989 * TFLOPS / model
        )
    ]
    tracked = runs["planned-memory"].large
    tracker = "PyTorch’s memory tracker"
    measured = [
        Published(
            tracker, "peak of 8B on 8 GPUs, FSDP", "GiB", round(tracked.world_8.tracked / GIB, 1), peaks[0].computed
        ),
        Published(tracker, "and on 128", "GiB", round(tracked.world_128.tracked / GIB, 1), peaks[1].computed),
    ]
    every = [item.row for item in [*state, *flops, *throughput, *measured, *peaks]]
    words = ". ".join(
        f"{row['source']}, {row['what']}: {row['published']:g} {row['unit']} published, {row['computed']:g} computed"
        for row in every
    )
    return {
        "rows": every,
        "words": words + ".",
    }
