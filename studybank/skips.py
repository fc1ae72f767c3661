"""Texts that Markdown need not look at. It tries each of its patterns on each, and on the space between."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element

from markdown import Extension, Markdown
from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString

from studybank.frames import MARK

WORDS = re.compile(rf"[^\s{MARK}]")
# What `smarty` looks for: without one of these, it changes nothing.
SMART = re.compile(r"[\"'&<>]|--|\.\.\.")


class Skips(Extension):
    """Goes after all other extensions."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Markdown's name for it
        md.treeprocessors.register(_Skip(md, WORDS), "skip_inline", 20.5)
        if "smarty" in md.treeprocessors:
            md.treeprocessors.register(_Skip(md, SMART), "skip_smarty", 6.5)


class _Skip(Treeprocessor):
    """Keeps the next processor from texts without what it could change."""

    def __init__(self, md: Markdown, changes: re.Pattern[str]) -> None:
        super().__init__(md)
        self.changes = changes

    def run(self, root: Element) -> None:
        for element in root.iter():
            if element.text and not self.changes.search(element.text):
                element.text = AtomicString(element.text)
            if element.tail and not self.changes.search(element.tail):
                element.tail = AtomicString(element.tail)
