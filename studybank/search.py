"""Search entries, made from the bank: they can't hold a word of an answer, because none is put in."""

from __future__ import annotations

import re
from typing import Any

from studybank.formulas import tokenized
from studybank.kinds import KINDS
from studybank.maths import FormulaStore
from studybank.model import Bank
from studybank.pages import address

# What Markdown leaves in a text once its formulas are gone, and links with their addresses.
MARKS = re.compile(r"\]\([^)]*\)|^[ \t]*(?:[-*+>]|\d+\.)[ \t]+|^[ \t]*(?:```|~~~).*$|[`*\[\]\\]", re.MULTILINE)


def plain(source: str, store: FormulaStore) -> str:
    """Markdown as a line of plain text."""
    # A curly apostrophe is what a phone types; the browser makes it straight in queries (search/mending.js).
    return " ".join(store.plain(MARKS.sub("", tokenized(source, lambda _: None))).replace("’", "'").split())


def entries(bank: Bank, store: FormulaStore) -> list[dict[str, Any]]:
    """One entry a question and one a concept, in the format of Material's search index.

    A page's own entry comes before its sections', which is how Material tells the two apart.
    `aliases` is a field of its own: searched, never shown.
    """
    made: list[dict[str, Any]] = []
    for topic in bank.about.topics:
        made.append({"location": f"topics/{topic.id}/", "title": topic.title, "text": topic.summary, "tags": ["Topic"]})
        for question in bank.by_topic[topic.id]:
            concepts = [bank.concept[name] for name in question.concepts]
            made.append(
                {
                    "location": address(question),
                    "title": question.title,
                    "text": plain(question.prompt.source, store),
                    "aliases": " ; ".join(name for concept in concepts for name in [concept.name, *concept.aliases]),
                    "tags": [question.label],
                }
            )
    made.append({"location": "concepts/", "title": "Concepts", "text": ""})
    for concept in bank.concepts:
        made.append(
            {
                "location": f"concepts/#{concept.id}",
                "title": concept.name,
                "text": plain(concept.definition, store),
                "aliases": " ; ".join(concept.aliases),
                "tags": ["Concept"],
                # Someone who looks for a concept wants its questions first, then its definition.
                "boost": 0.6,
            }
        )
    made.append({"location": "kinds/", "title": "Kinds of question", "text": ""})
    for name, kind in KINDS.items():
        if any(question.kind == name for question in bank.questions):
            made.append({"location": f"kinds/{name}/", "title": kind.plural, "text": kind.task, "tags": ["Kind"]})
    made.append({"location": "sources/", "title": "Sources", "text": ""})
    return made
