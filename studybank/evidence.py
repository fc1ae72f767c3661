"""Evidence: the formulas of a bank, what its programs measured, and whether a claim about either holds.

A bank may bring `evidence/formulas.py`, a module of pure functions and constants, and programs `evidence/runs/NAME.py`,
each with what it measured beside it in `NAME.json`. A claim is one comparison: an expression, not a program.
"""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from simpleeval import EvalWithCompoundTypes, FunctionNotDefined, NameNotDefined

from studybank.figures import FIGURES, Figure, read_figures
from studybank.modules import loaded
from studybank.problems import Problem, one_of

FORMULAS = "formulas"
ALLOWED: dict[str, Callable[..., Any]] = {f.__name__: f for f in (abs, len, max, min, round, sum)}
READABLE = 10**21
# What a claim may consist of. Whatever loops, branches, formats or calls a method is a program.
PARTS = (
    *(ast.Compare, ast.cmpop, ast.BinOp, ast.operator, ast.UnaryOp, ast.unaryop, ast.Call, ast.keyword),
    *(ast.Name, ast.Attribute, ast.Subscript, ast.Slice, ast.Constant, ast.List, ast.Tuple, ast.expr_context),
)


class ClaimError(Exception):
    """A claim that can't be decided: what is wrong with it, and what would be right."""

    def __init__(self, wrong: str, right: str) -> None:
        super().__init__(wrong)
        self.wrong, self.right = wrong, right


@dataclass(frozen=True)
class Outcome:
    """Whether a claim holds, and the value that it speaks of."""

    holds: bool
    value: str


class Measured(BaseModel):
    """What a program wrote: settings, versions, what came out, and by what part of it floats may differ next time."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    settings: dict[str, Any]
    versions: dict[str, str]
    results: dict[str, Any]
    tolerance: float = Field(0, ge=0, lt=1)


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
                raise _too_deep(expression) from None
        return self._decided[expression, run]

    def _decide(self, expression: str, run: str) -> Outcome:
        measured: dict[str, Any] = {}
        if run:
            if run not in self.programs:
                raise ClaimError(f"`{run}` is no program of evidence/runs", one_of(run, self.programs))
            measured = {name: _reachable(value) for name, value in self.programs[run].measured.results.items()}
        tree = parsed(expression)
        if not isinstance(tree, ast.Compare):
            raise ClaimError(f"`{expression}` compares nothing", "`left == right`")
        for part in ast.walk(tree):
            if not _belongs(part):
                wrong = f"`{ast.unparse(part)}` belongs to a program, not to a claim"
                raise ClaimError(wrong, "numbers, names, arithmetic on numbers, and calls of formulas")
        for left, right in pairwise([tree.left, *tree.comparators]):
            if ast.dump(left) == ast.dump(right):
                wrong = f"`{expression}` compares `{ast.unparse(left)}` with itself"
                raise ClaimError(wrong, "two things that could differ")
        spoken_of = tree.comparators[0] if isinstance(tree.left, ast.Constant) else tree.left
        if isinstance(spoken_of, ast.Call) and ast.unparse(spoken_of.func) == "round":
            spoken_of = spoken_of.args[0]
        value = self._value(ast.unparse(spoken_of), measured)
        try:
            return Outcome(self._value(expression, measured) is True, shown(value))
        except OverflowError:
            raise ClaimError(f"the value of `{expression}` is beyond the range of a float", "smaller numbers") from None

    def _value(self, expression: str, measured: dict[str, Any]) -> Any:
        names, functions = self.constants | measured, self.formulas | ALLOWED
        try:
            return EvalWithCompoundTypes(names=names, functions=functions).eval(expression)
        except NameNotDefined as error:
            raise ClaimError(f"`{error.name}` is not known", one_of(error.name, names)) from None
        except FunctionNotDefined as error:
            raise ClaimError(f"`{error.func_name}` is no formula", one_of(error.func_name, functions)) from None
        except Exception as error:  # A formula raises whatever it stumbles on.
            said = " ".join(str(error).split())
            raise ClaimError(
                f"`{expression}` fails ({type(error).__name__}: {said})", "an expression that can be evaluated"
            ) from None


def parsed(expression: str) -> ast.expr:
    """The syntax tree of a claim. Raises ClaimError."""
    try:
        return ast.parse(expression, mode="eval").body
    except (RecursionError, MemoryError):  # A parser out of stack calls it memory.
        raise _too_deep(expression) from None
    except (SyntaxError, ValueError) as error:  # A null byte is no SyntaxError in 3.11.
        said = error.msg if isinstance(error, SyntaxError) else str(error)
        raise ClaimError(f"`{expression}` is no expression ({said})", "`left == right`") from None


def _too_deep(expression: str) -> ClaimError:
    return ClaimError(f"`{expression[:40]}...` is nested too deeply", "a claim that a reader can follow")


def _belongs(part: ast.AST) -> bool:
    if isinstance(part, ast.Call):
        return isinstance(part.func, ast.Name)
    if isinstance(part, ast.BinOp):
        sides = (side.value for side in (part.left, part.right) if isinstance(side, ast.Constant))
        return not any(isinstance(side, str) for side in sides)
    return isinstance(part, PARTS)


def shown(value: Any) -> str:
    """A value as a reader reads it: to six digits, or a whole number in full up to 21. Raises OverflowError."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return f"{value:,}" if isinstance(value, int) and abs(value) < READABLE else f"{value:,.6g}"


def _reachable(value: Any) -> Any:
    """Results by dots: `world_4.backward.all_gather`."""
    if isinstance(value, dict):
        return SimpleNamespace(**{name: _reachable(inner) for name, inner in value.items()})
    return value


def program_files(folder: Path) -> list[Path]:
    return sorted((folder / "runs").glob("[!_.]*.py"))


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
    for program in program_files(folder):
        try:
            text = program.read_text(encoding="utf-8")
            ast.parse(text)
            measured = Measured.model_validate(json.loads(program.with_suffix(".json").read_text(encoding="utf-8")))
        except SyntaxError as error:
            problems.append(
                Problem(str(program), error.lineno or 1, "run", f"no Python ({error.msg})", "mend the program")
            )
        except FileNotFoundError:
            right = f"run it once: `make evidence RECORD={program.stem}`"
            problems.append(Problem(str(program), 1, "run", "nothing is recorded of this program", right))
        except (ValidationError, ValueError, RecursionError) as error:
            said = str(error).splitlines()[0]
            problems.append(
                Problem(str(program.with_suffix(".json")), 1, "run", f"no record of a run ({said})", "record it again")
            )
        else:
            evidence.programs[program.stem] = Program(program.stem, text, measured)
    for path in sorted(folder.glob("[!_.]*.py")):
        text = path.read_text(encoding="utf-8")
        try:
            ast.parse(text)
        except SyntaxError as error:
            if path.stem not in (FORMULAS, FIGURES):
                problems.append(
                    Problem(str(path), error.lineno or 1, "run", f"no Python ({error.msg})", "mend the module")
                )
        else:
            evidence.modules[path.stem] = Module(path.stem, text)
    results = {name: _reachable(program.measured.results) for name, program in evidence.programs.items()}
    evidence.figures, wrong = read_figures(folder, results)
    return evidence, problems + wrong
