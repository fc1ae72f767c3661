"""Everything that can be wrong with a bank, found in one run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from studybank.formulas import Formula, formulas
from studybank.maths import FormulaStore
from studybank.model import Bank, Text
from studybank.modules import failure
from studybank.pages import Pages
from studybank.problems import BankError, Problem
from studybank.reading import read_bank
from studybank.rules import broken


def inspect(root: Path, store: FormulaStore) -> tuple[Bank, list[Problem]]:
    """Read a bank and hold it against every rule, setting its formulas. Raises BankError where it has no bank.yaml."""
    bank, problems = read_bank(root)
    problems = sorted({*problems, *broken(bank), *_refused_formulas(bank, store)})
    return bank, problems or list(_refused_pages(bank))


def checked(root: Path, store: FormulaStore) -> Bank:
    """The bank, if nothing is wrong with it. Raises BankError with every problem otherwise."""
    bank, problems = inspect(root, store)
    if problems:
        raise BankError(problems)
    return bank


def _refused_formulas(bank: Bank, store: FormulaStore) -> Iterator[Problem]:
    """What MathJax refuses. All formulas are asked for before any answer is looked at, to be set together."""
    found: list[tuple[Formula, Callable[[str], Problem]]] = []
    for question in bank.questions:
        for _, text in question.texts:
            for offset, formula in formulas(text.source):
                line = text.line_at(offset)
                found.append((formula, _refusal(question.path, line, formula)))
    for concept in bank.concepts:
        for _, formula in formulas(concept.definition):
            found.append((formula, _refusal(concept.path, concept.line_of("definition"), formula)))
    preface = Text(bank.preface, 1)
    for offset, formula in formulas(preface.source):
        found.append((formula, _refusal(str(Path(bank.root, "about.md")), preface.line_at(offset), formula)))
    for formula, _ in found:
        store.want(formula)
    store.settle()
    for formula, problem in found:
        if formula.key in store.errors:
            yield problem(store.errors[formula.key])


def _refused_pages(bank: Bank) -> Iterator[Problem]:
    """Pages of the bank's own that are no templates, or ask for what isn't there."""
    if not bank.pages:
        return
    pages = Pages(bank)
    for own in bank.pages:
        try:
            pages.own(own)
        except Exception as error:  # A template raises whatever it stumbles on.
            right = "mend the template; what is none goes between `{% raw %}` and `{% endraw %}`"
            yield failure(error, Path(own.path), "page", right)


def _refusal(path: str, line: int, formula: Formula) -> Callable[[str], Problem]:
    shown = " ".join(formula.tex.split())
    right = "TeX that MathJax knows"
    return lambda said: Problem(path, line, "tex", f"MathJax refuses `{shown}` ({said.rstrip('.')})", right)
