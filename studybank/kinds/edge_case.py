"""An unusual setting: what happens?"""

from __future__ import annotations

from typing import ClassVar, Literal

from studybank.model import Question


class EdgeCase(Question):
    label: ClassVar[str] = "Edge case"
    plural: ClassVar[str] = "Edge cases"
    task: ClassVar[str] = "Say what happens in an unusual setting."
    sketch: ClassVar[dict[str, str]] = {
        "prompt": "The setting. What happens?",
        "answer": "What happens, in one sentence.",
    }

    kind: Literal["edge-case"]
