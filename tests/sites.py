"""Whole sites, built by MkDocs in a process of its own and served on this machine."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

ROOT = Path(__file__).resolve().parent.parent
BREAD = ROOT / "tests" / "bread"
SETTINGS = """
INHERIT: {root}/mkdocs.yml
docs_dir: {root}/docs
theme: {{custom_dir: {root}/overrides}}
plugins: {{studybank: {{bank: {bank}}}}}
"""


def settings(bank: Path, folder: Path) -> Path:
    """A site of its own for a bank: this repository's settings, with another bank."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "mkdocs.yml"
    path.write_text(SETTINGS.format(root=ROOT, bank=bank), encoding="utf-8")
    return path


def quiet() -> dict[str, str]:
    """The environment of a build, without Material's notice of its end of life."""
    return os.environ | {"NO_MKDOCS_2_WARNING": "1"}


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def mkdocs(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=quiet())


def built(bank: Path, folder: Path) -> Path:
    """The folder of the bank's site. Fails with what MkDocs said where it has so much as a warning."""
    done = mkdocs("build", "--strict", "-f", settings(bank, folder))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WARNING" not in done.stderr, done.stderr
    return folder / "site"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served(site: Path) -> Iterator[str]:
    """The address under which a folder is served."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
