"""What the built HTML holds, and what it does not."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin

import pytest
from bs4 import BeautifulSoup
from fontTools.ttLib import TTFont

from studybank.kinds.true_false import TrueFalse
from studybank.model import Bank
from studybank.pages import typeset
from studybank.reading import read_bank
from tests.banks import LEVEE
from tests.banks import bank as rivers
from tests.sites import BREAD, ROOT, built


@cache
def soup(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def pages(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


@pytest.fixture(params=["book", "bread"])
def site(request: pytest.FixtureRequest) -> Path:
    return request.getfixturevalue(request.param)


def bank_of(site: Path) -> Bank:
    return read_bank(BREAD if "bread" in str(site) else ROOT / "bank")[0]


def test_every_question_is_a_card_on_the_page_of_its_topic(site: Path) -> None:
    bank = bank_of(site)
    for topic, questions in bank.by_topic.items():
        page = soup(site / "topics" / topic / "index.html")
        assert [card["data-id"] for card in page.select("article.card")] == [q.id for q in questions]
        for question in questions:
            heading = page.find("h2", id=question.id)
            assert heading is not None
            assert heading.get_text().replace("’", "'") == question.title.replace("’", "'")


def test_there_are_as_many_quizzes_as_true_false_questions_and_no_trace_of_their_source(site: Path) -> None:
    bank = bank_of(site)
    claims = [q.id for q in bank.questions if isinstance(q, TrueFalse)]
    quizzes = Counter(
        quiz["id"].removeprefix("quiz-")
        for path in site.glob("topics/*/index.html")
        for quiz in soup(path).select("div.quiz")
    )
    assert quizzes == Counter(claims)
    for path in pages(site):
        for trace in ("<quiz", "BLANK_PLACEHOLDER", "MKDOCS_QUIZ", "quiz-progress", "md-quiz"):
            assert trace not in path.read_text(encoding="utf-8"), path
        assert not [
            text for text in soup(path).find_all(string=re.compile(r"\[[ x]\] ")) if not text.find_parent("code")
        ]


def test_no_page_carries_the_quiz_script_inline(site: Path) -> None:
    for path in pages(site):
        inline = sum(len(script.get_text()) for script in soup(path).find_all("script", src=False))
        assert inline < 3000, path


def test_every_formula_is_set(site: Path) -> None:
    for path in pages(site):
        text = path.read_text(encoding="utf-8")
        assert not re.search("[\ue000\ue001]", text), path
        assert "data-mjx-error" not in text, path
        assert "mjx-merror" not in text, path
        for found in soup(path).find_all(string=re.compile(r"\$[^$]+\$|\\(?:frac|Psi|text|cdot)\b")):
            assert found.find_parent(["code", "pre"]), (path, found)


def test_each_formula_carries_mathml_and_hides_its_glyphs_from_screen_readers(site: Path) -> None:
    formulas = [formula for path in pages(site) for formula in soup(path).find_all("mjx-container")]
    assert formulas
    for formula in formulas:
        assert formula.find("math")
        assert formula.find("mjx-math")["aria-hidden"] == "true"
        assert not formula.find(attrs={"tabindex": True})


def test_every_style_rule_and_font_that_a_glyph_needs_is_served(site: Path) -> None:
    style = (site / "assets/css/maths.css").read_text(encoding="utf-8")
    for path in pages(site):
        for glyph in soup(path).find_all("mjx-c"):
            shape = next(name for name in glyph["class"] if name.startswith("mjx-c"))
            assert f".{shape}" in style, (path, glyph)
    for font in re.findall(r"url\(\.\./fonts/([^)]+)\)", style + (site / "assets/css/book.css").read_text("utf-8")):
        assert (site / "assets/fonts" / font).exists(), font


def test_every_character_of_a_formula_is_in_the_font_that_prints_it(site: Path) -> None:
    style = (site / "assets/css/maths.css").read_text(encoding="utf-8")
    fonts = site / "assets/fonts"
    printed: set[tuple[str, str]] = set()
    for path in pages(site):
        for text in soup(path).select("mjx-math")[:]:
            for piece in text.find_all(string=re.compile(r"\S")):
                names = [name for tag in piece.parents for name in tag.get("class", []) if name.startswith("STX-")]
                printed |= {(names[0], character) for character in piece if not character.isspace()}
    assert printed
    for name, character in printed:
        families = re.search(rf"\.{name}{{font-family:([^}}]*)}}", style)[1].replace(" ", "").split(",")
        held = set().union(*(TTFont(fonts / f"{family.lower()}.woff2").getBestCmap() for family in families))
        assert ord(character) in held, (name, character, hex(ord(character)))


def test_every_link_leads_somewhere(site: Path) -> None:
    anchors = {path: {tag["id"] for tag in soup(path).find_all(id=True)} for path in pages(site)}
    for path in pages(site):
        here = "/" + path.relative_to(site).as_posix().removesuffix("index.html")
        links = {(tag.get("href") or tag.get("src")) for tag in soup(path).find_all(["a", "link", "script", "img"])}
        for link in links - {None}:
            address, fragment = urldefrag(urljoin(here, link))
            if address.startswith(("https://", "mailto:")):
                continue
            target = site / unquote(address).lstrip("/")
            target = target / "index.html" if target.is_dir() else target
            assert target.exists(), (path, link)
            if fragment and target.suffix == ".html":
                assert unquote(fragment) in anchors[target], (path, link)


def test_each_id_has_a_permanent_address(site: Path) -> None:
    bank = bank_of(site)
    for question in bank.questions:
        page = soup(site / "q" / question.id / "index.html")
        target = f"../../topics/{question.topic}/#{question.id}"
        assert page.a["href"] == target
        assert page.find("meta", attrs={"http-equiv": "refresh"})["content"] == f"0; url={target}"


def test_permanent_addresses_follow_the_bank_from_build_to_build(tmp_path: Path) -> None:
    root = rivers(tmp_path)
    kept = built(root, tmp_path) / "q/outer-bank/index.html"
    first = kept.stat().st_mtime_ns
    (root / "questions/bends/oxbow.md").rename(root / "questions/floods/oxbow.md")
    (root / "questions/floods/levee.md").unlink()
    (root / "questions/floods/dam.md").write_text(LEVEE, encoding="utf-8")
    (root / "ids.txt").write_text("dam\ndischarge\ndry-bed\nouter-bank\noxbow\npoint-bar\n", encoding="utf-8")
    # As a build that was killed leaves it.
    (kept.parent.parent / "dry-bed/index.html").unlink()
    site = built(root, tmp_path)
    assert soup(site / "q/oxbow/index.html").a["href"] == "../../topics/floods/#oxbow"
    assert {path.name for path in (site / "q").iterdir()} == read_bank(root)[0].by_id.keys()
    assert soup(site / "q/dry-bed/index.html").a["href"] == "../../topics/floods/#dry-bed"
    assert kept.stat().st_mtime_ns == first
    assert not (site / ".q").exists()


def test_a_retired_id_still_leads_somewhere(bread: Path) -> None:
    assert soup(bread / "q/bread-without-an-oven/index.html").a["href"] == "../../topics/oven/"


def test_a_concept_has_its_definition_its_aliases_and_its_questions(site: Path) -> None:
    bank = bank_of(site)
    page = soup(site / "concepts/index.html")
    for concept in bank.concepts:
        entry = page.find("h2", id=concept.id).parent
        assert entry.find("p").get_text(strip=True)
        for alias in concept.aliases:
            assert alias.replace("'", "’") in entry.select_one(".aliases").get_text()
        linked = {link["href"].partition("#")[2] for link in entry.select(".questions a")}
        assert linked == {q.id for q in bank.questions if concept.id in q.concepts}


def test_a_source_lists_the_questions_that_cite_it(site: Path) -> None:
    bank = bank_of(site)
    page = soup(site / "sources/index.html")
    for source in bank.sources:
        entry = page.find("h2", id=source.key).parent
        assert entry.find("a", href=source.link)
        linked = {link["href"].partition("#")[2] for link in entry.select(".questions a")}
        assert linked == {q.id for q in bank.questions if source.key in {cited.key for cited in q.sources}}


def test_kind_pages_list_every_question_of_their_kind(site: Path) -> None:
    bank = bank_of(site)
    for kind in {q.kind for q in bank.questions}:
        links = soup(site / "kinds" / kind / "index.html").select(".questions a")
        assert {link["href"].partition("#")[2] for link in links} == {q.id for q in bank.questions if q.kind == kind}


# What an answer must not show itself in. A word that stands nowhere but in one answer marks it.

SECRETS = {"answer": "quokkaword", "explanation": "wombatword", "points": "numbatword", "hints": "bilbyword"}


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bread site with a word of its own in every hidden part of every question."""
    import shutil

    from tests.sites import built

    folder = tmp_path_factory.mktemp("marked")
    shutil.copytree(BREAD, folder / "bank")
    for path in (folder / "bank/questions").glob("*/*.md"):
        text = path.read_text(encoding="utf-8")
        text = re.sub(r"(## Explanation\n)", rf"\1The {SECRETS['explanation']}. ", text)
        text = re.sub(r"(## Points\n- )", rf"\1{SECRETS['points']} ", text)
        text = re.sub(r"(## Hint\n)", rf"\1{SECRETS['hints']} ", text)
        text = re.sub(r"(## Corrected\n)", r"\1The quollword. ", text)
        text = re.sub(r"(## Answer\n(?:True: |False: )?)", rf"\1{SECRETS['answer']} ", text)
        text = re.sub(r"\n  > ", "\n  > dingoword ", text)
        path.write_text(text, encoding="utf-8")
    return built(folder / "bank", folder)


HIDDEN = re.compile("quokkaword|wombatword|numbatword|bilbyword|quollword|dingoword")


def test_the_marks_are_on_the_page(marked: Path) -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in marked.glob("topics/*/index.html"))
    assert set(HIDDEN.findall(text)) == {
        "quokkaword", "wombatword", "numbatword", "bilbyword", "quollword", "dingoword",
    }  # fmt: skip


def test_nothing_of_an_answer_stands_outside_a_closed_reveal(marked: Path) -> None:
    for path in pages(marked):
        page = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
        for details in page.find_all("details"):
            assert not details.has_attr("open")
            summary = details.find("summary")
            assert not HIDDEN.search(str(summary))
            details.decompose()
        assert not HIDDEN.search(str(page)), path


def test_nothing_of_an_answer_is_in_what_the_search_loads(marked: Path) -> None:
    assert not HIDDEN.search((marked / "search/search_index.json").read_text(encoding="utf-8"))


def test_search_entries_are_one_a_question_with_its_prompt_and_aliases(book: Path, bank: Bank) -> None:
    docs = json.loads((book / "search/search_index.json").read_text(encoding="utf-8"))["docs"]
    entries = {doc["location"]: doc for doc in docs}
    assert len(entries) == len(docs)
    for question in bank.questions:
        entry = entries[f"topics/{question.topic}/#{question.id}"]
        assert entry["title"] == typeset(question.title)
        for concept in question.concepts:
            assert typeset(bank.concept[concept].name) in entry["aliases"]
        assert not re.search(r"[\ue000\ue001`$]|\\[a-z]", entry["text"])


def test_the_front_matter_of_a_page_describes_it(site: Path) -> None:
    for path in pages(site):
        if "q" not in path.relative_to(site).parts and path.name != "404.html":
            page = soup(path)
            assert page.title.get_text(strip=True), path
            assert page.find("meta", attrs={"name": "description"})["content"].strip(), path
            assert len(page.find_all("h1")) == 1, path


def test_nothing_of_the_subject_stands_in_the_builder() -> None:
    subject = re.compile(r"\b(FSDP|ZeRO|shard(ed|ing)?|Adam|adam|all-gather|Shardbook|torch|Sharded|GPU)\b")
    allowed = re.compile(r"\bshards?\b|data-shard")
    for folder in ("studybank", "overrides", "scripts", "docs"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".py", ".jinja", ".html", ".js", ".mjs", ".css", ".md"):
                text = allowed.sub("", path.read_text(encoding="utf-8"))
                assert not subject.search(text), path


def test_a_bank_of_another_subject_names_itself(bread: Path) -> None:
    home = soup(bread / "index.html")
    assert home.title.get_text(strip=True) == "Crumb: bread"
    assert "Shardbook" not in str(home)
    assert "sharded" not in str(home)
