"""Titles stand in lists, in search and in the page's contents: plain text, and nothing of the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator

from studybank.model import Bank
from studybank.problems import Problem

LONGEST = 70
MARKUP = re.compile(r"[$`*<>\\\[\]{}|]|(?<!\w)_|_(?!\w)|&\w+;")
VERDICT = re.compile(
    r"\b(true|false|right|wrong|correct(ly)?|incorrect(ly)?|not|never|myth|error|mistake|misconception|isn't|doesn't"
    r"|can't|won't)\b",
    re.IGNORECASE,
)


def titles(bank: Bank) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    for question in bank.questions:
        line, title = question.line_of("title"), question.title
        if found := MARKUP.search(title):
            wrong = f"the title holds `{found[0]}`"
            yield question.problem(line, "title", wrong, "plain words: no TeX, no markup")
        if found := VERDICT.search(title):
            wrong = f"the title says `{found[0]}`, which may give the verdict away"
            yield question.problem(line, "title", wrong, "name the matter, leave the verdict open")
        if len(title) > LONGEST:
            wrong = f"the title has {len(title)} characters"
            yield question.problem(line, "title", wrong, f"at most {LONGEST}")
        if title and (other := seen.setdefault(title.casefold(), question.id)) != question.id:
            yield question.problem(line, "title", f"`{other}` has the same title", "tell the two apart")
