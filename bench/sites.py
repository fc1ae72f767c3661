"""The same questions as two sites: ours, and what a competent user of stock Material and mkdocs-quiz would write."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent

from bench.questions import Question, Subject, Topic
from studybank.writing import write
from tests.sites import ROOT, settings


@dataclass(frozen=True)
class Site:
    """A site on disk. The file `source` holds the paragraph `text`, which is shown at the address `page`."""

    folder: Path
    source: Path
    text: str
    page: str
    next_page: str

    def mkdocs(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "mkdocs", *arguments, "--quiet", "--config-file", str(self.folder / "mkdocs.yml")]

    @property
    def built(self) -> Path:
        return self.folder / "site"


def _last_paragraph(question: Question) -> str:
    return question.explanation.rpartition("\n\n")[2]


# Ours


def ours(subject: Subject, folder: Path) -> Site:
    """Write the bank, and a site over it with all else from this repository. Exits if the bank breaks a rule."""
    write(folder / "bank", dict(_bank(subject)))
    settings(folder / "bank", folder)
    command = [sys.executable, str(ROOT / "scripts" / "build_bank.py"), "--bank", str(folder / "bank"), "check"]
    if subprocess.run(command, stdout=sys.stderr, check=False).returncode:
        sys.exit("The synthetic bank breaks a rule.")
    first, second = subject.topics[:2]
    question = first.questions[0]
    source = folder / "bank" / "questions" / first.id / f"{question.id}.md"
    return Site(folder, source, _last_paragraph(question), f"topics/{first.id}/", f"topics/{second.id}/")


def _bank(subject: Subject) -> Iterator[tuple[str, str]]:
    """The files of a bank. JSON is YAML too."""
    questions = [question for topic in subject.topics for question in topic.questions]
    about = {
        "title": "Synthetic site",
        "subject": "nothing at all",
        "headline": "Made to be measured.",
        "lead": "Words without meaning, as many as in a real bank.",
        "description": "A synthetic site, made to be measured.",
        "trial": next(question.id for question in questions if question.verdict is not None),
        "license": {"name": "none", "link": "https://example.org/"},
        "topics": [{"id": topic.id, "title": topic.title, "summary": topic.summary} for topic in subject.topics],
    }
    concepts = [vars(concept) for concept in subject.concepts]
    sources = [vars(source) | {"year": 2000} for source in subject.sources]
    yield "bank.yaml", json.dumps(about, indent=1)
    yield "concepts.yaml", json.dumps(concepts, indent=1)
    yield "sources.yaml", json.dumps(sources, indent=1)
    yield "ids.txt", "".join(f"{name}\n" for name in sorted(question.id for question in questions))
    for topic in subject.topics:
        for question in topic.questions:
            yield f"questions/{topic.id}/{question.id}.md", _question(question)


def _question(q: Question) -> str:
    verdict = [] if q.verdict is None else [f"verdict: {str(q.verdict).lower()}"]
    requires = [f"requires: [{', '.join(q.requires)}]"] if q.requires else []
    sources = [f'  - {source.key}: "{place}"' for source, place in q.sources]
    front = [
        *(f"kind: {q.kind}", f"title: {q.title}", *verdict, f"difficulty: {q.difficulty}"),
        *(f"concepts: [{', '.join(concept.id for concept in q.concepts)}]", "sources:", *sources, *requires),
    ]
    sections = [q.prompt, f"## Answer\n{q.answer}", f"## Explanation\n{q.explanation}"]
    sections += [f"## Corrected\n{q.corrected}"] if q.corrected else []
    sections += ["## Points\n" + _list(q.points)]
    sections += [f"## Hint\n{hint}" for hint in q.hints]
    choices = [f"- [{'x' if choice.right else ' '}] {choice.text}\n  > {choice.why}" for choice in q.choices]
    sections += ["## Choices\n" + "\n".join(choices)] if choices else []
    return "\n".join(["---", *front, "---", ""]) + "\n\n".join(sections) + "\n"


def _list(items: list[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


# Stock

STOCK = """\
site_name: Synthetic site
theme:
  name: material
plugins:
  - search
  - mkdocs_quiz
markdown_extensions:
  - admonition
  - attr_list
  - pymdownx.arithmatex: {generic: true}
  - pymdownx.details
  - pymdownx.highlight
  - pymdownx.superfences
extra_javascript:
  - javascripts/mathjax.js
  - javascripts/tex-mml-chtml.js
"""
# As Material's documentation has it.
MATHJAX_SETTINGS = """\
window.MathJax = {
  tex: {
    inlineMath: [["\\\\(", "\\\\)"]],
    displayMath: [["\\\\[", "\\\\]"]],
    processEscapes: true,
    processEnvironments: true,
  },
  options: { ignoreHtmlClass: ".*|", processHtmlClass: "arithmatex" },
};

document$.subscribe(() => {
  MathJax.startup.output.clearCache();
  MathJax.typesetClear();
  MathJax.texReset();
  MathJax.typesetPromise();
});
"""
MATHJAX_PLACEHOLDER = "// The script of MathJax would stand here.\n"


def stock(subject: Subject, folder: Path) -> Site:
    """Write a site of one page a topic: claims as quizzes, the other kinds with their answers in closed blocks."""
    pages = {f"{topic.id}.md": _page(topic) for topic in subject.topics}
    listed = _list([f"[{topic.title}]({topic.id}.md): {topic.summary}" for topic in subject.topics])
    write(
        folder / "docs",
        {
            "index.md": f"# Synthetic site\n\n{listed}\n",
            **pages,
            "javascripts/mathjax.js": MATHJAX_SETTINGS,
            "javascripts/tex-mml-chtml.js": MATHJAX_PLACEHOLDER,
        },
    )
    (folder / "mkdocs.yml").write_text(STOCK, encoding="utf-8")
    first, second = subject.topics[:2]
    text = _last_paragraph(first.questions[0])
    return Site(folder, folder / "docs" / f"{first.id}.md", text, f"{first.id}/", f"{second.id}/")


def _page(topic: Topic) -> str:
    cards = [_as_quiz(q) if q.kind == "true-false" else _as_details(q) for q in topic.questions]
    questions = [f"## {q.title}\n\n{card}" for q, card in zip(topic.questions, cards, strict=True)]
    return "\n\n".join([f"# {topic.title}", topic.summary, *questions]) + "\n"


def _as_quiz(q: Question) -> str:
    boxes = ("x", " ") if q.verdict else (" ", "x")
    return f"<quiz>\n{q.prompt}\n\n- [{boxes[0]}] True\n- [{boxes[1]}] False\n\n{q.answer}\n\n{_rest(q)}\n</quiz>"


def _as_details(q: Question) -> str:
    choices = [_list([choice.text for choice in q.choices])] if q.choices else []
    hints = [_details("Hint", hint) for hint in q.hints]
    reasons = [_list([f"{choice.text}: {choice.why}" for choice in q.choices])] if q.choices else []
    answer, why = _details("Answer", "\n\n".join([q.answer, *reasons])), _details("Why", _rest(q))
    return "\n\n".join([q.prompt, *choices, *hints, answer, why])


def _details(summary: str, body: str) -> str:
    return f'??? note "{summary}"\n\n{indent(body, "    ")}'


def _rest(q: Question) -> str:
    """What stands behind the answer."""
    corrected = [f"**Put right:** {q.corrected}"] if q.corrected else []
    cited = "; ".join(f"[{source.cite}]({source.link}), {place}" for source, place in q.sources)
    names = ", ".join(concept.name for concept in q.concepts)
    return "\n\n".join([q.explanation, *corrected, _list(q.points), f"Sources: {cited}", f"Concepts: {names}"])
