"""The results as a table in Markdown, and the machine that they come from."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from studybank import frontend


@dataclass(frozen=True)
class Row:
    """A measure of the stock site and of ours. `met` is None where there is no goal."""

    what: str
    stock: str
    ours: str
    compared: str
    goal: str = ""
    met: bool | None = None

    def __str__(self) -> str:
        met = {True: "met", False: "missed", None: ""}[self.met]
        return f"| {self.what} | {self.stock} | {self.ours} | {self.compared} | {self.goal} | {met} |"


HEAD = "|  | stock | ours | ours to stock | goal |  |\n|---|---:|---:|---:|---:|---|"


def table(rows: Iterable[Row]) -> str:
    return "\n".join([HEAD, *map(str, rows)])


def machine() -> str:
    """The processor, how many of its cores there are and how busy they were, and the versions of what was measured."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("mkdocs", "mkdocs-material", "mkdocs-quiz"))
    load = f"load {os.getloadavg()[2]:.1f} over the last quarter of an hour"
    return (
        f"{_processor()}, {os.cpu_count()} cores ({load}); {platform.system()}, Python {platform.python_version()}, "
        f"{packages}, MathJax {frontend.version('mathjax')}."
    )


def _processor() -> str:
    # Python itself does not say on Linux.
    listed = Path("/proc/cpuinfo")
    rows = listed.read_text(encoding="utf-8").splitlines() if listed.exists() else []
    names = [row.partition(":")[2].strip() for row in rows if row.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
