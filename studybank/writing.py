"""Pages to disk: only what changed, and never half of a build."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path


def write(folder: Path, files: Mapping[str, str]) -> tuple[int, int]:
    """Make a folder hold exactly these files. Gives how many were written and how many were removed.

    Everything is staged beside the folder first; then each changed file is moved into its place at once. A build that
    fails while it writes leaves the previous pages as they were; one that is killed leaves each page whole, old or new.
    """
    folder.mkdir(parents=True, exist_ok=True)
    stage = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        changed = [name for name, text in files.items() if not holds(folder / name, text)]
        for name in changed:
            target = stage / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(files[name], encoding="utf-8", newline="\n")
        for name in changed:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (stage / name).replace(folder / name)
    finally:
        shutil.rmtree(stage)
    present = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    stale = [path for name, path in present.items() if name not in files]
    for path in stale:
        path.unlink()
    return len(changed), len(stale)


def holds(path: Path, text: str) -> bool:
    """Whether the file is there, with this text."""
    try:
        return path.read_bytes() == text.encode()
    except FileNotFoundError:
        return False
