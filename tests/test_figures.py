"""Figures that a bank draws from its evidence, and pages that it brings itself."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Browser

from studybank.model import Bank
from studybank.reading import read_bank
from tests.banks import EVIDENCE, Change, Checker, bank, line_of, places
from tests.sites import built

BEND = "bends/outer-bank"
FIGURES = '''\
"""What is drawn."""

from formulas import flow


def flow_by_depth(runs):
    """How the flow grows with depth.

    A canal $10$ m wide & slow.
    """
    rows = [{"depth, m": d, "flow": flow(10, d, 0.5)} for d in (1, 2, 3)]
    return {
        "rows": rows,
        "words": f"{len(rows)} depths; {runs['lock'].up.passed} boats",
        "chart": {
            "mark": "bar",
            "encoding": {"x": {"field": "depth, m"}, "y": {"field": "flow", "type": "quantitative"}},
        },
    }


def _not_one(runs):
    return 1
'''
DRAWN: dict[str, Change] = {**EVIDENCE, "evidence/figures.py": FIGURES}
SHOWN = ("sources:\n  - leopold", "figures: [flow-by-depth]\nsources:\n  - leopold")


def assert_ids_resolve(soup: BeautifulSoup) -> None:
    """No id is there twice, and what a drawing is cut or filled by is in that same drawing."""
    ids = [tag["id"] for tag in soup.select("[id]")]
    assert len(ids) == len(set(ids))
    for drawn in soup.select("figure.figure svg"):
        own = {tag["id"] for tag in drawn.select("[id]")}
        assert set(re.findall(r"url\(#([^)]+)\)", str(drawn))) <= own


def test_a_figure_is_drawn_twice_with_its_words_and_its_numbers(tmp_path: Path) -> None:
    site = built(bank(tmp_path, {**DRAWN, BEND: SHOWN}), tmp_path)
    for page in ("topics/bends/index.html", "evidence/figures/flow-by-depth/index.html"):
        soup = BeautifulSoup((site / page).read_text(encoding="utf-8"), "html.parser")
        wide, narrow = soup.select("figure.figure svg")
        for drawn in (wide, narrow):
            assert drawn["role"] == "img"
            assert drawn["aria-label"] == "How the flow grows with depth"
            assert drawn.desc.get_text() == "3 depths; 4 boats"
            assert "var(--hue-1)" in str(drawn)
            assert not re.search(r"#[0-9a-f]{3,6}\b|font-family", str(drawn)), "a color or a face of its own"
        assert_ids_resolve(soup)
        assert "m wide & slow." in soup.select_one("figcaption").get_text()
        assert soup.select("figcaption mjx-container")
    rows = [[cell.get_text() for cell in row.select("th, td")] for row in soup.select(".numbers tr")]
    assert rows == [["depth, m", "flow"], ["1", "5"], ["2", "10"], ["3", "15"]]
    assert "../../../topics/bends/#outer-bank" in str(soup)
    card = BeautifulSoup((site / "topics/bends/index.html").read_text(encoding="utf-8"), "html.parser")
    assert (
        card.select_one("article[data-id=outer-bank] details.why figure a")["href"]
        == "../../evidence/figures/flow-by-depth/"
    )
    assert len(card.select("figure.figure")) == 1
    assert "figures/flow-by-depth/" in (site / "evidence/index.html").read_text(encoding="utf-8")


def test_a_figure_on_two_cards_keeps_its_ids_apart(tmp_path: Path) -> None:
    """With a chart that is clipped: its clip has an id."""
    clipped = FIGURES.replace('"mark": "bar"', '"mark": {"type": "bar", "clip": True}')
    files: dict[str, Change] = {
        "evidence/figures.py": clipped,
        BEND: SHOWN,
        "bends/oxbow": ("sources:", SHOWN[1][:25] + "\nsources:"),
    }
    site = built(bank(tmp_path, {**DRAWN, **files}), tmp_path)
    soup = BeautifulSoup((site / "topics/bends/index.html").read_text(encoding="utf-8"), "html.parser")
    drawn = soup.select("article details.why figure.figure svg")
    assert len(drawn) == 4
    assert all("url(#" in str(svg) for svg in drawn)
    assert_ids_resolve(soup)


def test_a_figure_and_what_it_is_drawn_from_lead_to_each_other(tmp_path: Path) -> None:
    site = built(bank(tmp_path, {**DRAWN, BEND: SHOWN}), tmp_path)

    def links(path: str, part: str) -> list[str]:
        soup = BeautifulSoup((site / path).read_text(encoding="utf-8"), "html.parser")
        return [str(link["href"]) for link in soup.select(f"h2#{part} ~ ul.questions a")]

    assert links("evidence/figures/flow-by-depth/index.html", "drawn-from")[0] == "../../../evidence/lock/"
    assert links("evidence/lock/index.html", "rests") == ["../../evidence/figures/flow-by-depth/"]
    assert links("evidence/formulas/index.html", "rests") == []


def test_rows_are_gathered_under_their_group(tmp_path: Path) -> None:
    grouped = FIGURES.replace('{"depth, m"', '{"of": "shallow" if d < 2 else "deep", "depth, m"').replace(
        '"rows": rows', '"rows": rows, "group": "of"'
    )
    site = built(bank(tmp_path, {**DRAWN, "evidence/figures.py": grouped}), tmp_path)
    page = (site / "evidence/figures/flow-by-depth/index.html").read_text(encoding="utf-8")
    table = BeautifulSoup(page, "html.parser").select_one(".numbers")
    bodies = [
        [[cell.get_text() for cell in row.select("th, td")] for row in body.select("tr")]
        for body in table.select("tbody")
    ]
    assert bodies == [[["shallow"], ["1", "5"]], [["deep"], ["2", "10"], ["3", "15"]]]
    assert [cell["scope"] for cell in table.select("th")] == ["col", "col", "rowgroup", "row", "rowgroup", "row", "row"]


@pytest.mark.parametrize(
    ("old", "new", "marked", "wrong"),
    [
        ("flow(10, d, 0.5)", "flow(10, d, 0.5) / 0", "/ 0", "ZeroDivisionError"),
        ("import flow\n", "import flwo\n", "import flwo", "ImportError"),
        ("def flow_by_depth(runs):", "def flow_by_depth(runs:", "def flow_by", "SyntaxError"),
        ("runs['lock'].up", "runs['lock'].down", ".down", "AttributeError"),
        ("runs['lock']", "runs['lokc']", "lokc", "KeyError"),
        ('        "rows": rows,\n', "", "def flow_by", "rows: Field required"),
        ('"rows": rows', '"rows": []', "def flow_by", "rows: List should have at least 1 item"),
        ('"rows": rows', '"rows": rows, "color": "red"', "def flow_by", "color: Extra inputs"),
        ('"rows": rows', '"rows": [*rows, {"flow": 1}]', "def flow_by", "row 3 has the columns ['flow']"),
        ('"rows": rows', '"rows": [{}]', "def flow_by", "row 0 has no columns"),
        ('"chart": {', '"chart": {} and {', "def flow_by", "chart: a specification without `data`"),
        (
            '"chart": {',
            '"chart": {"data": {"values": []}} or {',
            "def flow_by",
            "chart: a specification without `data`",
        ),
        ('"chart": {', '"chart": {"mark": float("inf")} or {', "def flow_by", "chart: Out of range float"),
        ('"chart": {', '"chart": {"mark": abs} or {', "def flow_by", "chart: Object of type builtin"),
        ('"rows": rows', '"rows": [{"flow": float("nan")}]', "def flow_by", "should be a finite number"),
        ('"rows": rows', '"rows": [{"flow": 1}], "group": "flow"', "def flow_by", "`flow` is the only column"),
        ('"rows": rows', '"rows": rows, **exit(0)', "exit(0)", "SystemExit"),
        ('"rows": rows', '"rows": rows, "group": "flwo"', "def flow_by", "`flwo` is not among the columns"),
        ("depth.\n\n    A canal $10$ m wide & slow.\n    ", "depth.", "def flow_by", "no title and caption"),
    ],
)
def test_a_figure_that_is_none_has_its_line(
    faults: Checker, tmp_path: Path, old: str, new: str, marked: str, wrong: str
) -> None:
    assert FIGURES.count(old) == 1
    root = bank(tmp_path, {**DRAWN, "evidence/figures.py": FIGURES.replace(old, new)})
    problems = faults(root)
    assert places(problems) == [("evidence/figures.py", line_of(root, "evidence/figures.py", marked), "figure")]
    assert wrong in problems[0].wrong


def test_a_question_shows_figures_that_there_are(faults: Checker, tmp_path: Path) -> None:
    assert faults(bank(tmp_path, {**DRAWN, BEND: SHOWN})) == []
    root = bank(tmp_path, {**DRAWN, BEND: (SHOWN[0], SHOWN[1].replace("depth", "dept"))})
    [problem] = faults(root)
    assert (problem.code, problem.line) == ("unknown-figure", line_of(root, BEND, "figures:"))
    assert "use `flow-by-depth`" in problem.right


def test_figures_follow_an_edit_of_what_they_import(tmp_path: Path) -> None:
    root = bank(tmp_path, DRAWN)
    before = read_bank(root)[0].evidence.figures["flow-by-depth"].drawn.rows
    formulas = root / "evidence/formulas.py"
    formulas.write_text(formulas.read_text().replace("return width * depth", "return 2 * width * depth"))
    after = read_bank(root)[0].evidence.figures["flow-by-depth"].drawn.rows
    assert [row["flow"] for row in after] == [2 * float(str(row["flow"])) for row in before]


PAGE = """\
---
title: Locks
place: true
---
# Locks

{{ figure("flow-by-depth") }}

{{ numbers("flow-by-depth") }}

[A question]({{ root }}{{ address(bank.by_id["outer-bank"]) }})
<script type="module" src="{{ root }}locks/locks.js"></script>
"""


def test_a_bank_brings_a_page_with_its_files(tmp_path: Path) -> None:
    files: dict[str, Change] = {"pages/locks.md": PAGE, "pages/locks/locks.js": "export const open = 1;\n"}
    site = built(bank(tmp_path, {**DRAWN, **files}), tmp_path)
    text = (site / "locks/index.html").read_text(encoding="utf-8")
    soup = BeautifulSoup(text, "html.parser")
    assert len(soup.select("figure.figure svg")) == 2
    assert soup.select(".numbers td")
    assert 'href="../topics/bends/#outer-bank"' in text
    assert (site / "locks/locks.js").read_text() == "export const open = 1;\n"
    home = BeautifulSoup((site / "index.html").read_text(encoding="utf-8"), "html.parser")
    assert [link["href"] for link in home.select("nav.places a") if link.get_text() == "Locks"] == ["locks/"]


@pytest.mark.parametrize(
    ("old", "new", "marked", "wrong"),
    [
        ("title: Locks", "name: Locks", "---", "no title"),
        ('figure("flow-by-depth")', 'figure("flow")', "figure(", "flow"),
        ("{{ numbers(", "{{ nubmers(", "nubmers", "nubmers"),
        ('by_id["outer-bank"]', 'by_id["outer"]', "by_id", "outer"),
        ("# Locks", "# Locks {% if %}", "{% if", "Expected an expression"),
    ],
)
def test_a_page_that_can_t_be_written_has_its_line(
    faults: Checker, tmp_path: Path, old: str, new: str, marked: str, wrong: str
) -> None:
    assert PAGE.count(old) == 1
    assert faults(bank(tmp_path / "whole", {**DRAWN, "pages/locks.md": PAGE})) == []
    root = bank(tmp_path, {**DRAWN, "pages/locks.md": PAGE.replace(old, new)})
    problems = faults(root)
    assert places(problems) == [("pages/locks.md", line_of(root, "pages/locks.md", marked), "page")]
    assert wrong in problems[0].wrong


@pytest.mark.parametrize("width", [390, 1440])
def test_figures_take_the_colors_of_the_scheme_and_can_be_read(
    browser: Browser, book_url: str, bank: Bank, width: int
) -> None:
    colors = {}
    for scheme in ("light", "dark"):
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
        page = context.new_page()
        for name, figure in bank.evidence.figures.items():
            if not figure.drawn.chart:
                continue
            page.goto(book_url + f"evidence/figures/{name}/")
            shown = page.locator("figure.figure svg:visible")
            assert shown.count() == 1
            colors[name, scheme] = shown.evaluate("svg => getComputedStyle(svg.querySelector('text')).fill")
            # What is drawn in one unit of the picture is shown in so many pixels.
            heights = shown.evaluate(
                """svg => {
                  const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
                  const written = [...svg.querySelectorAll('text')].filter(text => text.textContent);
                  return written.map(text => parseFloat(getComputedStyle(text).fontSize) * scale);
                }"""
            )
            assert min(heights) >= 10.9, (name, width)
            outside = shown.evaluate(
                """svg => {
                  const all = svg.getBoundingClientRect();
                  const beyond = ({ left, right }) => left < all.left - 1 || right > all.right + 1;
                  const written = [...svg.querySelectorAll('text')];
                  return written.filter(text => beyond(text.getBoundingClientRect())).map(text => text.textContent);
                }"""
            )
            assert outside == [], (name, width)
        context.close()
    assert colors
    for name, scheme in colors:
        assert colors[name, "light"] != colors[name, "dark"], (name, scheme)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_figures_can_be_read_in_forced_colors(browser: Browser, book_url: str, bank: Bank, scheme: str) -> None:
    """WCAG 1.4.3 and 1.4.11: words 4.5:1 and what is drawn in hues 3:1, against black or white."""
    context = browser.new_context(forced_colors="active", color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    for name, figure in bank.evidence.figures.items():
        if not figure.drawn.chart:
            continue
        page.goto(book_url + f"evidence/figures/{name}/")
        drawn = page.locator("figure.figure svg:visible")
        ratios = drawn.evaluate(
            """svg => {
              const light = (colour) => {
                const linear = (c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
                const [r, g, b] = colour.match(/[0-9.]+/g).slice(0, 3).map((c) => linear(c / 255));
                return 0.2126 * r + 0.7152 * g + 0.0722 * b;
              };
              const under = light(getComputedStyle(document.body).backgroundColor);
              const ratio = (l) => (Math.max(l, under) + 0.05) / (Math.min(l, under) + 0.05);
              const stands = (tags, told) => [...svg.querySelectorAll(tags)].flatMap((tag) =>
                ['fill', 'stroke']
                  .filter((paint) => told(tag, tag.getAttribute(paint)))
                  .map((paint) => ratio(light(getComputedStyle(tag)[paint]))));
              return {
                text: stands('text', (tag, paint) => tag.textContent && paint && paint != 'none'),
                hues: stands('path, rect, line', (tag, paint) => paint && paint.includes('--hue')),
              };
            }"""
        )
        assert min(ratios["text"]) >= 4.5, name
        assert min(ratios["hues"]) >= 3, name
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_printed_figure_is_dark_on_white_and_in_one_piece(
    browser: Browser, book_url: str, bank: Bank, scheme: str
) -> None:
    context = browser.new_context(color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.emulate_media(media="print")
    name = next(name for name, figure in bank.evidence.figures.items() if figure.drawn.chart)
    page.goto(book_url + f"evidence/figures/{name}/")
    drawn = page.locator("figure.figure")
    assert drawn.evaluate("figure => getComputedStyle(figure).breakInside") == "avoid"
    assert drawn.locator("svg:visible text").first.evaluate("text => getComputedStyle(text).fill") == "rgb(68, 68, 68)"
    context.close()


@pytest.mark.parametrize("width", [360, 390, 1440])
def test_tables_of_figures_stay_in_the_window(browser: Browser, book_url: str, bank: Bank, width: int) -> None:
    """Where a table is wider than its window it scrolls within itself, and its first column stays."""
    context = browser.new_context(viewport={"width": width, "height": 900})
    page = context.new_page()
    for name in bank.evidence.figures:
        page.goto(book_url + f"evidence/figures/{name}/")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        left = page.evaluate(
            """() => {
              let scrolled = document.querySelector('.numbers');
              while (scrolled && scrolled.scrollWidth <= scrolled.clientWidth) scrolled = scrolled.parentElement;
              if (scrolled) scrolled.scrollLeft = 1000;
              const first = document.querySelector('.numbers tbody th[scope="row"]').getBoundingClientRect();
              return first.left;
            }"""
        )
        assert 0 <= left < width / 2, name
    context.close()
