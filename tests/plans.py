"""500 random plans and what plans.py of the evidence makes of them, in plans.csv. `python -m tests.plans` writes it."""

from __future__ import annotations

import csv
import sys
from dataclasses import asdict, fields
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "bank" / "evidence"))

from plans import STAGES, Plan, figures  # noqa: E402 - the bank's own modules are no package

PATH = Path(__file__).with_suffix(".csv")
TOLD = ("moment", "peak_bytes", "sent_gather", "sent_reduce", "flops", "step_hidden", "step_exposed")
NAMES = [field.name for field in fields(Plan)]


def drawn(random: Random) -> Plan:
    """A plan that can be: what has to divide does."""
    pick = random.choice
    tensor, pipeline, node = pick((1, 1, 2, 4, 8)), pick((1, 1, 1, 2, 4, 6)), pick((4, 8, 8, 8))
    heads = pick((8, 16, 32, 40, 64))
    experts = pick((1, 1, 1, 8, 16))
    strategy = pick(list(STAGES))
    ranks = pick((1, 2, 3, 4, 8, 16, 64, 500))
    in_node = max(1, node // tensor)
    if strategy == "hsdp" and ranks > in_node:
        ranks -= ranks % in_node
    return Plan(
        layers=random.randint(pipeline, 130),
        hidden=heads * pick((64, 80, 128)),
        mlp=random.randrange(512, 60000, 64),
        heads=heads,
        kv_heads=pick((heads, heads // 4, 8)),
        vocabulary=random.randint(1000, 260000),
        gated=pick((True, False)),
        tied=pick((True, False)),
        experts=experts,
        active_experts=random.randint(1, experts),
        gpus=ranks * tensor * pipeline,
        node_gpus=node,
        memory=pick((24, 40, 80, 141)),
        peak=pick((71.5, 312, 989)),
        fp32_peak=pick((19.5, 67)),
        utilization=random.randint(5, 100) / 100,
        node_bandwidth=pick((12.5, 300, 450)),
        network_bandwidth=pick((1.25, 25, 50)),
        latency=pick((0, 2.5, 10)),
        strategy=strategy,
        tensor=tensor,
        pipeline=pipeline,
        optimizer=pick(("sgd", "momentum", "adamw")),
        fused_optimizer=pick((True, False)),
        precision=pick(("mixed", "bf16", "fp32")),
        reduction=pick(("fp32", "bf16")),
        sequences=pick((1, 2, 4, 7)),
        length=pick((128, 1000, 2048, 8192, 131072)),
        micro_batches=pick((1, 1, 2, 8, 13)) if pipeline == 1 else pipeline * pick((1, 2, 5)) + pick((0, 1)),
        recompute=pick(("none", "selective", "full")),
        fused_attention=pick((True, False)),
    )


def read() -> list[tuple[Plan, dict[str, str]]]:
    """The plans of the file, each with what is told of it."""
    kinds = {
        field.name: {"int": int, "float": float, "bool": lambda word: word == "True"}.get(str(field.type), str)
        for field in fields(Plan)
    }
    with open(PATH, newline="", encoding="utf-8") as file:
        return [
            (Plan(**{name: kinds[name](row[name]) for name in NAMES}), {name: row[name] for name in TOLD})
            for row in csv.DictReader(file)
        ]


def main() -> None:
    random = Random(500)
    with open(PATH, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*NAMES, *TOLD])
        for _ in range(500):
            plan = drawn(random)
            told: dict[str, Any] = figures(plan)
            values = [told[name] if isinstance(told[name], str) else f"{told[name]:.12g}" for name in TOLD]
            writer.writerow([*asdict(plan).values(), *values])


if __name__ == "__main__":
    main()
