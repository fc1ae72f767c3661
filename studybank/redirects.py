"""A permanent address for every id: a page that leads to where its card stands today."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path

from studybank.model import Bank
from studybank.pages import address, permanent_address

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


def write(site: Path, bank: Bank) -> None:
    for name, target, title in _targets(bank):
        folder = site / permanent_address(name)
        folder.mkdir(parents=True, exist_ok=True)
        page = PAGE.format(title=escape(title), target=escape("../../" + target))
        (folder / "index.html").write_text(page, encoding="utf-8")
