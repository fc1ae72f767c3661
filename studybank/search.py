"""Search entries, made from the bank: they can't hold a word of an answer, because none is put in."""

from __future__ import annotations

import re
from typing import Any

from studybank.formulas import tokenized
from studybank.kinds import KINDS
from studybank.maths import FormulaStore
from studybank.model import Bank, Concept
from studybank.pages import address, typeset

# What Markdown leaves in a text once its formulas are gone, and links with their addresses.
MARKS = re.compile(r"\]\([^)]*\)|^[ \t]*(?:[-*+>]|\d+\.)[ \t]+|^[ \t]*(?:```|~~~).*$|[`*\[\]\\]", re.MULTILINE)


def plain(source: str, store: FormulaStore) -> str:
    """Markdown as a line of plain text."""
    return typeset(" ".join(store.plain(MARKS.sub("", tokenized(source, lambda _: None))).split()))


def _names(concept: Concept) -> str:
    return typeset(" ; ".join([concept.name, *concept.aliases]))


def entries(bank: Bank, store: FormulaStore) -> list[dict[str, Any]]:
    """One entry a question and one a concept, in the format of Material's search index.

    Apostrophes are printed ones; the browser makes those of a query alike (search/mending.js).
    A page's own entry comes before its sections', which is how Material tells the two apart.
    `aliases` is a field of its own, searched and never shown: the names of each concept, the main one's first.
    """
    made: list[dict[str, Any]] = []
    for topic in bank.about.topics:
        made.append(
            {
                "location": f"topics/{topic.id}/",
                "title": typeset(topic.title),
                "text": typeset(topic.summary),
                "tags": ["Topic"],
            }
        )
        for question in bank.by_topic[topic.id]:
            concepts = [bank.concept[name] for name in question.concepts]
            made.append(
                {
                    "location": address(question),
                    "title": typeset(question.title),
                    "text": plain(question.prompt.source, store),
                    "aliases": " | ".join(map(_names, concepts)),
                    "tags": [question.label],
                }
            )
    made.append({"location": "concepts/", "title": "Concepts", "text": ""})
    for concept in bank.concepts:
        made.append(
            {
                "location": f"concepts/#{concept.id}",
                "title": typeset(concept.name),
                "text": plain(concept.definition, store),
                "aliases": _names(concept),
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
