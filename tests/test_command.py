"""The command as it is run: what it says, what it writes, and what it leaves alone."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random

import pytest

from tests.banks import EXPLANATION, RIVERS, Change, bank, claim
from tests.commands import call
from tests.sites import ROOT

COMMAND = [sys.executable, str(ROOT / "scripts" / "build_bank.py")]
Tree = dict[str, tuple[bytes, int]]
Start = Callable[..., subprocess.CompletedProcess[str]]


def run(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONIOENCODING": "utf-8", **environment}
    return subprocess.run([*COMMAND, *arguments], cwd=folder, env=env, capture_output=True, encoding="utf-8")


def done(folder: Path, *arguments: str, start: Start = run, **environment: str) -> str:
    """What a run that succeeds says."""
    ran = start(folder, *arguments, **environment)
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout + ran.stderr
    return ran.stdout


def tree(folder: Path) -> Tree:
    """Every file below a folder, with its bytes and when it was written."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def pages(folder: Path) -> dict[str, bytes]:
    return {name: content for name, (content, _) in tree(folder).items()}


# Build


def test_build_writes_the_pages_and_records_new_ids(tmp_path: Path) -> None:
    bank(tmp_path, {"ids.txt": None})
    assert done(tmp_path) == "12 pages in build/pages, 12 written, 6 new ids recorded in bank/ids.txt\n"
    assert (tmp_path / "bank/ids.txt").read_bytes() == RIVERS["ids.txt"].encode()
    assert set(pages(tmp_path / "build/pages")) == {
        *("index.md", "concepts.md", "sources.md", "topics/index.md", "topics/bends.md", "topics/floods.md"),
        *("kinds/index.md", "kinds/true-false.md", "kinds/spot-the-error.md", "kinds/why.md", "kinds/edge-case.md"),
        "kinds/compute.md",
    }


def test_a_second_build_writes_nothing(tmp_path: Path) -> None:
    bank(tmp_path)
    done(tmp_path, "build", start=call)
    before = tree(tmp_path)
    assert done(tmp_path, "build") == "12 pages in build/pages, 0 written\n"
    assert tree(tmp_path) == before


def test_a_bank_with_a_page_about_itself_builds_again(tmp_path: Path) -> None:
    root = bank(tmp_path)
    (root / "about.md").write_text("# About\n\nWater.\n", encoding="utf-8")
    done(tmp_path, "build", start=call)
    assert "0 written" in done(tmp_path, "build", start=call)


def test_build_writes_what_changed_and_removes_what_is_gone(tmp_path: Path) -> None:
    root = bank(tmp_path)
    done(tmp_path, "build", start=call)
    before = tree(tmp_path / "build/pages")
    (root / "questions/floods/dry-bed.md").unlink()
    (root / "retired.yaml").write_text("- id: dry-bed\n  to: levee\n")
    said = done(tmp_path, "build", start=call)
    after = tree(tmp_path / "build/pages")
    assert before.keys() - after.keys() == {"kinds/edge-case.md"}
    changed = {name for name, content in after.items() if before.get(name) != content}
    # Pages of the topic, its lists and counts; not those of the other topic and kinds.
    assert "topics/floods.md" in changed
    assert changed.isdisjoint({"topics/bends.md", "kinds/why.md", "kinds/true-false.md"})
    assert said == f"11 pages in build/pages, {len(changed)} written, 1 removed\n"


def test_options_stand_before_and_behind_the_command(tmp_path: Path) -> None:
    bank(tmp_path).rename(tmp_path / "rivers")
    assert done(tmp_path, "--bank", "rivers", "check") == done(tmp_path, "check", "--bank", "rivers")
    for arguments in (["--into", "one"], ["build", "--into", "two"], ["--into", "three", "build"]):
        done(tmp_path, "--bank", "rivers", *arguments)
    assert pages(tmp_path / "one") == pages(tmp_path / "two") == pages(tmp_path / "three")


def test_build_into_another_folder(tmp_path: Path) -> None:
    bank(tmp_path)
    done(tmp_path, "build", start=call)
    assert done(tmp_path, "build", "--into", "other/place") == "12 pages in other/place, 12 written\n"
    assert pages(tmp_path / "other/place") == pages(tmp_path / "build/pages")
    said = done(tmp_path, "build", "--into", "other/place", start=call)
    assert said == "12 pages in other/place, 0 written\n"


def test_the_bank_may_lie_anywhere(tmp_path: Path) -> None:
    bank(tmp_path / "Ströme & [Flüsse]")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    done(elsewhere, "--bank", "../Ströme & [Flüsse]/bank", "build", start=call)
    assert (elsewhere / "build/pages/index.md").exists()


@pytest.mark.parametrize("file", ["index.md", "assets/style.css", "topics/notes.md"])
def test_build_leaves_a_folder_alone_that_holds_anything_else(tmp_path: Path, file: str) -> None:
    bank(tmp_path)
    done(tmp_path, "build", "--into", "docs", start=call)
    path = tmp_path / "docs" / file
    path.parent.mkdir(exist_ok=True)
    path.write_text("---\ntitle: Mine\n---\nWritten by hand.\n")
    before = tree(tmp_path)
    ran = call(tmp_path, "build", "--into", "docs")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == f"docs/{file} was written by no build, and would be removed; name a folder for pages alone\n"
    assert tree(tmp_path) == before


def test_build_says_where_it_can_not_write(tmp_path: Path) -> None:
    bank(tmp_path)
    (tmp_path / "pages").write_text("a file")
    ran = call(tmp_path, "build", "--into", "pages")
    assert (ran.returncode, ran.stdout, ran.stderr) == (1, "", "pages: File exists\n")
    assert (tmp_path / "pages").read_text() == "a file"


def test_a_build_that_fails_leaves_the_pages_and_the_ids(tmp_path: Path) -> None:
    root = bank(tmp_path)
    done(tmp_path, "build", start=call)
    before = tree(tmp_path)
    new = RIVERS["questions/bends/oxbow.md"].replace("How a lake", "How another lake")
    (root / "questions/bends/billabong.md").write_text(new)
    ran = run(tmp_path, "build")
    assert ran.returncode == 1
    assert "duplicate" in ran.stdout
    assert ran.stderr == "1 problem\n"
    (root / "questions/bends/billabong.md").unlink()
    assert tree(tmp_path) == before


@pytest.mark.parametrize("before", ["", "creek", "creek\n", "creek\r\n", "\n\ncreek\n\n"])
def test_ids_are_appended_once_each_on_its_line(tmp_path: Path, before: str) -> None:
    changes: dict[str, Change] = {"ids.txt": before.encode()}
    if before:
        changes["retired.yaml"] = "- id: creek\n  to: oxbow\n"
    root = bank(tmp_path, changes)
    done(tmp_path, "build", start=call)
    ids = (root / "ids.txt").read_bytes().decode()
    assert ids.startswith(before)
    assert ids[len(before) :].lstrip("\n") == RIVERS["ids.txt"]
    assert ids.split() == [*before.split(), *RIVERS["ids.txt"].split()]
    done(tmp_path, "build", start=call)
    assert (root / "ids.txt").read_bytes().decode() == ids


def test_the_pages_are_the_same_to_the_byte_wherever_and_whenever_they_are_built(tmp_path: Path) -> None:
    built = []
    for i, seed in enumerate(["0", "4242"]):
        folder = tmp_path / ("deep/" * i) / str(i)
        root = bank(folder, {"ids.txt": None})
        # A folder may list its files in any order.
        for path in sorted((root / "questions").rglob("*.md"), reverse=i == 1):
            content = path.read_bytes()
            path.unlink()
            path.write_bytes(content)
        done(folder, "build", PYTHONHASHSEED=seed)
        built.append((pages(folder / "build/pages"), (root / "ids.txt").read_bytes()))
    assert built[0] == built[1]


def test_links_lead_to_cards_and_code_stays_as_it_is(tmp_path: Path) -> None:
    prompt = "See [the bar](#point-bar), not `[the bar](#creek)`:\n\n```\n[the bar](#point-bar)\n```"
    bank(tmp_path, {"bends/outer-bank": ("In a bend on a plain of sand, the river cuts the outer bank.", prompt)})
    done(tmp_path, "build", start=call)
    page = (tmp_path / "build/pages/topics/bends.md").read_text()
    assert "`[the bar](#creek)`:\n\n```\n[the bar](#point-bar)\n```" in page
    assert "See [the bar](../topics/bends.md#point-bar), not" in page


# Builds that are killed


WRITER = """
import sys
from itertools import count
from pathlib import Path
from studybank.writing import write
print("ready", flush=True)
for n in count():
    write(Path(sys.argv[1]), {f"{i}.md": f"{n}\\n" * 20_000 for i in range(n % 7, 60)})
"""


def test_a_writer_that_is_killed_leaves_whole_files(tmp_path: Path) -> None:
    chance = Random(1)
    folder = tmp_path / "pages"
    for _ in range(6):
        command = [sys.executable, "-c", WRITER, str(folder)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as writer:
            assert writer.stdout
            assert writer.stdout.readline() == b"ready\n"
            time.sleep(chance.uniform(0, 0.3))
            writer.kill()
        for name, content in pages(folder).items():
            rows = content.decode().split("\n")
            assert len(rows) == 20_001, name
            assert len(set(rows[:-1])) == 1, name


def test_a_build_that_is_killed_leaves_whole_pages(tmp_path: Path) -> None:
    changes: dict[str, Change] = {}
    topics = ""
    for i in range(40):
        name = "".join(chr(ord("a") + int(digit)) for digit in f"{i:02}")
        topics += f"  - id: {name}\n    title: Topic {name}\n    summary: Of {name}.\n"
        prompt = " ".join(f"{name}{n}" for n in range(9))
        changes[f"questions/{name}/q-{name}.md"] = claim(prompt, i % 2 == 0, f"On {name}")
    root = bank(tmp_path, {**changes, "bank.yaml": RIVERS["bank.yaml"] + topics})
    done(tmp_path, "build", start=call)
    old = pages(tmp_path / "build/pages")
    text = (root / "bank.yaml").read_text().replace("    title: Topic", "    title: The topic")
    (root / "bank.yaml").write_text(text)
    done(tmp_path, "build", "--into", "new", start=call)
    new = pages(tmp_path / "new")
    assert sum(old[name] != new[name] for name in old) > 40
    start = time.monotonic()
    done(tmp_path, "build", "--into", "timed")
    taken = time.monotonic() - start
    chance = Random(2)
    for _ in range(3):
        with subprocess.Popen([*COMMAND, "build"], cwd=tmp_path, stdout=subprocess.DEVNULL) as build:
            time.sleep(chance.uniform(0.5, 1) * taken)
            build.kill()
        for name, content in pages(tmp_path / "build/pages").items():
            assert content in (old.get(name), new[name]), name
    done(tmp_path, "build", start=call)
    assert pages(tmp_path / "build/pages") == new


# Check


def test_check_accepts_a_good_bank_and_writes_nothing(tmp_path: Path) -> None:
    bank(tmp_path)
    before = tree(tmp_path)
    assert done(tmp_path, "check") == "6 questions, no problem\n"
    assert tree(tmp_path) == before


def test_check_prints_each_problem_with_its_place_and_writes_nothing(tmp_path: Path) -> None:
    bank(
        tmp_path,
        {
            "bends/outer-bank": ("[meander]", "[meandre]"),
            "floods/levee": ("A town", "A $\\bogus$ town"),
            "floods/dry-bed": b"\xff",
        },
    )
    before = tree(tmp_path)
    ran = run(tmp_path, "check")
    assert ran.returncode == 1
    assert ran.stdout.splitlines() == [
        "bank/questions/bends/outer-bank.md:6: unknown-concept: `meandre` is not in concepts.yaml; use `meander`",
        "bank/questions/floods/dry-bed.md:1: encoding: a byte that is not UTF-8; save the file as UTF-8",
        "bank/questions/floods/levee.md:9: tex: MathJax refuses `\\bogus` (Undefined control sequence \\bogus); "
        "TeX that MathJax knows",
    ]
    assert ran.stderr == "3 problems\n"
    assert tree(tmp_path) == before


def test_check_asks_for_the_ids_that_build_would_record(tmp_path: Path) -> None:
    bank(
        tmp_path,
        {"ids.txt": "\ndischarge\ndry-bed\n\nlevee\nouter-bank\n", "bends/Ox": RIVERS["questions/bends/oxbow.md"]},
    )
    (tmp_path / "bank/questions/bends/oxbow.md").unlink()
    ran = call(tmp_path, "check")
    assert ran.returncode == 1
    assert ran.stdout.splitlines() == [
        "bank/ids.txt:7: unlisted-id: `point-bar` is not listed; add the line `point-bar`, or let `build` do it",
        "bank/questions/bends/Ox.md:1: form: the file's name is `Ox`; small letters and digits, joined by hyphens",
    ]


def test_a_file_that_is_not_read_is_told(tmp_path: Path) -> None:
    text = RIVERS["questions/bends/oxbow.md"]
    names = ["loose.md", "bends/deep/er.md", "bends/notes.txt", "bends/oxbow.MD", "bends/.hidden.md", ".git/x.md"]
    bank(tmp_path, {f"questions/{name}": text for name in [*names, "bends/oxbow.md~", "bends/.#oxbow.md"]})
    said = call(tmp_path, "check").stdout.splitlines()
    assert {line.partition(":1: stray-file: ")[0] for line in said} == {f"bank/questions/{name}" for name in names[:4]}


@pytest.mark.parametrize("command", ["build", "check", "report"])
def test_there_is_no_bank(tmp_path: Path, command: str) -> None:
    ran = call(tmp_path, command)
    assert ran.returncode == 1
    assert ran.stdout == "bank:1: missing-bank: there is no such folder; the folder of a bank\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments", [["bake"], ["new", "essay", "bends", "x"], ["new", "why"], ["check", "--into", "x"]]
)
def test_a_wrong_call(tmp_path: Path, arguments: list[str]) -> None:
    bank(tmp_path)
    ran = run(tmp_path, *arguments)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("usage: ")


def test_a_terminal_that_knows_ascii_alone(tmp_path: Path) -> None:
    bank(tmp_path / "Flüsse", {"bends/outer-bank": ("difficulty: 1", "difficulty: 1\nrequires: [point-bar]")})
    ran = run(tmp_path, "--bank", "Flüsse/bank", "check", PYTHONIOENCODING="ascii")
    assert ran.returncode == 1
    assert "outer-bank \\u2192 point-bar" in ran.stdout
    assert "Traceback" not in ran.stderr


# New


# What a template asks for, and what an author might write.
FILLED: Mapping[str, str] = {
    "What it is about, in plain words": "Of kind {}",
    "id-of-a-concept": "meander",
    'key-of-a-source: "the place in it"': 'leopold-1960: "p. 780"',
    "Why: the mechanism, its conditions, and where it stops being true, in 60 to 250 words.": EXPLANATION,
    "- a thing that a full answer names": "- The bend",
    "- another one": "- The bank",
    "A nudge that gives nothing away. (Leave this section out, or write several.)": "Think of a boat.",
}
OF_KIND: Mapping[str, Mapping[str, str]] = {
    "true-false": {
        "The claim, in 20 to 40 words.": "Beavers raise the bed of a brook by a meter a year.",
        "False: the reason in one sentence.": "False: they raise its water.",
        "The claim made true. (Leave this section out where the verdict is true.)": "Beavers raise a brook.",
    },
    "spot-the-error": {
        "A statement that is wrong in one place.": "Snow melts into rivers mostly in autumn.",
        "The place, in one sentence.": "It melts in spring.",
        "The statement made right.": "Snow melts into rivers mostly in spring.",
    },
    "why": {
        "Why does this happen?": "Why do deltas fork?",
        "The mechanism in one sentence.": "A mouth silts up and the water breaks out beside it.",
    },
    "edge-case": {
        "The setting. What happens?": "A stream meets a limestone plateau. Where does it go?",
        "What happens, in one sentence.": "It sinks into a cave.",
    },
    "compute": {
        "All inputs with their units. What is the number?": "Ice 1 m thick covers 2 square meters. How much is it?",
        "The number with its unit, in one sentence.": "Two cubic meters.",
    },
}
CHOICES: Mapping[str, str] = {
    "- [x] the right option\n": "- [x] two\n",
    "Why it is right.": "One times two.",
    "- [ ] a wrong option\n  > The mistake that leads to it.": "- [ ] one\n  > That forgets the area.",
    "- [ ] another wrong option\n  > The mistake that leads to it.": "- [ ] three\n  > That adds the two.",
}


def test_a_template_passes_once_all_of_it_is_filled_and_not_before(tmp_path: Path) -> None:
    root = bank(tmp_path)
    for kind in OF_KIND:
        start = run if kind == "why" else call
        path = f"bank/questions/floods/new-{kind}.md"
        assert done(tmp_path, "new", kind, "floods", f"new-{kind}", start=start) == f"{path}\n"
    with (root / "ids.txt").open("a") as ledger:
        ledger.writelines(f"new-{kind}\n" for kind in OF_KIND)
    codes = [line.split(": ")[:2] for line in call(tmp_path, "check").stdout.splitlines()]
    for kind, own in OF_KIND.items():
        path = tmp_path / f"bank/questions/floods/new-{kind}.md"
        template = text = path.read_text()
        filled = {**FILLED, **own, **(CHOICES if "## Choices" in text else {})}
        for placeholder, words in filled.items():
            assert text.count(placeholder) == 1
            text = text.replace(placeholder, words.format(kind[0]))
        # Whatever was to be filled in was told, on its line.
        told = {int(place.split(":")[1]) for place, _ in codes if place.split(":")[0].endswith(f"new-{kind}.md")}
        asked = {row for placeholder in filled for row in placeholder.splitlines()}
        assert told >= {n for n, row in enumerate(template.splitlines(), 1) if any(part in row for part in asked)}
        path.write_text(text)
    assert done(tmp_path, "check") == "11 questions, no problem\n"


@pytest.mark.parametrize(
    ("topic", "name", "said"),
    [
        ("bend", "x", "`bend` is not a topic of bank.yaml; use `bends`"),
        ("../bends", "x", "`../bends` is not a topic of bank.yaml; use `bends`"),
        ("bends", "Ox Bow", "`Ox Bow` is not an id; use small letters and digits, joined by hyphens"),
        ("bends", "../x", "`../x` is not an id; use small letters and digits, joined by hyphens"),
        ("bends", "x\n", "`x\n` is not an id; use small letters and digits, joined by hyphens"),
        ("bends", "oxbow", "`oxbow` is taken, and an id is one question's for ever; choose another"),
        ("bends", "levee", "`levee` is taken, and an id is one question's for ever; choose another"),
        ("bends", "creek", "`creek` is taken, and an id is one question's for ever; choose another"),
        ("bends", "brook", "`brook` is taken, and an id is one question's for ever; choose another"),
        ("floods", "dry-bed", "`dry-bed` is taken, and an id is one question's for ever; choose another"),
    ],
)
def test_new_refuses_what_can_not_be(tmp_path: Path, topic: str, name: str, said: str) -> None:
    ledger = RIVERS["ids.txt"].replace("levee\n", "").replace("dry-bed\n", "") + "creek\n"
    retired = "- id: brook\n  to: bends\n"
    bank(tmp_path, {"ids.txt": ledger, "retired.yaml": retired, "floods/dry-bed": "no front matter yet"})
    before = tree(tmp_path)
    ran = call(tmp_path, "new", "why", topic, name)
    assert (ran.returncode, ran.stdout, ran.stderr) == (2, "", said + "\n")
    assert tree(tmp_path) == before


# Report


def test_report_counts_and_tells_what_is_lacking(tmp_path: Path) -> None:
    sources = RIVERS["sources.yaml"] + RIVERS["sources.yaml"].replace("leopold-1960", "nobody")
    bank(tmp_path, {"sources.yaml": sources})
    before = tree(tmp_path)
    rows = [row.split() for row in done(tmp_path, "report").splitlines()]
    assert rows[:4] == [
        ["true-false", "spot-the-error", "why", "edge-case", "compute", "all"],
        ["Bends", "2", "0", "1", "0", "0", "3"],
        ["Floods", "0", "1", "0", "1", "1", "3"],
        ["all", "2", "1", "1", "1", "1", "6"],
    ]
    said = [" ".join(row) for row in rows[5:]]
    assert "bank/questions/floods/levee.md: no hints, no choices" in said
    assert "bank/questions/floods/discharge.md: no hints" in said
    assert not any("outer-bank" in row for row in said)
    assert said[-1] == "1 source on no question: nobody"
    assert tree(tmp_path) == before


def test_report_of_a_bank_with_problems(tmp_path: Path) -> None:
    bank(tmp_path, {"bends/oxbow": b"\xff", "concepts.yaml": ("- id: meander", "- id: Meander")})
    ran = call(tmp_path, "report")
    assert ran.returncode == 0
    assert ran.stdout.splitlines()[1].split() == ["Bends", "2", "0", "0", "0", "0", "3"]
    assert "on no question" not in ran.stdout
    assert ran.stderr == "2 problems met while reading: run `check`\n"
