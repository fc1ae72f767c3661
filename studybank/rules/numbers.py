"""The numbers of a question that is called checked: each stands in one of its claims, or is marked as quoted."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from studybank.claims import ClaimError, parsed
from studybank.formulas import changed
from studybank.model import Bank, Question
from studybank.problems import Problem

UNIT = r"""
    \\?% | (?:percent|million|billion|trillion|thousand|x|times|(?:nano|micro|milli)?seconds?|minutes?|hours?|[mnuµμ]?s
    |[KkMGTPE]i?B|bytes?|[KkMGTP]?bits?|[KkMGTPE]?FLOPS?|[kMGT]Hz)(?:/s)?\b
"""
# Not the end of a name (Llama-3.1, §7.2), of a version (2.13.0) or of a power; nor what is raised to one.
NUMBER = re.compile(
    rf"""
    (?<![\w.§^])(?<!\^\{{)(?<!\^\{{-)(?<![A-Za-z]-)(?<![A-Za-z]\d-)(?<![A-Za-z]\d{{3}}-)
    (?P<digits>(?:\d+(?:(?:,|\{{,\}})\d{{3}})*(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?)
    (?![\d^]|\.\d|(?!(?:{UNIT})|[BMKkTbn]\b|bn\b)[A-Za-z_])
    (?P<unit>(?:\s|\\[ ,;]|[~{{])*(?:{UNIT}))?
    """,
    re.VERBOSE,
)
COMMAND = re.compile(r"\\[A-Za-z]+")
# Smaller whole numbers without a unit count, name a note, or are written in a formula.
SMALL = 10


def numbers(bank: Bank) -> Iterator[Problem]:
    for question in bank.questions:
        if not question.checked_by:
            continue
        keys = {cited.key for cited in question.sources}
        for cited in question.quoted:
            if cited.key and cited.key not in keys:
                wrong = f"`{cited.key}` is not among the sources of the question"
                yield question.problem(cited.line, "number", wrong, "name it there, with the place that says so")
        backed = _backed(bank, question)
        seen = set()
        # What a false claim tells is no more than its claim.
        false = getattr(question, "verdict", None) is False
        for name, text in question.texts:
            for offset, number, shown in _told(text.source):
                seen.add(number)
                if number not in backed and not (false and name == "prompt"):
                    wrong = f"{shown} stands in no claim of `checks` or `runs`"
                    right = "a claim that computes it, or `quoted` with its source"
                    yield question.problem(text.line_at(offset), "number", wrong, right)
        for cited in question.quoted:
            for _, number, shown in _told(cited.place):
                if number not in seen:
                    yield question.problem(cited.line, "number", f"{shown} is quoted nowhere", "drop it")


def _backed(bank: Bank, question: Question) -> set[float]:
    """Numbers that its claims are made of, that its runs were set to, or that it quotes."""
    found = {number for cited in question.quoted for _, number, _ in _told(cited.place)}
    for claim in (*question.checks, *question.runs):
        try:
            tree = parsed(claim.expression)
        except ClaimError:
            continue
        found |= {number for node in ast.walk(tree) for number in _numbers(node)}
        if claim.run in bank.evidence.programs:
            settings = bank.evidence.programs[claim.run].measured.settings
            found |= {value for value in settings.values() if isinstance(value, int | float)}
    return found | {round(100 * number, 9) for number in found if number < 1}


def _numbers(node: ast.AST) -> list[float]:
    """A literal, or what a result is named after: 64 in `world_64`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return [node.value]
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return [float(digits) for digits in re.findall(r"(?<=_)\d+", name)]


def _told(source: str) -> Iterator[tuple[int, float, str]]:
    """The numbers that a text tells, outside code: the offset of each, its value, and how it is written."""
    text = changed(source, lambda m: m[0] if not m["fence"] and not m["ticks"] else re.sub(r"[^\n]", " ", m[0]))
    # A command may end right before a number.
    for found in NUMBER.finditer(COMMAND.sub(lambda m: " " * len(m[0]), text)):
        digits = found["digits"].replace("{,}", ",")
        number = float(digits.replace(",", ""))
        if number > SMALL or number != int(number) or found["unit"]:
            yield found.start(), number, digits + (found["unit"] or "").replace("{", " ").replace("\\", "")
