"""Titles stand in lists, in search and in the page's contents: plain text, and nothing of the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator

from studybank.model import Bank, Entry
from studybank.problems import Problem

LONGEST = 70
PLAIN = ("subject", "lead", "description")
MARKUP = re.compile(r"[$`*<>\\\[\]{}|\n]|(?<!\w)_|_(?!\w)|&\w+;")
VERDICT = re.compile(
    r"\b(?:true|false|right|wrong|correct(?:ly)?|incorrect(?:ly)?|not|cannot|never|myth|error|mistake|misconception)\b"
    r"|\b\w+n['’]t\b",
    re.IGNORECASE,
)


def titles(bank: Bank) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    for question in bank.questions:
        line, title = question.line_of("title"), question.title
        if found := MARKUP.search(title):
            wrong = f"the title holds {_named(found[0])}"
            yield question.problem(line, "title", wrong, "plain words: no TeX, no markup")
        if found := VERDICT.search(title):
            wrong = f"the title says `{found[0]}`, which may give the verdict away"
            yield question.problem(line, "title", wrong, "name the matter, leave the verdict open")
        if len(title) > LONGEST:
            wrong = f"the title has {len(title)} characters"
            yield question.problem(line, "title", wrong, f"at most {LONGEST}")
        if title and (other := seen.setdefault(title.casefold(), question.id)) != question.id:
            yield question.problem(line, "title", f"`{other}` has the same title", "tell the two apart")


def plain(bank: Bank) -> Iterator[Problem]:
    """Names and summaries are set as they stand: the definitions of concepts alone are Markdown."""
    about = bank.about
    headings: list[tuple[Entry, str]] = [(about, "title"), (about, "headline")]
    headings += [(topic, "title") for topic in about.topics]
    headings += [(concept, "name") for concept in bank.concepts]
    headings += [(source, "cite") for source in bank.sources]
    for entry, field in headings:
        if found := MARKUP.search(getattr(entry, field)):
            wrong = f"the {field} holds {_named(found[0])}"
            yield Problem(entry.path, entry.line_of(field), "title", wrong, "plain words: no TeX, no markup")
    texts: list[tuple[str, int, str]] = [(about.path, about.line_of(name), getattr(about, name)) for name in PLAIN]
    texts += [(topic.path, topic.line_of("summary"), topic.summary) for topic in about.topics]
    for concept in bank.concepts:
        texts += [(concept.path, concept.line_of(f"aliases.{i}"), alias) for i, alias in enumerate(concept.aliases)]
    texts += [(s.path, s.line_of(name), getattr(s, name)) for s in bank.sources for name in ("title", "authors")]
    texts += [(question.path, cited.line, cited.place) for question in bank.questions for cited in question.sources]
    for path, line, text in texts:
        if "$" in text:
            yield Problem(path, line, "tex", "a `$` where no formula is set", "say it in words")


def _named(mark: str) -> str:
    return "a line break" if mark == "\n" else f"`{mark}`"
