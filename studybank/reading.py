"""Files to model. Every value keeps its file and line, and every fault is collected rather than raised."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from studybank.documents import Document, DocumentError
from studybank.evidence import read_evidence
from studybank.kinds import KINDS
from studybank.model import (
    About,
    Bank,
    Choice,
    Citation,
    Claim,
    Concept,
    Entry,
    OwnPage,
    Question,
    Retired,
    Source,
    Text,
    Topic,
)
from studybank.problems import BankError, Problem, one_of

Lines = dict[tuple[str | int, ...], int]

SECTIONS = {
    "Answer": "answer",
    "Explanation": "explanation",
    "Corrected": "corrected",
    "Points": "points",
    "Hint": "hints",
    "Choices": "choices",
}
HEADINGS = {name: heading for heading, name in SECTIONS.items()}

# With another backtick on its line, a row of them is code in the line.
FENCE = re.compile(r"^ {0,3}(`{3,}(?!.*`)|~{3,})")
SECTION = re.compile(r"^##[ \t]+[^#]")
# Also what only some Markdown takes for a heading: with spaces before the marks, or none behind them.
HEADING = re.compile(r"^ {0,3}#+[ \t]*(.*?)[ \t]*$")
ITEM = re.compile(r"^[-*+] +(?=\S)")
BOX = re.compile(r"^\[([xX ])\] *")
# Control, private-use and zero-width characters, line ends that only some programs see, and turns of direction.
INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff"
    "\ue000-\uf8ff\U000f0000-\U0010ffff]"
)

# What stands for a field that could not be read, so that the rules can still look at the others.
BLANK: dict[str, Any] = {
    "title": "",
    "difficulty": 1,
    "concepts": [],
    "sources": [],
    "requires": [],
    "checks": [],
    "runs": [],
    "quoted": [],
    "figures": [],
    "verdict": None,
    "corrected": None,
    "prompt": Text("", 1),
    "answer": Text("", 1),
    "explanation": Text("", 1),
    "points": [],
    "choices": [],
    "hints": [],
    "kind": "",
}

# What a question has from its place and its sections: none of it is a field of the front matter.
RESERVED = {"id", "topic", "path", "lines", "prompt", *HEADINGS}

EXPECTED = {
    "value_error": "write it",
    "string_type": "it should be text: put it between quotes",
    "bool_type": "use true or false, without quotes",
    "int_type": "it should be a whole number",
    "int_parsing": "it should be a whole number",
    "model_type": "it should be a mapping: `{name: value}`",
    "list_type": "it should be a list: `[one, another]`",
}

# Lists of `key: text`: the code of a fault in one, what it lacks, and what would be right.
PAIRS = {
    "sources": ("source", "where in the source", 'write `- key: "place"`'),
    "quoted": ("number", "which numbers", 'write `- key: "12 GB and 40%"`'),
    "runs": ("claim", "what holds of the run", 'write `- name: "left == right"`'),
}

E = TypeVar("E", bound=Entry)


@dataclass
class Reader:
    """One pass over a bank's folder. `problems` grows as files are read."""

    root: Path
    problems: list[Problem] = field(default_factory=list)

    def fault(self, path: str, line: int, code: str, wrong: str, right: str) -> None:
        self.problems.append(Problem(path, line, code, wrong, right))

    def text_of(self, path: Path) -> str | None:
        """The file's text with `\\n` line ends, or None, with a problem, where it can't be read."""
        try:
            text = _lines_ended(path.read_bytes().decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            line = _lines_ended(error.object[: error.start].decode()).count("\n") + 1
            self.fault(str(path), line, "encoding", "a byte that is not UTF-8", "save the file as UTF-8")
        except FileNotFoundError:
            self.fault(str(path), 1, "missing-file", f"`{path.name}` is not there", "every bank has one: write it")
        except OSError as error:
            self.fault(str(path), 1, "unreadable", f"can't be read ({error.strerror})", "a readable text file")
        else:
            for found in INVISIBLE.finditer(text):
                line = text.count("\n", 0, found.start()) + 1
                self.fault(str(path), line, "character", f"an invisible character (U+{ord(found[0]):04X})", "delete it")
            return INVISIBLE.sub("", text)
        return None

    def yaml_of(self, path: str, text: str, first_line: int = 1) -> tuple[Any, Lines]:
        """The value of a YAML document, and the line of each of its names and items by their way from the root."""
        document = Document(text, first_line)
        value = None
        try:
            value = document.read()
        except DocumentError as error:
            wrong = f"this can't be read as YAML ({error.wrong})"
            right = "indent with spaces" if "\\t" in error.wrong else "quote values that hold `:`, `#` or brackets"
            self.fault(path, error.line, "yaml", wrong, right)
        for line, name in document.twice:
            self.fault(path, line, "twice", f"`{name}` is given twice", "keep one of the two")
        return value, document.lines

    # Bank-wide files

    def entries(self, name: str, model: type[E], key: str, *, needed: bool = True) -> list[E]:
        """The records of a YAML file that holds a list of mappings; no two may share a `key`."""
        path = self.root / name
        if not needed and not path.exists():
            return []
        text = self.text_of(path)
        if text is None:
            return []
        known = len(self.problems)
        data, lines = self.yaml_of(str(path), text)
        if data is None and needed and len(self.problems) == known:
            self.fault(str(path), 1, "empty", "the file is empty", f"list items, each with its `{key}`")
        return [] if data is None else self.records(str(path), data, lines, (), model, key)

    def records(
        self, path: str, data: Any, lines: Lines, way: tuple[str | int, ...], model: type[E], key: str
    ) -> list[E]:
        if not isinstance(data, list):
            self.fault(path, lines.get(way, 1), "shape", "this is not a list", f"list items, each with its `{key}`")
            return []
        found: list[E] = []
        first: dict[str, E] = {}
        for i, item in enumerate(data):
            record = self.record(path, item, lines, (*way, i), model)
            if record is None:
                continue
            name = getattr(record, key)
            if name and first.setdefault(name, record) is not record:
                wrong = f"`{name}` stands on line {first[name].line_of(key)} too"
                self.fault(path, record.line_of(key), "twice", wrong, "keep one of the two")
            else:
                found.append(record)
        return found

    def record(self, path: str, item: Any, lines: Lines, way: tuple[str | int, ...], model: type[E]) -> E | None:
        if not isinstance(item, dict):
            self.fault(path, lines.get(way, 1), "shape", "this is not a mapping", "`name: value` lines")
            return None
        here = _lines_of(item, lines, way)
        fields = model.model_fields.keys() - {"path", "lines"}
        given = self.known(path, item, fields, here) | {"path": path, "lines": here}
        try:
            return model.model_validate(given)
        except ValidationError as error:
            blank: dict[str, Any] = {**dict.fromkeys(fields, ""), "topics": []}
            return model.model_construct(**blank | self.kept(path, error, given, here))

    def about(self) -> About | None:
        path = self.root / "bank.yaml"
        text = self.text_of(path)
        if text is None:
            return None
        known = len(self.problems)
        data, lines = self.yaml_of(str(path), text)
        if len(self.problems) > known and data is None:
            return None
        if isinstance(data, dict) and isinstance(data.get("topics"), list):
            data["topics"] = self.records(str(path), data["topics"], lines, ("topics",), Topic, "id")
        return self.record(str(path), {} if data is None else data, lines, (), About)

    def preface(self) -> str:
        path = self.root / "about.md"
        return (self.text_of(path) or "") if path.exists() else ""

    def pages(self) -> Iterator[OwnPage]:
        for path in _visible(self.root / "pages", "*.md"):
            text = self.text_of(path) or ""
            front, _, _ = self.front_matter(str(path), text)
            data, lines = self.yaml_of(str(path), front or "", first_line=2)
            title = data.get("title") if isinstance(data, dict) else None
            if not isinstance(title, str) or not title.strip():
                self.fault(str(path), lines.get(("title",), 1), "page", "the page has no title", "`title: words`")
                title = path.stem
            yield OwnPage(str(path), path.stem, title, bool(isinstance(data, dict) and data.get("place")), text)

    def published(self) -> dict[str, int]:
        path = self.root / "ids.txt"
        if not path.exists():
            return {}
        text = self.text_of(path) or ""
        ids: dict[str, int] = {}
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                ids.setdefault(line.strip(), number)
        return ids

    # Questions

    def question(self, path: Path) -> Question:
        """A file as a question. What can't be read of it is blank, and the rules pass over what is blank."""
        lines: dict[str, int] = {}
        place = {"id": path.stem, "topic": path.parent.name, "path": str(path), "lines": lines}
        text = self.text_of(path)
        front, body, body_line = (None, [], 1) if text is None else self.front_matter(str(path), text)
        if front is None:
            return Question.model_construct(**BLANK | place)
        met = len(self.problems)
        data, ways = self.yaml_of(str(path), front, first_line=2)
        kind: type[Question] = Question
        fields: dict[str, Any] = {}
        if isinstance(data, dict):
            lines |= _lines_of(data, ways) | {"": 1}
            kind = self.kind(str(path), data, lines)
            if kind is not Question:
                fields = self.known(str(path), data, kind.model_fields.keys() - RESERVED, lines)
            if isinstance(fields.get("sources"), list):
                fields["sources"] = self.citations(str(path), "sources", fields["sources"], lines)
            if isinstance(fields.get("quoted"), list):
                fields["quoted"] = self.citations(str(path), "quoted", fields["quoted"], lines)
            if isinstance(fields.get("runs"), list):
                pairs = self.pairs(str(path), "runs", fields["runs"], lines)
                fields["runs"] = [Claim(expression, line, key) for key, expression, line in pairs if key]
            if isinstance(fields.get("checks"), list):
                fields["checks"] = list(self.claims(str(path), fields["checks"], lines))
        elif len(self.problems) == met:
            self.fault(str(path), 2, "front-matter", "the front matter holds no fields", "`name: value` lines")
        sections = dict(self.sections(str(path), body, body_line, lines))
        if kind is Question:
            return Question.model_construct(**BLANK | sections | place)
        for name in sections.keys() - kind.model_fields.keys():
            wrong = f"`## {HEADINGS[name]}` has no place in '{kind.label}'"
            self.fault(str(path), lines[name], "section", wrong, "remove the section")
            del sections[name]
        given = fields | sections | place
        try:
            return kind.model_validate(given)
        except ValidationError as error:
            return kind.model_construct(**BLANK | self.kept(str(path), error, given, lines) | place)

    def kind(self, path: str, data: dict[str, Any], lines: dict[str, int]) -> type[Question]:
        """The kind that the file names, or means where it is misspelt; Question where neither can be told."""
        name = data["kind"] if isinstance(data.get("kind"), str) else ""
        if name in KINDS:
            return KINDS[name]
        wrong = f"`kind` is {_shown(data['kind'])}" if "kind" in data else "`kind` is missing"
        self.fault(path, lines.get("kind", 1), "kind", wrong, one_of(name, KINDS))
        data["kind"] = next(iter(get_close_matches(name, KINDS, n=1)), "")
        return KINDS.get(data["kind"], Question)

    def front_matter(self, path: str, text: str) -> tuple[str | None, list[str], int]:
        """The YAML between the two `---`, the lines after it, and the number of the first of those."""
        rows = text.split("\n")
        if rows[0].rstrip() != "---":
            self.fault(path, 1, "front-matter", "the file does not begin with `---`", "open with front matter")
            return None, [], 1
        for number, row in enumerate(rows[1:], 2):
            if row.rstrip() == "---":
                return "\n".join(rows[1 : number - 1]), rows[number:], number + 1
        self.fault(path, 1, "front-matter", "the front matter is not closed", "end it with a line `---`")
        return None, [], 1

    def citations(self, path: str, field: str, given: list[Any], lines: dict[str, int]) -> list[Citation]:
        pairs = self.pairs(path, field, given, lines)
        return [Citation(key=key, place=place, line=line) for key, place, line in pairs]

    def pairs(self, path: str, field: str, given: list[Any], lines: dict[str, int]) -> Iterator[tuple[str, str, int]]:
        """The items of `[{key: text}]` with their lines; the key is blank where one can't be read."""
        code, lacks, right = PAIRS[field]
        for i, item in enumerate(given):
            line = lines[f"{field}.{i}"]
            key, text = next(iter(item.items())) if isinstance(item, dict) and len(item) == 1 else ("", None)
            if not isinstance(text, str) or not text.strip() or not str(key).strip():
                self.fault(path, line, code, f"{_shown(key or item)} does not say {lacks}", right)
                key, text = "", "?"
            yield key, text, line

    def claims(self, path: str, given: list[Any], lines: dict[str, int]) -> Iterator[Claim]:
        for i, expression in enumerate(given):
            if isinstance(expression, str):
                yield Claim(expression, lines[f"checks.{i}"])
            else:
                wrong = f"{_shown(expression)} is not text"
                self.fault(path, lines[f"checks.{i}"], "claim", wrong, 'write `- "left == right"`')

    def sections(self, path: str, rows: list[str], first: int, lines: dict[str, int]) -> Iterator[tuple[str, Any]]:
        """The prompt and every `##` section, parsed, under the names of the model's fields."""
        parts: list[tuple[str, int, list[str]]] = [("", first, [])]
        for number, row, title in _outline(rows, first):
            if title is None:
                parts[-1][2].append(row)
                continue
            meant = [title] if title in SECTIONS else get_close_matches(title, SECTIONS, n=1)
            if title not in SECTIONS or not SECTION.match(row):
                right = f"write `## {title}` where the line begins" if title in SECTIONS else one_of(title, SECTIONS)
                self.fault(path, number, "section", f"`{row.strip()}` is not a section", right)
            if meant:
                parts.append((meant[0], number, []))
            else:
                parts[-1][2].append("")
        hints: list[Text] = []
        for title, number, block in parts:
            name = SECTIONS.get(title, "prompt")
            text = _text(block, number + bool(title))
            what = f"`## {title}`" if title else "the prompt"
            # Points are counted by the model.
            if not text.source and name != "points":
                right = (
                    "write it, or leave the section out" if name in ("hints", "corrected", "choices") else "write it"
                )
                self.fault(path, number, "empty", f"{what} is empty", right)
            if name == "hints":
                hints.append(text)
            elif name in lines:
                self.fault(path, number, "twice", f"a second {what}", "one section of each name")
            else:
                yield name, self.parsed(path, name, text)
            lines.setdefault(name, number)
        yield "hints", hints

    def parsed(self, path: str, name: str, text: Text) -> Any:
        if name not in ("points", "choices"):
            return text
        items, stray = _items(text)
        for line in stray:
            right = "begin an item with `- `, and go on with it below by two spaces"
            self.fault(path, line, name, "this line belongs to no item", right)
        return items if name == "points" else [self.choice(path, item) for item in items]

    def choice(self, path: str, item: Text) -> Choice:
        def fault(wrong: str, right: str) -> None:
            self.fault(path, item.line, "choices", wrong, right)

        box = BOX.match(item.source)
        if box is None:
            fault("a choice without its box", "begin with `- [x] ` the right one, with `- [ ] ` any other")
        rows = item.source[box.end() if box else 0 :].split("\n")
        reason = next((i for i, row in enumerate(rows) if row.startswith(">")), len(rows))
        wording = _text(rows[:reason], item.line)
        why = _text([re.sub("^> ?", "", row) for row in rows[reason:]], item.line + reason)
        if not wording.source:
            fault("a choice without words", "write it behind its box")
        if not why.source:
            fault("a choice without its reason", "add a line `  > why`")
        return Choice(wording, box is not None and box[1] in "xX", why)

    # What the model refused

    def known(self, path: str, data: dict[str, Any], fields: Set[str], lines: dict[str, int]) -> dict[str, Any]:
        """The fields that the model has; any other is a problem."""
        for name in data.keys() - fields:
            right = one_of(name, fields)
            if "kind" in fields and name in RESERVED:
                source = f"a `## {HEADINGS[name]}` section" if name in HEADINGS else "the file's name, folder or text"
                right = f"it comes from {source}"
            self.fault(path, lines.pop(name), "unknown-field", f"`{name}` is not a field here", right)
        return {name: value for name, value in data.items() if name in fields}

    def kept(self, path: str, error: ValidationError, given: dict[str, Any], lines: dict[str, int]) -> dict[str, Any]:
        """What the model took. What it refused is a problem and is left out; one run still finds the other faults."""
        for detail in error.errors():
            # A question's folder that is no topic's is a matter for the rules.
            if detail["loc"] != ("topic",):
                self.refused(path, detail, lines)
        refused = {detail["loc"][0] for detail in error.errors()}
        return {name: value for name, value in given.items() if name not in refused}

    def refused(self, path: str, detail: ErrorDetails, lines: dict[str, int]) -> None:
        name = str(detail["loc"][0])
        line = lines.get(".".join(map(str, detail["loc"])), lines.get(name, lines.get("", 1)))
        section = HEADINGS.get(name)
        # `license.link` is a name; of a list the item is told by its line and its value.
        named = ".".join(part for part in detail["loc"] if isinstance(part, str))
        what = f"`## {section}`" if section else f"`{named}`"
        if name == "id" and name not in lines:
            what = "the file's name"
        given = _shown(detail["input"])
        match detail["type"]:
            case "missing":
                where = "section" if section else "field"
                self.fault(path, line, f"missing-{where}", f"{what} is missing", f"add the {where}")
            case "extra_forbidden":
                self.fault(path, line, "unknown-field", f"{what} is not a field here", "remove it")
            case "too_short" | "too_long":
                low, high = detail["ctx"].get("min_length"), detail["ctx"].get("max_length")
                right = f"at least {low}" if low is not None else f"at most {high}"
                if name == "points":
                    right = "2 to 5 of them"
                number = detail["ctx"]["actual_length"]
                self.fault(path, line, "count", f"{what} has {number} item{'' if number == 1 else 's'}", right)
            case "string_pattern_mismatch":
                url = "http" in detail["ctx"]["pattern"]
                right = "an address that begins with https://" if url else "small letters and digits, joined by hyphens"
                self.fault(path, line, "form", f"{what} is {given}", right)
            case "literal_error":
                self.fault(path, line, "value", f"{what} is {given}", f"use {detail['ctx']['expected']}")
            case kind:
                message = detail["msg"].removeprefix("Value error, ").replace("Input should be ", "it should be ")
                right = "write it" if given == "empty" and kind == "string_type" else EXPECTED.get(kind, message)
                self.fault(path, line, "value", f"{what} is {given}", right)


def _shown(value: Any) -> str:
    """A value of YAML as a message names it: on one line, and short."""
    if isinstance(value, list | dict) and value:
        return "a list" if isinstance(value, list) else "a mapping"
    text = " ".join(str(value).split()) if value not in (None, [], {}) else ""
    text = text.lower() if isinstance(value, bool) else text
    return f"`{text[:60]}{'…' * (len(text) > 60)}`" if text else "empty"


def _lines_of(data: dict[str, Any], lines: Lines, way: tuple[str | int, ...] = ()) -> dict[str, int]:
    """The lines of a mapping: of each name, of what it holds as `name.0` or `name.key`, and of the whole as ''."""
    here = {"": lines.get(way, 1)}
    for name, value in data.items():
        here[name] = lines[*way, name]
        inner = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
        here |= {f"{name}.{key}": lines[*way, name, key] for key in inner}
    return here


def _lines_ended(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _outline(rows: list[str], first: int) -> Iterator[tuple[int, str, str | None]]:
    """Each line with its number, and its title where anything would take it for a heading: outside code."""
    end = -1
    for i, row in enumerate(rows):
        mark = FENCE.match(row) if i > end else None
        if mark:
            # What is never closed hides no heading; that it is not closed is told as a fault of the text.
            end = next((n for n in range(i + 1, len(rows)) if _closes(rows[n], mark[1])), -1)
        heading = HEADING.match(row) if i > end else None
        yield first + i, row, heading[1] if heading else None


def _closes(row: str, marks: str) -> bool:
    mark = FENCE.match(row)
    return mark is not None and mark[1].startswith(marks) and not row.strip().strip(marks[0])


def _text(rows: list[str], start: int) -> Text:
    """The lines without the blank ones around them, and where what is left begins."""
    lead = next((i for i, row in enumerate(rows) if row.strip()), 0)
    return Text("\n".join(row.rstrip() for row in rows[lead:]).rstrip(), start + lead)


def _items(text: Text) -> tuple[list[Text], list[int]]:
    """The items of a list, without their marks, and the lines that belong to none."""
    items: list[Text] = []
    stray: list[int] = []
    for number, row in enumerate(text.source.split("\n"), text.line):
        if mark := ITEM.match(row):
            items.append(Text(row[mark.end() :], number))
        elif items and (not row.strip() or row.startswith(("  ", "\t"))):
            items[-1] = Text(items[-1].source + "\n" + row.strip(), items[-1].line)
        elif row.strip():
            stray.append(number)
    return [Text(item.source.rstrip(), item.line) for item in items], stray


def question_files(root: Path) -> list[Path]:
    return [path for path in _visible(root / "questions", "*/*") if path.suffix == ".md"]


def _visible(folder: Path, pattern: str) -> list[Path]:
    """What is neither hidden nor an editor's copy, sorted."""
    found = (path for path in folder.glob(pattern) if not path.name.endswith("~"))
    return sorted(path for path in found if not any(part[0] == "." for part in path.relative_to(folder).parts))


def read_bank(root: Path) -> tuple[Bank, list[Problem]]:
    """Read a whole bank.

    Gives the bank as far as it could be read, and every problem met on the way. Raises BankError where
    nothing can be said of the rest: no folder, or no topic in bank.yaml.
    """
    reader = Reader(root)
    if not root.is_dir():
        raise BankError([Problem(str(root), 1, "missing-bank", "there is no such folder", "the folder of a bank")])
    about = reader.about()
    if about is None or not about.topics:
        raise BankError(reader.problems)
    questions: dict[str, Question] = {}
    files = question_files(root)
    for path in files:
        question = reader.question(path)
        first = questions.setdefault(question.id, question)
        if first is not question:
            other = os.path.relpath(first.path, root)
            reader.fault(
                str(path), 1, "twice", f"`{other}` has the same id", "an id is one question's for ever: rename"
            )
    for path in set(_visible(root / "questions", "**/*")).difference(files):
        if path.is_file():
            right = "move it into the folder of its topic, as `ID.md`, or out of `questions`"
            reader.fault(str(path), 1, "stray-file", "a file that is not read", right)
    evidence, wrong = read_evidence(root / "evidence")
    reader.problems += wrong
    bank = Bank(
        root=str(root),
        about=about,
        concepts=reader.entries("concepts.yaml", Concept, "id"),
        sources=reader.entries("sources.yaml", Source, "key"),
        questions=list(questions.values()),
        published=reader.published(),
        retired=reader.entries("retired.yaml", Retired, "id", needed=False),
        preface=reader.preface(),
        pages=list(reader.pages()),
        evidence=evidence,
    )
    return bank, reader.problems
