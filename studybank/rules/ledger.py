"""The ledger of ids: what was published once keeps an address for ever."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from studybank.model import ID, Bank
from studybank.problems import Problem, one_of


def vanished_ids(bank: Bank) -> Iterator[Problem]:
    """Each id of ids.txt is a question today, or retired.yaml says where it leads."""
    retired = {r.id for r in bank.retired}
    for name, line in bank.published.items():
        if name not in bank.by_id and name not in retired:
            yield Problem(
                str(Path(bank.root, "ids.txt")),
                line,
                "vanished-id",
                f"`{name}` was published and has no question now",
                "bring its file back, or say in retired.yaml where it leads; delete the line if no site ever showed it",
            )


def retired_ids(bank: Bank) -> Iterator[Problem]:
    """A retired id was published, is no question now, and leads to one or to a topic."""
    topics = {t.id for t in bank.about.topics}
    for entry in bank.retired:
        if entry.id in bank.by_id:
            wrong = f"`{entry.id}` is retired, and {bank.by_id[entry.id].path} uses it again"
            yield Problem(entry.path, entry.line_of("id"), "reused-id", wrong, "give the new question another id")
        if entry.id and entry.id not in bank.published:
            wrong = f"`{entry.id}` is not in ids.txt"
            yield Problem(entry.path, entry.line_of("id"), "unknown-id", wrong, one_of(entry.id, bank.published))
        if entry.to and entry.to not in bank.by_id and entry.to not in topics:
            wrong = f"`{entry.to}` is neither a question nor a topic"
            right = one_of(entry.to, [*bank.by_id, *topics])
            yield Problem(entry.path, entry.line_of("to"), "unknown-id", wrong, right)


def unlisted_ids(bank: Bank) -> list[str]:
    """The ids of questions that ids.txt does not hold yet; a file whose name is no id has none."""
    return sorted(name for name in bank.by_id.keys() - bank.published.keys() if re.fullmatch(ID, name))
