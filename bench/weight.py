"""What a topic page weighs: the bodies of all responses, compressed, as a browser asks for them."""

from __future__ import annotations

import gzip
import mimetypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from tests import browser

# Nothing is asked of other servers: the measure is what the site itself sends.
OFFLINE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
PACKED = {".woff2", ".woff", ".png", ".jpg", ".ico"}
# Milliseconds, enough for a busy machine.
PATIENCE = 120_000
# As GitHub Pages has it.
FRESH = "max-age=600"


@dataclass(frozen=True)
class Weight:
    """Bytes on the wire: the page itself, a whole first visit, the next topic page after it, the scripts of both."""

    page: int
    first: int
    following: int
    script: int


@dataclass
class Sent:
    """What a server has sent: bytes by path."""

    bytes: dict[str, int] = field(default_factory=dict)

    def of(self, suffix: str = "") -> int:
        return sum(size for path, size in self.bytes.items() if path.endswith(suffix))


def weight(site: Path, page: str, following: str) -> Weight:
    """Visit a page of a built site, search in it, and go on to another. Addresses are relative to the site's root."""
    with _server(site) as (address, sent), sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser.found(), args=[*browser.FLAGS, OFFLINE])
        tab = chromium.new_context().new_page()
        tab.set_default_timeout(PATIENCE)
        tab.goto(f"{address}/{page}", wait_until="networkidle")
        # The index and the worker of the search may wait for this.
        tab.keyboard.press("/")
        tab.keyboard.type("part")
        tab.wait_for_selector(".md-search-result__item", state="attached")
        tab.wait_for_load_state("networkidle")
        first = Sent(dict(sent.bytes))
        sent.bytes.clear()
        tab.goto(f"{address}/{following}", wait_until="networkidle")
        chromium.close()
        script = first.of(".js") + sent.of(".js")
        return Weight(first.bytes[f"/{page}"], first.of(), sent.of(), script)


@contextmanager
def _server(folder: Path) -> Iterator[tuple[str, Sent]]:
    sent = Sent()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(folder, sent))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", sent
    finally:
        server.shutdown()
        server.server_close()


def _handler(folder: Path, sent: Sent) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            file = folder / path[1:]
            if path.endswith("/"):
                file /= "index.html"
            if not file.is_file():
                self.send_error(404)
                return
            body = file.read_bytes()
            self.send_response(200)
            if file.suffix not in PACKED:
                body = gzip.compress(body, 9)
                self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Type", mimetypes.guess_type(file.name)[0] or "application/octet-stream")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", FRESH)
            self.end_headers()
            self.wfile.write(body)
            sent.bytes[path] = sent.bytes.get(path, 0) + len(body)

        def log_message(self, *_: Any) -> None:
            pass

    return Handler
