"""What a question of a kind is made of: its template, and what a finished one could still gain."""

from __future__ import annotations

import re

from studybank.kinds import KINDS
from studybank.model import Question
from studybank.reading import HEADINGS

SECTIONS = {
    "answer": "The answer in one sentence that stands alone.",
    "explanation": "Why: the mechanism, its conditions, and where it stops being true, in 60 to 250 words.",
    "corrected": "",
    "points": "- a thing that a full answer names\n- another one",
    "hints": "A nudge that gives nothing away. (Leave this section out, or write several.)",
    "choices": "- [x] the right option\n  > Why it is right.\n- [ ] a wrong option\n  > The mistake that leads to it.\n"
    "- [ ] another wrong option\n  > The mistake that leads to it.",
}  # fmt: skip


TITLE = "What it is about, in plain words"
# What stands before an item of a list, and before its reason.
BULLET = re.compile(r"^(?:- (?:\[[x ]\] )?|  > )", re.MULTILINE)


def placeholders(kind: str) -> set[str]:
    """The words of a kind's template that an author has to replace."""
    sketch = KINDS[kind].sketch if kind in KINDS else {}
    return {TITLE, *BULLET.sub("", "\n".join([*SECTIONS.values(), *sketch.values()])).splitlines()} - {""}


def template(kind: str) -> str:
    """The text of a new question's file, with every field and section of its kind."""
    model = KINDS[kind]
    front = [f"kind: {kind}", f"title: {TITLE}"]
    if "verdict" in model.sketch:
        front.append(f"verdict: {model.sketch['verdict']}")
    front += ["difficulty: 1", "concepts: [id-of-a-concept]", 'sources:\n  - key-of-a-source: "the place in it"']
    body = [model.sketch["prompt"]]
    for name, text in SECTIONS.items():
        if name in model.model_fields:
            body.append(f"## {HEADINGS[name]}\n{model.sketch.get(name, text)}")
    return "---\n" + "\n".join(front) + "\n---\n" + "\n\n".join(body) + "\n"


def lacking(question: Question) -> list[str]:
    """The optional parts of its kind that a question does without."""
    return [name for name in ("hints", "choices") if getattr(question, name, None) == []]
