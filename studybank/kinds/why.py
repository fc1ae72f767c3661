"""A question for a mechanism."""

from __future__ import annotations

from typing import ClassVar, Literal

from studybank.model import Question


class Why(Question):
    label: ClassVar[str] = "Why"
    plural: ClassVar[str] = "Why"
    task: ClassVar[str] = "Explain a mechanism."
    sketch: ClassVar[dict[str, str]] = {
        "prompt": "Why does this happen?",
        "answer": "The mechanism in one sentence.",
    }

    kind: Literal["why"]
