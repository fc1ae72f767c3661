"""The HTML around the texts of a generated page: lifted out before Markdown runs, and set back after it.

Python-Markdown takes such HTML apart tag by tag, which takes it longer than the texts do. A generated page is made of
lines that are HTML from end to end and lines that are Markdown; an element with Markdown in its own line says
`markdown="span"`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from studybank.formulas import prose

LINE = r'/?(?!quiz\b)[a-z](?![^\n]*\ markdown="span")[^\n]*>(?:\n+|\Z)'
# Begins with a sign, which is found sooner than the beginning of a line.
FRAME = re.compile(
    rf"""
    <(?<=^<)
    (?: {LINE} (?:^<{LINE})*
      | (?P<tag>[a-z]+)\ markdown="span">(?:<[^>]+>(?:\ (?=<))?)* (?P<text>.+?) (?:</[a-z]+>)*</(?P=tag)>$
    )
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
# A private-use character, as for formulas. Markdown takes one that stands alone for a paragraph.
MARK = "\ue002"
# What an element says to Markdown.
ORDER = re.compile(r' markdown(?:="(?:span|block)")?>')
ID = re.compile(r' id="([^"]+)"')


def lifted(source: str) -> tuple[str, list[str]]:
    """The page with a mark in the place of each piece of its frame, and these pieces in their order."""
    frame: list[str] = []
    texts: list[str] = []
    end = 0
    for found in FRAME.finditer(prose(source)):
        texts += [source[end : found.start()], "\n\n", MARK]
        start, end = found.span()
        if found["tag"]:
            first, last = found.span("text")
            frame += [source[start:first], source[last:end]]
            texts += [" ".join(source[first:last].split()), MARK]
        else:
            frame.append(source[start:end])
        texts.append("\n\n")
    return "".join([*texts, source[end:]]), [ORDER.sub(">", piece) for piece in frame]


def anchors(frame: Iterable[str]) -> Iterator[str]:
    """The ids in a frame, which Markdown has not seen."""
    return (name for piece in frame for name in ID.findall(piece))


def restored(html: str, frame: Iterable[str]) -> str:
    """The page as Markdown made it, with the pieces of its frame back in their places."""
    first, *texts = html.split(MARK)
    made = [first.removesuffix("<p>")]
    for piece, text in zip(frame, texts, strict=True):
        made += [piece, text.removeprefix("</p>").removesuffix("<p>")]
    return "".join(made)
