"""Small banks on rivers, written to a folder: a valid one with a question of each kind, and what a test makes of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from studybank.checking import inspect
from studybank.maths import FormulaStore
from studybank.problems import BankError, Problem

# The new text or bytes of a file, (old, new) pieces of the valid one, or None for no such file.
Change = str | bytes | tuple[str, ...] | None

EXPLANATION = """\
Water in a bend keeps going straight on until the outer bank turns it. There it is fastest and cuts the bank away,
while on the inner side it is slow and drops what it carried. The bend therefore wanders outwards by a few metres a
year on a plain of loose sand. On bare rock, or where people have walled the bank, the same flow moves nothing, and
the bend stays where it was for centuries."""

BANK = """\
title: Riverbook
subject: rivers
headline: Know how a river works.
lead: Short questions on water that runs downhill.
description: Learn how rivers work by answering questions.
trial: outer-bank
license: {name: CC BY 4.0, link: "https://creativecommons.org/licenses/by/4.0/"}
topics:
  - id: bends
    title: Bends
    summary: Why a river wanders over its plain.
  - id: floods
    title: Floods
    summary: What a river does when it leaves its bed.
    learn_first: [bends]
"""

CONCEPTS = """\
- id: meander
  name: Meander
  aliases: ["river bend", "loop"]
  definition: A bend of a river whose length is about $11$ times its width.

- id: discharge
  name: Discharge
  definition: >-
    The volume of water that passes a section in a second,
    $Q = A v$ in cubic metres.
"""

SOURCES = """\
- key: leopold-1960
  cite: Leopold and Wolman (1960)
  title: River Meanders
  authors: L. B. Leopold, M. G. Wolman
  year: 1960
  link: https://example.org/meanders
"""

OUTER_BANK = f"""\
---
kind: true-false
title: Where a bend is cut
verdict: true
difficulty: 1
concepts: [meander]
sources:
  - leopold-1960: "p. 769"
---
In a bend on a plain of sand, the river cuts the outer bank.

## Answer
True: the fastest water runs along the outer bank.

## Explanation
{EXPLANATION}

## Points
- The outer bank is cut
- The fastest water runs there

## Hint
Where does a boat drift to?
"""

POINT_BAR = f"""\
---
kind: true-false
title: Where sand comes to rest
verdict: false
difficulty: 2
concepts: [meander]
sources:
  - leopold-1960: "p. 771"
requires: [outer-bank]
---
Sand that a stream picks up at one shore settles in the deepest pool next to that shore.

## Answer
False: it settles on the inner side of a bend downstream.

## Explanation
{EXPLANATION}

## Corrected
Sand that a stream picks up at one shore settles on the inner side of a bend further down.

## Points
- Slow water drops its load
- The slow water is on the inner side
"""

OXBOW = f"""\
---
kind: why
title: How a lake is cut off
difficulty: 2
concepts: [meander]
sources: [{{leopold-1960: "p. 770"}}]
requires: [outer-bank]
---
Why does a loop end as a lake beside the river?

## Answer
The neck of the loop is cut from both sides until the flood takes the short way.

## Explanation
{EXPLANATION}

## Points
- Both banks of the neck are outer banks
- A flood opens the short way
- Sand closes the ends of the loop
"""

DISCHARGE = f"""\
---
kind: compute
title: The discharge of a canal
difficulty: 2
concepts: [discharge]
sources:
  - leopold-1960: "p. 772"
---
A canal is 10 m wide and 2 m deep, and its water moves at 0.5 m/s. How much passes in a second?

## Answer
$10 \\cdot 2 \\cdot 0.5 = 10$ cubic metres in a second.

## Explanation
{EXPLANATION}

## Points
- The section is 20 square metres
- Discharge is section times speed

## Choices
- [ ] 5 cubic metres
  > That leaves out the depth.
- [x] 10 cubic metres
  > The section times the speed,
  > $Q = A v$.
- [ ] 40 cubic metres
  > That divides by the speed.
"""

LEVEE = f"""\
---
kind: spot-the-error
title: A wall beside the water
difficulty: 3
concepts: [discharge]
sources:
  - leopold-1960: "p. 773"
---
A town walls its river in, and says: with less room at flood, the water stands lower upstream.

## Answer
The water stands higher upstream, since the same discharge has a smaller section.

## Explanation
{EXPLANATION}

## Corrected
With less room at flood, the water stands higher upstream.

## Points
- The discharge stays the same
- A smaller section needs a greater depth
"""

DRY_BED = f"""\
---
kind: edge-case
title: Rain on a dry bed
difficulty: 3
concepts: [discharge]
sources:
  - leopold-1960: "p. 774"
---
A desert bed has been dry for a year when a storm falls on the hills above. What reaches the plain?

## Answer
A wall of water with more sand than a steady stream could carry, for an hour or two.

## Explanation
{EXPLANATION}

## Points
- The bare hills hold nothing back
- The bed itself drinks part of the flood
"""

RIVERS = {
    "bank.yaml": BANK,
    "concepts.yaml": CONCEPTS,
    "sources.yaml": SOURCES,
    "ids.txt": "discharge\ndry-bed\nlevee\nouter-bank\noxbow\npoint-bar\n",
    "questions/bends/outer-bank.md": OUTER_BANK,
    "questions/bends/point-bar.md": POINT_BAR,
    "questions/bends/oxbow.md": OXBOW,
    "questions/floods/discharge.md": DISCHARGE,
    "questions/floods/levee.md": LEVEE,
    "questions/floods/dry-bed.md": DRY_BED,
}


# What a bank may bring beside it.
FORMULAS = '''\
"""Rivers."""

from math import ceil

KM = 1_000
WIDTHS = {"canal": 10}
_SECRET = 7


def flow(width: float, depth: float, speed: float) -> float:
    """Cubic metres in a second: w d v."""
    return width * depth * speed


def locks(height: float, each: float) -> int:
    return ceil(height / each)
'''
RUN = '''\
"""Boats through a lock.

How many pass in an hour.
"""
'''
RESULTS = {"settings": {"boats": 3}, "versions": {"river": "1.0"}, "results": {"up": {"passed": 4, "waits": [1, 2]}}}
EVIDENCE: dict[str, Change] = {
    "evidence/formulas.py": FORMULAS,
    "evidence/runs/lock.py": RUN,
    "evidence/runs/lock.json": json.dumps(RESULTS),
}


def file_of(name: str) -> str:
    """The path of a file in the bank: a question is named `topic/id` for short."""
    return name if "." in name else f"questions/{name}.md"


def changed(name: str, change: Change) -> str | bytes | None:
    if not isinstance(change, tuple):
        return change
    text = RIVERS[file_of(name)]
    for old, new in zip(change[::2], change[1::2], strict=True):
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {name}"
        text = text.replace(old, new)
    return text


def bank(folder: Path, changes: Mapping[str, Change] | None = None) -> Path:
    """A bank in `folder`/bank: the valid one, with these changes. Its questions are named `topic/id` for short."""
    root = folder / "bank"
    files: dict[str, str | bytes | None] = {**RIVERS}
    files |= {file_of(name): changed(name, change) for name, change in (changes or {}).items()}
    for name, content in files.items():
        if content is not None:
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def claim(prompt: str, verdict: bool, title: str) -> str:
    """The file of a true/false question."""
    text = OUTER_BANK if verdict else POINT_BAR.replace("requires: [outer-bank]\n", "")
    head, _, rest = text.partition("---\n")[2].partition("---\n")
    rows = [f"title: {title}" if row.startswith("title:") else row for row in head.splitlines()]
    return "---\n" + "\n".join(rows) + f"\n---\n{prompt}\n\n" + rest[rest.index("## Answer") :]


def marked(folder: Path, name: str, change: str | tuple[str, ...]) -> tuple[Path, str, int]:
    """A bank with one change in which a `¶` marks the line of the fault: the bank, the file and the line."""
    text = changed(name, change)
    assert isinstance(text, str)
    line = text[: text.index("¶")].count("\n") + 1
    return bank(folder, {name: text.replace("¶", "")}), file_of(name), line


class Checker:
    """Checks banks with one store of formulas, so that Node starts only for formulas that are new."""

    def __init__(self, folder: Path) -> None:
        self.store = FormulaStore(folder)

    def __call__(self, root: Path) -> list[Problem]:
        """What is wrong with a bank; paths count from its folder."""
        try:
            _, problems = inspect(root, self.store)
        except BankError as error:
            problems = error.problems
        return [replace(problem, path=Path(problem.path).relative_to(root).as_posix()) for problem in problems]


def line_of(root: Path, name: str, piece: str) -> int:
    """The first line of a file that holds this piece of text."""
    rows = (root / file_of(name)).read_text(encoding="utf-8").split("\n")
    return next(number for number, row in enumerate(rows, 1) if piece in row)


def places(problems: list[Problem]) -> list[tuple[str, int, str]]:
    return [(problem.path, problem.line, problem.code) for problem in problems]
