"""The programs of a bank, run again and held against what they measured before.

A program prints one JSON object: `settings`, `versions`, `tolerance` and `results`. With `--mutate` it runs under a
setting that has to change them: then a claim that rests on it must fail, or it would not notice another behavior.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from studybank.evidence import ClaimError, Measured, Program
from studybank.model import Bank, Claim


class ProgramError(Exception):
    """A program that failed, or printed no record."""


def run(path: Path, *arguments: str) -> Measured:
    """What a program measures now. Raises ProgramError."""
    # What the programs share lies beside their folder.
    environment = os.environ | {"PYTHONPATH": str(path.parent.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, str(path), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        raise ProgramError(f"{path}: it failed\n{done.stderr.strip()[-2000:]}")
    try:
        return Measured.model_validate_json(done.stdout)
    except ValueError as error:
        raise ProgramError(f"{path}: it printed no record ({error})") from None


def drift(before: Any, now: Any, tolerance: float, way: str = "") -> Iterator[str]:
    """Where two results differ: counts and texts exactly, floats by more than `tolerance` of their size."""
    if isinstance(before, dict) and isinstance(now, dict):
        for name in [*before, *(name for name in now if name not in before)]:
            yield from drift(before.get(name), now.get(name), tolerance, f"{way}.{name}" if way else name)
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for i, pair in enumerate(zip(before, now, strict=True)):
            yield from drift(*pair, tolerance, f"{way}[{i}]")
    elif isinstance(before, float) and isinstance(now, int | float):
        if abs(before - now) > tolerance * max(abs(before), abs(now)):
            yield f"{way}: {before} was recorded, {now} came out"
    elif before != now:
        yield f"{way}: {before} was recorded, {now} came out"


def rerun(bank: Bank, path: Path, say: Callable[[str], None]) -> bool:
    """Run a program and its mutation and say what came of it. Gives whether all is as recorded, the mutation seen."""
    start = time.monotonic()
    program = bank.evidence.programs.get(path.stem)
    if program is None:
        say(f"{path}: nothing is recorded of it; record it with RECORD={path.stem}")
        return False
    before, now = program.measured, run(path)
    if before.versions != now.versions:
        say(f"{path}: recorded with {_listed(before.versions)}, run with {_listed(now.versions)}")
    what = {"settings", "results"}
    found = list(drift(before.model_dump(include=what), now.model_dump(include=what), before.tolerance))
    for line in found:
        say(f"{path}: {line}")
    if found:
        say(f"{path}: on it rest {', '.join(_resting(bank, path.stem)) or 'no questions and no figures'}")
        return False
    every = [claim for q in bank.in_order for claim in q.runs if claim.run == path.stem]
    mutated = replace(program, measured=run(path, "--mutate"))
    failed = sum(not _holds(bank, mutated, claim) for claim in every)
    seconds = round(time.monotonic() - start)
    if not failed:
        say(f"{path}: its mutation breaks none of the {len(every)} claims on it: nothing would notice")
        return False
    say(f"{path}: as recorded; its mutation breaks {failed} of {len(every)} claims ({seconds} s)")
    return True


def record(path: Path) -> None:
    """Run a program and write down what it measured."""
    written = json.dumps(run(path).model_dump(), indent=1)
    path.with_suffix(".json").write_text(written + "\n", encoding="utf-8")


def _resting(bank: Bank, program: str) -> Iterator[str]:
    """The questions that rest on a program, by a claim or by a figure that they show, and the figures drawn from it."""
    figures = [figure.name for figure in bank.evidence.figures.values() if program in figure.runs]
    for question in bank.in_order:
        if any(claim.run == program for claim in question.runs) or set(figures) & set(question.figures):
            yield question.id
    yield from (f"the figure {name}" for name in figures)


def _listed(versions: dict[str, str]) -> str:
    return ", ".join(f"{name} {number}" for name, number in versions.items()) or "nothing told"


def _holds(bank: Bank, program: Program, claim: Claim) -> bool:
    programs = bank.evidence.programs | {program.name: program}
    try:
        return replace(bank.evidence, programs=programs).outcome(claim.expression, claim.run).holds
    except ClaimError:
        return False
