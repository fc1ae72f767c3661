"""`mkdocs serve` while an author writes: one rebuild an edit, and a bank error never takes the site down."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from tests.sites import BREAD, free_port, quiet, settings


class Serving:
    """A running `mkdocs serve` over a copy of the bread bank."""

    def __init__(self, folder: Path, port: int) -> None:
        self.bank = folder / "bank"
        self.url = f"http://127.0.0.1:{port}/"
        self.log = folder / "log"

    def page(self, path: str = "topics/dough/") -> str:
        with urlopen(self.url + path, timeout=60) as answer:
            return answer.read().decode()

    def said(self) -> str:
        return self.log.read_text(encoding="utf-8")

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.bank / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")


def until(true: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.2)


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Serving]:
    shutil.copytree(BREAD, tmp_path / "bank")
    port = free_port()
    here = Serving(tmp_path, port)
    command = [sys.executable, "-m", "mkdocs", "serve", "-f", settings(here.bank, tmp_path), "-a", f"127.0.0.1:{port}"]
    with here.log.open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=quiet())
    try:
        until(lambda: "Serving on" in here.said() or process.poll() is not None)
        yield here
    finally:
        process.terminate()
        process.wait()


def test_an_edit_rebuilds_once_and_shows(serving: Serving) -> None:
    before = serving.page("topics/oven/")
    builds = serving.said().count("Documentation built")
    serving.edit("questions/dough/salt-and-yeast.md", "Two percent of salt", "Three percent of salt, $s = 0.03$,")
    until(lambda: "Three percent" in serving.page())
    assert "𝑠" in serving.page()
    time.sleep(2)
    assert serving.said().count("Documentation built") == builds + 1
    # All but the script that reloads, which holds the time.
    assert serving.page("topics/oven/").partition("livereload(")[0] == before.partition("livereload(")[0]


def test_a_bank_error_is_shown_and_the_last_good_site_stays(serving: Serving) -> None:
    name = "questions/dough/salt-and-yeast.md"
    serving.edit(name, "difficulty: 1", "dificulty: 1")
    until(lambda: "salt-and-yeast.md:5: unknown-field" in serving.said())
    until(lambda: "The site stays as it was" in serving.said())
    assert "Two percent of salt" in serving.page()
    serving.edit(name, "dificulty: 1", "difficulty: 1")
    serving.edit(name, "Two percent", "Four percent")
    until(lambda: "Four percent" in serving.page())
    assert "Traceback" not in serving.said()


def test_a_formula_that_maths_refuses_is_an_error_of_the_bank(serving: Serving) -> None:
    serving.edit("questions/dough/salt-and-yeast.md", "Think of a pickle.", r"Think of a pickle, $\pickle$.")
    until(lambda: r"MathJax refuses `\pickle`" in serving.said())
    assert serving.page("")


def test_a_new_question_joins_its_topic(serving: Serving) -> None:
    text = (serving.bank / "questions/oven/long-loaf.md").read_text(encoding="utf-8")
    text = text.replace("A loaf of one meter", "A flat loaf").replace("rolled to a length of one meter", "pressed flat")
    (serving.bank / "questions/oven/flat-loaf.md").write_text(text.replace("A dough", "Any piece of dough"), "utf-8")
    until(lambda: 'data-id="flat-loaf"' in serving.page("topics/oven/"))
    with pytest.raises(URLError):
        serving.page("q/nothing/")
    assert "flat-loaf" in serving.page("q/flat-loaf/")
