"""The figures, drawn from what the programs measured and what the formulas give."""

from __future__ import annotations

from typing import Any

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
