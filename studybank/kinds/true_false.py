"""A claim to judge: the learner gives a verdict, then a reason."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from studybank.model import Question, Text


class TrueFalse(Question):
    label: ClassVar[str] = "True or false"
    plural: ClassVar[str] = "True or false"
    task: ClassVar[str] = "Judge a claim, and say why."
    sketch: ClassVar[dict[str, str]] = {
        "verdict": "false",
        "prompt": "The claim, in 20 to 40 words.",
        "answer": "False: the reason in one sentence.",
        "corrected": "The claim made true. (Leave this section out where the verdict is true.)",
    }

    kind: Literal["true-false"]
    verdict: Annotated[bool, Field(strict=True)]
    corrected: Text | None = None

    def faults(self) -> Iterator[tuple[str, str, str, str]]:
        if self.verdict and self.corrected:
            yield "corrected", "verdict", "a true claim has a `## Corrected` section", "remove the section"
        if self.verdict is False and not self.corrected:
            yield "verdict", "verdict", "a false claim has no `## Corrected` section", "add one that makes it true"
        opening = f"{self.verdict}: "
        if self.verdict is not None and self.answer.source and not self.answer.source.startswith(opening):
            yield "answer", "verdict", "the answer does not open with the verdict", f"begin with `{opening}`"
