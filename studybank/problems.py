"""What is wrong with a bank, said so that its author can mend it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches


@dataclass(frozen=True, order=True)
class Problem:
    """One fault: where it stands, a short code to search for, what is wrong and what would be right.

    `line` counts from 1; `path` is as the reader was given it, so that an editor can open it.
    """

    path: str
    line: int
    code: str
    wrong: str
    right: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.code}: {self.wrong}; {self.right}"


class BankError(Exception):
    """A bank that can't be built. `problems` holds every fault that was found, sorted by place."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = sorted(set(problems))
        super().__init__("\n".join(map(str, self.problems)))


def one_of(word: str, known: Iterable[str]) -> str:
    """What a mistyped word might have meant: the closest known words, or all of them if they are few."""
    words = sorted(known)
    close = get_close_matches(word, words, n=3, cutoff=0.6) or (words if len(words) <= 12 else [])
    return "use " + ", ".join(f"`{w}`" for w in close) if close else "use one that exists"
