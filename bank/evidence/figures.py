"""The figures.

Drawn from what the programs measured and what the formulas give.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from formulas import GB, GIB, TFLOPS, padded_flat, padded_rows, training_flops, zero_state
from plans import LLAMA_8B, TITAN, Plan, peak

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


SHAPES = {
    "gather": "triangle-up",
    "forward": "circle",
    "backward": "square",
    "reduce": "triangle-down",
    "update": "diamond",
}


def step_as_a_timeline(runs: dict[str, Any]) -> dict[str, Any]:
    """A training step of FSDP2, event by event.

    Four blocks and the root, which holds embedding and head, on one of two processes. A pale bar stands where a unit's
    parameters are whole. Backward gathers the next unit before it frees the one it is at, and the root stays whole
    throughout. The order is what the process did on CPUs; how long each event takes is not told.
    """
    events = [event.partition(" ") for event in runs["step-order"].events]
    rows = [{"order": i, "event": event, "unit": unit} for i, (event, _, unit) in enumerate(events, 1)]
    whole: list[dict[str, Any]] = []
    since: dict[str, int] = {}
    for row in rows:
        if row["event"] == "gather":
            since[row["unit"]] = row["order"]
        elif row["event"] == "free":
            whole.append({"unit": row["unit"], "from": since.pop(row["unit"]), "to": row["order"]})
    turn = next(row["order"] for row in rows if row["event"] == "backward") - 1.5
    units = ["root", *sorted({row["unit"] for row in rows} - {"root", "optimizer"}), "optimizer"]
    kinds = [row["event"] for row in rows]
    unit = {"field": "unit", "sort": units, "title": None, "axis": {"grid": False}}
    order = {"type": "quantitative", "axis": None, "scale": {"domain": [0, len(rows) + 1], "nice": False}}
    return {
        "rows": rows,
        "words": f"{kinds.count('gather')} gathers, {kinds.count('free')} frees, {kinds.count('reduce')} reductions: "
        + ", ".join(f"{row['event']} {row['unit']}" for row in rows),
        "chart": {
            "height": 210,
            "layer": [
                {
                    "data": {"values": whole},
                    "mark": {"type": "bar", "height": 16, "color": "var(--hue-1)", "opacity": 0.22},
                    "encoding": {"x": order | {"field": "from"}, "x2": {"field": "to"}, "y": unit},
                },
                {
                    "data": {"values": [{"at": turn}]},
                    "mark": {"type": "rule", "strokeDash": [3, 3]},
                    "encoding": {"x": order | {"field": "at"}},
                },
                {
                    "data": {"values": [{"at": 0.3, "words": "forward"}, {"at": turn + 0.6, "words": "backward"}]},
                    "mark": {"type": "text", "align": "left", "y": -8, "color": "var(--soft)"},
                    "encoding": {"x": order | {"field": "at"}, "text": {"field": "words"}},
                },
                {
                    # Where a unit is freed its bar ends.
                    "transform": [{"filter": "datum.event != 'free'"}],
                    "mark": {"type": "point", "filled": True, "size": 75, "opacity": 1},
                    "encoding": {
                        "x": order | {"field": "order"},
                        "y": unit,
                        "shape": {
                            "field": "event",
                            "scale": {"domain": list(SHAPES), "range": list(SHAPES.values())},
                        },
                        "color": {"field": "event", "scale": {"domain": list(SHAPES)}},
                    },
                },
            ],
        },
    }


def memory_over_a_step(runs: dict[str, Any]) -> dict[str, Any]:
    """Memory over a training step, by kind.

    Twelve blocks and a root under FSDP2 on 8 simulated ranks, 256 tokens on each, counted by PyTorch's memory tracker
    where each block's forward and backward end. Activations grow through forward and go through backward. Shards are
    the small part below; gathered parameters and whole gradients keep their height.
    """
    points = [
        {"place": place.replace("_", " ")} | {kind.replace("_", " "): size for kind, size in vars(held).items()}
        for place, held in vars(runs["step-memory"].points).items()
    ]
    kinds = list(points[0])[1:]
    sums = [round(sum(point[kind] for kind in kinds), 2) for point in points]
    most = sums.index(max(sums))
    places = len(points) // 2
    labels = f"datum.value < 1 ? 'first block' : datum.value < {places + 1} ? 'head' : 'first block again'"
    return {
        "rows": points,
        "words": f"{sums[0]} MiB after the first block's forward, at most {sums[most]} MiB, {points[most]['place']}, "
        f"and {sums[-1]} MiB after its backward. At most, "
        + ", ".join(f"{kind} {points[most][kind]}" for kind in kinds),
        "chart": {
            "height": 280,
            "transform": [
                {"window": [{"op": "row_number", "as": "i"}]},
                {"calculate": "datum.i - 1", "as": "i"},
                {"fold": kinds, "as": ["kind", "MiB"]},
                {"calculate": f"indexof({kinds}, datum.kind)", "as": "rank"},
            ],
            "mark": {"type": "area", "interpolate": "linear", "stroke": "var(--paper)", "strokeWidth": 0.5},
            "encoding": {
                "x": {
                    "field": "i",
                    "type": "quantitative",
                    "title": None,
                    "scale": {"domain": [0, len(points) - 1], "nice": False},
                    "axis": {"values": [0, places, len(points) - 1], "labelExpr": labels, "labelFlush": 6},
                },
                "y": {"field": "MiB", "type": "quantitative", "title": "MiB on one GPU"},
                "color": {"field": "kind", "sort": kinds},
                "order": {"field": "rank"},
            },
            "narrow": {"height": 240},
        },
    }


def padding_against_n(runs: dict[str, Any]) -> dict[str, Any]:
    """What a gather carries against the number of GPUs.

    In times the parameters of an MLP block: two weights of 1,024 by 256 and 256 by 1,024, biases and a norm. FSDP2 cuts
    each by rows and pads each to as many rows on every rank; FSDP1 pads the whole list of numbers once. Formulas;
    uneven-shapes measures that both are so.
    """
    shapes = ((1024, 256), (1024, 1), (256, 1024), (256, 1), (256, 1), (256, 1))
    size = sum(rows * columns for rows, columns in shapes)
    assert runs["uneven-shapes"].asked.all_gather == 4 * 4 * padded_rows(9, 4)
    rows = [
        {
            "GPUs": ranks,
            "FSDP2, by rows": round(sum(padded_rows(rows, ranks) * columns for rows, columns in shapes) / size, 3),
            "FSDP1, as one list": round(padded_flat(size, ranks) / size, 3),
        }
        for ranks in (2**power for power in range(3, 14))
    ]
    return {
        "rows": rows,
        "words": "; ".join(
            f"on {row['GPUs']:,} GPUs {row['FSDP2, by rows']:g} times (FSDP2), {row['FSDP1, as one list']:g} (FSDP1)"
            for row in rows
        ),
        "chart": {
            "height": 240,
            "transform": [{"fold": ["FSDP2, by rows", "FSDP1, as one list"], "as": ["cut", "times"]}],
            "mark": {"type": "line", "point": {"size": 45, "filled": True}},
            "encoding": {
                "x": {
                    "field": "GPUs",
                    "type": "quantitative",
                    "scale": {"type": "log", "base": 2},
                    "axis": {"values": [8, 64, 512, 4096], "format": ",", "grid": False},
                },
                "y": {
                    "field": "times",
                    "type": "quantitative",
                    "title": "times the parameters",
                    "scale": {"type": "log", "base": 2, "domain": [1, 32]},
                    "axis": {"values": [1, 2, 4, 8, 16, 32]},
                },
                "color": {"field": "cut", "sort": None},
                "strokeDash": {"field": "cut", "sort": None},
            },
        },
    }


STRATEGIES = {
    "ddp": "DDP",
    "always": "FSDP2, all freed",
    "default": "FSDP2, root kept",
    "never": "FSDP2, all kept",
    "deferred": "freed, reduced once",
    "kept_never": "kept, reduced once",
}


def bytes_sent_by_strategy(runs: dict[str, Any]) -> dict[str, Any]:
    """What a GPU sends in a step, by strategy.

    Summed over the collectives of four processes, in units of one pass of the model around the ring, in fp32. With one
    micro-batch full sharding sends half as much again as DDP. With four it gathers and reduces four times, unless it
    reduces once, or keeps the parameters from the first micro-batch on and reduces once.
    """
    measured = runs["step-traffic"]
    rows = []
    for name, words in STRATEGIES.items():
        found = {part: getattr(getattr(measured, part), name, None) for part in ("micro_1", "micro_4")}
        rows.append(
            {
                "strategy": words,
                "1 micro-batch": found["micro_1"] and round(found["micro_1"].units, 2),
                "4 micro-batches": found["micro_4"] and round(found["micro_4"].units, 2),
            }
        )
    folded = ["1 micro-batch", "4 micro-batches"]
    bars = {
        "y": {
            "field": "strategy",
            "sort": None,
            "title": None,
            "axis": {"labelColor": "var(--ink)"},
        },
        "yOffset": {"field": "step", "sort": folded},
        "x": {
            "field": "units",
            "type": "quantitative",
            "title": "passes of the model",
            "scale": {"domain": [0, 13.5], "nice": False},
            "axis": {"values": [0, 3, 6, 9, 12]},
        },
    }
    return {
        "rows": rows,
        "words": "; ".join(
            f"{row['strategy']} " + ", ".join(f"{row[part]:g} with {part}" for part in folded if row[part])
            for row in rows
        ),
        "chart": {
            "height": 250,
            "transform": [{"fold": folded, "as": ["step", "units"]}, {"filter": "datum.units != null"}],
            "layer": [
                {
                    "mark": "bar",
                    "encoding": bars | {"color": {"field": "step", "sort": folded, "legend": {"columns": 1}}},
                },
                {
                    "mark": {"type": "text", "align": "left", "dx": 4},
                    "encoding": bars | {"text": {"field": "units", "format": ".3~g"}},
                },
            ],
        },
    }


LLAMA_70B = LLAMA_8B | {"layers": 80, "hidden": 8192, "mlp": 28672, "heads": 64}
LLAMA_405B = LLAMA_8B | {"layers": 126, "hidden": 16384, "mlp": 53248, "heads": 128}


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
            "what": f"{self.what}, {self.unit}",
            "published": self.published,
            "computed": float(f"{self.computed:.3g}"),
            "off by, %": off,
            "by": self.source,
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
    small, large = _peak(LLAMA_8B, gpus=8), _peak(LLAMA_8B, gpus=128)
    with_tensor = _peak(LLAMA_70B, gpus=256, tensor=8, sequences=16, recompute="full")
    pipelined = {"tensor": 8, "pipeline": 8, "sequences": 4, "micro_batches": 8, "strategy": "fsdp-kept"}
    peaks = [
        Published(titan, what, "GiB", told, mine)
        for what, told, mine in (
            ("peak of 8B on 8 GPUs, FSDP", 82.4, small),
            ("peak of 8B on 128 GPUs, FSDP", 67.0, large),
            ("what of it goes from 8 GPUs to 128", 15.4, small - large),
            ("peak of 70B on 256 GPUs, FSDP 32, TP 8, float8", 71.9, with_tensor),
            (
                "peak of 405B on 512 GPUs, FSDP 8, TP 8, PP 8, float8",
                82.5,
                _peak(LLAMA_405B, gpus=512, recompute="full", **pipelined),
            ),
        )
    ]
    # Peak and links are not published for these H100s: the MFU of 33% that the report gives is taken for the 8B model.
    parameters = Plan(**LLAMA_8B, **TITAN, gpus=8).parameters
    model = training_flops(parameters - 128256 * 4096, 1, 8192, 4096 * 32)
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
        Published(titan, "tokens a second and GPU of 8B on 8 GPUs", "at 33% MFU", 5762, 0.33 * 989 * TFLOPS / model)
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
        f"{row['what']}: {row['published']:g} published by {row['by']}, {row['computed']:g} computed" for row in every
    )
    return {
        "rows": every,
        "words": words + ".",
    }
