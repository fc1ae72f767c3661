"""What each rule accepts and what it refuses, on which line, under which code, and what it says would be right.

In a table, `¶` marks the line on which the fault is reported.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.banks import EXPLANATION, RIVERS, Change, Checker, bank, claim, marked, places

LICENSE = 'license: {name: CC BY 4.0, link: "https://creativecommons.org/licenses/by/4.0/"}'
PROMPT = "In a bend on a plain of sand, the river cuts the outer bank."
CLAIM = "bends/outer-bank"


def refused(faults: Checker, folder: Path, name: str, change: str | tuple[str, ...], code: str, right: str) -> None:
    root, path, line = marked(folder, name, change)
    problems = faults(root)
    assert places(problems) == [(path, line, code)]
    assert right in problems[0].right, problems[0]


def test_the_bank_that_the_tests_begin_with_has_no_fault(faults: Checker, tmp_path: Path) -> None:
    assert faults(bank(tmp_path)) == []


# Fields


@pytest.mark.parametrize(
    ("name", "old", "new", "code", "right"),
    [
        (CLAIM, "title: Where", "¶titel: x\ntitle: Where", "unknown-field", "use `title`"),
        (CLAIM, "difficulty: 1", "difficulty: 1\n¶points: [a, b]", "unknown-field", "a `## Points` section"),
        (CLAIM, "difficulty: 1", "difficulty: 1\n¶id: outer-bank", "unknown-field", "the file's name"),
        (CLAIM, "difficulty: 1", "difficulty: 1\n¶prompt: What?", "unknown-field", "the file's name, folder or text"),
        ("bends/oxbow", "difficulty: 2", "difficulty: 2\n¶verdict: true", "unknown-field", "`concepts`, `difficulty`"),
        (CLAIM, "difficulty: 1", "¶difficulty: 4", "value", "use 1, 2 or 3"),
        (CLAIM, "difficulty: 1", "¶difficulty: '1'", "value", "use 1, 2 or 3"),
        (CLAIM, "difficulty: 1", "¶difficulty: 1.5", "value", "use 1, 2 or 3"),
        (CLAIM, "difficulty: 1", "¶difficulty:", "value", "use 1, 2 or 3"),
        (CLAIM, "verdict: true", "¶verdict: perhaps", "value", "use true or false"),
        (CLAIM, "verdict: true", "¶verdict: 'true'", "value", "without quotes"),
        (CLAIM, "title: Where a bend is cut", "¶title:", "value", "write it"),
        (CLAIM, "title: Where a bend is cut", "¶title: ' '", "value", "write it"),
        (CLAIM, "title: Where a bend is cut", "¶title: 1960", "value", "put it between quotes"),
        (CLAIM, "title: Where a bend is cut", "¶title: 1960-01-01", "value", "put it between quotes"),
        (CLAIM, "title: Where a bend is cut", "¶title: [Where]", "value", "put it between quotes"),
        (CLAIM, "[meander]", "¶[]", "count", "at least 1"),
        (CLAIM, "[meander]", "¶meander", "value", "a list"),
        (CLAIM, "[meander]", "¶[Meander]", "form", "small letters and digits, joined by hyphens"),
        (CLAIM, "[meander]", "\n  - meander\n¶  - 7", "value", "put it between quotes"),
        (CLAIM, "[meander]", "[meander]\n¶requires: oxbow", "value", "a list"),
        (CLAIM, "[meander]", "[meander]\n¶kind: why", "twice", "keep one of the two"),
        (CLAIM, "difficulty: 1", "difficulty: 1\n¶difficulty: 1", "twice", "keep one of the two"),
        (CLAIM, 'leopold-1960: "p. 769"', 'leopold-1960: "p. 769"\n¶  - leopold-1960', "source", '`- key: "place"`'),
        (CLAIM, '\n  - leopold-1960: "p. 769"', "¶ []", "count", "at least 1"),
        ("concepts.yaml", "  name: Meander", "¶  names: x\n  name: Meander", "unknown-field", "use `name`"),
        ("concepts.yaml", '  aliases: ["river bend", "loop"]', "  aliases:\n    - bend\n¶    - 1", "value", "quotes"),
        ("concepts.yaml", '  aliases: ["river bend", "loop"]', "¶  aliases: loop", "value", "a list"),
        ("concepts.yaml", '["river bend", "loop"]', "[loop]\n¶  name: Loop", "twice", "keep one of the two"),
        (
            "concepts.yaml",
            "- id: discharge",
            "¶- id: meander\n  name: x\n  definition: y\n- id: discharge",
            "twice",
            "keep",
        ),
        ("concepts.yaml", "- id: discharge", "¶- just text\n- id: discharge", "shape", "`name: value`"),
        ("sources.yaml", "  year: 1960", "¶  year: in 1960", "value", "a whole number"),
        ("sources.yaml", "https://example.org/meanders", "¶http://example.org", "form", "begins with https://"),
        ("sources.yaml", "https://example.org/meanders", "¶https://exa mple.org", "form", "begins with https://"),
        ("sources.yaml", "  cite: Leopold and Wolman (1960)", "¶  cite: ''", "value", "write it"),
        ("bank.yaml", "subject: rivers", "subject: rivers\n¶subtitle: x", "unknown-field", "use `title`"),
        ("bank.yaml", "subject: rivers", "subject: rivers\n¶repository: example.org", "form", "begins with https://"),
        ("bank.yaml", LICENSE, "¶license: CC BY", "value", "a mapping"),
        ("bank.yaml", LICENSE, "¶license: {name: CC BY}", "missing-field", "add the field"),
        ("bank.yaml", LICENSE, "license:\n  name: CC BY\n¶  link: http://example.org", "form", "begins with https://"),
        ("bank.yaml", LICENSE, "license:\n  name: CC BY\n  link: https://a\n¶  by: me", "unknown-field", "remove it"),
        ("bank.yaml", "    title: Bends", "    title: Bends\n¶    titel: Bends", "unknown-field", "use `title`"),
        (
            "bank.yaml",
            "  - id: floods",
            "¶  - id: bends\n    title: x\n    summary: y\n  - id: floods",
            "twice",
            "keep",
        ),
    ],
)
def test_fields(faults: Checker, tmp_path: Path, name: str, old: str, new: str, code: str, right: str) -> None:
    refused(faults, tmp_path, name, (old, new), code, right)


@pytest.mark.parametrize("field", ["title", "difficulty", "concepts", "sources"])
def test_a_missing_field_is_missed(faults: Checker, tmp_path: Path, field: str) -> None:
    text = RIVERS["questions/bends/oxbow.md"]
    start = text.index(f"{field}:")
    [problem] = faults(bank(tmp_path, {"bends/oxbow": text[:start] + text[text.index("\n", start) + 1 :]}))
    assert (problem.line, problem.code) == (1, "missing-field")
    assert f"`{field}`" in problem.wrong


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("verdict: true", "verdict: yes"),
        ("title: Where a bend is cut", "title: 'Where a bend is cut: #1'"),
        ("title: Where a bend is cut", "title: >-\n  Where a bend\n  is cut"),
        ("[meander]", "[meander, discharge]"),
        ("[meander]", "\n- meander # the only one"),
        ("difficulty: 1", "\n# How hard:\ndifficulty:    1\n"),
        ('"p. 769"', "p. 769, § 2.3 & fig. 4"),
        ('"p. 769"', '"p. 769"\n  - leopold-1960: "p. 770"'),
    ],
)
def test_fields_may_be_written_freely(faults: Checker, tmp_path: Path, old: str, new: str) -> None:
    assert faults(bank(tmp_path, {CLAIM: (old, new)})) == []


# Names that lead somewhere


@pytest.mark.parametrize(
    ("name", "old", "new", "code", "right"),
    [
        (CLAIM, "[meander]", "¶[meandre]", "unknown-concept", "use `meander`"),
        (CLAIM, "[meander]", "\n  - meander\n¶  - lake", "unknown-concept", "use `discharge`, `meander`"),
        (CLAIM, "[meander]", "¶[meander, meander]", "twice", "each once"),
        (CLAIM, "leopold-1960:", "¶leopold-1961:", "unknown-source", "use `leopold-1960`"),
        (CLAIM, "difficulty: 1", "difficulty: 1\n¶requires: [oxbo]", "unknown-id", "use `oxbow`"),
        (CLAIM, "difficulty: 1", "difficulty: 1\nrequires:\n  - levee\n¶  - creek", "unknown-id", "use `"),
        (CLAIM, "difficulty: 1", "difficulty: 1\n¶requires: [outer-bank]", "circle", "drop one of the steps"),
        ("bank.yaml", "trial: outer-bank", "¶trial: oxbow", "unknown-id", "use `outer-bank`, `point-bar`"),
        ("bank.yaml", "trial: outer-bank", "¶trial: creek", "unknown-id", "use `outer-bank`, `point-bar`"),
        ("bank.yaml", "[bends]", "¶[bend]", "unknown-topic", "earlier topics"),
        ("bank.yaml", "[bends]", "\n      - bends\n¶      - floods", "unknown-topic", "earlier topics"),
        (
            "bank.yaml",
            "over its plain.",
            "over its plain.\n¶  - id: deltas\n    title: Deltas\n    summary: Where it ends.",
            "empty-topic",
            "questions/deltas/",
        ),
        ("concepts.yaml", "  name: Discharge", "¶  name: LOOP", "alias", "give it to one of the two"),
        ("concepts.yaml", "  name: Discharge", "¶  name: meander", "alias", "give it to one of the two"),
        ("concepts.yaml", "  name: Discharge", "  name: Flow\n¶  aliases: [flux, Loop]", "alias", "give it to one"),
        ("concepts.yaml", '"loop"]', '\n    "loop",\n¶    "loop"]', "alias", "each alias once"),
        ("concepts.yaml", '["river bend", "loop"]', "¶[Meander]", "alias", "each alias once"),
        ("retired.yaml", "¶- id: creek\n  to: oxbow\n", "", "unknown-id", "use `"),
    ],
)
def test_references(faults: Checker, tmp_path: Path, name: str, old: str, new: str, code: str, right: str) -> None:
    refused(faults, tmp_path, name, (old, new) if new else old, code, right)


def test_references_that_are_right(faults: Checker, tmp_path: Path) -> None:
    changes: dict[str, Change] = {
        CLAIM: ("difficulty: 1", "difficulty: 1\nrequires: [dry-bed, levee]"),
        "concepts.yaml": ('["river bend", "loop"]', '["river bend", "loop", "meandering", "MEANDER bend"]'),
        "ids.txt": RIVERS["ids.txt"] + "creek\nbrook\n",
        "retired.yaml": "- id: creek\n  to: oxbow\n- id: brook\n  to: floods\n",
    }
    assert faults(bank(tmp_path, changes)) == []


@pytest.mark.parametrize(
    ("ids", "retired", "place", "right"),
    [
        ("creek\n", "", ("ids.txt", 7, "vanished-id"), "say in retired.yaml where it leads"),
        ("creek\n", "- id: creek\n  to: brook\n", ("retired.yaml", 2, "unknown-id"), "use `"),
        ("creek\n", "- id: creek\n  to: creek\n", ("retired.yaml", 2, "unknown-id"), "use `"),
        ("", "- id: oxbow\n  to: levee\n", ("retired.yaml", 1, "reused-id"), "another id"),
        ("", "- to: levee\n  id: creek\n", ("retired.yaml", 2, "unknown-id"), "use `"),
        ("creek\n", "- id: creek\n  to: levee\n- id: creek\n  to: oxbow\n", ("retired.yaml", 3, "twice"), "keep"),
        ("Creek 1\n", "", ("ids.txt", 7, "vanished-id"), "bring its file back"),
    ],
)
def test_the_ledger(
    faults: Checker, tmp_path: Path, ids: str, retired: str, place: tuple[str, int, str], right: str
) -> None:
    changes: dict[str, Change] = {"ids.txt": RIVERS["ids.txt"] + ids}
    problems = faults(bank(tmp_path, changes | ({"retired.yaml": retired} if retired else {})))
    assert places(problems) == [place]
    assert right in problems[0].right


def test_two_files_of_one_name_are_one_too_many(faults: Checker, tmp_path: Path) -> None:
    [problem] = faults(bank(tmp_path, {"floods/oxbow": RIVERS["questions/bends/oxbow.md"]}))
    assert (problem.path, problem.line, problem.code) == ("questions/floods/oxbow.md", 1, "twice")
    assert "questions/bends/oxbow.md" in problem.wrong
    assert "rename" in problem.right


def test_every_circle_is_found_in_one_run(faults: Checker, tmp_path: Path) -> None:
    problems = faults(
        bank(
            tmp_path,
            {
                CLAIM: ("difficulty: 1", "difficulty: 1\nrequires: [point-bar]"),
                "floods/levee": ("difficulty: 3", "difficulty: 3\nrequires: [outer-bank, dry-bed]"),
                "floods/dry-bed": ("difficulty: 3", "difficulty: 3\nrequires: [discharge, levee]"),
                "floods/discharge": ("difficulty: 2", "difficulty: 2\nrequires: [dry-bed]"),
            },
        )
    )
    assert {problem.code for problem in problems} == {"circle"}
    told = sorted("".join(sorted(set(problem.wrong.partition(": ")[2].split(" → ")))) for problem in problems)
    assert told == ["discharge" + "dry-bed", "dry-bed" + "levee", "outer-bank" + "point-bar"]


# Titles


@pytest.mark.parametrize(
    ("title", "right"),
    [
        ("The $Q$ of a canal", "no TeX"),
        ("The `Q` of a canal", "no markup"),
        ("A *wide* bend", "no markup"),
        ("A _wide_ bend", "no markup"),
        ("A [bend](https://example.org)", "no markup"),
        ("A bend <b>", "no markup"),
        ("A bend &amp; a lake", "no markup"),
        ("A bend {#a}", "no markup"),
        ("|\n  A bend\n  of a river", "no markup"),
        ("Why the outer bank is wrong", "leave the verdict open"),
        ("A river does not stand still", "leave the verdict open"),
        ("A river doesn't stand still", "leave the verdict open"),
        ("A river doesn’t stand still", "leave the verdict open"),
        ("A river cannot stand still", "leave the verdict open"),
        ("A MYTH of rivers", "leave the verdict open"),
        ("A " + "very " * 12 + "long title", "at most 70"),
        ("where SAND comes to rest", "tell the two apart"),
    ],
)
def test_titles_are_refused(faults: Checker, tmp_path: Path, title: str, right: str) -> None:
    quoted = title if title.startswith("|") else f'"{title}"'
    name = "floods/levee" if title.startswith("where") else CLAIM
    old = "title: A wall beside the water" if name == "floods/levee" else "title: Where a bend is cut"
    refused(faults, tmp_path, name, (old, f"¶title: {quoted}"), "title", right)


@pytest.mark.parametrize(
    "title",
    ["x" * 70, "Rivers & lakes: 3 of them (at 4 °C)", "Notable errors of rivers", "Rights of way", "C#", "100% sand"],
)
def test_titles_are_accepted(faults: Checker, tmp_path: Path, title: str) -> None:
    assert faults(bank(tmp_path, {CLAIM: ("title: Where a bend is cut", f'title: "{title}"')})) == []


@pytest.mark.parametrize(
    ("name", "old", "new", "code", "right"),
    [
        ("bank.yaml", "title: Riverbook", "¶title: The *Riverbook*", "title", "no markup"),
        ("bank.yaml", "headline: Know", "¶headline: $x$ Know", "title", "no TeX"),
        ("bank.yaml", "lead: Short", "¶lead: $x$ Short", "tex", "say it in words"),
        ("bank.yaml", "    title: Bends", "¶    title: <i>Bends</i>", "title", "no markup"),
        ("bank.yaml", "    summary: Why", "¶    summary: At $5, why", "tex", "say it in words"),
        ("concepts.yaml", "  name: Discharge", "¶  name: The `Q`", "title", "no markup"),
        ("concepts.yaml", '"loop"', '\n¶    "$l$"', "tex", "say it in words"),
        ("sources.yaml", "  cite: Leopold", "¶  cite: '[1] Leopold", "title", "no markup"),
        ("sources.yaml", "  title: River", "¶  title: $n$ River", "tex", "say it in words"),
        (CLAIM, '  - leopold-1960: "p. 769"', "¶  - leopold-1960: eq. $3$", "tex", "say it in words"),
    ],
)
def test_names_and_summaries_are_plain(
    faults: Checker, tmp_path: Path, name: str, old: str, new: str, code: str, right: str
) -> None:
    change = (old, new, "(1960)", "(1960)'") if "cite" in new else (old, new)
    refused(faults, tmp_path, name, change, code, right)


def test_names_from_code_may_hold_underscores(faults: Checker, tmp_path: Path) -> None:
    assert faults(bank(tmp_path, {"concepts.yaml": ("  name: Discharge", "  name: mean_flow")})) == []


# Markdown that comes out otherwise


@pytest.mark.parametrize(
    ("markdown", "code", "right"),
    [
        ("A ¶<quiz> here", "quiz", "the page adds the quiz"),
        ("A ¶</quiz> here", "quiz", "the page adds the quiz"),
        ("Code ¶`<quiz>` here", "quiz", "another way"),
        ("```\n¶</quiz>\n```", "quiz", "another way"),
        ("See ¶<?quiz?> here", "quiz", "another way"),
        ("See ¶MKDOCS_QUIZ here", "quiz", "another way"),
        ("A ¶<!-- comment", "html", "between backticks"),
        ("An arrow a¶-->b", "html", "between backticks"),
        ("A ¶<b class=x>bend</b>", "html", "between backticks"),
        ("A ¶</div> here", "html", "between backticks"),
        ("Where a¶<b holds", "html", "between backticks"),
        ("See ¶<https://example.org>", "link", "[text](address)"),
        ("A bend¶[^1]", "footnote", "say it in the text"),
        ("A ¶![bend](https://example.org/a.png)", "image", "say it in words"),
        ("¶[bend]: https://example.org", "reference", "[text](address)"),
        ("A ¶[bend][a]", "reference", "[text](address)"),
        ("A ¶[bend][]", "reference", "[text](address)"),
        ("In ¶a[0][1]", "reference", "[text](address)"),
        ("¶*[Q]: discharge", "reference", "spell it out"),
        ("Heading\n¶---", "section", "no line at all"),
        ("Heading\n¶==", "section", "no line at all"),
        ("`code`\n¶===", "section", "no line at all"),
        ("¶---", "rule", "leave it out"),
        ("¶* * *", "rule", "leave it out"),
        ("¶_____", "rule", "leave it out"),
        ("¶- [ ] one", "choices", "`## Choices`"),
        ("¶* [x] one", "choices", "`## Choices`"),
        ("¶!!! note", "block", "plain Markdown"),
        ("¶??? note", "block", "plain Markdown"),
        ('¶--8<-- "a.md"', "block", "plain Markdown"),
        ('¶=== "tab"', "block", "plain Markdown"),
        ("¶/// note", "block", "plain Markdown"),
        ("A ¶[bend](bend.md)", "link", "[words](https://…)"),
        ("A ¶[bend](http://example.org)", "link", "[words](https://…)"),
        ("A ¶[bend](https://exa\nmple.org)", "link", "[words](https://…)"),
        ("A ¶[bend](javascript:alert)", "link", "[words](https://…)"),
        ("A ¶[bend](#creek)", "link", "the id of one"),
        ("A ¶[bend](#)", "link", "the id of one"),
        ("A lone ¶` here", "code", r"write \` for the sign"),
        ("A lone ¶``x` here", "code", r"write \` for the sign"),
        ("¶`code`{1, 2}", "attributes", "between backticks"),
        ("**¶a**{.b}", "attributes", "between backticks"),
        ("text\n¶{#a}", "attributes", "between backticks"),
        ("| a |\n|---|\n¶| b {c} |", "attributes", "between backticks"),
        (r"A flow of 2 ¶\cdot 3", "tex", "between `$`"),
        (r"A flow of ¶\(2 x\)", "tex", "between `$`"),
        ("It carries 10¶^9 grains", "tex", "between `$`"),
        ("It carries x¶^{2} grains", "tex", "between `$`"),
        ("It costs ¶$5 in all", "tex", r"`\$` for the sign"),
        ("Text\n\n¶```\ncode", "fence", "end it with a line ```"),
        ("¶````\ncode\n```", "fence", "end it with a line ````"),
        ("¶```\ncode\n````", "fence", "end it with a line ```"),
        ("¶~~~", "fence", "end it with a line ~~~"),
        ("Text\n¶- one\n- two", "layout", "an empty line before the list"),
        ("Text\n¶1. one", "layout", "an empty line before the list"),
        ("- one\n\nText `code`\n¶- two", "layout", "an empty line before the list"),
        ("- one\n¶  - two", "layout", "four spaces"),
        ("¶ - one", "layout", "none for another"),
        ("- one\n\n¶  more of it", "layout", "four spaces to go on"),
        ("¶3. three\n4. four", "layout", "begin at 1"),
        ("¶    code", "layout", "three backticks"),
        ("Text\n\n¶\tcode", "layout", "three backticks"),
        ("Text\n| a | b |\n¶|---|---|\n| c | d |", "layout", "an empty line before the table"),
    ],
)
def test_markup_is_refused(faults: Checker, tmp_path: Path, markdown: str, code: str, right: str) -> None:
    """In the prompt, and as the last thing in the file."""
    refused(faults, tmp_path / "prompt", CLAIM, (PROMPT, f"{PROMPT}\n\n{markdown}"), code, right)
    refused(faults, tmp_path / "hint", CLAIM, ("Where does a boat drift to?\n", f"See:\n\n{markdown}\n"), code, right)


@pytest.mark.parametrize(
    "markdown",
    [
        "Inline `<quiz >`, `<b>`, `<!-- -->`, `[^1]`, `![a](b)`, `[a][b]`, `{.a}`, `$x`, `](#creek)`.",
        "```html\n<b>[a][b] [^1] $5\n---\n- [ ] box\n!!! note\n  indented\n[a](#creek)\n```",
        "~~~\n```\n~~~",
        "In $a < b$, $a[0][1]$, $x^{[^1]}$ and $\\{1, 2\\}$",
        "$$\na\n\n  - b\n--- c\n$$",
        "1 < 2, a -> b, x <- y and 3 > 2",
        'A [bend](https://example.org/a_(b) "a bend") and [another](#oxbow)',
        "A [text] in brackets, a set {1, 2}, an array a[0], and 2 ^ 3 \\(in code)",
        "Text --- with a dash",
        "- one\n- two\n    - deep\n\n    more of two\n\n- three\n\nText\n\n* four\n+ five",
        "1. one\n2. two\n\n    ```\n    code\n    ```\n\n3. three",
        "Years: 1959,\n1960. Then more",
        "| a | b |\n|:--|---|\n| c | `{d}` |",
        "> a quotation\n> of two lines",
        "An escaped \\` backtick and an escaped \\$ sign",
        "Text over\n    two lines",
        "**bold** and *slanted*\n\n**Bold** begins this",
    ],
)
def test_markup_is_accepted(faults: Checker, tmp_path: Path, markdown: str) -> None:
    text = f"{PROMPT}\n\n{markdown}"
    hint = f"See:\n\n{markdown}\n"
    changes = (PROMPT, text, "Where does a boat drift to?\n", hint)
    assert faults(bank(tmp_path, {CLAIM: changes})) == []


@pytest.mark.parametrize(
    ("name", "old", "new", "code"),
    [
        (CLAIM, "fastest water runs along", "¶fastest <b>water</b> runs along", "html"),
        (CLAIM, "On bare rock", "¶[^1] On bare rock", "footnote"),
        (CLAIM, "- The outer", "¶- <b>The outer", "html"),
        (CLAIM, "bank is cut", "bank is cut\n¶  by <b>", "html"),
        ("bends/point-bar", "Sand that a stream picks up at one shore settles on", "¶Sand <b> settles on", "html"),
        ("floods/discharge", "- [ ] 5 cubic", "¶- [ ] <b>5 cubic", "html"),
        ("floods/discharge", "  > The section times the speed,\n", "  > The section\n¶  > <b>times,\n", "html"),
        ("concepts.yaml", "  definition: A bend", "¶  definition: A <b>bend", "html"),
        ("concepts.yaml", "  definition: A bend", "¶  definition: A [bend](#creek)", "link"),
        ("concepts.yaml", "  definition: A bend", "¶  definition: A $5 bend", "tex"),
        ("concepts.yaml", "  definition: >-\n", "¶  definition: >-\n    See [^1].\n", "footnote"),
    ],
)
def test_markup_is_refused_wherever_an_author_writes_it(
    faults: Checker, tmp_path: Path, name: str, old: str, new: str, code: str
) -> None:
    refused(faults, tmp_path, name, (old, new), code, "")


def test_every_fault_of_a_text_is_told_once(faults: Checker, tmp_path: Path) -> None:
    markdown = "A <quiz> and [^1]\n<b> and `<quiz>`\nover $5\n\n---\n\n- [ ] one"
    root = bank(tmp_path, {CLAIM: (PROMPT, markdown)})
    assert [(problem.line, problem.code) for problem in faults(root)] == [
        (10, "footnote"),
        (10, "quiz"),
        (11, "html"),
        (11, "quiz"),
        (12, "tex"),
        (14, "rule"),
        (16, "choices"),
    ]


# Formulas


REFUSED = [r"\bogus", r"{a", r"a}", r"\frac{1}", r"\left(a", r"\begin{cases}a", r"\text{日}", r"a^b^c"]


def test_tex_that_mathjax_refuses(faults: Checker, tmp_path: Path) -> None:
    root = bank(tmp_path, {CLAIM: (PROMPT, "\n".join(f"`x` of ${tex}$" for tex in REFUSED))})
    problems = faults(root)
    assert places(problems) == [("questions/bends/outer-bank.md", 10 + i, "tex") for i in range(len(REFUSED))]
    assert all(f"`{tex}`" in problem.wrong for tex, problem in zip(REFUSED, problems, strict=True))


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        (CLAIM, "fastest water runs along", "fastest\n¶$\\bogus$ water runs along"),
        (CLAIM, "On bare rock", "\n\n```\n$\\code$\n```\n\n¶$\\bogus$ on bare rock"),
        (CLAIM, "On bare rock", "\n\n¶$$\n\\bogus\n$$\n\nOn bare rock"),
        (CLAIM, "bank is cut", "bank\n¶  $\\bogus$ is cut"),
        (CLAIM, "Where does a boat", "Where\n¶does $\\bogus$ a boat"),
        ("bends/point-bar", "settles on the inner side of a bend further", "settles\n¶in $\\bogus$ further"),
        ("floods/discharge", "- [ ] 5 cubic", "- [ ]\n¶  $\\bogus$ cubic"),
        ("floods/discharge", "  > $Q = A v$.", "¶  > $\\bogus$."),
        ("floods/discharge", "  > That leaves out", "  >\n  > That\n¶  $\\bogus$ leaves out"),
        ("concepts.yaml", "  definition: A bend", "¶  definition: A $\\bogus$ bend"),
        ("concepts.yaml", "  definition: >-\n", "¶  definition: >-\n    $\\bogus$\n"),
    ],
)
def test_tex_is_refused_on_its_line(faults: Checker, tmp_path: Path, name: str, old: str, new: str) -> None:
    refused(faults, tmp_path, name, (old, new), "tex", "MathJax knows")


def test_a_refused_formula_is_told_wherever_it_stands(faults: Checker, tmp_path: Path) -> None:
    root = bank(tmp_path, {CLAIM: (PROMPT, "Of $\\bogus$\n$\\bogus$"), "floods/levee": ("A town", "A $\\bogus$ town")})
    assert places(faults(root)) == [
        ("questions/bends/outer-bank.md", 10, "tex"),
        ("questions/bends/outer-bank.md", 11, "tex"),
        ("questions/floods/levee.md", 9, "tex"),
    ]


def test_tex_that_mathjax_accepts(faults: Checker, tmp_path: Path) -> None:
    accepted = [
        r"\tfrac{N-1}{N}\cdot\frac{S}{B}",
        r"10\,\mu\text{s}",
        r"x \le \Psi^{\top}_{\text{a b}}",
        r"50\%",
        r"\$5",
    ]
    prompt = "\n".join(f"${tex}$ and $${tex}$$ and\n" for tex in [*accepted, "a\n+ b"])
    assert faults(bank(tmp_path, {CLAIM: (PROMPT, prompt + "so on.")})) == []


# Prompts that say the same


LONG = (
    "A river of twenty metres leaves the hills and crosses a plain of loose sand on its way to the sea, with a slope "
    "of one metre in a kilometre. Its floods come in spring, and between them it stays in its bed. Where do its "
    "banks move?"
)


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (LONG, True),
        (LONG.upper(), True),
        (LONG.replace(" ", "\n"), True),
        (LONG.replace("twenty", "thirty"), True),
        (LONG.replace("Where do its banks move?", "Which of its banks move?"), True),
        ("Note. " + LONG, True),
        (LONG.partition(". ")[2], False),
        (" ".join(reversed(LONG.split())), False),
        (LONG.replace("on its way to the sea, with a slope of one metre in a kilometre", "towards a lake"), False),
        ("What does a river do on a plain?", False),
    ],
)
def test_near_duplicates(faults: Checker, tmp_path: Path, other: str, same: bool) -> None:
    changes: dict[str, Change] = {
        "bends/oxbow": ("Why does a loop end as a lake beside the river?", LONG),
        "floods/dry-bed": (RIVERS["questions/floods/dry-bed.md"].split("---\n")[2].partition("\n\n")[0], other),
    }
    problems = faults(bank(tmp_path, changes))
    expected = [("questions/floods/dry-bed.md", 9, "duplicate")]
    assert places(problems) == (expected if same else [])
    assert all("questions/bends/oxbow.md:9" in problem.wrong for problem in problems)


def test_short_prompts_are_compared_as_a_whole(faults: Checker, tmp_path: Path) -> None:
    changes: dict[str, Change] = {
        "bends/oxbow": ("Why does a loop end as a lake beside the river?", "Why lakes?"),
        "floods/dry-bed": (RIVERS["questions/floods/dry-bed.md"].split("---\n")[2].partition("\n\n")[0], "Why lakes?"),
    }
    assert [problem.code for problem in faults(bank(tmp_path / "same", changes))] == ["duplicate"]
    changes["bends/oxbow"] = ("Why does a loop end as a lake beside the river?", "Why loops?")
    assert faults(bank(tmp_path / "other", changes)) == []


# Wording


@pytest.mark.parametrize(
    "prompt",
    [
        "A river does ¶NOT stand still.",
        "¶Which of these rivers is not a stream?",
        "¶Which of these\nrivers doesn't run?",
        "¶Which of these rivers doesn’t run?",
        "A delta is flat. ¶Which deltas cannot grow?",
        "It holds for ¶all of the above.",
        "It holds for ¶none of\nthe above.",
    ],
)
def test_stems_are_refused(faults: Checker, tmp_path: Path, prompt: str) -> None:
    refused(faults, tmp_path, CLAIM, (PROMPT, prompt), "stem", "ask for what holds")


def test_stems_are_refused_in_choices(faults: Checker, tmp_path: Path) -> None:
    change = ("- [ ] 5 cubic metres", "¶- [ ] None of the above")
    refused(faults, tmp_path, "floods/discharge", change, "stem", "ask for what holds")


@pytest.mark.parametrize(
    "prompt",
    [
        "A river, which is not a canal, cuts its outer bank.",
        "What does a bank which cannot move do to a river?",
        "Which river is not far from here is plain to see.",
        "Which rivers run? A canal does not.",
        "The gate `NOT` inverts a bit.",
        "All of the sand above the bend comes to rest.",
        "The notion of a NOTE.",
    ],
)
def test_stems_are_accepted(faults: Checker, tmp_path: Path, prompt: str) -> None:
    assert faults(bank(tmp_path, {CLAIM: (PROMPT, prompt)})) == []


@pytest.mark.parametrize(
    ("answer", "sentences"),
    [
        ("True: it does.", 1),
        ("True: it moves at 0.5 m/s, i.e. 1.8 km/h, as in Fig. 3 of Leopold et al. (1960) vs. No. 7.", 1),
        ("True: rivers, lakes, etc. Of these most.", 1),
        ("True: e.g. `Q.` and $A.$ stay", 1),
        ("True: it is called “a bend.”", 1),
        ("True: it does. It really does.", 2),
        ("True: it does! `Q` stays.", 2),
        ("True: it does. $Q$ stays.", 2),
        ("True: it is $Q$. So much.", 2),
        ("True: it is (so.) It is.", 2),
        ("True: it does. **It** does.", 2),
        ("True: it does.\nIt does.", 2),
        ("True: it does\n\nand does", 2),
    ],
)
def test_an_answer_is_one_sentence(faults: Checker, tmp_path: Path, answer: str, sentences: int) -> None:
    change = ("True: the fastest water runs along the outer bank.", "¶" + answer)
    if sentences > 1:
        refused(faults, tmp_path, CLAIM, change, "length", "stands alone")
    else:
        assert faults(bank(tmp_path, {CLAIM: (change[0], answer)})) == []


@pytest.mark.parametrize(
    ("explanation", "words"),
    [
        ("word " * 60, 60),
        ("word " * 59, 59),
        ("word " * 250, 250),
        ("word " * 251, 251),
        ("word " * 59 + "$Q = A v$", 60),
        ("word " * 58 + "`a b c`", 59),
        ("word " * 58 + "$Q = A v$ $11$", 60),
        ("word " * 59 + "\n\n```\nmany words in a fence\n```", 59),
        ("well-known " * 60, 60),
        ("word - " * 60, 60),
        ("3.14 " * 60, 60),
    ],
)
def test_an_explanation_has_60_to_250_words(faults: Checker, tmp_path: Path, explanation: str, words: int) -> None:
    if 60 <= words <= 250:
        assert faults(bank(tmp_path, {CLAIM: (EXPLANATION, explanation)})) == []
    else:
        root, path, line = marked(tmp_path, CLAIM, (EXPLANATION, "¶" + explanation))
        [problem] = faults(root)
        assert (problem.path, problem.line, problem.code) == (path, line, "length")
        assert f"{words} words" in problem.wrong
        assert "60 to 250" in problem.right


# Verdicts


@pytest.mark.parametrize(
    ("name", "old", "new", "right"),
    [
        (CLAIM, "## Answer\nTrue: ", "¶## Answer\nFalse: ", "begin with `True: `"),
        (CLAIM, "## Answer\nTrue: ", "¶## Answer\nTrue, ", "begin with `True: `"),
        (CLAIM, "## Answer\nTrue: ", "¶## Answer\n**True:** ", "begin with `True: `"),
        ("bends/point-bar", "## Answer\nFalse: ", "¶## Answer\nIt is false: ", "begin with `False: `"),
        (CLAIM, "## Points", "¶## Corrected\nIt does.\n\n## Points", "remove the section"),
    ],
)
def test_verdicts(faults: Checker, tmp_path: Path, name: str, old: str, new: str, right: str) -> None:
    refused(faults, tmp_path, name, (old, new), "verdict", right)


def test_a_false_claim_is_made_true(faults: Checker, tmp_path: Path) -> None:
    text = RIVERS["questions/bends/point-bar.md"]
    start, end = text.index("## Corrected"), text.index("## Points")
    [problem] = faults(bank(tmp_path / "claim", {"bends/point-bar": text[:start] + text[end:]}))
    assert (problem.line, problem.code) == (4, "verdict")
    text = RIVERS["questions/floods/levee.md"]
    start, end = text.index("## Corrected"), text.index("## Points")
    [problem] = faults(bank(tmp_path / "error", {"floods/levee": text[:start] + text[end:]}))
    assert (problem.line, problem.code) == (1, "missing-section")


# What tells the verdict


def claims(prompts: list[tuple[str, bool]]) -> dict[str, Change]:
    """A bank of these claims alone, in one topic."""
    changes: dict[str, Change] = {name: None for name in RIVERS if name.startswith("questions/")}
    ids = [f"claim-{chr(ord('a') + i)}" for i in range(len(prompts))]
    for name, (prompt, verdict) in zip(ids, prompts, strict=True):
        changes[f"questions/bends/{name}.md"] = claim(prompt, verdict, f"The matter of {name}")
    floods = RIVERS["bank.yaml"].index("  - id: floods")
    changes["bank.yaml"] = RIVERS["bank.yaml"][:floods].replace("outer-bank", ids[0])
    changes["ids.txt"] = "\n".join(ids) + "\n"
    return changes


SUBJECTS = ["Granite", "Chalk", "Loess", "Peat", "Gravel", "Clay", "Basalt", "Marl", "Slate", "Loam", "Gneiss", "Tuff"]


def twelve(of_true: str, of_false: str, kept: int = 0) -> list[tuple[str, bool]]:
    """Twelve claims, half of them true, one pattern for the true and one for the false; `kept` of each swap theirs."""
    made = []
    for i, subject in enumerate(SUBJECTS):
        verdict = i % 2 == 0
        pattern = of_true if verdict != (i // 2 < kept) else of_false
        # Words of its own keep a claim from being like another.
        own = " ".join(f"{subject.lower()}{n}" for n in range(6))
        made.append((pattern.format(subject, own), verdict))
    return made


PLAIN = "{} holds water with {}."


@pytest.mark.parametrize(
    ("pattern", "cue"),
    [
        ("{} always holds water with {}.", "an absolute"),
        ("{} holds water with {} only.", "an absolute"),
        ("{} holds ALL water with {}.", "an absolute"),
        ("{} holds no water with {}.", "a negation"),
        ("{} doesn't hold water with {}.", "a negation"),
        ("{} doesn’t hold water with {}.", "a negation"),
        ("{} cannot hold water with {}.", "a negation"),
        ("{} may hold water with {}.", "a hedge"),
        ("{} usually holds water with {}.", "a hedge"),
        ("{} holds water for days in the cold months of the year with {}.", "words"),
    ],
)
@pytest.mark.parametrize("verdict", [True, False])
def test_a_cue_that_tells_the_verdict_is_refused(
    faults: Checker, tmp_path: Path, pattern: str, cue: str, verdict: bool
) -> None:
    pair = (pattern, PLAIN) if verdict else (PLAIN, pattern)
    problems = faults(bank(tmp_path, claims(twelve(*pair))))
    told = [problem for problem in problems if cue in problem.wrong]
    assert {problem.code for problem in problems} == {"cue"}
    assert len(told) == 1
    assert "some true and some false" in told[0].right
    # The example is a claim that holds the cue and has the verdict that it tells.
    name = "claim-a" if verdict else "claim-b"
    assert told[0].path == f"questions/bends/{name}.md"
    assert ("6 of 6" if verdict else "0 of 6") in told[0].wrong


@pytest.mark.parametrize("pattern", ["{} always holds water with {}.", "{} holds no water with {}.", "{} may hold {}."])
def test_a_cue_in_true_and_false_claims_alike_is_accepted(faults: Checker, tmp_path: Path, pattern: str) -> None:
    assert faults(bank(tmp_path, claims(twelve(pattern, PLAIN, kept=2)))) == []


@pytest.mark.parametrize(
    "pattern",
    [
        "{} holds `always` water with {}.",
        "{} holds water, $not$ less, with {}.",
        "{} allows water with {}.",
        "{} is an all-weather ground with {}.",
    ],
)
def test_what_only_looks_like_a_cue_is_none(faults: Checker, tmp_path: Path, pattern: str) -> None:
    told = [problem.wrong for problem in faults(bank(tmp_path, claims(twelve(pattern, PLAIN))))]
    assert all("words" in wrong for wrong in told)


@pytest.mark.parametrize(
    ("true", "of", "accepted"),
    [
        *((0, 1, True), (1, 1, True), (0, 2, False), (1, 2, True), (2, 2, False), (0, 3, False), (1, 3, True)),
        *((2, 3, True), (3, 3, False), (1, 4, False), (2, 4, True), (2, 5, True), (1, 5, False), (4, 10, True)),
        *((6, 10, True), (3, 10, False), (7, 10, False)),
    ],
)
def test_half_of_the_claims_of_a_topic_are_true(
    faults: Checker, tmp_path: Path, true: int, of: int, accepted: bool
) -> None:
    made = [(prompt, i < true) for i, (prompt, _) in enumerate(twelve(PLAIN, PLAIN)[:of])]
    problems = faults(bank(tmp_path, claims(made)))
    if accepted:
        assert problems == []
    else:
        [problem] = problems
        first = "claim-a" if true > of / 2 else f"claim-{chr(ord('a') + true)}"
        assert (problem.path, problem.line, problem.code) == (f"questions/bends/{first}.md", 4, "balance")
        assert f"{true} of the {of} " in problem.wrong
        assert "40 to 60%" in problem.right


@pytest.mark.parametrize(("old", "code"), [("verdict: true", "value"), ("kind: true-false", "kind")])
def test_a_claim_that_can_not_be_read_leaves_its_topic_unjudged(
    faults: Checker, tmp_path: Path, old: str, code: str
) -> None:
    changes = claims([(prompt, i < 2) for i, (prompt, _) in enumerate(twelve(PLAIN, PLAIN)[:5])])
    text = changes["questions/bends/claim-b.md"]
    assert isinstance(text, str)
    changes["questions/bends/claim-b.md"] = text.replace(old, old.partition(" ")[0] + " 7")
    assert [problem.code for problem in faults(bank(tmp_path, changes))] == [code]


def test_each_topic_is_balanced_by_itself(faults: Checker, tmp_path: Path) -> None:
    second = claim("A flood digs up the bed of the canal.", True, "What a flood digs")
    third = claim("Reeds slow the water down in summer.", True, "What reeds do")
    problems = faults(bank(tmp_path, {"floods/digs": second, "floods/reeds": third}))
    assert places(problems) == [("questions/floods/digs.md", 4, "balance")]
