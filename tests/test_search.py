"""The real search box in a real browser."""

from __future__ import annotations

import yaml
from playwright.sync_api import Browser, Page, expect

from studybank.model import Bank
from tests.sites import ROOT

QUERIES = yaml.safe_load((ROOT / "tests/search_queries.yaml").read_text(encoding="utf-8"))
SHARE = 0.95
FIRST = 3


def ask(page: Page, query: str) -> list[str]:
    """Types a query and gives the addresses of the hits, top to bottom, each as `path#fragment`."""
    box = page.locator("[data-md-component=search-query]")
    box.fill("")
    box.press("End")
    expect(page.locator(".md-search-result__item")).to_have_count(0)
    box.press_sequentially(query)
    page.wait_for_function("document.querySelector('.md-search-result__meta').textContent.match(/\\bhits?$/)")
    page.wait_for_timeout(60)
    return page.eval_on_selector_all(
        ".md-search-result__item > a:first-child", "links => links.map(a => a.pathname + a.hash)"
    )


def opened(page: Page, url: str) -> Page:
    page.goto(url)
    page.wait_for_load_state("networkidle")
    page.locator("[data-md-component=search-query]").focus()
    return page


def test_the_queries_name_questions_that_exist(bank: Bank) -> None:
    assert len(QUERIES) >= 60
    assert not {name for query in QUERIES for name in query["wants"]} - bank.by_id.keys()


def test_queries_bring_up_the_question_that_is_looked_for(page: Page, book_url: str) -> None:
    opened(page, book_url)
    missed = []
    for query in QUERIES:
        hits = ask(page, query["query"])
        if not {hit.partition("#")[2] for hit in hits[:FIRST]}.intersection(query["wants"]):
            missed.append(f"{query['query']}: {hits[:FIRST]}")
    assert len(missed) <= (1 - SHARE) * len(QUERIES), "\n".join(missed)


def test_each_question_is_a_hit_of_its_own_and_none_is_folded(page: Page, book_url: str) -> None:
    opened(page, book_url)
    hits = ask(page, "all-gather")
    assert len(hits) == len(set(hits))
    assert sum("#" in hit and "/topics/" in hit for hit in hits) >= 5
    assert page.locator(".md-search-result details").count() == 0
    assert page.locator(".md-search-result__item a").count() == page.locator(".md-search-result__item").count()


def test_a_hit_shows_the_prompt_and_leads_to_the_card_itself(page: Page, book_url: str) -> None:
    opened(page, book_url)
    ask(page, "zero 3")
    hit = page.locator(".md-search-result__item", has_text="FULL_SHARD").first
    expect(hit).to_contain_text("strategy")
    hit.locator("a").click()
    page.wait_for_url("**/topics/what-sharding-divides/#fsdp-and-zero-3")
    expect(page.locator("#fsdp-and-zero-3")).to_be_in_viewport()


def test_keys_alone_are_enough(page: Page, book_url: str) -> None:
    page.goto(book_url)
    page.wait_for_load_state("networkidle")
    page.keyboard.press("/")
    page.keyboard.type("gradient accumulation")
    expect(page.locator(".md-search-result__item").first).to_be_visible()
    page.keyboard.press("Enter")
    page.wait_for_url("**/topics/gather-use-discard/#accumulation-and-traffic")


def test_no_other_key_does_anything(page: Page, book_url: str) -> None:
    page.goto(book_url + "topics/")
    page.wait_for_load_state("networkidle")
    for key in "fspn,.":
        page.keyboard.press(key)
    expect(page.locator(".md-search__output")).to_be_hidden()
    assert page.url == book_url + "topics/"


def test_what_is_pasted_is_searched_for(page: Page, book_url: str) -> None:
    opened(page, book_url)
    page.evaluate("document.execCommand('insertText', false, 'padding')")
    expect(page.locator(".md-search-result__item").first).to_be_visible()


def test_an_apostrophe_may_be_curly(page: Page, book_url: str) -> None:
    opened(page, book_url)
    straight = ask(page, "adam's moments")
    assert straight
    assert ask(page, "adam’s moments") == straight


def test_a_kind_is_found_by_its_name(page: Page, book_url: str) -> None:
    opened(page, book_url)
    assert any(hit.endswith("/kinds/spot-the-error/") for hit in ask(page, "spot the error")[:FIRST])


def test_what_bears_the_name_that_was_asked_for_comes_first(page: Page, book_url: str) -> None:
    """In its title, or as its main concept."""
    opened(page, book_url)
    for queries, wanted in (
        (("ZeRO-1", "zero 1", "zero_1"), "zero-1-and-parameters"),
        (("ZeRO-3", "zero 3", "zero3"), "fsdp-and-zero-3"),
        (("gradient accumulation",), "accumulation-and-traffic"),
    ):
        for query in queries:
            first = ask(page, query)[0]
            assert first.endswith(f"#{wanted}"), (query, first)


def test_words_that_occur_nowhere_say_so(page: Page, book_url: str) -> None:
    opened(page, book_url)
    assert ask(page, "xylophonists") == []
    expect(page.locator(".md-search-result__meta")).to_have_text("No hits")


def test_operators_reach_the_index_untouched(page: Page, book_url: str) -> None:
    opened(page, book_url)
    both = ask(page, "+ddp +throughput")
    assert both
    assert len(both) < len(ask(page, "ddp throughput"))


def test_a_phone_searches_over_the_whole_window(browser: Browser, book_url: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(book_url + "topics/")
    page.wait_for_load_state("networkidle")
    page.keyboard.press("/")
    expect(page.locator(".md-search__inner")).to_be_visible()
    page.locator(".md-search__back").click()
    expect(page.locator(".md-search__inner")).to_be_hidden()
    page.locator("button.glass").click()
    page.keyboard.type("padding")
    expect(page.locator(".md-search-result__item").first).to_be_visible()
    box = page.locator(".md-search__inner").bounding_box()
    assert box == {"x": 0, "y": 0, "width": 390, "height": 844}
    page.locator(".md-search__back").click()
    expect(page.locator(".md-search__inner")).to_be_hidden()
    context.close()
