"""The bank as typed values. Everything that an author wrote remembers the line it was written on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from studybank.evidence import Evidence
from studybank.problems import Problem


@dataclass(frozen=True)
class Text:
    """Markdown as it was written, and the line of the file on which it begins."""

    source: str
    line: int

    def line_at(self, offset: int) -> int:
        """The file's line at a character offset into the source."""
        return self.line + self.source.count("\n", 0, offset)


@dataclass(frozen=True)
class Choice:
    """A closed option: its wording, whether it is the right one, and why it is or is not."""

    text: Text
    right: bool
    why: Text


@dataclass(frozen=True)
class Claim:
    """A comparison that a program decides: over the formulas, or over what a run measured (studybank/evidence.py)."""

    expression: str
    line: int
    run: str = ""


class Strict(BaseModel):
    """A record that refuses fields it does not know, so that a typing mistake can't pass unseen."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)


def _filled(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty")
    return text


Words = Annotated[str, AfterValidator(_filled)]
ID = r"^[a-z0-9]+(-[a-z0-9]+)*$"
Id = Annotated[str, Field(pattern=ID)]
Link = Annotated[str, Field(pattern=r"^https://\S+$")]


class Entry(Strict):
    """A record of a YAML file, with the file and the line of each of its fields ('' is its first line)."""

    path: str = Field(exclude=True)
    lines: dict[str, int] = Field(exclude=True)

    def line_of(self, field: str) -> int:
        return self.lines.get(field, self.lines[""])


class Topic(Entry):
    id: Id
    title: Words
    summary: Words
    learn_first: list[Id] = []


class Concept(Entry):
    id: Id
    name: Words
    aliases: list[Words] = []
    definition: Words

    @property
    def initial(self) -> str:
        return self.name[:1].upper()


class Source(Entry):
    """A primary source. `cite` is its short form on a card, `link` where it can be read."""

    key: Id
    cite: Words
    title: Words
    authors: Words
    year: int
    link: Link


class Retired(Entry):
    """An id that was published once, and the question or topic that it leads to now."""

    id: Id
    to: Id


class License(Strict):
    name: Words
    link: Link


class About(Entry):
    """What bank.yaml says of the bank itself. `trial` is the question that the home page asks."""

    title: Words
    subject: Words
    headline: Words
    lead: Words
    description: Words
    trial: Id
    license: License
    repository: Link | None = None
    topics: Annotated[list[Topic], Field(min_length=1)]


class Citation(Strict):
    """`key` is blank where it could not be read."""

    key: str
    place: Words
    line: int


# "Right after the flood ..." is none.
VERDICT = re.compile(r"(?:Right|Wrong|Correct|Incorrect|True|False|Yes|No)(?:[.:,;!]| because\b)")


def faults_of_choices(choices: list[Choice]) -> Iterator[tuple[str, str, str, str]]:
    if not choices:
        return
    right = sum(choice.right for choice in choices)
    if right != 1:
        yield "choices", "choices", f"{right} choices are marked right", "exactly one `- [x]`"
    if not 3 <= len(choices) <= 5:
        yield "choices", "choices", f"there are {len(choices)} choices", "3 to 5 of them"
    wordings = [" ".join(choice.text.source.split()).rstrip(".").casefold() for choice in choices]
    if len(set(wordings)) < len(choices):
        yield "choices", "choices", "two choices read the same", "each wording once"
    if any(VERDICT.match(choice.why.source) for choice in choices):
        yield "choices", "choices", "a reason begins with its verdict", "leave that to the page"


DIFFICULTIES = {1: "recall", 2: "apply", 3: "analyze"}


class Question(Strict):
    """What every kind of question has. A kind adds its own fields and says how it is named.

    `difficulty` is a key of DIFFICULTIES.
    """

    label: ClassVar[str]
    plural: ClassVar[str]
    task: ClassVar[str]
    sketch: ClassVar[dict[str, str]] = {}

    id: Id
    topic: Id
    path: str
    lines: dict[str, int]

    kind: str
    title: Words
    difficulty: Literal[1, 2, 3]
    concepts: Annotated[list[Id], Field(min_length=1)]
    sources: Annotated[list[Citation], Field(min_length=1)]
    requires: list[Id] = []
    checks: list[Claim] = []
    runs: list[Claim] = []
    # Numbers that a source is believed for.
    quoted: list[Citation] = []
    figures: list[Id] = []

    prompt: Text
    answer: Text
    explanation: Text
    points: Annotated[list[Text], Field(min_length=2, max_length=5)]
    hints: list[Text] = []

    @property
    def checked_by(self) -> list[str]:
        """What decides what it tells: a formula, a run, both or nothing."""
        return [name for name, claims in (("formula", self.checks), ("run", self.runs)) if claims]

    def line_of(self, field: str) -> int:
        return self.lines.get(field, 1)

    def problem(self, line: int, code: str, wrong: str, right: str) -> Problem:
        return Problem(self.path, line, code, wrong, right)

    def faults(self) -> Iterator[tuple[str, str, str, str]]:
        """What its fields are wrong in together: the field to point at, a code, what is wrong, what would be right."""
        yield from ()

    @property
    def texts(self) -> list[tuple[str, Text]]:
        """Every piece of Markdown in it in reading order, under the name of its section; a choice has its `reasons`."""
        found: list[tuple[str, Text]] = []
        for name in type(self).model_fields:
            value: Any = getattr(self, name)
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, Text):
                    found.append((name, item))
                elif isinstance(item, Choice):
                    found += [(name, item.text), ("reasons", item.why)]
        return found


@dataclass(frozen=True)
class OwnPage:
    """A page that a bank brings: `pages/NAME.md` with its front matter. `place`: whether each head leads there."""

    path: str
    name: str
    title: str
    place: bool
    text: str


@dataclass
class Bank:
    """A whole bank. `published` holds each id of ids.txt with its line there; `preface` is about.md, if any."""

    root: str
    about: About
    concepts: list[Concept]
    sources: list[Source]
    questions: list[Question]
    published: dict[str, int]
    retired: list[Retired]
    preface: str
    pages: list[OwnPage]
    evidence: Evidence

    @property
    def assets(self) -> list[Path]:
        """The files that its own pages use, scripts and styles, beside them."""
        return sorted(path for path in Path(self.root, "pages").rglob("*") if path.is_file() and path.suffix != ".md")

    @cached_property
    def by_id(self) -> dict[str, Question]:
        return {q.id: q for q in self.questions}

    @cached_property
    def concept(self) -> dict[str, Concept]:
        return {c.id: c for c in self.concepts}

    @cached_property
    def source(self) -> dict[str, Source]:
        return {s.key: s for s in self.sources}

    @cached_property
    def by_topic(self) -> dict[str, list[Question]]:
        """The questions of each topic: what is required first comes first, then the easier, then by id."""
        of_topic: dict[str, list[Question]] = {topic.id: [] for topic in self.about.topics}
        for question in self.questions:
            of_topic.setdefault(question.topic, []).append(question)
        return {topic.id: _learning_order(of_topic[topic.id]) for topic in self.about.topics}

    @cached_property
    def in_order(self) -> list[Question]:
        return [q for topic in self.by_topic.values() for q in topic]


def _learning_order(questions: list[Question]) -> list[Question]:
    waiting = {q.id: q for q in sorted(questions, key=lambda q: (q.difficulty, q.id))}
    placed: list[Question] = []
    while waiting:
        ready = next((q for q in waiting.values() if waiting.keys().isdisjoint(q.requires)), None)
        placed.append(waiting.pop(ready.id if ready else next(iter(waiting))))
    return placed
