"""A permanent address for every id: a page that leads to where its card stands today."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path
from shutil import rmtree

from studybank.model import Bank
from studybank.pages import REDIRECTS, address, permanent_address
from studybank.writing import holds

# MkDocs leaves a hidden folder where it is.
HIDDEN = f".{REDIRECTS}"

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>{title}</title>
<meta name="robots" content="noindex">
<meta http-equiv="refresh" content="0; url={target}">
<a href="{target}">{title}</a>
"""


def _targets(bank: Bank) -> Iterator[tuple[str, str, str]]:
    for question in bank.questions:
        yield question.id, address(question), question.title
    titles = {topic.id: topic.title for topic in bank.about.topics}
    for entry in bank.retired:
        if entry.to in titles:
            yield entry.id, f"topics/{entry.to}/", titles[entry.to]
        else:
            yield entry.id, address(bank.by_id[entry.to]), bank.by_id[entry.to].title


def set_aside(site: Path) -> None:
    """Hide what the last build wrote from MkDocs, which empties the site: a thousand folders take a second to make."""
    if (site / REDIRECTS).is_dir() and not (site / HIDDEN).exists():
        (site / REDIRECTS).rename(site / HIDDEN)


def write(site: Path, bank: Bank) -> None:
    """Write what differs from the last build, and remove what no id leads to."""
    folder = site / REDIRECTS
    if (site / HIDDEN).is_dir():
        (site / HIDDEN).rename(folder)
    stale = set(folder.iterdir()) if folder.is_dir() else set()
    for name, target, title in _targets(bank):
        path = site / permanent_address(name) / "index.html"
        page = PAGE.format(title=escape(title), target=escape("../../" + target))
        stale.discard(path.parent)
        if not holds(path, page):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(page, encoding="utf-8")
    for path in stale:
        rmtree(path)
