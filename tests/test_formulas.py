"""What is a formula in Markdown, what is a dollar, and what is code."""

from __future__ import annotations

import pytest

from studybank.formulas import TOKEN, Formula, formulas, prose, stray_dollars, tokenized


def inline(tex: str) -> Formula:
    return Formula(tex, display=False)


def display(tex: str) -> Formula:
    return Formula(tex, display=True)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("a $x$ b", [(2, inline("x"))]),
        ("$x$", [(0, inline("x"))]),
        ("$x$ and $y$", [(0, inline("x")), (8, inline("y"))]),
        ("$x$-fold, ($y$).", [(0, inline("x")), (11, inline("y"))]),
        ("$x$$y$", [(0, inline("x")), (3, inline("y"))]),
        ("over\n$a +\nb$ lines", [(5, inline("a +\nb"))]),
        (r"$5\$ + x$", [(0, inline(r"5\$ + x"))]),
        (r"\\$x$", [(2, inline("x"))]),
        ("$$x$$", [(0, display("x"))]),
        ("$$\na\n=\nb\n$$", [(0, display("a\n=\nb"))]),
        ("$$\na\n\nb\n$$", [(0, display("a\n\nb"))]),
        (r"$$\$$$", [(0, display(r"\$"))]),
        ("a $$x$$ b $y$", [(2, display("x")), (10, inline("y"))]),
        ("- item $x$\n  > why $y$", [(7, inline("x")), (19, inline("y"))]),
        ("| $a$ | $b$ |", [(2, inline("a")), (8, inline("b"))]),
        ("é $x$", [(2, inline("x"))]),
        ("``a ` b`` $x$", [(10, inline("x"))]),
        ("an ` alone, then $x$", [(17, inline("x"))]),
        (r"\` $x$ \`", [(3, inline("x"))]),
        ("```\ncode\n```\n$x$", [(13, inline("x"))]),
        ("```` \n```\n$no$\n````\n$x$", [(20, inline("x"))]),
        ("```a``` is code in the line: $x$", [(29, inline("x"))]),
        ("```a``` opens a line\n$x$", [(21, inline("x"))]),
        ("~~~ `sh`\n$no$\n~~~\n$x$", [(18, inline("x"))]),
    ],
)
def test_formulas_stand_where_they_are_written(source: str, found: list[tuple[int, Formula]]) -> None:
    assert list(formulas(source)) == found
    assert list(stray_dollars(source)) == []


@pytest.mark.parametrize(
    "source",
    [
        "`$x$`",
        "``$x$ ` $y$``",
        "`over\n$x$\nlines`",
        "```\n$x$\n```",
        "```sh\necho $HOME $PATH\n```",
        "~~~\n$x$\n~~~",
        "~~~\n```\n$x$\n~~~",
        "````\n```\n$x$\n````",
        "  ```\n  $x$\n  ```",
        "- item\n\n    ```\n    $x$\n    ```",
        "> ```\n> $x$\n> ```",
        "```\n$x$ in code that never ends",
        "```\n$x$\n~~~\n$y$",
        "```\n$x$\n\n$y$\n````",
        r"\$5 and \$6",
        r"`a` \$x\$",
        "no dollar at all",
        "",
    ],
)
def test_code_and_signs_hold_no_formula(source: str) -> None:
    assert list(formulas(source)) == []
    assert list(stray_dollars(source)) == []


@pytest.mark.parametrize(
    ("source", "strays"),
    [
        ("$5 and $6", [0, 7]),
        ("$5, $6", [0, 4]),
        ("$5-$6", [0, 3]),
        ("it costs 5$", [10]),
        ("$ x$", [0, 3]),
        ("$x $", [0, 3]),
        ("$a\n\nb$", [0, 5]),
        ("$a\n  \nb$", [0, 7]),
        ("$x$2", [0, 2]),
        ("$$", [0, 1]),
        ("$$$$", [0, 1, 2, 3]),
        ("$$x$", [0]),
        ("`$x", [1]),
        ("`$x\n\n`", [1]),
        ("```\ncode\n```\n$", [13]),
        (r"\\$", [2]),
    ],
)
def test_dollars_that_open_no_formula_are_strays(source: str, strays: list[int]) -> None:
    assert list(stray_dollars(source)) == strays


def test_a_number_behind_the_closing_dollar_opens_the_next_formula() -> None:
    # The first dollar can't close before a digit; the second one may open.
    assert list(formulas("$5-$6$")) == [(3, inline("6"))]
    assert list(stray_dollars("$5-$6$")) == [0]


def test_a_key_tells_formulas_and_their_display_apart() -> None:
    assert inline("x").key == inline("x").key
    assert len({inline("x").key, inline("y").key, display("x").key, inline("1x").key}) == 4


def test_tokens_stand_for_formulas_and_code_stays() -> None:
    noted: list[Formula] = []
    text = tokenized(r"$x$ costs \$5, `$x$` and $$y$$", noted.append)
    assert noted == [inline("x"), display("y")]
    assert text == f"{inline('x').token} costs &#36;5, `$x$` and {display('y').token}"
    assert TOKEN.findall(text) == [formula.key for formula in noted]


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("a $x$ b", "a     b"),
        ("a `x` b", "a     b"),
        ("a ``x`y`` b", "a         b"),
        ("$$\nx\n$$ b", "  \n \n   b"),
        ("```\ncode\n```\nb", "   \n    \n   \nb"),
        ("~~~\ncode", "   \n    "),
        ("~~~", "   "),
        ("a ~ b", "a ~ b"),
        (r"\$5", "  5"),
        ("$5", "$5"),
        ("```x``` b", "        b"),
        ("```x``` b\nc", "        b\nc"),
    ],
)
def test_prose_keeps_length_and_lines(source: str, shown: str) -> None:
    assert prose(source) == shown
    assert len(prose(source)) == len(source)
    assert [i for i, c in enumerate(prose(source)) if c == "\n"] == [i for i, c in enumerate(source) if c == "\n"]


def test_a_long_text_without_closing_marks_is_scanned_in_a_moment() -> None:
    source = "`a ``b $c $$d \\ ~~~ ``` e [f](g) \n" * 3000
    assert len(prose(source)) == len(source)
