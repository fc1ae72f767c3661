"""Programs run again: what is as recorded, what has drifted, and what a mutation must change."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.banks import Change, bank
from tests.commands import call

# As a program of a bank is: it prints its record, and with `--mutate` that of another setting.
PROGRAM = '''\
"""Boats through a lock."""

import json
import sys

boats = {mutated} if "--mutate" in sys.argv else 4
results = {{"up": {{"passed": boats, "share": {share}}}}}
print(json.dumps({{"settings": {{"boats": 4}}, "versions": {{}}, "tolerance": {tolerance}, "results": results}}))
'''
BEND = "bends/outer-bank"
FIRST = "sources:\n  - leopold"
FIGURES = '''\
def boats(runs):
    """Boats by way.

    Those that passed.
    """
    return {"rows": [{"boats": runs["lock"].up.passed}], "words": "up"}


def nothing(runs):
    """Nothing of the lock.

    It reads no run.
    """
    return {"rows": [{"boats": 0}], "words": "none"}
'''


def rivers(folder: Path, files: dict[str, Change] | None = None, **settings: object) -> Path:
    """A bank whose claim rests on the program `lock`, with its record made."""
    program = PROGRAM.format(**{"mutated": 5, "share": 0.5, "tolerance": 0} | settings)
    claim = f"runs: [{{lock: up.passed == 4}}]\n{FIRST}"
    root = bank(folder, {"evidence/runs/lock.py": program, BEND: (FIRST, claim), **(files or {})})
    assert call(folder, "evidence", "--record").returncode == 0
    return root


def test_a_record_holds_what_the_program_printed(tmp_path: Path) -> None:
    root = rivers(tmp_path)
    recorded = json.loads((root / "evidence/runs/lock.json").read_text())
    assert recorded["results"] == {"up": {"passed": 4, "share": 0.5}}
    assert recorded["settings"] == {"boats": 4}


def test_what_is_as_recorded_passes(tmp_path: Path) -> None:
    rivers(tmp_path)
    ran = call(tmp_path, "evidence")
    assert ran.returncode == 0
    assert "lock.py: as recorded; its mutation breaks 1 of 1 claims" in ran.stdout
    assert call(tmp_path, "evidence", "lock").returncode == 0


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("else 4", "else 6", "results.up.passed: 4 was recorded, 6 came out"),
        ('"share": 0.5', '"share": 0.6', "results.up.share: 0.5 was recorded, 0.6 came out"),
        ('"share": 0.5', '"part": 0.5', "results.up.share: 0.5 was recorded, nothing came out"),
        ('{"boats": 4}', '{"boats": 3}', "settings.boats: 4 was recorded, 3 came out"),
        ('"share": 0.5', '"share": 0.5, "more": None', "results.up.more: nothing was recorded, None came out"),
        ('"share": 0.5', '"share": True', "results.up.share: 0.5 was recorded, True came out"),
    ],
)
def test_drift_names_the_value_and_the_questions_and_fails(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = rivers(tmp_path) / "evidence/runs/lock.py"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    ran = call(tmp_path, "evidence")
    assert ran.returncode == 1
    assert said in ran.stdout
    assert "on it rest outer-bank" in ran.stdout


def test_drift_names_the_figures_and_the_questions_that_show_them(tmp_path: Path) -> None:
    shown: dict[str, Change] = {
        "evidence/figures.py": FIGURES,
        "bends/point-bar": ("sources:", "figures: [boats]\nsources:"),
        "bends/oxbow": ("sources:", "figures: [nothing]\nsources:"),
    }
    path = rivers(tmp_path, shown) / "evidence/runs/lock.py"
    path.write_text(path.read_text().replace("else 4", "else 6"))
    ran = call(tmp_path, "evidence")
    assert ran.returncode == 1
    assert "on it rest outer-bank, point-bar, the figure boats\n" in ran.stdout


def test_another_version_is_told_and_is_no_drift(tmp_path: Path) -> None:
    path = rivers(tmp_path) / "evidence/runs/lock.py"
    path.write_text(path.read_text().replace('"versions": {}', '"versions": {"river": "2.0"}'))
    ran = call(tmp_path, "evidence")
    assert ran.returncode == 0
    assert "recorded with nothing told, run with river 2.0" in ran.stdout


@pytest.mark.parametrize(("tolerance", "passes"), [(0.01, True), (0.001, False)])
def test_floats_may_differ_by_the_stated_tolerance(tmp_path: Path, tolerance: float, passes: bool) -> None:
    path = rivers(tmp_path, tolerance=tolerance) / "evidence/runs/lock.py"
    path.write_text(path.read_text().replace("0.5", "0.503"))
    assert (call(tmp_path, "evidence").returncode == 0) is passes


def test_a_mutation_that_no_claim_notices_fails(tmp_path: Path) -> None:
    rivers(tmp_path, mutated=4)
    ran = call(tmp_path, "evidence")
    assert ran.returncode == 1
    assert "its mutation breaks none of the 1 claims" in ran.stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("raise SystemExit('no boats')", "it failed (exit status 1)\nno boats"),
        ("raise SystemExit(3)", "it failed (exit status 3)"),
        ("import os; os.kill(os.getpid(), 9)", "it failed (killed by SIGKILL)"),
        ("import sys; sys.stderr.buffer.write(b'\\xe9'); sys.exit(1)", "it failed (exit status 1)"),
        ("import time; time.sleep(60)", "it was stopped after 0.05 minutes"),
        ("print('hello')", "is no record (it is no JSON"),
        ("", "is no record (it is empty)"),
        ("import sys; sys.stdout.buffer.write(b'\\xe9')", "is no record (it is no JSON"),
        ("print('{}')", "is no record (settings: Field required; versions"),
        ('print(\'{"a": 1, "a": 2}\')', "is no record (`a` stands in it twice)"),
        ('print(\'{"results": {"a": NaN}}\')', "is no record (NaN is no number"),
        ('print(\'{"results": {"a": 1e999}}\')', "is no record (1e999 is no number"),
        ("print('{\"results\": {\"a\": ' + '9' * 400 + '}}')", "is no number that could be compared"),
        ("print('[' * 100_000)", "is no record (it is nested too deeply)"),
    ],
)
def test_a_program_that_fails_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str) -> None:
    path = rivers(tmp_path) / "evidence/runs/lock.py"
    path.write_text(text)
    monkeypatch.setattr("studybank.rerun.PATIENCE", 3)
    ran = call(tmp_path, "evidence")
    assert ran.returncode == 1
    assert said in ran.stdout
    assert "Traceback" not in ran.stdout + ran.stderr


def test_a_program_is_done_when_its_child_is_not(tmp_path: Path) -> None:
    path = rivers(tmp_path) / "evidence/runs/lock.py"
    child = "import subprocess; subprocess.Popen(['sleep', '60'])\n"
    path.write_text(path.read_text() + child)
    start = time.monotonic()
    assert call(tmp_path, "evidence").returncode == 0
    assert time.monotonic() - start < 30


@pytest.mark.parametrize("results", ["{}", '{"up": 5}', '{"up": {"share": 1}}'])
def test_a_mutation_under_which_no_claim_can_be_decided_is_not_noticed(tmp_path: Path, results: str) -> None:
    path = rivers(tmp_path) / "evidence/runs/lock.py"
    path.write_text(
        path.read_text().replace("print(", f"results = {results} if '--mutate' in sys.argv else results\nprint(")
    )
    ran = call(tmp_path, "evidence")
    assert ran.returncode == 1
    assert "its mutation breaks none of the 1 claims" in ran.stdout


def test_a_claim_that_is_false_already_is_not_broken_by_the_mutation(tmp_path: Path) -> None:
    root = rivers(tmp_path)
    question = root / f"questions/{BEND}.md"
    question.write_text(question.read_text().replace("up.passed == 4", "up.passed == 9"))
    ran = call(tmp_path, "evidence")
    assert ran.returncode == 1
    assert "`up.passed == 9` does not hold as recorded" in ran.stdout


def test_a_record_that_cannot_be_read_is_not_said_to_be_missing(tmp_path: Path) -> None:
    (rivers(tmp_path) / "evidence/runs/lock.json").write_text("{")
    ran = call(tmp_path, "evidence")
    assert ran.returncode == 1
    assert "`build_bank.py check` says what is wrong" in ran.stdout
    assert "RECORD" not in ran.stdout


def test_an_unknown_program_is_refused(tmp_path: Path) -> None:
    rivers(tmp_path)
    ran = call(tmp_path, "evidence", "lokc")
    assert ran.returncode == 2
    assert "use `lock`" in ran.stderr


def test_a_program_without_a_record_fails(tmp_path: Path) -> None:
    (rivers(tmp_path) / "evidence/runs/lock.json").unlink()
    ran = call(tmp_path, "evidence")
    assert ran.returncode == 1
    assert "record it with RECORD=lock" in ran.stdout
