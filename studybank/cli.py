"""The command over a bank: build, check, new, report."""

from __future__ import annotations

import argparse
import io
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from studybank import frontend
from studybank.checking import checked, inspect
from studybank.evidence import program_files
from studybank.kinds import KINDS
from studybank.maths import FormulaStore, MathsError
from studybank.model import ID
from studybank.pages import MARK, Pages, count
from studybank.problems import BankError, Problem, one_of
from studybank.reading import read_bank
from studybank.rerun import ProgramError, record, rerun
from studybank.rules.ledger import unlisted_ids
from studybank.sketch import lacking, template
from studybank.writing import write


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Gives the exit status: 0, or 1 where the bank has problems, or 2 where the call was wrong."""
    options = _parser().parse_args(arguments)
    # Messages hold arrows, and names in any script: a terminal that can't show them should not end the run.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        return int(options.run(options))
    except BankError as error:
        for problem in error.problems:
            print(problem)
        print(count(len(error.problems), "problem"), file=sys.stderr)
        return 1
    except (frontend.FrontendError, MathsError) as error:
        print(error, file=sys.stderr)
        return 1
    except BrokenPipeError:
        # Whoever read the output has seen enough (`report | head`).
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        return 1


def _evidence(options: argparse.Namespace) -> int:
    bank, _ = read_bank(options.bank)
    paths = {path.stem: path for path in program_files(options.bank / "evidence")}
    if unknown := [name for name in options.names if name not in paths]:
        return _refuse(
            f"`{unknown[0]}` is no program of {options.bank / 'evidence' / 'runs'}; {one_of(unknown[0], paths)}"
        )
    asked = [paths[name] for name in options.names] or list(paths.values())
    good = True
    for path in asked:
        try:
            if options.record:
                record(path)
                print(path.with_suffix(".json"), flush=True)
            else:
                good &= rerun(bank, path, lambda said: print(said, flush=True))
        except ProgramError as error:
            print(error, flush=True)
            good = False
    return 0 if good else 1


def _parser() -> argparse.ArgumentParser:
    # These go before a command as well as behind it; behind it, what is not given must not undo what was given before.
    bank: dict[str, Any] = {"type": Path, "metavar": "DIR", "help": "the folder of the bank (default: bank)"}
    into: dict[str, Any] = {
        "type": Path,
        "metavar": "DIR",
        "help": "where `build` puts the pages (default: build/pages)",
    }
    every = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    every.add_argument("--bank", **bank)
    parser = argparse.ArgumentParser(prog="build_bank.py", description="Build, check and extend a question bank.")
    parser.add_argument("--bank", **bank, default=Path("bank"))
    parser.add_argument("--into", **into)
    parser.set_defaults(run=_build)
    commands = parser.add_subparsers(title="commands")
    build = commands.add_parser(
        "build", parents=[every], help="check the bank, record new ids and write its pages (the default)"
    )
    build.add_argument("--into", **into, default=argparse.SUPPRESS)
    build.set_defaults(run=_build)
    check = commands.add_parser("check", parents=[every], help="print every problem of the bank; write nothing")
    check.set_defaults(run=_check)
    new = commands.add_parser("new", parents=[every], help="write the template of a question")
    new.add_argument("kind", choices=KINDS)
    new.add_argument("topic", help="the id of a topic of bank.yaml")
    new.add_argument("id", help="small letters and digits, joined by hyphens; it is the question's name for ever")
    new.set_defaults(run=_new)
    evidence = commands.add_parser(
        "evidence", parents=[every], help="run the programs again and compare; needs what they import"
    )
    evidence.add_argument("names", nargs="*", metavar="NAME", help="of a program in evidence/runs (default: all)")
    evidence.add_argument("--record", action="store_true", help="write down what they measure now")
    evidence.set_defaults(run=_evidence)
    report = commands.add_parser(
        "report", parents=[every], help="what the bank holds, by topic and kind, and what its questions lack"
    )
    report.set_defaults(run=_report)
    return parser


def _store() -> FormulaStore:
    frontend.install(lambda said: print(said, file=sys.stderr))
    return FormulaStore(frontend.CACHE)


def _build(options: argparse.Namespace) -> int:
    bank = checked(options.bank, _store())
    into = options.into or Path("build", "pages")
    if foreign := next(_foreign(into), None):
        return _refuse(f"{foreign} was written by no build, and would be removed; name a folder for pages alone")
    pages = {page.path: page.markdown for page in Pages(bank)}
    written, removed = write(into, pages)
    new = unlisted_ids(bank)
    _record(options.bank / "ids.txt", new)
    said = [f"{count(len(pages), 'page')} in {into}", f"{written} written"]
    said += [f"{removed} removed"] if removed else []
    said += [f"{count(len(new), 'new id')} recorded in {options.bank / 'ids.txt'}"] if new else []
    print(", ".join(said))
    return 0


def _foreign(folder: Path) -> Iterator[Path]:
    """The files of a folder that are no pages of an earlier build."""
    mark = f"---\n{MARK}".encode()
    for path in folder.rglob("*"):
        if path.is_file() and (path.suffix != ".md" or not path.read_bytes().startswith(mark)):
            yield path


def _record(ledger: Path, names: list[str]) -> None:
    """Append to the ids that were published."""
    if names:
        ended = not ledger.exists() or ledger.read_bytes()[-1:] in (b"", b"\n")
        with open(ledger, "a", encoding="utf-8", newline="\n") as file:
            file.write("" if ended else "\n")
            file.writelines(f"{name}\n" for name in names)


def _check(options: argparse.Namespace) -> int:
    bank, problems = inspect(options.bank, _store())
    ledger = str(options.bank / "ids.txt")
    last = max(bank.published.values(), default=0) + 1
    for name in unlisted_ids(bank):
        right = f"add the line `{name}`, or let `build` do it"
        problems.append(Problem(ledger, last, "unlisted-id", f"`{name}` is not listed", right))
    if problems:
        raise BankError(problems)
    print(f"{count(len(bank.questions), 'question')}, no problem")
    return 0


def _new(options: argparse.Namespace) -> int:
    bank, _ = read_bank(options.bank)
    path = options.bank / "questions" / options.topic / f"{options.id}.md"
    topics = [topic.id for topic in bank.about.topics]
    if options.topic not in topics:
        return _refuse(f"`{options.topic}` is not a topic of bank.yaml; {one_of(options.topic, topics)}")
    if not re.fullmatch(ID, options.id):
        return _refuse(f"`{options.id}` is not an id; use small letters and digits, joined by hyphens")
    if options.id in {*bank.by_id, *bank.published, *(retired.id for retired in bank.retired)}:
        return _refuse(f"`{options.id}` is taken, and an id is one question's for ever; choose another")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(template(options.kind), encoding="utf-8", newline="\n")
    print(path)
    return 0


def _refuse(said: str) -> int:
    print(said, file=sys.stderr)
    return 2


def _report(options: argparse.Namespace) -> int:
    bank, problems = read_bank(options.bank)
    width = max(len(topic.title) for topic in bank.about.topics)
    print(f"{'':{width}}  " + "  ".join(f"{kind:>14}" for kind in [*KINDS, "all"]))
    rows = [(topic.title, bank.by_topic[topic.id]) for topic in bank.about.topics]
    for title, questions in [*rows, ("all", bank.in_order)]:
        kinds = Counter(question.kind for question in questions)
        numbers = [*(kinds[kind] for kind in KINDS), len(questions)]
        print(f"{title:{width}}  " + "  ".join(f"{number:>14}" for number in numbers))
    print()
    for question in bank.in_order:
        if lacks := lacking(question):
            print(f"{question.path}: no {', no '.join(lacks)}")
    used = {name for question in bank.questions for name in question.concepts}
    cited = {source.key for question in bank.questions for source in question.sources}
    for what, unused in [("concept", bank.concept.keys() - used), ("source", bank.source.keys() - cited)]:
        # A blank one could not be read.
        if unused := unused - {""}:
            print(f"{count(len(unused), what)} on no question: {', '.join(sorted(unused))}")
    if problems:
        print(f"{count(len(problems), 'problem')} met while reading: run `check`", file=sys.stderr)
    return 0
