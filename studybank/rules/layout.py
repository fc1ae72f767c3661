"""Blocks that look like one thing in the file and come out as another: Python-Markdown is strict about empty lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from studybank.formulas import pieces, prose
from studybank.model import Bank
from studybank.problems import Problem

MARK = re.compile(r"(?:[-*+]|(\d{1,2})[.)])[ \t]+\S")
TABLE = re.compile(r"^ *\|?(?: *:?-+:? *\|)+(?: *:?-+:? *)?$")
RULE = re.compile(r"^ *(?:[-*_] *){3,}$")


def layout(bank: Bank) -> Iterator[Problem]:
    for question in bank.questions:
        for name, text in question.texts:
            # An item is of one block anyway.
            if name not in ("points", "choices"):
                for line, wrong, right in _misread(text.source):
                    yield question.problem(text.line + line, "layout", wrong, right)


def _misread(source: str) -> Iterator[tuple[int, str, str]]:
    """The lines that will be misread, counted from 0, each with what is wrong and what would be right."""
    fenced = _fenced(source)
    shown = prose(source).split("\n")
    in_list = False
    block = 0  # How many lines of the same block came before.
    for number, row in enumerate(source.split("\n")):
        if not row.strip() or number in fenced:
            block = 0 if not row.strip() else block + 1
            continue
        row = row.expandtabs(4)
        indent = len(row) - len(row.lstrip())
        mark = MARK.match(row.lstrip()) if shown[number].lstrip()[:1] == row.lstrip()[:1] else None
        if not shown[number].strip():
            in_list = in_list and bool(block or indent)
        elif mark and not RULE.match(row):
            if block and not in_list:
                yield number, "a list right below text, which becomes part of it", "an empty line before the list"
            elif 1 <= indent <= 3:
                yield number, f"a list indented by {indent}", "four spaces for a list within a list, none for another"
            elif not in_list and mark[1] and int(mark[1]) != 1:
                yield number, f"a list that begins at {mark[1]}, which is shown as 1", "begin at 1"
            in_list = True
        elif not block and indent >= 4 and not in_list:
            yield number, "a block of code by its indent", "put code between two lines of three backticks"
        elif not block and 1 <= indent <= 3:
            yield number, f"a paragraph indented by {indent}", "four spaces to go on with an item, none otherwise"
        elif not block and not indent:
            in_list = False
        if block > 1 and TABLE.match(shown[number]):
            yield number, "a table right below text, which becomes part of it", "an empty line before the table"
        block += 1


def _fenced(source: str) -> set[int]:
    """The numbers of the lines that belong to a fence."""
    found: set[int] = set()
    for fence in pieces(source) if "```" in source or "~~~" in source else ():
        if fence["fence"]:
            first = source.count("\n", 0, fence.start())
            found.update(range(first, first + fence[0].count("\n") + 1))
    return found
