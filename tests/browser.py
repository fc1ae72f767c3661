"""The browser that tests drive: one that is found, else one that is installed by `python -m tests.browser`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Error, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def found() -> str | None:
    """A Chromium or Chrome of this machine: $CHROME, one on the path, a Mac's, or Playwright's own."""
    named = os.environ.get("CHROME") or next(filter(None, map(shutil.which, NAMES)), None)
    if named or Path(MAC).exists():
        return named or MAC
    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    return own if Path(own).exists() else None


def install() -> None:
    """Try Playwright's download, then the system's package."""
    root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    attempts = [[[sys.executable, "-m", "playwright", "install", "--with-deps", "chromium"]]]
    if shutil.which("apt-get"):
        apt = [*root, "apt-get", "-o", "DPkg::Lock::Timeout=120"]
        attempts.append([[*apt, "update"], [*apt, "install", "-y", "chromium"]])
    for commands in attempts:
        if all(subprocess.run(command).returncode == 0 for command in commands) and found():
            return


def main() -> int:
    if not found():
        print("No Chromium or Chrome is found: installing one.", file=sys.stderr)
        install()
    browser = found()
    if not browser:
        print("The tests need a Chromium or Chrome, and none could be installed. Set CHROME to one.", file=sys.stderr)
        return 1
    try:
        with sync_playwright() as playwright:
            launched = playwright.chromium.launch(executable_path=browser, args=FLAGS)
            print(f"{browser}: Chromium {launched.version}")
            launched.close()
    except Error as error:
        print(f"{browser} does not start:\n{error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
