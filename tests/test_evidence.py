"""Claims that a program decides: over a bank's formulas, and over what its programs measured."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from tests.banks import EVIDENCE, RESULTS, Change, Checker, bank, marked, places
from tests.sites import built

BEND = "bends/outer-bank"
CANAL = "floods/discharge"
FIRST = "sources:\n  - leopold"


@pytest.mark.parametrize(
    "expression",
    [
        "flow(10, 2, 0.5) == 10",
        "flow(width=10, depth=2, speed=0.5) == 10",
        "10 == flow(10, 2, 0.5)",
        "9.9 < flow(10, 2, 0.5) <= 10",
        "round(flow(10, 2, 0.34), 1) == 6.8",
        "locks(7, 2) == 4",
        "WIDTHS['canal'] * KM == 10_000",
        "max(flow(1, 2, 3), 5) != min(1, 2)",
        "[locks(7, 2), -2][0] == 4",
        "sum((1, 2, 3)[1:]) == 5",
        "7 % 4 == 3",
        "10 ** 300 > KM",
    ],
)
def test_a_claim_that_holds_is_accepted(faults: Checker, tmp_path: Path, expression: str) -> None:
    change = (FIRST, f"checks:\n  - {json.dumps(expression)}\n{FIRST}")
    assert faults(bank(tmp_path, {**EVIDENCE, BEND: change})) == []


@pytest.mark.parametrize(
    ("expression", "wrong", "right"),
    [
        ("flow(10, 2, 0.5) == 11", "is false: the value is 10", "mend the question"),
        ("round(flow(10, 2, 0.333), 1) == 6.6", "is false: the value is 6.66", "mend the question"),
        ("flow(10, 2) == 11", "missing 1 required positional argument", "can be evaluated"),
        ("flow(10, 2, 1) / 0 == 1", "ZeroDivisionError", "can be evaluated"),
        ("locks(7, 2) == 4 and flow(1, 1, 1) == 1", "compares nothing", "left == right"),
        ("flow(10, 2, 1)", "compares nothing", "left == right"),
        ("flow(10, 2, == 1", "is no expression", "left == right"),
        ("flwo(10, 2, 1) == 1", "`flwo` is no formula", "use `flow`"),
        ("MK == 1000", "`MK` is not known", "use `KM`"),
        ("_SECRET == 7", "`_SECRET` is not known", "use "),
        ("ceil(1.5) == 2", "`ceil` is no formula", "use "),
        ("open('/etc/passwd') == 1", "`open` is no formula", "use "),
        ("__import__('os') == 1", "is no formula", "use "),
        ("flow.__globals__ == 1", "fails", "can be evaluated"),
        ("KM.__class__ == 1", "fails", "can be evaluated"),
        ("9**9**9 == 1", "fails", "can be evaluated"),
        ("[x for x in (1, 2)] == 1", "belongs to a program", "calls of formulas"),
        ("{x: x for x in (1, 2)} == 1", "belongs to a program", "calls of formulas"),
        ("sum(x for x in (1, 2)) == 3", "belongs to a program", "calls of formulas"),
        ("(lambda: 1)() == 1", "belongs to a program", "calls of formulas"),
        ("(1 if KM else 2) == 1", "belongs to a program", "calls of formulas"),
        ("(KM or 1) == KM", "belongs to a program", "calls of formulas"),
        ("KM.bit_length() == 10", "belongs to a program", "calls of formulas"),
        ("f'{KM:9999}' != ''", "belongs to a program", "calls of formulas"),
        ("'%0999999999d' % 1 != ''", "belongs to a program", "calls of formulas"),
        ("KM == KM", "compares `KM` with itself", "could differ"),
        ("1 == 1", "compares `1` with itself", "could differ"),
        ("flow == flow", "compares `flow` with itself", "could differ"),
        ("1 < flow( 1, 2, 3 ) <= flow(1, 2, 3)", "with itself", "could differ"),
        ("2 ** 200000 > 1", "beyond the range of a float", "smaller"),
        ("1 / 0.5 == 2 ** 20000", "is false: the value is 2", "mend the question"),
        ("flow(1e308, 10, 1) == 1", "is false: the value is inf", "mend the question"),
        ("-" * 500 + "1 == 1", "nested too deeply", "can follow"),
        ("-" * 50_000 + "1 == 1", "nested too deeply", "can follow"),
        ("1\0 == 1", "is no expression", "left == right"),
        ("1" + "0" * 400 + " == 1", "is false: the value is 1", "mend the question"),
        ("round() == 1", "fails", "can be evaluated"),
        ("(" * 300 + "1" + ")" * 300 + " == 1", "is no expression", "left == right"),
    ],
)
def test_a_claim_that_does_not_hold_or_is_none_stops_the_build_on_its_line(
    faults: Checker, tmp_path: Path, expression: str, wrong: str, right: str
) -> None:
    root, path, line = marked(tmp_path, BEND, (FIRST, f"checks:\n  - ¶{json.dumps(expression)}\n{FIRST}"))
    bank(tmp_path, {**EVIDENCE, BEND: (root / path).read_text()})
    problems = faults(root)
    assert places(problems) == [(path, line, "claim")]
    assert wrong in problems[0].wrong
    assert right in problems[0].right


@pytest.mark.parametrize(
    ("claim", "wrong", "right"),
    [
        ("lock: up.passed == 4", None, None),
        ("lock: up.waits[1] == 2", None, None),
        ("lock: up.waits == [1, 2]", None, None),
        ("lock: up.passed == locks(7, 2)", None, None),
        ("lock: up.passed == 5", "is false: the value is 4", "mend the question"),
        ("lock: down.passed == 5", "`down` is not known", "use "),
        ("lock: up.pased == 5", "fails", "can be evaluated"),
        ("lokc: up.passed == 4", "`lokc` is no program", "use `lock`"),
        ("lock: KM == 1000", "names nothing that `lock` measured", "one of its results (up)"),
        ("lock: 2 + 2 == 4", "names nothing that `lock` measured", "under `checks`"),
    ],
)
def test_a_claim_on_a_run_is_held_against_its_record(
    faults: Checker, tmp_path: Path, claim: str, wrong: str | None, right: str | None
) -> None:
    change = (FIRST, f"runs:\n  - {claim}\n{FIRST}")
    problems = faults(bank(tmp_path, {**EVIDENCE, BEND: change}))
    if wrong is None or right is None:
        assert problems == []
    else:
        assert places(problems) == [(f"questions/{BEND}.md", 8, "claim")]
        assert wrong in problems[0].wrong
        assert right in problems[0].right


@pytest.mark.parametrize(
    ("field", "code"),
    [
        ("checks: flow(1, 1, 1) == 1", "value"),
        ("checks: [1]", "claim"),
        ("checks: [true]", "claim"),
        ("checks: [{expression: '1 == 2', line: 3}]", "claim"),
        ("runs: lock", "value"),
        ("runs: [lock]", "claim"),
        ("runs: [{lock: ''}]", "claim"),
        ("runs: [{'': up.passed == 5}]", "claim"),
    ],
)
def test_claims_are_lists(faults: Checker, tmp_path: Path, field: str, code: str) -> None:
    problems = faults(bank(tmp_path, {**EVIDENCE, BEND: (FIRST, f"{field}\n{FIRST}")}))
    assert places(problems) == [(f"questions/{BEND}.md", 7, code)]


@pytest.mark.parametrize(
    ("name", "content", "place"),
    [
        ("evidence/formulas.py", "x = 1\ndef flow(:\n", ("evidence/formulas.py", 2, "formulas")),
        ("evidence/formulas.py", "x = 1\n\ny = 1 / 0\n", ("evidence/formulas.py", 3, "formulas")),
        ("evidence/formulas.py", "import sys\nsys.exit(0)\n", ("evidence/formulas.py", 2, "formulas")),
        ("evidence/formulas.py", b"x = '\xe9'\n", ("evidence/formulas.py", 1, "formulas")),
        ("evidence/helpers.py", b"x = '\xe9'\n", ("evidence/helpers.py", 1, "run")),
        ("evidence/runs/lock.py", b"x = '\xe9'\n", ("evidence/runs/lock.py", 1, "run")),
        ("evidence/runs/lock.py", "x = " + "-" * 50_000 + "1\n", ("evidence/runs/lock.py", 1, "run")),
        ("evidence/runs/lock.py", "x = (\n", ("evidence/runs/lock.py", 1, "run")),
        ("evidence/runs/lock.json", None, ("evidence/runs/lock.py", 1, "run")),
        ("evidence/runs/lock.json", "{", ("evidence/runs/lock.json", 1, "run")),
        ("evidence/runs/lock.json", '{"results": {}}', ("evidence/runs/lock.json", 1, "run")),
        ("evidence/runs/lock.json", "[" * 100_000, ("evidence/runs/lock.json", 1, "run")),
        ("evidence/runs/lock.json", json.dumps(RESULTS | {"tolerance": -1}), ("evidence/runs/lock.json", 1, "run")),
    ],
)
def test_a_fault_in_the_evidence_has_its_place(
    faults: Checker, tmp_path: Path, name: str, content: str | bytes | None, place: tuple[str, int, str]
) -> None:
    assert places(faults(bank(tmp_path, {**EVIDENCE, name: content}))) == [place]


@pytest.mark.parametrize("name", ["formulas", "index"])
def test_a_program_may_not_take_the_place_of_another_page(faults: Checker, tmp_path: Path, name: str) -> None:
    files: dict[str, Change] = {f"evidence/runs/{name}.py": "", f"evidence/runs/{name}.json": json.dumps(RESULTS)}
    problems = faults(bank(tmp_path, {**EVIDENCE, **files}))
    assert places(problems) == [(f"evidence/runs/{name}.py", 1, "run")]
    assert "is another page" in problems[0].wrong


def test_what_a_figure_does_with_results_leaves_them_as_they_are(faults: Checker, tmp_path: Path) -> None:
    figure = """\
def waits(runs):
    \"\"\"Waits.

    Of each boat.
    \"\"\"
    runs["lock"].up.waits.reverse()
    return {"rows": [{"wait": wait} for wait in runs["lock"].up.waits], "words": "1, 2"}
"""
    change = (FIRST, f"runs:\n  - lock: up.waits == [1, 2]\n{FIRST}")
    assert faults(bank(tmp_path, {**EVIDENCE, "evidence/figures.py": figure, BEND: change})) == []


def test_a_value_is_text_on_the_page(tmp_path: Path) -> None:
    record = RESULTS | {"results": {"said": "<img src=x>"}}
    change = (FIRST, f"runs:\n  - lock: said != 1\n{FIRST}")
    root = bank(tmp_path, {**EVIDENCE, "evidence/runs/lock.json": json.dumps(record), BEND: change})
    site = built(root, tmp_path)
    page = BeautifulSoup((site / "topics/bends/index.html").read_text(), "html.parser")
    assert page.select_one(".proof span").text == "<img src=x>"  # type: ignore[union-attr]


def test_the_page_shows_what_was_checked_and_where_to_run_it_again(tmp_path: Path) -> None:
    change = (FIRST, f"checks: ['round(flow(10, 2, 0.333), 1) == 6.7']\nruns: [{{lock: up.passed == 4}}]\n{FIRST}")
    site = built(bank(tmp_path, {**EVIDENCE, BEND: change}), tmp_path)
    page = BeautifulSoup((site / "topics/bends/index.html").read_text(encoding="utf-8"), "html.parser")
    cards = {card["data-id"]: card for card in page.select("article.card")}
    proof = cards["outer-bank"].select_one("details.why + details.proven")
    said = [" ".join(item.get_text(" ").split()) for item in proof.select("li")]
    assert said == ["round(flow(10, 2, 0.333), 1) == 6.7 6.66", "up.passed == 4 4"]
    told = " ".join(proof.get_text(" ").split())
    assert "river 1.0, boats 3" in told
    assert "make evidence RUN=lock" in told
    assert cards["outer-bank"].select_one(".meta .checked")
    assert not cards["oxbow"].select(".proof, .checked")
    listed = (site / "evidence/index.html").read_text(encoding="utf-8")
    assert "../topics/bends/#outer-bank" in listed
    assert "oxbow" not in listed
    assert "How many pass in an hour." in (site / "evidence/lock/index.html").read_text(encoding="utf-8")
    assert "cubic" in (site / "evidence/formulas/index.html").read_text(encoding="utf-8").lower()
    for path in ("evidence/lock/", "evidence/formulas/"):
        assert (site / path / "index.html").exists()


COMPUTED = "flow(10, 2, 0.5) * 2 == 20"
WRONG = "flow(10, 2, 2) == 40"
MEASURED = "runs: [{lock: up.passed == 4}]"


@pytest.mark.parametrize(
    ("front", "prompt", "left"),
    [
        # Nothing in it is called checked.
        ("", "", []),
        (f"checks: ['{COMPUTED}', '{WRONG}']", "", []),
        (f"checks: ['{COMPUTED}']", "", ["40"]),
        (f"checks: ['{WRONG}']\nquoted: [{{leopold-1960: 20 square metres}}]", "", ["0.5", "0.5"]),
        (f"checks: ['{COMPUTED}', '{WRONG}']", " It is $1{,}200$ m long.", ["1,200"]),
        (f"checks: ['{COMPUTED}', '{WRONG}', '1_200 > 0']", " It is $1{,}200$ m long.", []),
        (f"checks: ['{COMPUTED}', '{WRONG}']", " It falls by 3% a year.", ["3%"]),
        (f"checks: ['{COMPUTED}', '{WRONG}', 'flow(1, 1, 0.03) > 0']", " It falls by 3% a year.", []),
        (f"checks: ['{COMPUTED}', '{WRONG}']", " It takes 2 ms.", []),
        (f"checks: ['{COMPUTED}', '{WRONG}']", " It takes 7 ms.", ["7 ms"]),
        (f"checks: ['{COMPUTED}', '{WRONG}']", " It holds 99GB, 64KiB or .77 t.", ["99GB", "64KiB", ".77"]),
        (f"checks: ['{COMPUTED}', '{WRONG}']", " It is 4x as wide, 2.5x as deep, 44k long.", ["4x", "2.5x", "44"]),
        (f"checks: ['{COMPUTED}', '{WRONG}']", " It is 100-300 m long.", ["100", "300"]),
        (f"checks: ['{COMPUTED}', '{WRONG}']", " It bears 1.5e9 grains in 3e-4 h.", ["1.5e9", "3e-4"]),
        (
            f"checks: ['{COMPUTED}', '{WRONG}']",
            " It takes 9 seconds, 5 \u03bcs, 6 Gbit/s, 3 billion grains and 8 percent.",
            ["9 seconds", "5 \u03bcs", "6 Gbit/s", "3 billion", "8 percent"],
        ),
        # Names, versions, powers, code and small counts.
        (
            f"checks: ['{COMPUTED}', '{WRONG}']",
            " See Q-17, T5-11B, A100-80GB, lock77, $x^{12}$, $10^9$, §12, `99`, 2.13.0 and 7 boats.",
            [],
        ),
        # What a run was set to, and what a result is named after.
        (
            f"checks: ['{COMPUTED}', '{WRONG}']\nruns: [{{lock: wide_25.passed == 4}}]",
            " It was 25 wide, with 31 boats.",
            [],
        ),
        (f"checks: ['{COMPUTED}', '{WRONG}']\nquoted: [{{leopold-1960: 73 boats}}]", "", ["73"]),
        (f"checks: ['{COMPUTED}', '{WRONG}']\nquoted: [{{leopold-1960: 73 boats}}]", " It bore 73 boats.", []),
        (
            f"checks: ['{COMPUTED}', '{WRONG}']\nquoted: [{{lane-1955: 73 boats}}]",
            " It bore 73 boats.",
            ["`lane-1955`"],
        ),
    ],
)
def test_each_number_of_a_checked_question_stands_in_a_claim_or_is_quoted(
    faults: Checker, tmp_path: Path, front: str, prompt: str, left: list[str]
) -> None:
    change = (FIRST, f"{front}\n{FIRST}", "passes in a second?", f"passes in a second?{prompt}")
    results = RESULTS | {"settings": {"boats": 31}, "results": {"wide_25": {"passed": 4}}}
    problems = faults(bank(tmp_path, {**EVIDENCE, "evidence/runs/lock.json": json.dumps(results), CANAL: change}))
    assert {problem.code for problem in problems} <= {"number"}
    assert sorted(re.split(" (?:stands|is) ", problem.wrong)[0] for problem in problems) == sorted(left)


def test_a_number_has_its_line_and_what_is_quoted_its_place_on_the_card(faults: Checker, tmp_path: Path) -> None:
    root, path, line = marked(
        tmp_path,
        CANAL,
        (FIRST, f"checks: ['{COMPUTED}', '{WRONG}']\n{FIRST}", "That divides", "¶In 1,955 that divides"),
    )
    bank(tmp_path, {**EVIDENCE, CANAL: (root / path).read_text()})
    assert places(faults(root)) == [(path, line, "number")]
    quoted = f"checks: ['{COMPUTED}', '{WRONG}']\nquoted: [{{leopold-1960: 0.5 m/s}}]\n{FIRST}"
    site = built(bank(tmp_path, {**EVIDENCE, CANAL: (FIRST, quoted)}), tmp_path)
    page = BeautifulSoup((site / "topics/floods/index.html").read_text(encoding="utf-8"), "html.parser")
    said = page.select_one("article[data-id=discharge] details.proven").get_text(" ")
    assert "Quoted, not measured here 0.5 m/s Leopold" in " ".join(said.split())


def test_what_a_false_claim_tells_need_not_hold(faults: Checker, tmp_path: Path) -> None:
    told = (
        "Sand that a stream picks up at one shore settles in",
        "At 15 to 20 bends, sand that a stream picks up settles in",
        FIRST,
        f"checks: ['{COMPUTED}']\n{FIRST}",
    )
    assert faults(bank(tmp_path, {**EVIDENCE, "bends/point-bar": told})) == []
    told = ("False: it settles on the inner side", "False: in 15 bends, it settles on the inner side", FIRST, told[3])
    assert [p.wrong[:2] for p in faults(bank(tmp_path, {**EVIDENCE, "bends/point-bar": told}))] == ["15"]


def test_a_bank_without_evidence_has_no_page_for_it(bread: Path) -> None:
    assert not (bread / "evidence").exists()
    assert "Evidence" not in (bread / "index.html").read_text(encoding="utf-8")
