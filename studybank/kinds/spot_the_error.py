"""A statement or a snippet that is wrong in one place: find it, say why, mend it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Literal

from studybank.model import Choice, Question, Text, faults_of_choices


class SpotTheError(Question):
    label: ClassVar[str] = "Spot the error"
    plural: ClassVar[str] = "Spot the error"
    task: ClassVar[str] = "Find the one thing that is wrong, say why, and mend it."
    sketch: ClassVar[dict[str, str]] = {
        "prompt": "A statement that is wrong in one place.",
        "answer": "The place, in one sentence.",
        "corrected": "The statement made right.",
    }

    kind: Literal["spot-the-error"]
    corrected: Text
    choices: list[Choice] = []

    def faults(self) -> Iterator[tuple[str, str, str, str]]:
        return faults_of_choices(self.choices)
