from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from studybank.model import Bank
from studybank.reading import read_bank
from tests import browser as browsers
from tests.banks import Checker
from tests.sites import BREAD, ROOT, built, served

# A busy machine is slow, and slow is not wrong.
expect.set_options(timeout=20_000)


@pytest.fixture(scope="session")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of this repository's own site."""
    return built(ROOT / "bank", tmp_path_factory.mktemp("book"))


@pytest.fixture(scope="session")
def bread(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a site on another subject, built by the same code."""
    return built(BREAD, tmp_path_factory.mktemp("bread"))


@pytest.fixture(scope="session")
def bank() -> Bank:
    return read_bank(ROOT / "bank")[0]


@pytest.fixture(scope="session")
def book_url(book: Path) -> Iterator[str]:
    with served(book) as url:
        yield url


@pytest.fixture(scope="session")
def bread_url(bread: Path) -> Iterator[str]:
    with served(bread) as url:
        yield url


@pytest.fixture(scope="session")
def faults(tmp_path_factory: pytest.TempPathFactory) -> Checker:
    return Checker(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = browsers.found()
    assert path, "no Chromium: run `python -m tests.browser`"
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=browsers.FLAGS)
        yield launched
        launched.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context(viewport={"width": 1440, "height": 900})
    yield made
    made.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """A page whose own errors fail the test."""
    opened = context.new_page()
    opened.on("pageerror", lambda error: pytest.fail(f"the page threw: {error}"))
    return opened
