"""Where the formulas and the code stand in a Markdown text: the one place that decides what is TeX.

`$...$` is a formula in the line (no space inside the dollars, no digit after them), `$$...$$` one of its own.
Code, fenced or between backticks, holds none. `\\$` is a dollar.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import blake2b

SCAN = re.compile(
    r"""
    (?P<fence>^[ \t]*(?P<marks>`{3,}(?![^\n]*`)|~{3,})[^\n]*(?:\n(?:.*?^[ \t]*(?P<end>(?P=marks)[`~]*)[ \t]*$|.*\Z)|\Z))
  | (?<!`)(?P<ticks>`+)(?!`)(?P<code>(?:[^`\n]|\n(?!\s*\n)|(?!(?P=ticks)(?!`))`)+)(?P=ticks)(?!`)
  | (?P<escape>\\[\\`$])
  | \$\$(?P<display>(?:[^$\\]|\\.)+)\$\$
  | \$(?P<inline>(?!\s)(?:[^$\\\n]|\\.|\n(?!\s*\n))+(?<!\s))\$(?!\d)
  | (?P<stray>\$)
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)

# What each of them begins with, spaces before a fence apart.
SIGN = re.compile(r"[`~\\$]")

# Private-use characters: no Markdown extension gives them a meaning, and no author types them.
TOKEN = re.compile("\ue000([0-9a-f]{16})\ue001")


@dataclass(frozen=True)
class Formula:
    tex: str
    display: bool

    @property
    def key(self) -> str:
        return blake2b(f"{self.display:d}{self.tex}".encode(), digest_size=8).hexdigest()

    @property
    def token(self) -> str:
        """What stands for it while Markdown is being turned into HTML."""
        return f"\ue000{self.key}\ue001"


def _formula(found: re.Match[str]) -> Formula | None:
    if found["display"] is not None:
        return Formula(found["display"].strip(), display=True)
    return Formula(found["inline"], display=False) if found["inline"] is not None else None


def pieces(source: str) -> Iterator[re.Match[str]]:
    """What `SCAN` finds in a text, in order; several times as soon, since it is tried only where a sign stands."""
    end = 0
    while sign := SIGN.search(source, end):
        at = sign.start()
        line = source.rfind("\n", 0, at) + 1
        fence = line >= end and not source[line:at].strip(" \t")
        found = (SCAN.match(source, line) if fence else None) or SCAN.match(source, at)
        if found:
            yield found
        end = found.end() if found else at + 1


def changed(source: str, change: Callable[[re.Match[str]], str]) -> str:
    """The text with something else in the place of each of its pieces."""
    made: list[str] = []
    end = 0
    for found in pieces(source):
        made += [source[end : found.start()], change(found)]
        end = found.end()
    return "".join([*made, source[end:]])


def formulas(source: str) -> Iterator[tuple[int, Formula]]:
    """The formulas of a text, each with its offset."""
    for found in pieces(source):
        if formula := _formula(found):
            yield found.start(), formula


def tokenized(source: str, note: Callable[[Formula], None]) -> str:
    """The text with a token for each formula; `note` is told of every one."""

    def replace(found: re.Match[str]) -> str:
        if formula := _formula(found):
            note(formula)
            return formula.token
        return "&#36;" if found["escape"] == r"\$" else found[0]

    return changed(source, replace) if "$" in source else source


def prose(source: str) -> str:
    """The text with its code and formulas blanked out, of the same length, so that offsets still hold."""

    def blank(found: re.Match[str]) -> str:
        return found[0] if found["stray"] else re.sub(r"[^\n]", " ", found[0])

    return changed(source, blank)


def stray_dollars(source: str) -> Iterator[int]:
    """The offsets of dollars that open no formula."""
    return (found.start() for found in pieces(source) if found["stray"]) if "$" in source else iter(())
