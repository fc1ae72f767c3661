"""What mkdocs-quiz is known to break on, in prompts and answers of true/false questions."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Page, expect

from tests.sites import BREAD, built, served

HAZARDS = r"""A dough is described by `np.array([[1, 2]])` and by $[[e]]$, and its steps are [[these]]:

```text
- [x] True
- [ ] False
> feedback
<quiz attribute>
```

- [1] Name
- a line that goes on
  over two lines

It holds, with `-->` and a footnote-like `[^1]` in code and an apostrophe's worth of "quotes".
"""


@pytest.fixture(scope="module")
def hazardous(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hazardous")
    shutil.copytree(BREAD, folder / "bank")
    path = folder / "bank/questions/dough/salt-and-yeast.md"
    text = path.read_text(encoding="utf-8")
    start, end = text.index("Two percent"), text.index("## Answer")
    text = text[:start] + HAZARDS + "\n" + text[end:]
    explanation = "## Explanation\n> A quotation first.\n\n`[[x]]`, and `- [x] yes`.\n\n"
    path.write_text(text.replace("## Explanation\n", explanation), encoding="utf-8")
    return built(folder / "bank", folder)


def test_the_page_is_whole(hazardous: Path) -> None:
    page = BeautifulSoup((hazardous / "topics/dough/index.html").read_text(encoding="utf-8"), "html.parser")
    card = page.find("article", attrs={"data-id": "salt-and-yeast"})
    assert len(page.select("div.quiz")) == 2
    assert len(card.select("div.quiz input")) == 2
    assert not card.select("input[type=text]")
    prompt = card.select_one(".prompt")
    assert "np.array([[1, 2]])" in prompt.get_text()
    assert "[[these]]" in prompt.get_text()
    assert prompt.find("pre").get_text().startswith("- [x] True\n- [ ] False\n> feedback")
    assert "- [x] yes" in card.select_one(".why").get_text()
    assert [card["data-id"] for card in page.select("article.card")] == [
        "salt-and-yeast",
        "knead-less",
        "water-for-a-loaf",
    ]


def test_it_can_be_answered_both_ways(hazardous: Path, page: Page) -> None:
    with served(hazardous) as url:
        page.goto(url + "topics/dough/")
        here = page.locator("article[data-id='salt-and-yeast']")
        here.get_by_role("button", name="False", exact=True).click()
        expect(here.locator(".quiz-feedback")).to_have_text("Not right.")
        here.get_by_role("button", name="Answer again").click()
        here.get_by_role("button", name="True", exact=True).click()
        expect(here.locator(".quiz-feedback")).to_have_text("Right.")


def test_an_answer_outlives_a_question_that_is_inserted_above(hazardous: Path, page: Page) -> None:
    """Ids by position would hand the answer on to another question."""
    with served(hazardous) as url:
        page.goto(url + "topics/dough/")
        page.locator("article[data-id='knead-less']").get_by_role("button", name="False").click()
        page.evaluate(
            """() => { const card = document.querySelector("article[data-id='knead-less']");
                       card.parentElement.prepend(card) }"""
        )
        page.reload()
        expect(page.locator("article[data-id='knead-less'] .quiz-feedback")).to_have_text("Right.")
        expect(page.locator("article[data-id='salt-and-yeast'] .quiz-feedback")).to_be_hidden()
