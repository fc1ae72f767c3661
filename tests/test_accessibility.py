"""What axe finds, at both widths and in both schemes; contrast included."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from studybank.frontend import MODULES

PATHS = [
    "",
    "topics/",
    "topics/what-sharding-divides/",
    "concepts/",
    "kinds/true-false/",
    "sources/",
    "planner/",
    "evidence/",
    "evidence/figures/peak-against-n/",
    "evidence/figures/step-as-a-timeline/",
    "evidence/figures/memory-over-a-step/",
    "evidence/figures/padding-against-n/",
    "evidence/figures/bytes-sent-by-strategy/",
    "evidence/figures/published-figures/",
    "evidence/planned-memory/",
    "about/",
    "write/",
]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
def test_axe_finds_nothing(browser: Browser, book_url: str, scheme: str, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    for path in PATHS:
        page.goto(book_url + path)
        if button := page.query_selector("[data-reveal-all]"):
            button.click()
        for choice in page.query_selector_all("details.choice > summary, details.hint > summary"):
            if choice.is_visible():
                choice.click()
        page.add_script_tag(path=str(MODULES / "axe-core/axe.min.js"))
        violations = page.evaluate("axe.run().then(result => result.violations)")
        said = [f"{v['id']}: {node['html'][:150]}" for v in violations for node in v["nodes"]]
        assert not said, f"{path}:\n" + "\n".join(said)
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_outlines_of_controls_stand_out(browser: Browser, book_url: str, scheme: str) -> None:
    """WCAG 1.4.11: 3:1 between a control's edge and what it lies on."""
    context = browser.new_context(color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(book_url + "topics/what-sharding-divides/")
    ratios = page.evaluate(
        """() => {
          const parts = (colour) => {
            const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d');
            canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
            return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
          };
          const light = (colour) => {
            const linear = (c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
            const [r, g, b] = parts(colour).map((c) => linear(c / 255));
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          const ratio = (a, b) => {
            const [x, y] = [light(a), light(b)].sort((m, n) => n - m);
            return (x + 0.05) / (y + 0.05);
          };
          const paper = getComputedStyle(document.body).backgroundColor;
          return [...document.querySelectorAll('.verdict button, .choice, .tags a')]
            .map((e) => ratio(getComputedStyle(e).borderTopColor, paper));
        }"""
    )
    assert ratios
    assert min(ratios) >= 3
    context.close()
