"""The programs of a bank, run again and held against what they measured before.

A program prints one JSON object: `settings`, `versions`, `tolerance` and `results`. With `--mutate` it runs under a
setting that has to change them: then a claim that rests on it must fail, or it would not notice another behavior.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from studybank.claims import ClaimError
from studybank.evidence import Program
from studybank.model import Bank, Claim
from studybank.records import Measured, measured

# Seconds that a program may take. The longest of this bank takes two minutes on two cores.
PATIENCE = 1800


class ProgramError(Exception):
    """A program that failed, or printed no record."""


def run(path: Path, *arguments: str) -> Measured:
    """What a program measures now. Raises ProgramError."""
    # What the programs share lies beside their folder.
    environment = os.environ | {"PYTHONPATH": str(path.parent.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, str(path), *arguments]
    # Files: a child that outlives its program would keep a pipe open.
    with TemporaryFile() as out, TemporaryFile() as err:
        process = subprocess.Popen(command, stdout=out, stderr=err, env=environment, start_new_session=True)
        try:
            status = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise ProgramError(f"{path}: it was stopped after {PATIENCE / 60:g} minutes") from None
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        for file in (out, err):
            file.seek(0)
        printed, said = (file.read().decode("utf-8", "replace") for file in (out, err))
    if status:
        how = f"exit status {status}" if status > 0 else f"killed by {signal.Signals(-status).name}"
        raise ProgramError(f"{path}: it failed ({how})\n{said.strip()[-2000:]}".strip())
    try:
        return measured(printed)
    except ValueError as error:
        raise ProgramError(f"{path}: what it printed is no record ({error})") from None


def drift(before: Any, now: Any, tolerance: float, way: str = "") -> Iterator[str]:
    """Where two results differ: counts and texts exactly, floats by more than `tolerance` of their size."""
    if isinstance(before, dict) and isinstance(now, dict):
        for name in [*before, *(name for name in now if name not in before)]:
            inner = f"{way}.{name}" if way else name
            if name in before and name in now:
                yield from drift(before[name], now[name], tolerance, inner)
            else:
                was, came = (str(side.get(name, "nothing")) for side in (before, now))
                yield f"{inner}: {was} was recorded, {came} came out"
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for i, pair in enumerate(zip(before, now, strict=True)):
            yield from drift(*pair, tolerance, f"{way}[{i}]")
    elif isinstance(before, float) and isinstance(now, int | float) and not isinstance(now, bool):
        if abs(before - now) > tolerance * max(abs(before), abs(now)):
            yield f"{way}: {before} was recorded, {now} came out"
    elif before != now or isinstance(before, bool) is not isinstance(now, bool):
        yield f"{way}: {before} was recorded, {now} came out"


def rerun(bank: Bank, path: Path, say: Callable[[str], None]) -> bool:
    """Run a program and its mutation and say what came of it. Gives whether all is as recorded, the mutation seen."""
    start = time.monotonic()
    program = bank.evidence.programs.get(path.stem)
    if program is None:
        if path.with_suffix(".json").exists():
            say(f"{path}: it can't be compared; `build_bank.py check` says what is wrong with it or its record")
        else:
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
    if false := [claim for claim in every if not _holds(bank, program, claim)]:
        say(f"{path}: `{false[0].expression}` does not hold as recorded; `build_bank.py check` says where it stands")
        return False
    mutated = replace(program, measured=run(path, "--mutate"))
    held = [(claim, _holds(bank, mutated, claim)) for claim in every]
    # What can't be decided is no sign that a behavior was noticed.
    failed = sum(holds is False for _, holds in held)
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


def _holds(bank: Bank, program: Program, claim: Claim) -> bool | None:
    """Whether a claim holds of what a program measured, or None where that can't be decided."""
    programs = bank.evidence.programs | {program.name: program}
    try:
        return replace(bank.evidence, programs=programs).outcome(claim.expression, claim.run).holds
    except ClaimError:
        return None
