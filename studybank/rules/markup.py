"""Markdown that would not come out as it was meant: on the page, in a quiz, or in an export."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from itertools import chain

from studybank.formulas import pieces, prose, stray_dollars
from studybank.model import Bank
from studybank.problems import Problem

NOWHERE = r"\]\((?!https://[^\s)]+(?: \"[^\"\n]*\")?\)|#[^\s)]*\))"
# What is looked for outside code and formulas, where the author meant text.
PROSE = (
    (r"</?quiz\b", "quiz", "a quiz inside a question", "leave it out: the page adds the quiz by itself"),
    (r"<https?:[^>\s]*>", "link", "an address without words", "write the link with its words: [text](address)"),
    (r"<!--|-->", "html", "an HTML comment", "leave it out, or put it between backticks"),
    (r"</?[A-Za-z][^>]*>?", "html", "raw HTML", "write Markdown, or put it between backticks"),
    (r"\[\^", "footnote", "a footnote", "say it in the text: footnotes have no place to stand"),
    (r"!\[", "image", "an image", "say it in words"),
    (r"^ {0,3}\[[^\]]+\]:", "reference", "a link definition", "write the link in its place: [text](address)"),
    (r"\]\[[^\]]*\]", "reference", "a reference link", "write the link in its place: [text](address)"),
    (r"^ {0,3}\*\[[^\]]+\]:", "reference", "an abbreviation", "spell it out where it is used"),
    (r"^ {0,3}(?:[-*_] *){3,}$", "rule", "a horizontal rule", "leave it out: sections are told apart by the page"),
    (r"^[-*] \[[ xX]?\] ", "choices", "an answer box outside `## Choices`", "a plain list, or a `## Choices` section"),
    (r"^(?:\?\?\?|!!!|///|===(?=.*[^=\s])|--8<--)", "block", "a block of an extension", "plain Markdown"),
    (NOWHERE, "link", "a link to neither an https address nor a question", "[words](https://…) or [words](#id)"),
    (r"\\[A-Za-z]{2,}", "tex", "a command of TeX outside a formula", "put the formula between `$` and `$`"),
    (r"\\\((?=[^\n]*\\\))", "tex", "a formula between brackets", "put it between `$` and `$`"),
    (r"(?<=\w)\^[\w{]", "tex", "a power outside a formula", "put it between `$` and `$`, or code between backticks"),
    (r"(?<!`)`+", "code", "a backtick that opens no code", r"close it with as many, or write \` for the sign"),
)  # fmt: skip
COMPILED = tuple((re.compile(pattern, re.MULTILINE), code, wrong, right) for pattern, code, wrong, right in PROSE)
# These look at what stands before, which may be code.
UNDERLINE = re.compile(r"^ {0,3}(?:-+|=+)[ \t]*$", re.MULTILINE)
ATTRIBUTES = re.compile(r"(?<=[`*_)\]])\{[^}\n]+\}|^[ \t]*\{[^}\n]+\}[ \t]*$|\{[^}\n]+\}(?=[ \t]*\|)", re.MULTILINE)
# mkdocs-quiz looks for its tags before it looks for code.
ANYWHERE = re.compile(r"</?quiz>|<\?/?quiz\?>|MKDOCS_QUIZ|<!-- mkdocs-quiz")
# Points and choices are set in one line of a list.
BLOCK = re.compile(r"\n[ \t]*\n|^[ \t]*(?:(?:[-*+]|\d+[.)])[ \t]|>|`{3}|~{3})", re.MULTILINE)
LINK = re.compile(r"\]\(#([^\s)]*)\)")

# Each of the above that is looked for in prose begins with one of these signs or holds one. Most texts have none.
SIGN = re.compile(r"[<>\[{`\\^]|\n {0,3}[-*_=?!/]")

Fault = tuple[int, str, str, str]


def markup(bank: Bank) -> Iterator[Problem]:
    for question in bank.questions:
        for name, text in question.texts:
            for offset, code, wrong, right in _faults(text.source, bank.by_id, inline=name in ("points", "choices")):
                yield question.problem(text.line_at(offset), code, wrong, right)
    for concept in bank.concepts:
        for _, code, wrong, right in _faults(concept.definition, bank.by_id):
            yield Problem(concept.path, concept.line_of("definition"), code, wrong, right)


def _faults(source: str, ids: Container[str], *, inline: bool = False) -> Iterator[Fault]:
    """Offset, code, what is wrong and what would be right; of two faults in one place the first is told."""
    taken: set[int] = set()
    for fault in chain(_in_prose(source, ids), _in_source(source, inline)):
        if fault[0] not in taken:
            taken.add(fault[0])
            yield fault


def _in_prose(source: str, ids: Container[str]) -> Iterator[Fault]:
    visible = prose(source)
    if not SIGN.search(f"\n{visible}"):
        return
    for found in UNDERLINE.finditer(visible):
        if re.search(r"\S[ \t]*\n\Z", source[: found.start()]):
            yield _lead(found), "section", "an underlined heading", "an empty line above, or no line at all"
    for pattern, code, wrong, right in COMPILED:
        for found in pattern.finditer(visible):
            yield _lead(found), code, wrong, right
    for found in ATTRIBUTES.finditer(source):
        if visible[_lead(found)] == "{":
            yield (
                _lead(found),
                "attributes",
                f"`{found[0].strip()}`, which is taken for attributes",
                "put it between backticks",
            )
    for found in LINK.finditer(visible):
        if found[1] not in ids:
            yield found.start(), "link", f"`#{found[1]}` is not a question", "use the id of one"


def _in_source(source: str, inline: bool) -> Iterator[Fault]:
    for found in ANYWHERE.finditer(source):
        yield found.start(), "quiz", f"`{found[0]}`, which mkdocs-quiz would act on", "write it another way"
    for offset in stray_dollars(source):
        right = r"close it on both sides without spaces, or write `\$` for the sign"
        yield offset, "tex", "a `$` that opens no formula", right
    for found in pieces(source):
        if found["marks"] != found["end"]:
            yield found.start(), "fence", "code that is not closed", f"end it with a line {found['marks']}"
    if inline and (block := BLOCK.search(source)):
        wrong = "a paragraph, a list, a quotation or a block of code inside an item"
        yield block.end(), "block", wrong, "one line of text; the rest goes into the explanation"


def _lead(found: re.Match[str]) -> int:
    """Where it begins, behind the space that leads to it."""
    return found.start() + len(found[0]) - len(found[0].lstrip())
