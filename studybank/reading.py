"""Files to model. Every value keeps its file and line, and every fault is collected rather than raised."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from studybank.kinds import KINDS
from studybank.model import About, Bank, Choice, Citation, Concept, Entry, Question, Retired, Source, Text, Topic
from studybank.problems import BankError, Problem, one_of

# libyaml's parser is seven times as fast; PyYAML is sometimes built without it.
Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

SECTIONS = {
    "Answer": "answer",
    "Explanation": "explanation",
    "Corrected": "corrected",
    "Points": "points",
    "Hint": "hints",
    "Choices": "choices",
}
HEADINGS = {name: heading for heading, name in SECTIONS.items()}

FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*$")
ITEM = re.compile(r"^[-*+] +(?=\S)")
OPTION = re.compile(r"^\[(.?)\] *")

# What stands for a field that could not be read, so that the rules can still look at the others.
BLANK: dict[str, Any] = {
    "title": "",
    "difficulty": 1,
    "concepts": [],
    "sources": [],
    "requires": [],
    "verdict": None,
    "corrected": None,
    "prompt": Text("", 1),
    "answer": Text("", 1),
    "explanation": Text("", 1),
    "points": [],
    "choices": [],
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
            return path.read_text(encoding="utf-8-sig")
        except UnicodeDecodeError as error:
            line = path.read_bytes()[: error.start].count(b"\n") + 1
            self.fault(str(path), line, "encoding", "a byte that is not UTF-8", "save the file as UTF-8")
        except FileNotFoundError:
            self.fault(str(path), 1, "missing-file", f"`{path.name}` is not there", "every bank has one: write it")
        except OSError as error:
            self.fault(str(path), 1, "unreadable", f"can't be read ({error.strerror})", "a readable text file")
        return None

    def yaml_of(self, path: str, text: str, first_line: int = 1) -> tuple[Any, dict[tuple[Any, ...], int]]:
        """A YAML document, and the line of each of its keys and items by their way from the root."""
        loader = Loader(text)
        lines: dict[tuple[Any, ...], int] = {}
        try:
            node = loader.get_single_node()
            if node is None:
                return None, lines
            self._mark(path, node, (), lines, first_line)
            return loader.construct_document(node), lines
        except (yaml.YAMLError, ValueError) as error:
            mark = getattr(error, "problem_mark", None)
            line = first_line + (mark.line if mark else 0)
            what = getattr(error, "problem", None) or str(error)
            self.fault(path, line, "yaml", f"this is not YAML ({what})", "quote values that hold `:`, `#` or brackets")
            return None, lines
        finally:
            loader.dispose()

    def _mark(self, path: str, node: yaml.Node, way: tuple[Any, ...], lines: dict[Any, int], first_line: int) -> None:
        lines[way] = first_line + node.start_mark.line
        if isinstance(node, yaml.MappingNode):
            seen = set()
            for key, value in node.value:
                name = key.value if isinstance(key.value, str) else "?"
                line = first_line + key.start_mark.line
                if name in seen:
                    self.fault(path, line, "twice", f"`{name}` is given twice", "keep one of the two")
                seen.add(name)
                self._mark(path, value, (*way, name), lines, first_line)
                lines[*way, name] = line
        elif isinstance(node, yaml.SequenceNode):
            for i, value in enumerate(node.value):
                self._mark(path, value, (*way, i), lines, first_line)

    # Bank-wide files

    def entries(self, name: str, model: type[E], key: str, *, needed: bool = True) -> list[E]:
        """The records of a YAML file that holds a list of mappings; no two may share a `key`."""
        path = self.root / name
        if not needed and not path.exists():
            return []
        text = self.text_of(path)
        if text is None:
            return []
        data, lines = self.yaml_of(str(path), text)
        return self.records(str(path), data, lines, (), model, key)

    def records(
        self, path: str, data: Any, lines: dict[tuple[Any, ...], int], way: tuple[Any, ...], model: type[E], key: str
    ) -> list[E]:
        if data is None:
            return []
        if not isinstance(data, list):
            self.fault(path, lines.get(way, 1), "shape", "this is not a list", f"list items, each with its `{key}`")
            return []
        found: dict[str, E] = {}
        for i, item in enumerate(data):
            record = self.record(path, item, lines, (*way, i), model)
            if record is None:
                continue
            name = getattr(record, key)
            if name in found:
                first = found[name].line_of(key)
                self.fault(
                    path, record.line_of(key), "twice", f"`{name}` stands on line {first} too", "keep one of the two"
                )
            else:
                found[name] = record
        return list(found.values())

    def record(
        self, path: str, item: Any, lines: dict[tuple[Any, ...], int], way: tuple[Any, ...], model: type[E]
    ) -> E | None:
        here = {w[len(way)]: n for w, n in lines.items() if len(w) == len(way) + 1 and w[: len(way)] == way}
        here[""] = lines.get(way, 1)
        if not isinstance(item, dict):
            self.fault(path, here[""], "shape", "this is not a mapping", "`name: value` lines")
            return None
        try:
            return model.model_validate({**item, "path": path, "lines": here})
        except ValidationError as error:
            for detail in error.errors():
                self.refused(path, detail, here, set(model.model_fields) - {"path", "lines"}, "")
            return None

    def about(self) -> About | None:
        path = self.root / "bank.yaml"
        text = self.text_of(path)
        if text is None:
            return None
        data, lines = self.yaml_of(str(path), text)
        if isinstance(data, dict) and isinstance(data.get("topics"), list):
            data["topics"] = self.records(str(path), data["topics"], lines, ("topics",), Topic, "id")
        return self.record(str(path), {} if data is None else data, lines, (), About)

    def preface(self) -> str:
        path = self.root / "about.md"
        return (self.text_of(path) or "") if path.exists() else ""

    def published(self) -> dict[str, int]:
        path = self.root / "ids.txt"
        if not path.exists():
            return {}
        text = self.text_of(path) or ""
        ids: dict[str, int] = {}
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip():
                ids.setdefault(line.strip(), number)
        return ids

    # Questions

    def question(self, path: Path) -> Question | None:
        text = self.text_of(path)
        if text is None:
            return None
        front, body, body_line = self.front_matter(str(path), text)
        if front is None:
            return None
        data, ways = self.yaml_of(str(path), front, first_line=2)
        if not isinstance(data, dict):
            if data is not None or not ways:
                self.fault(str(path), 2, "front-matter", "the front matter holds no fields", "`name: value` lines")
            return None
        lines = {way[0]: line for way, line in ways.items() if len(way) == 1}
        kind = KINDS.get(str(data.get("kind")))
        if kind is None:
            wrong = f"`{data['kind']}` is not a kind" if "kind" in data else "no `kind` is given"
            self.fault(str(path), lines.get("kind", 1), "kind", wrong, one_of(str(data.get("kind")), KINDS))
            return None
        reserved = {"id", "topic", "path", "lines", "prompt", *HEADINGS}
        for name in reserved.intersection(data):
            heading = f"a `## {HEADINGS[name]}` section" if name in HEADINGS else "the file's name, folder or text"
            self.fault(str(path), lines[name], "unknown-field", f"`{name}` is not a field", f"it comes from {heading}")
            del data[name]
        if "sources" in data:
            data["sources"] = self.citations(str(path), data["sources"], ways)
        for name, value in self.sections(str(path), body, body_line, lines):
            data[name] = value
        data |= {"id": path.stem, "topic": path.parent.name, "path": str(path), "lines": lines}
        try:
            return kind.model_validate(data)
        except ValidationError as error:
            fields = set(kind.model_fields) - reserved
            for detail in error.errors():
                self.refused(str(path), detail, lines, fields, kind.label)
            # What can be read of it goes on to the rules, so that one run finds its other faults too.
            refused = {detail["loc"][0] for detail in error.errors()}
            return kind.model_construct(**BLANK | {k: v for k, v in data.items() if k not in refused})

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

    def citations(self, path: str, given: Any, ways: dict[tuple[Any, ...], int]) -> Any:
        """`[{key: place}]` as a list of citations; anything else is left for the model to refuse."""
        if not isinstance(given, list):
            return given
        cited = []
        for i, item in enumerate(given):
            line = ways.get(("sources", i), 1)
            if isinstance(item, dict) and len(item) == 1:
                key, place = next(iter(item.items()))
                try:
                    cited.append(Citation(key=key, place=place, line=line))
                    continue
                except ValidationError:
                    pass
            self.fault(path, line, "source", f"`{item}` does not say where in the source", 'write `- key: "place"`')
        return cited or given

    def sections(self, path: str, rows: list[str], first: int, lines: dict[str, int]) -> Iterator[tuple[str, Any]]:
        """The prompt and every `##` section, parsed, under the names of the model's fields."""
        parts: list[tuple[str, int, list[str]]] = [("", first, [])]
        for number, row, heading in _outline(rows, first):
            if heading is None:
                parts[-1][2].append(row)
            elif heading[0] == 2 and heading[1] in SECTIONS:
                parts.append((heading[1], number, []))
            else:
                self.fault(path, number, "section", f"`{row.strip()}` is not a section", one_of(heading[1], SECTIONS))
                parts[-1][2].append("")
        hints: list[Text] = []
        for title, number, block in parts:
            name = SECTIONS.get(title, "prompt")
            text = _text(block, number + bool(title))
            what = f"`## {title}`" if title else "the prompt"
            if not text.source:
                self.fault(path, number, "empty", f"{what} is empty", "write it, or leave the section out")
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
            self.fault(path, line, name, "this line belongs to no item", "begin each item with `- `")
        return items if name == "points" else [c for item in items if (c := self.choice(path, item))]

    def choice(self, path: str, item: Text) -> Choice | None:
        box = OPTION.match(item.source)
        wording, quote, why = item.source.partition("\n>")
        if box is None or box[1] not in "xX ":
            self.fault(
                path, item.line, "choices", "a choice without its box", "`- [x] ` for the right one, else `- [ ] `"
            )
            return None
        if not quote:
            self.fault(path, item.line, "choices", "a choice without its reason", "add a line `  > why`")
            return None
        reason = re.sub(r"(?m)^> ?", "", why.strip())
        line = item.line + wording.count("\n") + 1
        return Choice(Text(wording[box.end() :].strip(), item.line), box[1] in "xX", Text(reason, line))

    # What the model refused

    def refused(self, path: str, detail: ErrorDetails, lines: dict[str, int], fields: set[str], kind: str) -> None:
        name = str(detail["loc"][0]) if detail["loc"] else ""
        line = lines.get(name, lines.get("", 1))
        section = HEADINGS.get(name)
        what = f"`## {section}`" if section else f"`{name}`"
        given = detail["input"]
        match detail["type"]:
            case "missing":
                where = "section" if section else "field"
                self.fault(path, line, f"missing-{where}", f"{what} is missing", f"add the {where}")
            case "extra_forbidden" if section:
                self.fault(path, line, "section", f"{what} has no place in '{kind}'", "remove the section")
            case "extra_forbidden":
                self.fault(path, line, "unknown-field", f"{what} is not a field here", one_of(name, fields))
            case "too_short" | "too_long":
                low, high = detail["ctx"].get("min_length"), detail["ctx"].get("max_length")
                right = f"at least {low}" if low is not None else f"at most {high}"
                if name == "points":
                    right = "2 to 5 of them"
                self.fault(path, line, "count", f"{what} has {detail['ctx']['actual_length']} items", right)
            case "string_pattern_mismatch":
                url = "http" in detail["ctx"]["pattern"]
                right = "an address that begins with https://" if url else "small letters and digits, joined by hyphens"
                self.fault(path, line, "form", f"{what} is `{given}`", right)
            case "literal_error":
                self.fault(path, line, "value", f"{what} is `{given}`", f"use {detail['ctx']['expected']}")
            case _:
                message = detail["msg"].removeprefix("Value error, ").replace("Input should be ", "should be ")
                self.fault(path, line, "value", f"{what} is `{given}`", message)


def _outline(rows: list[str], first: int) -> Iterator[tuple[int, str, tuple[int, str] | None]]:
    """Each line with its number, and its level and title where it is a heading outside code."""
    fence = ""
    for number, row in enumerate(rows, first):
        mark = FENCE.match(row)
        if mark and (not fence or (mark[1].startswith(fence) and not row.strip().strip(fence[0]))):
            fence = "" if fence else mark[1]
        heading = None if fence or mark else HEADING.match(row)
        yield number, row, (len(heading[1]), heading[2]) if heading else None


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
        elif items and (not row.strip() or row.startswith("  ")):
            items[-1] = Text(items[-1].source + "\n" + row.strip(), items[-1].line)
        else:
            stray.append(number)
    return [Text(item.source.rstrip(), item.line) for item in items], stray


def question_files(root: Path) -> list[Path]:
    return sorted((root / "questions").glob("*/*.md"))


def read_bank(root: Path) -> tuple[Bank, list[Problem]]:
    """Read a whole bank.

    Gives the bank as far as it could be read, and every problem met on the way. Raises BankError where
    nothing can be said of the rest: no folder, or no usable bank.yaml.
    """
    reader = Reader(root)
    if not root.is_dir():
        raise BankError([Problem(str(root), 1, "missing-bank", "there is no such folder", "the folder of a bank")])
    about = reader.about()
    if about is None:
        raise BankError(reader.problems)
    questions: dict[str, Question] = {}
    for path in question_files(root):
        question = reader.question(path)
        if question and question.id in questions:
            other = os.path.relpath(questions[question.id].path, root)
            reader.fault(
                str(path), 1, "twice", f"`{other}` has the same id", "an id is one question's for ever: rename"
            )
        elif question:
            questions[question.id] = question
    bank = Bank(
        root=str(root),
        about=about,
        concepts=reader.entries("concepts.yaml", Concept, "id"),
        sources=reader.entries("sources.yaml", Source, "key"),
        questions=list(questions.values()),
        published=reader.published(),
        retired=reader.entries("retired.yaml", Retired, "id", needed=False),
        preface=reader.preface(),
    )
    return bank, reader.problems
