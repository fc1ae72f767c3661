"""Python modules that a bank brings: imported beside each other, and forgotten again."""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from studybank.problems import Problem


def loaded(path: Path, code: str) -> tuple[ModuleType | None, list[Problem]]:
    """The module of a file, which may import those beside it, or what is wrong with it, under this code."""
    try:
        with _beside(path.parent):
            return importlib.import_module(path.stem), []
    except (Exception, SystemExit) as error:  # A module raises whatever it stumbles on.
        return None, [failure(error, path, code)]


def failure(error: BaseException, path: Path, code: str, right: str = "mend the module") -> Problem:
    """What a bank's module or template stumbled on, at its own last line that was reached."""
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == str(path) and f.lineno]
    line = error.lineno if isinstance(error, SyntaxError) and error.filename == str(path) else None
    wrong = f"{type(error).__name__}: {' '.join(str(error).split())}"
    return Problem(str(path), line or max(lines, default=1), code, wrong, right)


@contextmanager
def _beside(folder: Path) -> Iterator[None]:
    """A folder's modules can be imported, as they are now: neither an older text of them nor another bank's."""
    names = {path.stem for path in folder.glob("*.py")}
    aside = {name: sys.modules.pop(name) for name in names & sys.modules.keys()}
    wrote = sys.dont_write_bytecode
    sys.path.insert(0, str(folder))
    sys.dont_write_bytecode = True
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        sys.dont_write_bytecode = wrote
        for name in names:
            sys.modules.pop(name, None)
        sys.modules.update(aside)
