"""How a question and its answer are worded: what can be told from the words alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from studybank.formulas import changed, prose
from studybank.model import Bank, Text
from studybank.problems import Problem
from studybank.sketch import placeholders

EXPLANATION = (60, 250)
STEMS = (
    (r"\bNOT\b", "a capital NOT"),
    # Where `which` asks; elsewhere it may well tell of something that is not.
    (
        r"(?:\A|(?<=[.!?:;,]\s))which\s+(?:\w+\s+){0,6}(?:(?:is|are|does|do|has|have|can|will)\s+not|cannot|\w+n['’]t)\b"
        r"(?=[^.!?]*\?)",
        "a question for what does not hold",
    ),
    (
        r"\b(?:all|none|both|any|neither)\s+of\s+the\s+(?:above|below|preceding|following\s+choices)\b",
        "an all-or-none option",
    ),
)
COMPILED = tuple((re.compile(pattern, 0 if "NOT" in pattern else re.IGNORECASE), what) for pattern, what in STEMS)
WORD = re.compile(r"[^\W_]+(?:['’.,-][^\W_]+)*")
# A full stop that ends a sentence: not one in a number, an abbreviation or a name.
ABBREVIATIONS = (
    "e\\.g",
    "i\\.e",
    "vs",
    "al",
    "cf",
    "ca",
    "approx",
    "etc",
    "resp",
    "Fig",
    "Eq",
    "Sec",
    "Ch",
    "No",
    "Dr",
)
SENTENCE_END = re.compile(
    "".join(rf"(?<!\b{word})" for word in ABBREVIATIONS) + r"[.!?]['\"”)*_]*\s+(?=['\"“(*_]*[A-Z0-9])"
)


def words(text: Text) -> int:
    """How many words a reader reads; a formula and a piece of code count as one each, a fence as none."""
    shown = changed(text.source, lambda m: m[0] if m["stray"] or m["escape"] else " " if m["fence"] else " x ")
    return len(WORD.findall(shown))


def lengths(bank: Bank) -> Iterator[Problem]:
    """An explanation that explains and no more, and an answer of one sentence."""
    low, high = EXPLANATION
    for question in bank.questions:
        count = words(question.explanation)
        if question.explanation.source and not low <= count <= high:
            wrong = f"the explanation has {count} word{'' if count == 1 else 's'}"
            yield question.problem(question.explanation.line, "length", wrong, f"{low} to {high}")
        # Code and formulas are words; a sentence may begin with one.
        shown = changed(question.answer.source, lambda m: m[0] if m["stray"] or m["escape"] else "X")
        if "\n\n" in shown or SENTENCE_END.search(shown):
            wrong = "the answer has more than one sentence"
            right = "one that stands alone; the rest goes into the explanation"
            yield question.problem(question.answer.line, "length", wrong, right)


def unfilled(bank: Bank) -> Iterator[Problem]:
    """What a template says is for its author."""
    for question in bank.questions:
        left = placeholders(question.kind)
        if question.title in left:
            yield question.problem(question.line_of("title"), "unfilled", "the title is the template's", "write it")
        for _, text in question.texts:
            if text.source in left:
                wrong = f"`{text.source}` is the template's"
                yield question.problem(text.line, "unfilled", wrong, "write it, or leave an optional section out")


def stems(bank: Bank) -> Iterator[Problem]:
    """Nobody should fail a question for having overlooked a `not`, or pass it by elimination."""
    for question in bank.questions:
        for name, text in question.texts:
            if name not in ("prompt", "choices"):
                continue
            shown = prose(text.source)
            for pattern, what in COMPILED:
                if found := pattern.search(shown):
                    said = " ".join(found[0].split())
                    yield question.problem(
                        text.line_at(found.start()), "stem", f"{what} (`{said}`)", "ask for what holds"
                    )
