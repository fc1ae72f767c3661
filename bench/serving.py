"""How long `mkdocs serve` takes from the saving of an edit to the changed page."""

from __future__ import annotations

import random
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from urllib.error import URLError
from urllib.request import urlopen

from bench.sites import Site
from tests.sites import free_port, quiet

PATIENCE = 300


def edit_time(site: Site, rounds: int) -> float:
    """The median of the seconds from saving a word more in one explanation to the page that holds it being served."""
    written = site.source.read_text(encoding="utf-8")
    try:
        with _served(site) as address:
            page = f"{address}/{site.page}"
            _wait_for(page, "</html>")
            return median(_edit(site, written, page, f"edited{i}") for i in range(rounds))
    finally:
        site.source.write_text(written, encoding="utf-8")


def _edit(site: Site, written: str, page: str, word: str) -> float:
    # MkDocs looks for changes twice a second: begin at no fixed point between two looks.
    time.sleep(1 + random.random())
    changed = written.replace(site.text, f"{site.text} {word}")
    start = time.perf_counter()
    site.source.write_text(changed, encoding="utf-8")
    _wait_for(page, word)
    return time.perf_counter() - start


@contextmanager
def _served(site: Site) -> Iterator[str]:
    """The address of the running server."""
    host = f"127.0.0.1:{free_port()}"
    # `--livereload` is MkDocs' default, which some versions of click do not pass on.
    process = subprocess.Popen(site.mkdocs("serve", "--livereload", "--dev-addr", host), env=quiet())
    try:
        yield f"http://{host}"
    finally:
        process.terminate()
        process.wait()


def _wait_for(page: str, text: str) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            # MkDocs holds the answer back while it builds.
            if text in urlopen(page, timeout=PATIENCE).read().decode():
                return
        except (URLError, ConnectionError):
            pass
        time.sleep(0.02)
    raise TimeoutError(f"{page} did not come to hold `{text}` within {PATIENCE} s")
