"""The figures.

Drawn from what the programs measured and what the formulas give.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from formulas import GB, GIB, TFLOPS, padded_flat, padded_rows, training_flops, zero_state
from plans import LLAMA_8B, TITAN, Plan, peak

RANKS = (1, 8, 64, 256, 1024, 4096)


def peak_against_n(runs: dict[str, Any]) -> dict[str, Any]:
    """The peak on one GPU against the number of GPUs.

    Forward and backward of a model of 8.41 million fp32 parameters under FSDP2, one sequence of 32 tokens on each GPU,
    on simulated ranks. The upper part of a bar is what sharding divides, the lower what it leaves: activations,
    gathered units, buffers. No number of GPUs brings that below the line. Beyond 256 ranks weights have fewer rows than
    there are ranks, and padding raises it.
    """
    measured = runs["peak-memory"]
    left, divided = "not divided, MiB", "divided, MiB"
    rows = []
    for ranks in RANKS:
        found = getattr(measured, f"world_{ranks}")
        rows.append({"GPUs": ranks, left: round(found.peak - found.state, 2), divided: found.state})
    least = min(rows, key=lambda row: row[left] + row[divided])
    floor = min(row[left] for row in rows)
    words = "; ".join(f"{row['GPUs']:,} GPUs {row[left] + row[divided]:.1f} MiB" for row in rows)
    place = {
        "field": "N",
        "sort": None,
        "title": "GPUs",
        "axis": {"labelAngle": 0},
        "scale": {"paddingInner": 0.35},
    }
    size = {"type": "quantitative", "title": "MiB on one GPU", "axis": {"values": [0, 50, 100, 150]}}
    return {
        "rows": rows,
        "words": f"Peak by number of GPUs: {words}. It is least at {least['GPUs']}. "
        f"What is not divided is never below {floor:.1f} MiB.",
        "chart": {
            "height": 280,
            "transform": [{"calculate": "format(datum.GPUs, ',')", "as": "N"}],
            "layer": [
                {
                    "transform": [
                        {"fold": [left, divided], "as": ["part", "MiB"]},
                        {"calculate": "replace(datum.part, ', MiB', '')", "as": "part"},
                        {"calculate": "datum.part == 'divided'", "as": "rank"},
                    ],
                    "mark": {"type": "bar", "stroke": "var(--paper)", "strokeWidth": 1},
                    "encoding": {
                        "x": place,
                        "y": size | {"field": "MiB"},
                        "color": {"field": "part", "sort": ["divided", "not divided"]},
                        "order": {"field": "rank"},
                    },
                },
                {
                    "transform": [{"calculate": f"datum['{left}'] + datum['{divided}']", "as": "peak"}],
                    "mark": {"type": "text", "dy": -8},
                    "encoding": {"x": place, "y": size | {"field": "peak"}, "text": {"field": "peak", "format": ".1f"}},
                },
                {
                    "data": {"values": [{"floor": floor}]},
                    "mark": {"type": "rule", "strokeDash": [4, 3], "color": "var(--ink)"},
                    "encoding": {"y": size | {"field": "floor"}},
                },
                {
                    "data": {"values": [{"floor": floor, "words": ["never", "below", f"{floor:.1f}"]}]},
                    "mark": {"type": "text", "align": "left", "x": "width", "dx": 5, "dy": -7, "lineHeight": 14},
                    "encoding": {"y": size | {"field": "floor"}, "text": {"field": "words"}},
                },
            ],
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
    spans: defaultdict[str, list[str]] = defaultdict(list)
    since: dict[str, int] = {}
    for row in rows:
        name, now = row["unit"], row["order"]
        if row["event"] == "gather":
            since[name] = now
        elif row["event"] == "free":
            spans[name].append(f"event {since[name]} to {now}")
            whole.append({"unit": name, "from": since.pop(name), "to": now})
    units = ["root", *sorted({row["unit"] for row in rows} - {"root", "optimizer"}), "optimizer"]
    kinds = [row["event"] for row in rows]
    turn = kinds.index("backward") - 0.5
    unit = {"field": "unit", "sort": units, "title": None, "axis": {"grid": False}}
    order = {"type": "quantitative", "axis": None, "scale": {"domain": [0, len(rows) + 1], "nice": False}}
    return {
        "rows": rows,
        "words": f"{len(rows)} events: {kinds.count('gather')} gathers, {kinds.count('free')} frees, "
        f"{kinds.count('reduce')} reductions. Backward begins with event {kinds.index('backward') + 1}. Whole are "
        + "; ".join(f"{name} from {' and '.join(spans[name])}" for name in units if spans[name])
        + ".",
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
    where the embedding, each block and the head end their forward, and again in backward. Activations grow through
    forward and go through backward. Shards and moments keep their height, and gathered parameters nearly so; before the
    first block the root stands twice, in its gather's buffer and in its parameters.
    """
    points = [
        {"place": place.replace("_", " ")} | {kind.replace("_", " "): size for kind, size in vars(held).items()}
        for place, held in vars(runs["step-memory"].points).items()
    ]
    kinds = list(points[0])[1:]
    sums = [round(sum(point[kind] for kind in kinds), 2) for point in points]
    most = sums.index(max(sums))
    places = [point["place"] for point in points]
    head, last = places.index("head forward"), len(points) - 1
    # Each kind is named where it is high: within, or beside where the step ends.
    places_of_names = {"activations": head, "gradient shards": last, "temporary": last}
    names = []
    for i, kind in enumerate(kinds):
        at = places_of_names.get(kind, 1)
        part = 1 / 3 if at == head else 1 / 2  # A triangle is widest below its middle.
        middle = sum(points[at][other] for other in kinds[:i]) + points[at][kind] * part
        names.append({"at": at, "middle": middle, "kind": kind.split() if at == last else kind})
    time = {
        "type": "quantitative",
        "title": None,
        "scale": {"domain": [0, last], "nice": False},
        "axis": {
            "values": [0, head, last],
            "grid": False,
            "labelExpr": f"datum.value < 1 ? 'embedding' : datum.value < {last} ? 'head' : 'block 1'",
            "labelFlush": 6,
        },
    }
    size = {"type": "quantitative", "title": "MiB on one GPU", "axis": {"values": [0, 20, 40, 60]}}
    return {
        "rows": points,
        "words": f"{sums[0]} MiB after the embedding's forward, {sums[1]} after the first block's, {sums[head]} after "
        f"the head's; at most {sums[most]}, after {places[most]}; {sums[-1]} after the first block's backward. "
        f"At most, {', '.join(f'{kind} {points[most][kind]}' for kind in kinds)}.",
        "chart": {
            "height": 300,
            "transform": [{"window": [{"op": "row_number", "as": "i"}]}, {"calculate": "datum.i - 1", "as": "i"}],
            "layer": [
                {
                    "transform": [
                        {"fold": kinds, "as": ["kind", "MiB"]},
                        {"calculate": f"indexof({kinds}, datum.kind)", "as": "rank"},
                    ],
                    "mark": {"type": "area", "opacity": 0.3, "line": {"strokeWidth": 1.5}},
                    "encoding": {
                        "x": time | {"field": "i"},
                        "y": size | {"field": "MiB", "stack": "zero"},
                        "color": {"field": "kind", "sort": kinds, "legend": None},
                        "order": {"field": "rank"},
                    },
                },
                {
                    "data": {"values": [{"at": head + 0.5}]},
                    "mark": {"type": "rule", "strokeDash": [3, 3]},
                    "encoding": {"x": time | {"field": "at"}},
                },
                {
                    "data": {"values": [{"at": 0, "words": "forward"}, {"at": head + 0.8, "words": "backward"}]},
                    "mark": {"type": "text", "align": "left", "y": -8, "color": "var(--soft)"},
                    "encoding": {"x": time | {"field": "at"}, "text": {"field": "words"}},
                },
                *(
                    {
                        "data": {"values": [name for name in names if (name["at"] == head) == (side == "right")]},
                        "mark": {"type": "text", "align": side, "dx": away, "lineHeight": 14},
                        "encoding": {
                            "x": time | {"field": "at"},
                            "y": size | {"field": "middle"},
                            "text": {"field": "kind"},
                        },
                    }
                    for side, away in (("left", 5), ("right", -5))
                ),
            ],
            "narrow": {"height": 280},
        },
    }


def padding_against_n(runs: dict[str, Any]) -> dict[str, Any]:
    """What a gather carries against the number of GPUs.

    In times the parameters of an MLP block: two weights of 1,024 by 256 and 256 by 1,024, biases and a norm. FSDP2 cuts
    each by rows and pads each to as many rows on every rank; FSDP1 pads the whole list of numbers once. Computed; a
    run on four processes measures that both do so.
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
                "color": {"field": "cut", "sort": None, "legend": {"symbolType": "stroke", "symbolSize": 300}},
                "strokeDash": {"field": "cut", "sort": None, "legend": {"symbolType": "stroke"}},
            },
        },
    }


STRATEGIES = {
    "ddp": "DDP",
    "always": "FSDP2, all freed",
    "default": "FSDP2, root kept",
    "never": "FSDP2, all kept",
    "hybrid": "HSDP, 2 by 2",
    "deferred": "freed, reduced once",
    "kept_never": "kept, reduced once",
}


def bytes_sent_by_strategy(runs: dict[str, Any]) -> dict[str, Any]:
    """What a GPU sends in a step, by strategy.

    Summed over the collectives of four processes, in units of one pass of the model around the ring, in fp32. With one
    micro-batch full sharding sends half as much again as DDP. With four it gathers and reduces four times, unless it
    reduces once, or keeps the parameters from the first micro-batch on and reduces once. HSDP, sharded over pairs whose
    two copies are averaged, counts what goes within a pair and between pairs alike.
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
            "height": 285,
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
    """A figure that was published or measured, beside what is computed of the same setup; `of` heads its like."""

    of: str
    setup: str
    told: float
    computed: float

    @property
    def row(self) -> dict[str, Any]:
        return {
            "of": self.of,
            "setup": self.setup,
            "told": float(f"{self.told:.4g}"),
            "computed": float(f"{self.computed:.4g}"),
            "off, %": round(100 * (self.computed / self.told - 1), 1) + 0.0,
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
    """Figures of others, and the same computed.

    State and operations are the formulas that plans are made of; they and what PyTorch's tracker counts agree. Peaks on
    GPUs are higher than planned: torchtitan reports what the allocator reserves, a plan counts what is allocated, and
    the two large runs use float8 and compile, which no plan knows. Its H100s are taken to have 96 GB. Of Table 5 the
    operations are its utilization times its GPUs, their 312 TFLOP/s and its seconds. The tokens a second follow from
    operations and the reported MFU alone, in which nothing recomputed counts.
    """
    state = "State of 7.5B parameters on 64 GPUs, GB (Rajbhandari et al., Figure 1)"
    flops = "Operations of an iteration, PFLOP (Korthikanti et al., Table 5)"
    speed = "Tokens a second and GPU, by operations and MFU (torchtitan, H100)"
    tracked = "Peak in GiB, as PyTorch’s memory tracker counts it on simulated ranks (planned-memory)"
    reserved = "Peak in GiB, as the allocator reserves it (torchtitan, H100)"
    simulated = runs["planned-memory"].large
    small, large = _peak(LLAMA_8B, gpus=8), _peak(LLAMA_8B, gpus=128)
    with_tensor = _peak(LLAMA_70B, gpus=256, tensor=8, sequences=16, recompute="full")
    pipelined = {"tensor": 8, "pipeline": 8, "sequences": 4, "micro_batches": 8, "strategy": "fsdp-kept"}
    with_pipeline = _peak(LLAMA_405B, gpus=512, recompute="full", **pipelined)
    # Peak and links are not published for these H100s: the MFU of 33% that the report gives is taken for the 8B model.
    parameters = Plan(**LLAMA_8B, **TITAN, gpus=8).parameters
    per_token = training_flops(parameters - 128256 * 4096, 1, 8192, 4096 * 32)
    every = [
        *(
            Published(state, name, told, zero_state(7.5e9, stage, 64) / GB)
            for stage, name, told in ((0, "DDP", 120), (1, "ZeRO-1", 31.4), (2, "ZeRO-2", 16.6), (3, "ZeRO-3", 1.9))
        ),
        *(
            Published(flops, name, _reported_flops(part, gpus, seconds), mine)
            for name, part, gpus, seconds, mine in (
                ("22B", 0.415, 8, 1.10, _model_flops(48, 6144, 4)),
                ("175B", 0.514, 64, 13.75, _model_flops(96, 12288, 64)),
                ("530B", 0.560, 280, 37.83, _model_flops(105, 20480, 280)),
                ("1T", 0.563, 512, 71.49, _model_flops(128, 25600, 512)),
            )
        ),
        Published(speed, "8B on 8, at 33% MFU", 5762, 0.33 * 989 * TFLOPS / per_token),
        Published(tracked, "8B on 8", simulated.world_8.tracked / GIB, small),
        Published(tracked, "8B on 128", simulated.world_128.tracked / GIB, large),
        Published(reserved, "8B on 8", 82.4, small),
        Published(reserved, "8B on 128", 67.0, large),
        Published(reserved, "8B, from 8 to 128", 15.4, small - large),
        Published(reserved, "70B on 256, TP 8, float8", 71.9, with_tensor),
        Published(reserved, "405B on 512, TP 8, PP 8, float8", 82.5, with_pipeline),
    ]
    rows = [item.row for item in every]
    groups = {row["of"]: [other for other in rows if other["of"] == row["of"]] for row in rows}
    return {
        "rows": rows,
        "words": " ".join(
            f"{of}: "
            + "; ".join(f"{row['setup']}: {row['told']:g} told, {row['computed']:g} computed" for row in those)
            + "."
            for of, those in groups.items()
        ),
        "group": "of",
    }
