"""Faulty files made from valid ones: lines and bytes lost, doubled, moved and put in."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

LINES = [
    "---",
    "## Answer",
    "## Hint",
    "##",
    "### Deep",
    "- [x] one",
    "- [ ]",
    "- [",
    "  > why",
    ">",
    "- item",
    "  -",
    "```",
    "~~~~",
    "$$",
    "$x",
    "`",
    "title: {a: b",
    "title: [1",
    "verdict: ~",
    "sources: []",
    "- id: x",
    "? y",
    ": z",
    "  indented: {}",
    "&a [*a]",
    "<<: *a",
    "!!set {a}",
    "%YAML 9",
    "\t- tab",
    '"quoted',
    "",
]

PIECES = [*(bytes([byte]) for byte in b"\xff\x00\r\n\t$`#:[{&*|>\\"), "\u2028".encode(), "\ufeff".encode()]


def _lines(change: Callable[[list[str], int, Random], object]) -> Callable[[bytes, Random], bytes]:
    def changed(content: bytes, chance: Random) -> bytes:
        rows = content.decode("utf-8", "surrogateescape").split("\n")
        change(rows, chance.randrange(len(rows)), chance)
        return "\n".join(rows).encode("utf-8", "surrogateescape")

    return changed


def _lose(content: bytes, chance: Random) -> bytes:
    start = chance.randrange(len(content) + 1)
    return content[:start] + content[start + chance.randrange(1, 40) :]


def _double(content: bytes, chance: Random) -> bytes:
    start = chance.randrange(len(content) + 1)
    return content[: start + chance.randrange(1, 40)] + content[start:]


def _put_in(content: bytes, chance: Random) -> bytes:
    start = chance.randrange(len(content) + 1)
    return content[:start] + chance.choice(PIECES) + content[start:]


def _end(content: bytes, chance: Random) -> bytes:
    return content[: chance.randrange(len(content) + 1)]


WAYS: list[Callable[[bytes, Random], bytes]] = [
    _lines(lambda rows, i, _: rows.pop(i)),
    _lines(lambda rows, i, _: rows.insert(i, rows[i])),
    _lines(lambda rows, i, chance: rows.insert(i, rows[chance.randrange(len(rows))])),
    _lines(lambda rows, i, chance: rows.insert(i, chance.choice(LINES))),
    _lines(lambda rows, i, chance: rows.__setitem__(i, chance.choice(LINES))),
    _lines(lambda rows, i, chance: rows.__setitem__(i, " " * chance.randrange(5) + rows[i])),
    _lose,
    _double,
    _put_in,
    _end,
]


def mangled(content: bytes, chance: Random) -> bytes:
    for _ in range(chance.choice([1, 1, 2, 4])):
        content = chance.choice(WAYS)(content, chance) or b"\n"
    return content
