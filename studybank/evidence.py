"""Evidence: the formulas of a bank, what its programs measured, and whether a claim about either holds.

A bank may bring `evidence/formulas.py`, a module of pure functions and constants, and programs `evidence/runs/NAME.py`,
each with what it measured beside it in `NAME.json`. A claim is one comparison: an expression, not a program.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from simpleeval import EvalWithCompoundTypes, FunctionNotDefined, NameNotDefined

from studybank.claims import ClaimError, comparison, names, spoken_of, too_deep
from studybank.figures import FIGURES, Figure, read_figures
from studybank.modules import loaded
from studybank.problems import Problem, one_of
from studybank.records import Measured, measured

FORMULAS = "formulas"
ALLOWED: dict[str, Callable[..., Any]] = {f.__name__: f for f in (abs, len, max, min, round, sum)}
READABLE = 10**21


@dataclass(frozen=True)
class Outcome:
    """Whether a claim holds, and the value that it speaks of."""

    holds: bool
    value: str


@dataclass(frozen=True)
class Module:
    """A file of the evidence with its text. `title` and `about` come from its docstring."""

    name: str
    text: str

    @property
    def title(self) -> str:
        return self._doc.partition("\n")[0].rstrip(".")

    @property
    def about(self) -> str:
        return self._doc.partition("\n\n")[2]

    @property
    def _doc(self) -> str:
        return ast.get_docstring(ast.parse(self.text)) or self.name


@dataclass(frozen=True)
class Program(Module):
    """A program with what it measured."""

    measured: Measured


@dataclass
class Evidence:
    """`formulas` are the functions of formulas.py and `constants` its other names; `modules` all files beside it."""

    modules: dict[str, Module] = field(default_factory=dict)
    formulas: dict[str, Callable[..., Any]] = field(default_factory=dict)
    constants: dict[str, Any] = field(default_factory=dict)
    programs: dict[str, Program] = field(default_factory=dict)
    figures: dict[str, Figure] = field(default_factory=dict)
    # The check of the bank and the page both ask.
    _decided: dict[tuple[str, str], Outcome] = field(default_factory=dict, init=False, repr=False)

    def __bool__(self) -> bool:
        return bool(self.modules or self.programs)

    def outcome(self, expression: str, run: str = "") -> Outcome:
        """Decide a claim over the formulas and, if it names one, over what a run measured. Raises ClaimError."""
        if (expression, run) not in self._decided:
            try:
                self._decided[expression, run] = self._decide(expression, run)
            except RecursionError:
                raise too_deep(expression) from None
        return self._decided[expression, run]

    def _decide(self, expression: str, run: str) -> Outcome:
        results: dict[str, Any] = {}
        if run:
            if run not in self.programs:
                raise ClaimError(f"`{run}` is no program of evidence/runs", one_of(run, self.programs))
            results = {name: _reachable(value) for name, value in self.programs[run].measured.results.items()}
        claim = comparison(expression)
        value = self._value(ast.unparse(spoken_of(claim)), results)
        if run and not names(claim) & results.keys() - self.constants.keys():
            right = f"one of its results ({', '.join(results)}), or a claim under `checks`"
            raise ClaimError(f"`{expression}` names nothing that `{run}` measured", right)
        try:
            return Outcome(self._value(expression, results) is True, shown(value))
        except OverflowError:
            raise ClaimError(f"the value of `{expression}` is beyond the range of a float", "smaller numbers") from None

    def _value(self, expression: str, results: dict[str, Any]) -> Any:
        known, functions = self.constants | results, self.formulas | ALLOWED
        try:
            return EvalWithCompoundTypes(names=known, functions=functions).eval(expression)
        except NameNotDefined as error:
            raise ClaimError(f"`{error.name}` is not known", one_of(error.name, known)) from None
        except FunctionNotDefined as error:
            raise ClaimError(f"`{error.func_name}` is no formula", one_of(error.func_name, functions)) from None
        except (Exception, SystemExit) as error:  # A formula raises whatever it stumbles on.
            said = " ".join(str(error).split())
            raise ClaimError(
                f"`{expression}` fails ({type(error).__name__}: {said})", "an expression that can be evaluated"
            ) from None


def shown(value: Any) -> str:
    """A value as a reader reads it: to six digits, or a whole number in full up to 21. Raises OverflowError."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return f"{value:,}" if isinstance(value, int) and abs(value) < READABLE else f"{value:,.6g}"


def _reachable(value: Any) -> Any:
    """Results by dots: `world_4.backward.all_gather`."""
    if isinstance(value, dict):
        return SimpleNamespace(**{name: _reachable(inner) for name, inner in value.items()})
    return deepcopy(value)


def program_files(folder: Path) -> list[Path]:
    return sorted((folder / "runs").glob("[!_.]*.py"))


def _source(path: Path) -> tuple[str | None, list[Problem]]:
    """The text of a Python file, or what is wrong with it."""
    try:
        text = path.read_text(encoding="utf-8")
        ast.parse(text)
    except SyntaxError as error:
        wrong = Problem(str(path), error.lineno or 1, "run", f"no Python ({error.msg})", "mend the file")
    except UnicodeDecodeError as error:
        wrong = Problem(str(path), 1, "run", f"no UTF-8 ({error.reason} at byte {error.start})", "save it as UTF-8")
    except (RecursionError, MemoryError, ValueError) as error:
        wrong = Problem(str(path), 1, "run", f"no Python ({error or 'nested too deeply'})", "mend the file")
    else:
        return text, []
    return None, [wrong]


def read_evidence(folder: Path) -> tuple[Evidence, list[Problem]]:
    """The evidence of a bank, and what is wrong with its files; without a folder there is none."""
    evidence = Evidence()
    problems: list[Problem] = []
    path = folder / f"{FORMULAS}.py"
    if path.exists():
        module, problems = loaded(path, "formulas")
        public = {name: value for name, value in vars(module).items() if name[0] != "_"} if module else {}
        evidence.formulas = {n: f for n, f in public.items() if inspect.isfunction(f) and f.__module__ == FORMULAS}
        evidence.constants = {n: v for n, v in public.items() if isinstance(v, int | float | str | dict | tuple)}
    for path in sorted(folder.glob("[!_.]*.py")):
        text, wrong = _source(path)
        # What these two stumble on is told where they are loaded.
        problems += [] if path.stem in (FORMULAS, FIGURES) else wrong
        if text is not None:
            evidence.modules[path.stem] = Module(path.stem, text)
    for program in program_files(folder):
        text, wrong = _source(program)
        if program.stem in (*evidence.modules, "index"):
            right = "another name"
            wrong.append(Problem(str(program), 1, "run", f"`{program.stem}` is another page of the evidence", right))
        problems += wrong
        try:
            kept = measured(program.with_suffix(".json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            right = f"run it once: `make evidence RECORD={program.stem}`"
            problems.append(Problem(str(program), 1, "run", "nothing is recorded of this program", right))
        except (OSError, ValueError) as error:
            record = str(program.with_suffix(".json"))
            problems.append(Problem(record, 1, "run", f"no record of a run ({error})", "record it again"))
        else:
            if text is not None:
                evidence.programs[program.stem] = Program(program.stem, text, kept)
    results = {name: _reachable(program.measured.results) for name, program in evidence.programs.items()}
    evidence.figures, wrong = read_figures(folder, results)
    return evidence, problems + wrong
