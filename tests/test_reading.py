"""From files to the model: the line of everything, and a problem for whatever can't be read."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from studybank.kinds.compute import Compute
from studybank.model import Text
from studybank.pages import Pages
from studybank.problems import BankError
from studybank.reading import read_bank
from studybank.rules import broken
from tests.banks import (
    BANK,
    CONCEPTS,
    OUTER_BANK,
    OXBOW,
    RIVERS,
    Change,
    Checker,
    bank,
    file_of,
    line_of,
    marked,
    places,
)
from tests.mangling import mangled

RETIRED = "- id: creek\n  to: oxbow\n"
CLAIM = "questions/bends/outer-bank.md"


# Bytes and YAML


@pytest.mark.parametrize(
    "content",
    [
        OUTER_BANK.replace("\n", "\r\n").encode(),
        OUTER_BANK.replace("\n", "\r").encode(),
        b"\xef\xbb\xbf" + OUTER_BANK.encode(),
        OUTER_BANK.rstrip("\n").encode(),
        OUTER_BANK.replace("---\n", "--- \t\n").encode(),
        OUTER_BANK.replace("\n## ", "\n\n\n## ").encode(),
        OUTER_BANK.replace("## Answer\n", "##  Answer \t\n\n").encode(),
    ],
    ids=["CRLF", "CR", "byte order mark", "no newline at the end", "space behind the marks", "blank lines", "spaces"],
)
def test_how_an_editor_saves_a_file_makes_no_difference(faults: Checker, tmp_path: Path, content: bytes) -> None:
    assert faults(bank(tmp_path, {"bends/outer-bank": content})) == []


@pytest.mark.parametrize("end", [b"\r\n", b"\r"])
def test_a_whole_bank_may_be_saved_so(faults: Checker, tmp_path: Path, end: bytes) -> None:
    saved = {name: b"\xef\xbb\xbf" + text.encode().replace(b"\n", end) for name, text in RIVERS.items()}
    assert faults(bank(tmp_path, saved)) == []


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_counted_the_same_for_every_line_end(faults: Checker, tmp_path: Path, end: str) -> None:
    text = OUTER_BANK.replace("- The outer bank", "- The $\\outer$ bank")
    root = bank(tmp_path, {"bends/outer-bank": text.replace("\n", end).encode()})
    line = text.split("\n").index("- The $\\outer$ bank is cut") + 1
    assert places(faults(root)) == [(CLAIM, line, "tex")]


@pytest.mark.parametrize(("before", "line"), [(b"", 1), (b"---\n", 2), (b"\xef\xbb\xbf\n", 2), (b"a\r\nb\r", 3)])
def test_a_byte_that_is_not_utf_8_is_found_on_its_line(
    faults: Checker, tmp_path: Path, before: bytes, line: int
) -> None:
    root = bank(tmp_path, {"bends/oxbow": before + b"\xff rest \xfe"})
    assert places(faults(root)) == [("questions/bends/oxbow.md", line, "encoding")]


@pytest.mark.parametrize(
    "character", ["\x00", "\x02", "\x1b", "\x85", "\u200b", "\u2028", "\u202e", "\ufeff", "\ue000"]
)
@pytest.mark.parametrize("piece", ["Where a bend", "fastest water runs along", "still in backticks"])
def test_invisible_characters_are_refused_anywhere(faults: Checker, tmp_path: Path, piece: str, character: str) -> None:
    text = OUTER_BANK.replace("Where does a boat", "`still in backticks` Where does a boat")
    broken = text.replace(piece, piece[:3] + character + piece[3:])
    [problem] = faults(bank(tmp_path, {"bends/outer-bank": broken}))
    line = next(number for number, row in enumerate(text.split("\n"), 1) if piece in row)
    assert (problem.path, problem.line, problem.code) == (CLAIM, line, "character")
    assert f"U+{ord(character):04X}" in problem.wrong


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ("title: Where a", "title: Where: a", "title"),
        ("title: Where a", "title: 'Where a", "title"),
        ("title: Where a", "title: @Where a", "title"),
        ("title: Where a", "\ttitle: Where a", "title"),
        ("title: Where", "title: Wh\n ere\nloose words\nnote: x", "loose words"),
        ("[meander]", "[meander", "[meander"),
        ("[meander]", "{meander", "{meander"),
        ("[meander]", "&a [*a]", "concepts"),
        ("[meander]", "*nowhere", "concepts"),
        ("[meander]", "&a [meander]\nrequires: *a", "requires"),
        ("[meander]", "[" * 500 + "]" * 500, "concepts"),
        ("[meander]", "[" * 5000 + "]" * 5000, "concepts"),
        ("difficulty: 1", "difficulty: !!int ''", "difficulty"),
        ("difficulty: 1", "difficulty: !!bool x", "difficulty"),
        ("difficulty: 1", "difficulty: !!timestamp x", "difficulty"),
        ("difficulty: 1", "difficulty: !!python/name:os.system x", "difficulty"),
        ("difficulty: 1", "difficulty: !mine x", "difficulty"),
        ("difficulty: 1", "difficulty: 2024-13-45", "difficulty"),
        ("difficulty: 1", "difficulty: " + "9" * 5000, "difficulty"),
        ("difficulty: 1", "difficulty: =", "difficulty"),
        ("difficulty: 1", "? [difficulty]\n: 1", "? [difficulty]"),
        ("difficulty: 1", "difficulty: 1\n--- # another", "--- #"),
    ],
)
def test_what_is_not_yaml_is_found_on_its_line(faults: Checker, tmp_path: Path, old: str, new: str, where: str) -> None:
    root = bank(tmp_path, {"bends/outer-bank": (old, new)})
    assert places(faults(root)) == [(CLAIM, line_of(root, "bends/outer-bank", where), "yaml")]


@pytest.mark.parametrize("name", ["concepts.yaml", "sources.yaml", "bank.yaml"])
def test_what_is_not_yaml_in_a_file_of_the_bank(faults: Checker, tmp_path: Path, name: str) -> None:
    root = bank(tmp_path, {name: b"\n- a: [b\n"})
    assert places(faults(root)) == [(name, 2, "yaml")]


def test_a_billion_laughs_are_not_laughed(faults: Checker, tmp_path: Path) -> None:
    laughs = "".join(f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 9) if i else 'ha'}]\n" for i in range(12))
    root = bank(tmp_path, {"bends/oxbow": "---\n" + laughs + "---\nHa?\n"})
    assert places(faults(root)) == [("questions/bends/oxbow.md", 3, "yaml")]


@pytest.mark.parametrize("name", ["1", "~", "true", "<<", "path", "lines", "2024-01-01"])
@pytest.mark.parametrize(
    ("file", "old"),
    [
        ("bends/outer-bank", "difficulty: 1"),
        ("concepts.yaml", "  name: Meander"),
        ("sources.yaml", "  year: 1960"),
        ("bank.yaml", "subject: rivers"),
        ("bank.yaml", "    title: Bends"),
    ],
)
def test_odd_names_are_unknown_fields(faults: Checker, tmp_path: Path, file: str, old: str, name: str) -> None:
    indent = old[: len(old) - len(old.lstrip())]
    root = bank(tmp_path, {file: (old, f"{old}\n{indent}{name}: {{id: x}}")})
    [problem] = faults(root)
    line = line_of(root, file, f"{indent}{name}: {{")
    assert (problem.line, problem.code) == (line, "unknown-field")
    assert f"`{name}`" in problem.wrong


# Mangled files


def test_no_file_ends_in_a_traceback(tmp_path: Path) -> None:
    """Whatever happens to a file: its pages can be written, or its faults are told, each on one line."""
    valid = {
        name: text.encode()
        for name, text in {**RIVERS, "ids.txt": RIVERS["ids.txt"] + "creek\n", "retired.yaml": RETIRED}.items()
    }
    root = bank(tmp_path, valid)
    accepted = 0
    for seed in range(120):
        chance = Random(seed)
        name = chance.choice(sorted(valid))
        content = mangled(valid[name], chance)
        (root / name).write_bytes(content)
        try:
            read, problems = read_bank(root)
            problems += broken(read)
        except BankError as error:
            problems = error.problems
        for problem in problems:
            assert Path(problem.path).is_relative_to(root), (seed, problem)
            assert problem.line >= 1, (seed, problem)
            assert "\n" not in str(problem), (seed, problem)
            if problem.path == str(root / name):
                assert problem.line <= len(content.splitlines()) + 1, (seed, problem)
        if not problems:
            accepted += 1
            assert list(Pages(read)), seed
        (root / name).write_bytes(valid[name])
    # Most faults are told, and many a change is none.
    assert 10 < accepted < 60


# One fault is one problem


ONE_FAULT = [
    ("bends/outer-bank", "", 1, "front-matter"),
    ("bends/outer-bank", "Just text.\n", 1, "front-matter"),
    ("bends/outer-bank", ("---\nIn a bend", "In a bend"), 1, "front-matter"),
    ("bends/outer-bank", "---\n---\nText.\n", 2, "front-matter"),
    ("bends/outer-bank", "---\n~\n---\nText.\n", 2, "front-matter"),
    ("bends/outer-bank", "---\n- a\n---\nText.\n", 2, "front-matter"),
    ("bends/outer-bank", ("kind: true-false", "kind: true-flase"), 2, "kind"),
    ("bends/outer-bank", ("kind: true-false", "kind: essay"), 2, "kind"),
    ("bends/outer-bank", ("kind: true-false", "kind: [why]"), 2, "kind"),
    ("bends/outer-bank", ("kind: true-false", "kind:"), 2, "kind"),
    ("bends/outer-bank", ("kind: true-false\n", ""), 1, "kind"),
    ("bends/outer-bank", ("verdict: true\n", ""), 1, "missing-field"),
    ("bends/outer-bank", ("verdict: true", "verdict:"), 4, "value"),
    ("bends/outer-bank", ("verdict: true", "verdict: maybe"), 4, "value"),
    ("bends/outer-bank", ("verdict: true", "verdict: 'true'"), 4, "value"),
    ("bends/outer-bank", ("verdict: true", "verdict: 1"), 4, "value"),
    ("bends/outer-bank", ('sources:\n  - leopold-1960: "p. 769"', "sources: {leopold-1960: p. 769}"), 7, "value"),
    ("bends/outer-bank", ('leopold-1960: "p. 769"', "leopold-1960"), 8, "source"),
    ("bends/outer-bank", ('leopold-1960: "p. 769"', "leopold-1960: 769"), 8, "source"),
    ("bends/outer-bank", ('leopold-1960: "p. 769"', "leopold-1960: ' '"), 8, "source"),
    ("bends/outer-bank", ('leopold-1960: "p. 769"', "Leopold: p. 769"), 8, "unknown-source"),
    ("bends/outer-bank", ('leopold-1960: "p. 769"', "{a: b, c: d}"), 8, "source"),
    ("concepts.yaml", ("  definition: A bend", "  # A bend"), 1, "missing-field"),
    ("concepts.yaml", ("- id: meander", "- id: Meander"), 1, "form"),
    ("sources.yaml", ("- key: leopold-1960", "- key: Leopold"), 1, "form"),
    ("bank.yaml", ("  - id: floods", "  - id: Floods"), 12, "form"),
    ("concepts.yaml", None, 1, "missing-file"),
    ("concepts.yaml", "", 1, "empty"),
    ("concepts.yaml", "# nothing yet\n", 1, "empty"),
    ("concepts.yaml", "meander: a bend\n", 1, "shape"),
    ("sources.yaml", None, 1, "missing-file"),
    ("sources.yaml", b"\xff", 1, "encoding"),
    ("sources.yaml", ("  year: 1960", "  year: late"), 5, "value"),
    ("sources.yaml", ("https:", "http:"), 6, "form"),
    ("bank.yaml", ("subject: rivers\n", ""), 1, "missing-field"),
    ("bank.yaml", ("trial: outer-bank", "trial: Outer Bank"), 6, "form"),
    ("bank.yaml", ("    title: Bends\n", ""), 9, "missing-field"),
    ("bank.yaml", ("    title: Bends", "    title: ' '"), 10, "value"),
    ("bank.yaml", None, 1, "missing-file"),
    ("bank.yaml", "a string", 1, "shape"),
    ("retired.yaml", "- id: creek\n  to: 7\n", 2, "value"),
    ("ids.txt", b"discharge\ndry-bed\nlevee\nouter-bank\noxbow\xff\npoint-bar\n", 5, "encoding"),
]


@pytest.mark.parametrize(("name", "change", "line", "code"), ONE_FAULT)
def test_one_fault_is_one_problem(
    faults: Checker, tmp_path: Path, name: str, change: Change, line: int, code: str
) -> None:
    """Whatever refers to what can't be read is not blamed."""
    ledger = RIVERS["ids.txt"] + ("creek\n" if name == "retired.yaml" else "")
    root = bank(tmp_path, {"ids.txt": ledger, name: change})
    assert places(faults(root)) == [(file_of(name), line, code)]


def test_a_bank_without_topics_is_told_of_bank_yaml_alone(faults: Checker, tmp_path: Path) -> None:
    root = bank(tmp_path, {"bank.yaml": BANK[: BANK.index("topics:")]})
    assert places(faults(root)) == [("bank.yaml", 1, "missing-field")]
    root = bank(tmp_path, {"bank.yaml": "title:\n"})
    assert {problem.code for problem in faults(root)} == {"missing-field", "value"}


def test_there_is_no_bank(faults: Checker, tmp_path: Path) -> None:
    assert places(faults(tmp_path)) == [("bank.yaml", 1, "missing-file")]
    assert places(faults(tmp_path / "nowhere")) == [(".", 1, "missing-bank")]
    (tmp_path / "file").write_text("")
    assert places(faults(tmp_path / "file")) == [(".", 1, "missing-bank")]


@pytest.mark.parametrize("name", ["Oxbow", "ox_bow", "ox--bow", "ox-", "öx", "ox bow", "ox.bow"])
def test_the_name_of_a_file_has_the_form_of_an_id(faults: Checker, tmp_path: Path, name: str) -> None:
    file = f"questions/bends/{name}.md"
    root = bank(tmp_path, {"bends/oxbow": None, "ids.txt": RIVERS["ids.txt"].replace("oxbow\n", "")})
    (root / file).write_text(OXBOW, encoding="utf-8")
    [problem] = faults(root)
    assert (problem.path, problem.line, problem.code) == (file, 1, "form")
    assert "the file's name" in problem.wrong


@pytest.mark.parametrize("folder", ["Bends", "bend s", "bend"])
def test_the_folder_of_a_question_is_a_topic(faults: Checker, tmp_path: Path, folder: str) -> None:
    file = f"questions/{folder}/oxbow.md"
    [problem] = faults(bank(tmp_path, {"bends/oxbow": None, file: OXBOW}))
    assert (problem.path, problem.line, problem.code) == (file, 1, "unknown-topic")
    assert "`bends`" in problem.right


def test_a_folder_in_place_of_a_file(faults: Checker, tmp_path: Path) -> None:
    root = bank(tmp_path, {"bends/oxbow": None})
    (root / "questions/bends/oxbow.md").mkdir()
    assert places(faults(root)) == [("questions/bends/oxbow.md", 1, "unreadable")]


def test_a_value_is_named_on_one_short_line(faults: Checker, tmp_path: Path) -> None:
    root = bank(tmp_path, {"sources.yaml": ("year: 1960", "year: |\n    " + "many\n    words " * 50)})
    [problem] = faults(root)
    assert "\n" not in str(problem)
    assert len(problem.wrong) < 90


def test_every_fault_of_a_file_is_found_in_one_run(faults: Checker, tmp_path: Path) -> None:
    text = OUTER_BANK
    for old, new in [
        ("title: Where", "titel: Where"),
        ("difficulty: 1", "difficulty: easy"),
        ("[meander]", "[meandre]"),
        ('"p. 769"', '"p. 769"\n  - nobody: "p. 1"\nrequires: [nothing]'),
        ("In a bend", "In a <b>bend</b> of $5"),
        ("True: the", "The"),
        ("loose sand", "$\\loose$ sand"),
        ("\n- The fastest water runs there", ""),
        ("Where does", "Where [^1] does"),
    ]:
        text = text.replace(old, new, 1)
    root = bank(tmp_path, {"bends/outer-bank": text})
    at = [line_of(root, "bends/outer-bank", piece) for piece in ("titel", "easy", "meandre", "nobody", "nothing")]
    assert places(faults(root)) == [
        (CLAIM, 1, "missing-field"),
        (CLAIM, at[0], "unknown-field"),
        (CLAIM, at[1], "value"),
        (CLAIM, at[2], "unknown-concept"),
        (CLAIM, at[3], "unknown-source"),
        (CLAIM, at[4], "unknown-id"),
        (CLAIM, line_of(root, "bends/outer-bank", "<b>"), "html"),
        (CLAIM, line_of(root, "bends/outer-bank", "of $5"), "tex"),
        (CLAIM, line_of(root, "bends/outer-bank", "## Answer"), "verdict"),
        (CLAIM, line_of(root, "bends/outer-bank", "\\loose"), "tex"),
        (CLAIM, line_of(root, "bends/outer-bank", "## Points"), "count"),
        (CLAIM, line_of(root, "bends/outer-bank", "[^1]"), "footnote"),
    ]


def test_faults_of_all_files_are_found_in_one_run_and_sorted(faults: Checker, tmp_path: Path) -> None:
    root = bank(
        tmp_path,
        {
            "bank.yaml": ("subject: rivers", "subjects: rivers"),
            "concepts.yaml": CONCEPTS + "\n- id: x\n",
            "sources.yaml": ("year: 1960", "year: late"),
            "ids.txt": RIVERS["ids.txt"] + "creek\n",
            "retired.yaml": "- id: brook\n  to: outer-bank\n",
            "bends/oxbow": b"\xff",
            "floods/levee": "",
            "floods/dry-bed": ("difficulty: 3", "difficulty: 4"),
            "floods/discharge": ("$10 \\cdot", "$\\ten \\cdot"),
        },
    )
    found = faults(root)
    assert found == sorted(found)
    assert {(problem.path, problem.code) for problem in found} == {
        ("bank.yaml", "missing-field"),
        ("bank.yaml", "unknown-field"),
        ("concepts.yaml", "missing-field"),
        ("sources.yaml", "value"),
        ("ids.txt", "vanished-id"),
        ("retired.yaml", "unknown-id"),
        ("questions/bends/oxbow.md", "encoding"),
        ("questions/floods/levee.md", "front-matter"),
        ("questions/floods/dry-bed.md", "value"),
        ("questions/floods/discharge.md", "tex"),
    }


# Sections and items


HINT = "## Hint\nWhere does a boat drift to?\n"
BOTH = "- The outer bank is cut\n- The fastest water runs there\n"


@pytest.mark.parametrize(
    ("old", "new", "code", "right"),
    [
        ("## Explanation", "¶## Explaination", "section", "`Explanation`"),
        ("## Explanation", "¶## explanation", "section", "`Explanation`"),
        ("## Explanation", "¶## Explanation:", "section", "`Explanation`"),
        ("## Explanation", "¶## Explanation ##", "section", "`Explanation`"),
        ("## Explanation", "¶### Explanation", "section", "write `## Explanation`"),
        ("## Explanation", "¶# Explanation", "section", "write `## Explanation`"),
        ("## Explanation", "¶##Explanation", "section", "write `## Explanation`"),
        ("## Explanation", "¶  ## Explanation", "section", "where the line begins"),
        ("## Hint", "¶##Hint", "section", "write `## Hint`"),
        ("On bare rock", "\n¶### Limits\nOn bare rock", "section", "use `Answer`"),
        ("On bare rock", "\n¶#1 among them: on bare rock", "section", "use `Answer`"),
        ("On bare rock", "\n¶#\non bare rock", "section", "use `Answer`"),
        ("## Answer\nTrue: the fastest water runs along the outer bank.", "¶## Answer\n", "empty", "write it"),
        ("In a bend on a plain of sand, the river cuts the outer bank.", "¶", "empty", "write it"),
        (HINT, "¶## Hint\n \t\n", "empty", "leave the section out"),
        (HINT, "¶## Hint\n\n" + HINT, "empty", "leave the section out"),
        (HINT, "¶## Hint", "empty", "leave the section out"),
        (HINT, "¶## Answer\nMore.", "twice", "one section of each name"),
        (HINT, "¶## Points\n- a\n- b", "twice", "one section of each name"),
        (HINT, "¶## Choices\n- [x] a\n  > b", "section", "remove the section"),
        (HINT, "¶## Corrected\nIt does.", "verdict", "remove the section"),
        (BOTH, "- a\n- b\n¶ - c", "points", "begin an item with `- `"),
        (BOTH, "- a\n¶-\n- b", "points", "begin an item with `- `"),
        (BOTH, "¶Two things:\n\n- a\n- b", "points", "begin an item with `- `"),
        (BOTH, "- a\n¶by water\n- b", "points", "go on with it below by two spaces"),
        (BOTH, "- a\n- b\n¶1. c", "points", "begin an item with `- `"),
        (BOTH, "- a\n¶  - by water\n- b", "block", "one line of text"),
        (BOTH, "- a\n¶  1. by water\n- b", "block", "one line of text"),
        (BOTH, "- a\n\n¶  by water\n- b", "block", "one line of text"),
        (BOTH, "- a\n¶  ```\n  by water\n  ```\n- b", "block", "one line of text"),
        (BOTH, "- a\n¶  > by water\n- b", "block", "one line of text"),
        ("## Points\n" + BOTH, "¶## Points\n", "count", "2 to 5"),
        ("## Points\n" + BOTH, "¶## Points\n- a", "count", "2 to 5"),
        ("## Points\n" + BOTH, "¶## Points\n- a\n- b\n- c\n- d\n- e\n- f", "count", "2 to 5"),
    ],
)
def test_sections_and_items_are_refused_on_their_line(
    faults: Checker, tmp_path: Path, old: str, new: str, code: str, right: str
) -> None:
    root, path, line = marked(tmp_path, "bends/outer-bank", (old, new))
    [problem] = faults(root)
    assert (problem.path, problem.line, problem.code) == (path, line, code)
    assert right in problem.right


@pytest.mark.parametrize("name", ["Answer", "Explanation", "Points"])
def test_a_section_that_every_kind_has_is_missed(faults: Checker, tmp_path: Path, name: str) -> None:
    root = bank(tmp_path, {"floods/dry-bed": (f"## {name}\n", "")})
    problems = [problem for problem in faults(root) if problem.code == "missing-section"]
    assert [(problem.line, problem.wrong) for problem in problems] == [(1, f"`## {name}` is missing")]


HEAD = "## Choices\n"
CHOICES = HEAD + RIVERS["questions/floods/discharge.md"].partition(HEAD)[2]
A, B, C, D, E = (f"- [{box}] {text}\n  > why\n" for box, text in zip("x    ", "abcde", strict=True))


@pytest.mark.parametrize(
    ("choices", "code", "right"),
    [
        (HEAD + A + B + "¶- [] c\n  > why\n", "choices", "`- [x] `"),
        (HEAD + A + B + "¶- [y] c\n  > why\n", "choices", "`- [x] `"),
        (HEAD + A + B + "¶- c\n  > why\n", "choices", "`- [x] `"),
        (HEAD + A + B + "¶- [ ] c\n", "choices", "`  > why`"),
        (HEAD + A + B + "¶- [ ] c\n  >\n", "choices", "`  > why`"),
        (HEAD + A + B + "¶- [ ]\n  > why\n", "choices", "behind its box"),
        (HEAD + A + "¶text\n" + B + C, "choices", "begin an item"),
        ("¶" + HEAD + A + B + "- [x] c\n  > why\n", "choices", "exactly one"),
        ("¶" + HEAD + B + C + D, "choices", "exactly one"),
        ("¶" + HEAD + A + B, "choices", "3 to 5"),
        ("¶" + HEAD + A + B + C + D + E + "- [ ] f\n  > why\n", "choices", "3 to 5"),
        ("¶" + HEAD + A + B + C + B, "choices", "each wording once"),
        ("¶" + HEAD + A + B + C + "- [ ] B.\n  > why\n", "choices", "each wording once"),
        (HEAD + A + B + "- [ ] c\n\n¶  d\n  > why\n", "block", "one line of text"),
        ("¶" + HEAD + A + B + "- [ ] c\n  > Wrong: it is not.\n", "choices", "leave that to the page"),
        ("¶" + HEAD + A.replace("why", "Right, it is.") + B + C, "choices", "leave that to the page"),
        ("¶" + HEAD, "empty", "leave the section out"),
    ],
)
def test_choices_are_refused_on_their_line(
    faults: Checker, tmp_path: Path, choices: str, code: str, right: str
) -> None:
    root, path, line = marked(tmp_path, "floods/discharge", (CHOICES, choices))
    [problem] = faults(root)
    assert (problem.path, problem.line, problem.code) == (path, line, code)
    assert right in problem.right


@pytest.mark.parametrize(
    "choices",
    [
        A + B + C,
        A.replace("[x]", "[X]") + B + C,
        A.replace("- [", "* [") + B.replace("- [", "+   [") + C,
        A + "\n" + B + "\n\n" + C,
        A.replace("  > ", "\t> ") + B + C,
        A.replace("why", "Right after a flood") + B.replace("why", "Yesterday") + C.replace("why", "Nobody does"),
        A + B + C + "- [ ] one\n  and two\n  > a\n  >\n  > b\n- [ ] two\n  > c\n  d\n",
    ],
)
def test_choices_may_be_laid_out_freely(faults: Checker, tmp_path: Path, choices: str) -> None:
    assert faults(bank(tmp_path, {"floods/discharge": (CHOICES, HEAD + choices)})) == []


# What is read


WHOLE = """\
---
kind: compute
title: A title

difficulty: 2   # a comment
concepts:
  - meander
  - discharge
sources:
  # another
  - leopold-1960: "p. 1"
  - leopold-1960: "p. 2"
requires: [outer-bank,
  oxbow]
---

First line.

```text
## Answer
---
- [ ] $code$ {n}
```
Last line.


## Answer

The answer
goes on.
## Explanation
~~~~
~~~
## Points
~~~~

    ## Hint

Text.

---
## Points

- one
  goes on
* two

+   three
## Hint
First.

## Hint

Second.
## Choices
- [ ] a
  b
  > because
  > of that

- [x] c

  >
  > - d
  >   - e
- [ ] f
  > g
  h
"""


def test_everything_is_read_with_its_line(tmp_path: Path) -> None:
    bank_read, problems = read_bank(bank(tmp_path, {"floods/discharge": WHOLE}))
    assert problems == []
    question = bank_read.by_id["discharge"]
    assert isinstance(question, Compute)
    assert question.texts == [
        ("prompt", Text("First line.\n\n```text\n## Answer\n---\n- [ ] $code$ {n}\n```\nLast line.", 17)),
        ("answer", Text("The answer\ngoes on.", 29)),
        ("explanation", Text("~~~~\n~~~\n## Points\n~~~~\n\n    ## Hint\n\nText.\n\n---", 32)),
        ("points", Text("one\ngoes on", 44)),
        ("points", Text("two", 46)),
        ("points", Text("three", 48)),
        ("hints", Text("First.", 50)),
        ("hints", Text("Second.", 54)),
        ("choices", Text("a\nb", 56)),
        ("reasons", Text("because\nof that", 58)),
        ("choices", Text("c", 61)),
        ("reasons", Text("- d\n  - e", 64)),
        ("choices", Text("f", 66)),
        ("reasons", Text("g\nh", 67)),
    ]
    assert [choice.right for choice in question.choices] == [False, True, False]
    fields = ("kind", "title", "difficulty", "concepts", "concepts.1", "sources", "sources.1", "requires", "requires.1")
    assert [question.line_of(field) for field in fields] == [2, 3, 5, 6, 8, 9, 12, 13, 14]
    sections = ("prompt", "answer", "explanation", "points", "hints", "choices")
    assert [question.line_of(section) for section in sections] == [16, 27, 31, 42, 49, 55]
    assert [(cited.key, cited.place, cited.line) for cited in question.sources] == [
        ("leopold-1960", "p. 1", 11),
        ("leopold-1960", "p. 2", 12),
    ]


def test_the_files_of_the_bank_are_read_with_their_lines(tmp_path: Path) -> None:
    read, problems = read_bank(bank(tmp_path, {"retired.yaml": "# moved\n- id: creek\n  to: oxbow\n"}))
    assert problems == []
    floods = read.about.topics[1]
    assert (floods.id, floods.line_of(""), floods.line_of("learn_first"), floods.line_of("learn_first.0")) == (
        *("floods", 12),
        *(15, 15),
    )
    discharge = read.concept["discharge"]
    assert discharge.definition == "The volume of water that passes a section in a second, $Q = A v$ in cubic metres."
    assert [discharge.line_of(field) for field in ("", "id", "name", "definition", "aliases")] == [6, 6, 7, 8, 6]
    assert read.source["leopold-1960"].line_of("link") == 6
    assert (read.retired[0].to, read.retired[0].line_of("to")) == ("oxbow", 3)
    assert read.published["levee"] == 3


def test_ids_are_read_whatever_surrounds_them(tmp_path: Path) -> None:
    read, _ = read_bank(bank(tmp_path, {"ids.txt": b"\xef\xbb\xbfa\r\n\r\n  b \r\na\r\n"}))
    assert read.published == {"a": 1, "b": 3}
    assert read_bank(bank(tmp_path / "none", {"ids.txt": None}))[0].published == {}


def test_a_bank_may_lie_in_a_folder_of_any_name(faults: Checker, tmp_path: Path) -> None:
    assert faults(bank(tmp_path / "Ströme & [Flüsse] $1")) == []
