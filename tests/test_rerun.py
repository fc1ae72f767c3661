"""Programs run again: what is as recorded, what has drifted, and what a mutation must change."""

from __future__ import annotations

import json
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
        ('"share": 0.5', '"part": 0.5', "results.up.share: 0.5 was recorded, None came out"),
        ('{"boats": 4}', '{"boats": 3}', "settings.boats: 4 was recorded, 3 came out"),
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
    [("raise SystemExit('no boats')", "it failed\nno boats"), ("print('hello')", "it printed no record")],
)
def test_a_program_that_fails_is_told_of(tmp_path: Path, text: str, said: str) -> None:
    path = rivers(tmp_path) / "evidence/runs/lock.py"
    path.write_text(text)
    ran = call(tmp_path, "evidence")
    assert ran.returncode == 1
    assert said in ran.stdout
    assert "Traceback" not in ran.stdout + ran.stderr


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
