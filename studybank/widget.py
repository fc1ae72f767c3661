"""mkdocs-quiz, mended from outside: stable ids, two buttons, its script and style as files, no progress chrome."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import Any

from studybank.pages import quiz

# Everything that mkdocs-quiz appends to a page: a progress panel, a style sheet and scripts.
CHROME = '<div id="quiz-progress-sidebar"'
LABELED = re.compile(r'aria-labelledby="quiz-([a-z][a-z0-9-]*)-question"')
NUMBERED = re.compile(r'data-id="([^"]+)"|\bquiz-(\d+)\b')
ANSWER = re.compile(
    r'<input type="radio" (name="answer" value="\d" id="([^"]+)"[^>]*)><label for="[^"]+">(\w+)</label>'
)
GENERATED = {quiz(verdict).removeprefix("<quiz>").removesuffix("</quiz>") for verdict in (True, False)}

WORDS = {
    "Correct answer!": "Right.",
    "Incorrect answer. Please try again.": "Not right.",
    "Try Again": "Answer again",
}


def adopt(plugin: Any) -> None:
    """Have each of the two generated widgets set once a site: mkdocs-quiz builds a Markdown parser for each quiz."""
    process = type(plugin)._process_quiz
    made: dict[str, str] = {}

    def once(content: str, number: int, *rest: Any) -> str:
        if content not in GENERATED:
            return str(process(plugin, content, number, *rest))
        if content not in made:
            made[content] = _two_buttons(process(plugin, content, 0, *rest))
        return made[content].replace("quiz-0", f"quiz-{number}")

    plugin._process_quiz = once


def _two_buttons(html: str) -> str:
    """A button for each answer in place of radio, label and Submit.

    The radio stays, hidden, because the script of mkdocs-quiz reads it: no key but a button's own can answer.
    """
    html = ANSWER.sub(r'<input type="radio" hidden \1><button type="button" data-checks="\2">\3</button>', html)
    html = html.replace('class="quiz-button"', 'class="quiz-button" hidden')
    html = re.sub(r'<a href="[^"]*" class="quiz-header-link">#</a>', "", html)
    return re.sub(r"\s*\n\s*", "", html).replace('class="quiz"', 'class="quiz verdict"')


def mended(html: str) -> str:
    """A page with the ids of its quizzes made those of their questions, and without what mkdocs-quiz appends."""
    html = html.partition(CHROME)[0]
    question = ""

    def name(found: re.Match[str]) -> str:
        nonlocal question
        if found[1]:
            question = found[1]
        return found[0] if found[1] or not question else f"quiz-{question}"

    # The widget is named after the question that stands above it.
    return LABELED.sub(r'aria-labelledby="\1 quiz-\1-question"', NUMBERED.sub(name, html))


def script() -> str:
    """The plugin's own script, behind the settings that it would write into every page."""
    settings = {"confetti": False, "showProgress": False}
    source = (files("mkdocs_quiz") / "js" / "quiz.js").read_text(encoding="utf-8")
    return (
        f"window.mkdocsQuizConfig = {json.dumps(settings)};\n"
        f"window.mkdocsQuizTranslations = {json.dumps(WORDS)};\n{source}"
    )


def style() -> str:
    return (files("mkdocs_quiz") / "css" / "quiz.css").read_text(encoding="utf-8")
