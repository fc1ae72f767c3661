"""Markdown that would not come out as it was meant: on the page, in a quiz, or in an export."""

from __future__ import annotations

import re
from collections.abc import Iterator

from studybank.formulas import SCAN, prose, stray_dollars
from studybank.model import Bank
from studybank.problems import Problem

# What is looked for outside code and formulas, where the author meant text.
PROSE: tuple[tuple[str, str, str, str], ...] = (
    (r"</?quiz\b", "quiz", "a quiz inside a question", "leave it out: the page adds the quiz by itself"),
    (r"<!--|-->", "html", "an HTML comment", "leave it out, or put it between backticks"),
    (r"</?[A-Za-z][^>]*>?", "html", "raw HTML", "write Markdown, or put it between backticks"),
    (r"\[\^", "footnote", "a footnote", "say it in the text: footnotes have no place to stand"),
    (r"!\[", "image", "an image", "say it in words"),
    (r"^ {0,3}\[[^\]]+\]:", "reference", "a link definition", "write the link in its place: [text](address)"),
    (r"\]\[[^\]]*\]", "reference", "a reference link", "write the link in its place: [text](address)"),
    (r"^ {0,3}\*\[[^\]]+\]:", "reference", "an abbreviation", "spell it out where it is used"),
    (r"^(?=.*\S).*\n {0,3}(?:-+|=+)[ \t]*$", "section", "an underlined heading", "an empty line above the rule"),
    (r"^ {0,3}(?:[-*_] *){3,}$", "rule", "a horizontal rule", "leave it out: sections are told apart by the page"),
    (r"^[-*] \[[ xX]?\] ", "choices", "an answer box outside `## Choices`", "a plain list, or a `## Choices` section"),
    (r"^(?:\?\?\?|!!!|///|===|--8<--)", "block", "a block of an extension", "plain Markdown"),
    (r"\]\((?!https://|#)[^)]*\)", "link", "a link that is not an https address", "https://…, or `#id` for a question"),
    (r"[\ue000-\uf8ff\x00-\x08\x0b\x0c\x0e-\x1f]", "character", "a control or private-use character", "delete it"),
)  # fmt: skip
COMPILED = [(re.compile(pattern, re.MULTILINE), code, wrong, right) for pattern, code, wrong, right in PROSE]
# mkdocs-quiz looks for its tags before it looks for code.
ANYWHERE = re.compile(r"</?quiz>|<\?/?quiz\?>|MKDOCS_QUIZ|<!-- mkdocs-quiz")
LINK = re.compile(r"\]\(#([^)]*)\)")


def markup(bank: Bank) -> Iterator[Problem]:
    for question in bank.questions:
        for _, text in question.texts:
            visible = prose(text.source)
            taken: set[int] = set()
            for pattern, code, wrong, right in COMPILED:
                for found in pattern.finditer(visible):
                    if found.start() not in taken:
                        taken.add(found.start())
                        line = text.line_at(found.start() + len(found[0]) - len(found[0].lstrip()))
                        yield question.problem(line, code, wrong, right)
            for found in ANYWHERE.finditer(text.source):
                if found.start() not in taken:
                    wrong = f"`{found[0]}`, which mkdocs-quiz would act on"
                    yield question.problem(text.line_at(found.start()), "quiz", wrong, "write it another way")
            for offset in stray_dollars(text.source):
                wrong = "a `$` that opens no formula"
                right = r"close it on both sides without spaces, or write `\$` for the sign"
                yield question.problem(text.line_at(offset), "tex", wrong, right)
            for found in SCAN.finditer(text.source):
                if found["fence"] and not re.search(r"\n[ \t]*[`~]{3,}[ \t]*\Z", found["fence"]):
                    yield question.problem(text.line_at(found.start()), "fence", "code that is not closed", "close it")
            for found in LINK.finditer(visible):
                if found[1] not in bank.by_id:
                    wrong = f"`#{found[1]}` is not a question"
                    yield question.problem(text.line_at(found.start()), "link", wrong, "use the id of one")
