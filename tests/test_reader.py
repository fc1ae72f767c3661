"""A reader's visit, in a real browser: reveals, links, keys, paper, and what stays where scripts are off."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from studybank.kinds.true_false import TrueFalse
from studybank.model import Bank
from studybank.reading import read_bank
from tests.banks import EVIDENCE, Change, bank
from tests.sites import BREAD, ROOT, built, served

CLAIMS = [
    pytest.param(which, question.id, question.topic, question.verdict, id=question.id)
    for which, root in (("book_url", ROOT / "bank"), ("bread_url", BREAD))
    for question in read_bank(root)[0].in_order
    if isinstance(question, TrueFalse)
]


def card(page: Page, name: str) -> Locator:
    return page.locator(f"article[data-id='{name}']")


@pytest.mark.parametrize(("which", "name", "topic", "verdict"), CLAIMS)
def test_a_right_verdict_is_right_and_a_wrong_one_wrong(
    request: pytest.FixtureRequest, page: Page, which: str, name: str, topic: str, verdict: bool
) -> None:
    page.goto(request.getfixturevalue(which) + f"topics/{topic}/#{name}")
    here = card(page, name)
    expect(here.locator("details.answer")).not_to_have_attribute("open", "")
    here.get_by_role("button", name="True" if verdict else "False", exact=True).click()
    expect(here.locator(".quiz-feedback")).to_have_text("Right.")
    expect(here.locator("details.answer")).to_have_attribute("open", "")
    here.get_by_role("button", name="Answer again").click()
    expect(here.locator(".quiz-feedback")).to_be_hidden()
    here.get_by_role("button", name="False" if verdict else "True", exact=True).click()
    expect(here.locator(".quiz-feedback")).to_have_text("Not right.")


def test_an_answer_is_kept_under_the_id_of_its_question(page: Page, bread_url: str) -> None:
    page.goto(bread_url + "topics/dough/")
    card(page, "knead-less").get_by_role("button", name="False").click()
    page.reload()
    expect(card(page, "knead-less").locator(".quiz-feedback")).to_have_text("Right.")
    expect(card(page, "knead-less").get_by_role("button", name="False")).to_be_disabled()
    expect(card(page, "salt-and-yeast").locator(".quiz-feedback")).to_be_hidden()
    kept = page.evaluate("Object.values(localStorage).find(value => value.includes('quiz-'))")
    assert "quiz-knead-less" in kept


def test_controls_are_named_after_their_question(page: Page, bread_url: str) -> None:
    page.goto(bread_url + "topics/dough/")
    here = card(page, "salt-and-yeast")
    expect(here.get_by_role("group", name="Salt and the speed of yeast True or false?")).to_be_visible()
    names = [summary.get_attribute("aria-label") for summary in page.locator("article summary").all()]
    named = [name for name in names if name]
    assert "Answer: Salt and the speed of yeast" in named
    assert "Hint 2 of 2: Salt and the speed of yeast" in named
    assert len(named) == len(set(named))


def test_the_name_of_a_control_holds_its_formula(page: Page, bread_url: str) -> None:
    page.goto(bread_url + "topics/dough/")
    here = card(page, "water-for-a-loaf")
    names = [summary.get_attribute("aria-label") for summary in here.locator(".choice > summary").all()]
    assert names == ["360 g", "209 g", "694 g"]


def test_no_arrow_key_answers(page: Page, bread_url: str) -> None:
    page.goto(bread_url + "topics/dough/")
    here = card(page, "salt-and-yeast")
    here.get_by_role("button", name="True", exact=True).focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowUp", "ArrowLeft", "Tab", "ArrowDown"):
        page.keyboard.press(key)
    expect(here.locator(".quiz-feedback")).to_be_hidden()
    assert page.locator("input[name='answer']:checked").count() == 0
    here.get_by_role("button", name="True", exact=True).focus()
    page.keyboard.press("Enter")
    expect(here.locator(".quiz-feedback")).to_have_text("Right.")


def test_the_home_page_asks_a_question_that_can_be_answered(page: Page, book_url: str, bank: Bank) -> None:
    page.goto(book_url)
    trial = bank.by_id[bank.about.trial]
    assert isinstance(trial, TrueFalse)
    page.get_by_role("button", name="True" if trial.verdict else "False", exact=True).click()
    expect(page.locator(".quiz-feedback")).to_have_text("Right.")
    expect(page.locator("details.answer")).to_have_attribute("open", "")


def test_the_reveal_has_two_steps(page: Page, bread_url: str) -> None:
    page.goto(bread_url + "topics/oven/")
    here = card(page, "long-loaf")
    expect(here.get_by_text("Why", exact=True)).to_be_hidden()
    here.get_by_text("Answer", exact=True).click()
    expect(here.locator(".answer > div")).to_be_visible()
    expect(here.locator(".why > div")).to_be_hidden()
    here.get_by_text("Why", exact=True).click()
    expect(here.locator(".points")).to_be_visible()


def test_hints_show_one_at_a_time(page: Page, bread_url: str) -> None:
    page.goto(bread_url + "topics/dough/")
    here = card(page, "salt-and-yeast")
    expect(here.get_by_text("Hint 2 of 2")).to_be_hidden()
    here.get_by_text("Hint 1 of 2").click()
    expect(here.get_by_text("Think of a pickle.")).to_be_visible()
    expect(here.get_by_text("Think of what a cell is filled with.")).to_be_hidden()
    here.get_by_text("Hint 2 of 2").click()
    expect(here.get_by_text("Think of what a cell is filled with.")).to_be_visible()


def test_a_choice_says_whether_it_is_right_and_why(page: Page, bread_url: str) -> None:
    page.goto(bread_url + "topics/dough/")
    choices = card(page, "water-for-a-loaf").locator("details.choice")
    expect(choices).to_have_count(3)
    expect(choices.nth(0).locator("div")).to_be_hidden()
    choices.nth(0).locator("summary").click()
    expect(choices.nth(0).locator("div")).to_have_text("Right. Seventy-two hundredths of the flour.")
    choices.nth(1).locator("summary").click()
    expect(choices.nth(1).locator("div")).to_have_text("Not this one. That counts on the dough.")


def test_a_right_choice_opens_the_answer_and_a_wrong_one_does_not(page: Page, bread_url: str) -> None:
    page.goto(bread_url + "topics/dough/")
    here = card(page, "water-for-a-loaf")
    here.locator(".choice:not(.right) > summary").first.click()
    expect(here.locator("details.answer")).not_to_have_attribute("open", "")
    here.locator(".choice.right > summary").click()
    expect(here.locator("details.answer")).to_have_attribute("open", "")


def test_reveal_all_and_hide_all(page: Page, book_url: str) -> None:
    page.goto(book_url + "topics/what-sharding-divides/")
    reveals = page.locator("details.reveal")
    total = reveals.count()
    page.get_by_role("button", name="Reveal all").click()
    expect(page.locator("details.reveal[open]")).to_have_count(total)
    page.get_by_role("button", name="Hide all").click()
    expect(page.locator("details.reveal[open]")).to_have_count(0)
    expect(page.get_by_role("button", name="Reveal all")).to_be_visible()


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts on", "scripts off"])
def test_a_link_to_a_card_lands_on_it_and_a_link_to_its_answer_opens_it(
    browser: Browser, bread_url: str, scripts: bool
) -> None:
    context = browser.new_context(java_script_enabled=scripts, viewport={"width": 390, "height": 700})
    page = context.new_page()
    page.goto(bread_url + "topics/oven/#why-bread-rises")
    expect(page.locator("#why-bread-rises")).to_be_in_viewport()
    expect(page.locator("details.answer[open]")).to_have_count(0)
    page.goto(bread_url + "topics/oven/#why-bread-rises--answer")
    expect(page.locator("#why-bread-rises--answer")).to_be_visible()
    expect(page.locator("#why-bread-rises--answer")).to_be_in_viewport()
    context.close()


def test_an_address_that_names_nothing_breaks_nothing(page: Page, bread_url: str) -> None:
    page.goto(bread_url + "topics/dough/#50%")
    page.get_by_role("button", name="Reveal all").click()
    expect(page.locator("details.reveal[open]")).to_have_count(page.locator("details.reveal").count())


def test_the_search_of_a_phone_opens_by_keyboard(browser: Browser, book_url: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(book_url)
    page.wait_for_load_state("networkidle")
    page.get_by_role("button", name="Search").first.focus()
    page.keyboard.press("Enter")
    page.keyboard.type("padding")
    expect(page.locator(".md-search-result__item").first).to_be_visible()
    context.close()


def test_a_link_to_the_explanation_opens_both_steps(page: Page, bread_url: str) -> None:
    page.goto(bread_url + "topics/oven/")
    page.goto(bread_url + "topics/oven/#why-bread-rises--why")
    expect(page.locator("#why-bread-rises--answer")).to_be_visible()
    expect(page.locator("#why-bread-rises--why")).to_be_visible()


def test_a_permanent_address_leads_to_the_card(page: Page, bread_url: str) -> None:
    page.goto(bread_url + "q/why-bread-rises/")
    page.wait_for_url("**/topics/oven/#why-bread-rises")
    page.goto(bread_url + "q/bread-without-an-oven/")
    page.wait_for_url("**/topics/oven/")


def test_previous_and_next_are_within_reach(page: Page, bread_url: str) -> None:
    page.goto(bread_url + "topics/dough/")
    first, second = (page.locator("article.card").nth(i) for i in (0, 1))
    first.get_by_role("link", name=re.compile("^Next: ")).click()
    expect(second.locator("h2")).to_be_in_viewport()
    second.get_by_role("link", name=re.compile("^Previous: ")).click()
    expect(first.locator("h2")).to_be_in_viewport()
    page.locator("article.card").last.get_by_role("link", name="Next: Oven").click()
    page.wait_for_url("**/topics/oven/")


def test_without_scripts_everything_can_be_read_and_no_form_is_shown(browser: Browser, bread_url: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(bread_url + "topics/dough/")
    expect(page.locator("form:visible")).to_have_count(0)
    expect(page.locator("button:visible")).to_have_count(0)
    here = card(page, "knead-less")
    here.get_by_text("Answer", exact=True).click()
    expect(here.locator(".answer > div")).to_be_visible()
    here.get_by_text("Why", exact=True).click()
    expect(here.locator(".corrected")).to_be_visible()
    expect(here.locator("mjx-container[display]")).to_be_visible()
    context.close()


def test_on_paper_only_the_answers_that_were_opened(page: Page, bread_url: str) -> None:
    page.goto(bread_url + "topics/oven/")
    card(page, "long-loaf").get_by_text("Answer", exact=True).click()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    # Material opens every <details> before it prints.
    page.evaluate("document.querySelectorAll('details').forEach(details => (details.open = true))")
    expect(page.locator("#long-loaf--answer")).to_be_visible()
    expect(page.locator("#long-loaf--why")).to_be_hidden()
    expect(page.locator("#why-bread-rises--answer")).to_be_hidden()
    expect(page.locator(".bar")).to_be_hidden()


def test_the_printed_sheet_holds_no_answer(page: Page, bread_url: str) -> None:
    page.goto(bread_url + "topics/dough/")
    page.emulate_media(media="print")
    page.evaluate("document.querySelectorAll('details').forEach(details => (details.open = true))")
    shown = page.locator("main").inner_text()
    assert "Two percent of salt" in shown
    assert "209" in shown  # the choices belong to the question
    for hidden in ("quokkaword", "That counts", "Seventy-two", "pickle", "proteins link up", "salt draws", "True\n"):
        assert hidden not in shown


def test_a_filter_shows_what_was_chosen_and_leads_to_what_was_not(page: Page, tmp_path: Path) -> None:
    first, run = "sources:", "runs: [{lock: up.passed == 4}]"
    claims: dict[str, Change] = {
        "bends/outer-bank": (first, f"checks: ['flow(1, 1, 1) == 1']\n{first}"),
        "bends/point-bar": (first, f"{run}\n{first}"),
        "bends/oxbow": (first, f"{run}\n{first}"),
    }
    with served(built(bank(tmp_path, {**EVIDENCE, **claims}), tmp_path)) as url:
        page.goto(url + "topics/bends/")
        shown = page.locator("article.card:visible")
        expect(shown).to_have_count(3)
        page.get_by_text("Filter", exact=True).click()
        page.get_by_label("Checked by any").select_option("run")
        expect(shown).to_have_count(2)
        expect(card(page, "outer-bank")).to_be_hidden()
        expect(page.locator(".filter [role=status]")).to_have_text("2 of 3 shown")
        page.get_by_label("Kind any").select_option("why")
        expect(shown).to_have_count(1)
        expect(card(page, "oxbow")).to_be_visible()
        assert page.url.endswith("?checked=run&kind=why")
        page.reload()
        expect(shown).to_have_count(1)
        page.goto(url + "topics/bends/?kind=why&checked=run#point-bar")
        expect(card(page, "point-bar")).to_be_visible()
        expect(shown).to_have_count(3)
        page.goto(url + "topics/bends/?kind=nonsense")
        expect(shown).to_have_count(3)


def test_a_filter_offers_nothing_that_would_leave_nothing_out(page: Page, bread_url: str) -> None:
    page.goto(bread_url + "topics/dough/")
    page.get_by_text("Filter", exact=True).click()
    expect(page.get_by_label("Kind any")).to_be_visible()
    expect(page.get_by_label("Checked by any")).to_have_count(0)


@pytest.mark.parametrize(
    "path",
    ["", "topics/", "topics/{topic}/", "concepts/", "kinds/", "sources/", "about/", "write/", "evidence/", "planner/"],
)
@pytest.mark.parametrize("width", [320, 390, 722, 768, 1440])
def test_nothing_scrolls_sideways(browser: Browser, book_url: str, bank: Bank, path: str, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800})
    page = context.new_page()
    for topic in bank.by_topic if "{" in path else [""]:
        page.goto(book_url + path.format(topic=topic))
        page.evaluate("document.querySelectorAll('details:not(.menu)').forEach(details => (details.open = true))")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path.format(topic=topic)
        wide = page.evaluate(
            """[...document.querySelectorAll('.sheet *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1
               && e.offsetParent && !e.closest('mjx-container, pre, table, .beside'))
               .map(e => e.outerHTML.slice(0, 120))"""
        )
        assert not wide
    context.close()


def test_no_formula_is_a_tab_stop_unless_it_has_to_scroll(browser: Browser, book_url: str, bank: Bank) -> None:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    for topic in bank.by_topic:
        page.goto(book_url + f"topics/{topic}/")
        page.get_by_role("button", name="Reveal all").click()
        stops = page.evaluate(
            """[...document.querySelectorAll('mjx-container, mjx-container *')].filter(e => e.tabIndex >= 0
               && e.scrollWidth <= e.clientWidth).length"""
        )
        assert stops == 0
    context.close()


def test_formulas_stand_in_their_own_font(page: Page, book_url: str) -> None:
    page.goto(book_url + "topics/what-sharding-divides/")
    page.get_by_role("button", name="Reveal all").click()
    page.wait_for_function("document.fonts.status === 'loaded'")
    faces = page.evaluate(
        "[...document.fonts].filter(f => f.status === 'loaded').map(f => f.family.replaceAll('\"', ''))"
    )
    assert "MJX-STX-N" in faces
    assert {"Source Serif 4", "Inter"} <= set(faces)


def test_no_request_leaves_the_site(browser: Browser, book_url: str, bank: Bank) -> None:
    context = browser.new_context()
    page = context.new_page()
    hosts: set[str] = set()
    page.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))
    paths = ["", "topics/", "kinds/", "concepts/", "sources/", "about/", "write/"]
    for path in [*paths, *(f"topics/{topic}/" for topic in bank.by_topic)]:
        page.goto(book_url + path)
        page.evaluate("document.querySelectorAll('details').forEach(details => (details.open = true))")
        page.locator("[data-md-component=search-query]").focus()
        page.keyboard.type("zero")
        page.wait_for_load_state("networkidle")
    assert hosts == {urlsplit(book_url).netloc}
    context.close()


def shade(page: Page) -> str:
    return str(page.locator("body").evaluate("body => getComputedStyle(body).backgroundColor"))


def test_the_scheme_follows_the_reader_and_can_be_changed(browser: Browser, book_url: str) -> None:
    context = browser.new_context(color_scheme="dark")
    page = context.new_page()
    page.goto(book_url)
    dark = shade(page)
    # Nothing is decided by a visit.
    page.emulate_media(color_scheme="light")
    light = shade(page)
    assert light != dark
    page.emulate_media(color_scheme="dark")
    page.get_by_role("button", name="Use the light scheme").click()
    assert shade(page) == light
    page.goto(book_url + "topics/")
    assert shade(page) == light
    expect(page.get_by_role("button", name="Use the dark scheme")).to_be_visible()
    context.close()


@pytest.mark.parametrize("broken", ["forbidden", "full of rubbish"])
def test_without_a_working_storage_the_site_works(browser: Browser, book_url: str, broken: str) -> None:
    context = browser.new_context(color_scheme="light")
    context.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('denied', 'SecurityError') }})"
        if broken == "forbidden"
        else "Object.keys(localStorage).concat('studybank.scheme', '/.__palette', 'quiz_progress_/')"
        ".forEach(key => localStorage.setItem(key, '{rubbish'))"
    )
    page = context.new_page()
    page.on("pageerror", lambda error: pytest.fail(f"the page threw: {error}"))
    for path in ("topics/", ""):
        page.goto(book_url + path)
        light = shade(page)
        page.get_by_role("button", name="Use the dark scheme").click()
        assert shade(page) != light
    page.get_by_role("button", name="False", exact=True).click()
    expect(page.locator(".verdict .quiz-feedback-item")).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("padding")
    expect(page.locator(".md-search-result__item").first).to_be_visible()
    context.close()


def test_without_scripts_the_scheme_is_the_reader_s(browser: Browser, book_url: str) -> None:
    shades = []
    for scheme in ("light", "dark"):
        context = browser.new_context(color_scheme=scheme, java_script_enabled=False)  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(book_url)
        shades.append(shade(page))
        context.close()
    assert len(set(shades)) == 2


def test_the_menu_of_a_phone(browser: Browser, book_url: str, bank: Bank) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    page = context.new_page()
    page.goto(book_url)
    page.get_by_label("Menu").first.click()
    page.get_by_role("link", name=bank.about.topics[1].title).first.click()
    page.wait_for_url(f"**/topics/{bank.about.topics[1].id}/")
    menu = page.locator("details.menu")
    menu.locator("summary").click()
    page.keyboard.press("Escape")
    expect(menu).not_to_have_attribute("open", "")
    page.keyboard.press("Enter")
    expect(menu).to_have_attribute("open", "")
    for _ in range(menu.locator("a").count() + 1):
        page.keyboard.press("Tab")
    expect(menu).not_to_have_attribute("open", "")
    context.close()


def test_touch_targets_of_a_phone_are_large_enough(browser: Browser, book_url: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    for path in ("", "topics/what-sharding-divides/"):
        page.goto(book_url + path)
        small = page.evaluate(
            """[...document.querySelectorAll('button, summary, .steps a, .go, .bar a, .bar label')].filter(e => {
                 const box = e.getBoundingClientRect(); return e.checkVisibility() && box.width && box.height < 40
               }).map(e => e.outerHTML.slice(0, 100))"""
        )
        assert not small
    context.close()
