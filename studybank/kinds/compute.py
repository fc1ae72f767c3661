"""A number to work out, with its unit; every input stands in the prompt."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Literal

from studybank.model import Choice, Question, faults_of_choices


class Compute(Question):
    label: ClassVar[str] = "Compute"
    plural: ClassVar[str] = "Compute"
    task: ClassVar[str] = "Work out a number, with its unit."
    sketch: ClassVar[dict[str, str]] = {
        "prompt": "All inputs with their units. What is the number?",
        "answer": "The number with its unit, in one sentence.",
    }

    kind: Literal["compute"]
    choices: list[Choice] = []

    def faults(self) -> Iterator[tuple[str, str, str, str]]:
        return faults_of_choices(self.choices)
