"""Formulas: what MathJax takes and refuses, and what the store keeps from one build to the next."""

from __future__ import annotations

import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from studybank.formulas import Formula
from studybank.maths import FormulaStore
from studybank.maths.store import plain_text


def settled(folder: Path, *tex: str, display: bool = False) -> tuple[FormulaStore, list[Formula]]:
    store = FormulaStore(folder)
    formulas = [Formula(source, display) for source in tex]
    for formula in formulas:
        store.want(formula)
    store.settle()
    return store, formulas


def children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.parametrize(
    "tex",
    [
        r"\frac{N-1}{N}\,S",
        r"\underbrace{4}_{\theta}+\underbrace{4+4}_{m,\,v}=16\ \text{bytes}",
        r"\begin{aligned}a&=b\\c&=d\end{aligned}",
        r"\left\lceil\frac{d_0}{N}\right\rceil",
        r"a < b > c \& d",
        r"\cancel{x}",
        r"50\% \\\% \text{of \%}",
        r"x \tag{1} \label{one}",
    ],
)
def test_formulas_that_are_set(tmp_path: Path, tex: str) -> None:
    store, (formula,) = settled(tmp_path, tex, display=True)
    assert not store.errors
    html = store.rendered(f"<p>{formula.token}</p>")
    assert html.startswith("<p><mjx-container")
    assert "<math" in html
    assert "data-latex" not in html


@pytest.mark.parametrize(
    ("tex", "said"),
    [
        (r"\foo", "Undefined control sequence"),
        (r"\frac{1", "Missing close brace"),
        (r"a_b_c", "Double subscripts"),
        (r"a & b", "Misplaced &"),
        (r"\begin{nothing}\end{nothing}", "Unknown environment"),
        (r"\text{漢}", "no glyph"),
        (r"\left( x", "left"),
        (r"\newcommand{\foo}{x}", "Undefined control sequence"),
        (r"\require{physics}", "Undefined control sequence"),
        (r"\href{https://example.org}{x}", "Undefined control sequence"),
        (r"a \ref{b}", "can't refer"),
        ("50%", r"write \%"),
        ("a\n= b % c\n+ d", r"write \%"),
        (r"50\\%", r"write \%"),
        ("a\u2028b", "no glyph"),
    ],
)
def test_formulas_that_are_refused(tmp_path: Path, tex: str, said: str) -> None:
    store, (formula, good) = settled(tmp_path, tex, "x+1")
    assert said in store.errors[formula.key]
    assert good.key not in store.errors
    assert "mjx-container" in store.rendered(good.token)


def test_no_formula_changes_what_a_later_one_means(tmp_path: Path) -> None:
    store, (_, uses, first, second) = settled(
        tmp_path, r"\def\foo{x} \foo", r"\foo", r"a \label{l} \tag{1}", r"b \label{l} \tag{1}"
    )
    assert uses.key in store.errors
    assert first.key not in store.errors
    assert second.key not in store.errors


def test_inline_and_display_are_two_formulas(tmp_path: Path) -> None:
    store, (inline,) = settled(tmp_path, r"\sum_i i")
    display = Formula(r"\sum_i i", display=True)
    store.want(display)
    store.settle()
    assert store.rendered(inline.token) != store.rendered(display.token)


def test_an_unchanged_formula_is_never_set_twice(tmp_path: Path) -> None:
    _, (formula,) = settled(tmp_path, r"\frac{1}{2}")
    before = children_seconds()
    store, _ = settled(tmp_path, r"\frac{1}{2}")
    assert children_seconds() == before
    assert "mjx-mfrac" in store.rendered(formula.token)
    settled(tmp_path, r"\frac{1}{3}")
    assert children_seconds() > before


def test_kept_formulas_keep_the_rules_of_their_glyphs(tmp_path: Path) -> None:
    """A process of MathJax writes only the rules of what it has set itself."""
    _, (summed,) = settled(tmp_path, r"\sum_{i=1}^{n}\left[\frac{a}{\frac{b}{c}}\right]", display=True)
    store, _ = settled(tmp_path, "x")
    style, glyphs = store.style([summed.key])
    html = store.rendered(summed.token)
    for name in re.findall(r"mjx-c[0-9A-F]{2,}", html):
        assert f".{name}" in style
    assert set("∑[]") <= set(glyphs)


def test_the_style_is_the_same_whatever_was_set_before(tmp_path: Path) -> None:
    tex = [r"\frac{a}{b}", r"\begin{matrix}a&b\end{matrix}", r"\sqrt{x}", r"\hat\Omega", r"\sum_i^n i", "x_a", "x^b"]
    one, formulas = settled(tmp_path / "one", *tex)
    settled(tmp_path / "two", r"\Gamma", r"\begin{pmatrix}z\end{pmatrix}")
    for source in reversed(tex):
        two, _ = settled(tmp_path / "two", source)
    keys = [formula.key for formula in formulas]
    assert one.style(keys) == two.style(keys)


def test_the_style_holds_no_rule_of_glyphs_that_are_not_used(tmp_path: Path) -> None:
    store, (wanted, other) = settled(tmp_path, "x", r"\Omega")
    style, glyphs = store.style([wanted.key])
    assert "Ω" not in glyphs
    assert "mjx-c3A9" not in style
    assert other.key not in store.errors


def test_a_character_that_html_escapes_is_cut_into_the_font(tmp_path: Path) -> None:
    store, (formula,) = settled(tmp_path, r"a < b \& c")
    assert {"<", "&"} <= set(store.style([formula.key])[1])


def test_the_pieces_of_a_wide_brace_are_printed_too(tmp_path: Path) -> None:
    store, (formula,) = settled(
        tmp_path, r"\underbrace{4+4+4+4}_{\text{four}}\left(\begin{matrix}a\\b\\c\\d\end{matrix}\right)"
    )
    html = store.rendered(formula.token)
    pieces = re.findall(r"<mjx-(?:beg|end|mid|spacer)[^>]*>([^<]+)", html)
    assert len(pieces) > 6
    assert set("".join(pieces).replace("\n", "")) <= set(store.style([formula.key])[1])


def test_two_builds_at_once_share_the_store(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from studybank.maths import FormulaStore\n"
        "from studybank.formulas import Formula\n"
        "store = FormulaStore(Path(sys.argv[1]))\n"
        "formulas = [Formula(f'x_{{{i}}}', False) for i in range(60)]\n"
        "[store.want(f) for f in formulas]; store.settle()\n"
        "assert all('mjx' in store.rendered(f.token) for f in formulas)"
    )
    builds = [subprocess.Popen([sys.executable, "-c", script, str(tmp_path)]) for _ in range(3)]
    assert [build.wait() for build in builds] == [0, 0, 0]


@pytest.mark.parametrize(
    ("tex", "plain"),
    [
        (r"\frac{N-1}{N}\times S", "(N-1)/N ×S"),
        (r"\dfrac{F}{B}", "F/B"),
        (r"16\,\Psi\text{ bytes}", "16 Ψ bytes"),
        (r"N \ge 2", "N ≥2"),
    ],
)
def test_plain_text_of_a_formula(tex: str, plain: str) -> None:
    assert plain_text(tex) == plain
