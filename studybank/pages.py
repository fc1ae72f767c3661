"""Bank to Markdown: every generated page of the site, as text.

Pages are plain Markdown with `md_in_html` blocks; formulas still stand between dollars. Links inside generated HTML are
relative addresses of the finished site (`topics/ID/`), so that no generator has to resolve them.
"""

from __future__ import annotations

import itertools
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from studybank import frontend
from studybank.drawing import Drawing
from studybank.evidence import FORMULAS, Program, shown
from studybank.figures import Figure
from studybank.formulas import prose
from studybank.kinds import KINDS
from studybank.model import DIFFICULTIES, Bank, OwnPage, Question, Text

# The folder of the permanent addresses.
REDIRECTS = "q"
# What the front matter of every page that a build wrote says.
MARK = "generated: true\n"
CODE = re.compile(r"`([^`]+)`")
CROSS_LINK = re.compile(r"\]\(#([a-z0-9-]+)\)")


def quiz(verdict: bool) -> str:
    """The true/false widget. What mkdocs-quiz is given is one of two constants: nothing that an author wrote.

    For a generator without that plugin, return an empty string here: the answer is then behind its reveal alone.
    """
    true, false = ("x", " ") if verdict else (" ", "x")
    return f"<quiz>\nTrue or false?\n\n- [{true}] True\n- [{false}] False\n</quiz>"


@dataclass(frozen=True)
class Page:
    """A generated page: `path` under the pages' folder, `title` for navigation, and the Markdown.

    A page is framed where a template put HTML around the texts (studybank/frames.py).
    """

    path: str
    title: str
    markdown: str
    framed: bool = True


def typeset(words: str) -> str:
    """Plain text as it is printed."""
    return re.sub(r"(?<=\w)'", "’", words)


def address(question: Question) -> str:
    """Where a card stands, from the root of the site."""
    return f"topics/{question.topic}/#{question.id}"


def permanent_address(name: str) -> str:
    """Where an id can be found for ever, from the root of the site."""
    return f"{REDIRECTS}/{name}/"


def figure_address(figure: Figure) -> str:
    """Where a figure stands with its numbers, from the root of the site."""
    return f"evidence/figures/{figure.name}/"


class Pages:
    """Writes the pages of one bank."""

    def __init__(self, bank: Bank) -> None:
        self.bank = bank
        self.on_concept: defaultdict[str, list[Question]] = defaultdict(list)
        self.on_source: defaultdict[str, list[Question]] = defaultdict(list)
        self.of_kind: defaultdict[str, list[Question]] = defaultdict(list)
        self.on_run: defaultdict[str, list[Question]] = defaultdict(list)
        self.on_figure: defaultdict[str, list[Question]] = defaultdict(list)
        self.by_formula = [q for q in bank.in_order if q.checks]
        for question in bank.in_order:
            self.of_kind[question.kind].append(question)
            for concept in question.concepts:
                self.on_concept[concept].append(question)
            for key in dict.fromkeys(cited.key for cited in question.sources):
                self.on_source[key].append(question)
            for name in dict.fromkeys(claim.run for claim in question.runs):
                self.on_run[name].append(question)
            for name in question.figures:
                self.on_figure[name].append(question)
        self.drawn_from: defaultdict[str, list[Figure]] = defaultdict(list)
        for drawn in bank.evidence.figures.values():
            for name in drawn.runs:
                self.drawn_from[name].append(drawn)
        self.env = Environment(
            loader=PackageLoader("studybank"),
            # The pages are Markdown; what goes into an HTML attribute or tag is escaped where it is written.
            autoescape=False,  # noqa: S701
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            # Jinja’s own `{#` is how Markdown names a heading.
            comment_start_string="<#",
            comment_end_string="#>",
        )
        self.env.globals.update(
            bank=bank,
            about=bank.about,
            kinds=KINDS,
            difficulties=DIFFICULTIES,
            quiz=quiz,
            address=address,
            permanent_address=permanent_address,
            markdown=self.markdown,
            count=count,
            evidence=bank.evidence,
            outcome=lambda claim: bank.evidence.outcome(claim.expression, claim.run),
            told=told,
            shown=shown,
            svg=Drawing(frontend.CACHE).svg,
            figure_address=figure_address,
        )
        self.env.filters["attribute"] = escape
        self.env.filters["typeset"] = lambda words: escape(typeset(words))
        self.env.filters["place"] = lambda place: CODE.sub(r"<code>\1</code>", escape(place))

    def markdown(self, text: Text | str, up: str) -> str:
        """An author's Markdown with its links to other questions led to their cards.

        These are links between files, which a generator resolves and checks; `up` leads to the pages' folder.
        """

        source = text.source if isinstance(text, Text) else text
        if "](#" not in source:
            return source
        # A link in code is none.
        links = prose(source)

        def card(found: re.Match[str]) -> str:
            if links[found.start()] != "]":
                return found[0]
            question = self.bank.by_id[found[1]]
            return f"]({up}topics/{question.topic}.md#{question.id})"

        return CROSS_LINK.sub(card, source)

    def __iter__(self) -> Iterator[Page]:
        about = self.bank.about
        yield self._page("index.md", about.title, "home.md.jinja", trial=self.bank.by_id[about.trial])
        yield self._page("topics/index.md", "Topics", "topics.md.jinja")
        for i, topic in enumerate(about.topics):
            yield self._page(f"topics/{topic.id}.md", topic.title, "topic.md.jinja", topic=topic, number=i + 1)
        yield self._page("kinds/index.md", "Kinds", "kinds.md.jinja", of_kind=self.of_kind)
        for name, kind in KINDS.items():
            if self.of_kind[name]:
                questions = self.of_kind[name]
                in_topic = {topic: list(those) for topic, those in itertools.groupby(questions, lambda q: q.topic)}
                values = {"kind": kind, "questions": questions, "in_topic": in_topic}
                yield self._page(f"kinds/{name}.md", kind.plural, "kind.md.jinja", **values)
        yield self._page("concepts.md", "Concepts", "concepts.md.jinja", on_concept=self.on_concept)
        yield self._page("sources.md", "Sources", "sources.md.jinja", on_source=self.on_source)
        if self.bank.evidence:
            yield from self._evidence()
        for own in self.bank.pages:
            yield self.own(own)
        if self.bank.preface:
            yield Page("about.md", "About", _marked(self.bank.preface), framed=False)

    def _evidence(self) -> Iterator[Page]:
        """A page that lists what the answers rest on, and one for each program with its text."""
        evidence, questions = self.bank.evidence, self.bank.in_order
        values = {
            "proven": [q for q in questions if q.checked_by],
            "by_formula": self.by_formula,
            "on_run": self.on_run,
            "shared": [module for name, module in evidence.modules.items() if name != FORMULAS],
            "checked": [claim for q in questions for claim in q.checks],
            "measured": [claim for q in questions for claim in q.runs],
        }
        yield self._page("evidence/index.md", "Evidence", "evidence.md.jinja", **values)
        for name, module in (evidence.modules | evidence.programs).items():
            measured = json.dumps(module.measured.model_dump(), indent=1) if isinstance(module, Program) else ""
            values = {
                "about": module.title,
                "note": module.about,
                "text": module.text,
                "measured": measured,
                "figures": self.drawn_from[name],
                "questions": self.by_formula if name == FORMULAS else self.on_run[name],
            }
            yield self._page(f"evidence/{name}.md", module.title, "program.md.jinja", **values)
        for name, drawn in evidence.figures.items():
            shared = {"f": drawn, "questions": self.on_figure[name]}
            yield self._page(f"evidence/figures/{name}.md", drawn.title, "drawn.md.jinja", **shared)

    def own(self, own: OwnPage) -> Page:
        """A page of the bank itself, which is a template too. Raises what Jinja raises."""
        drawn = self.env.get_template("figure.md.jinja").make_module({"root": "../", "drawing": numbered()})
        values = {
            "root": "../",
            "up": "",
            "title": own.title,
            "figure": lambda name: drawn.figure(self.bank.evidence.figures[name], "../"),  # type: ignore[attr-defined]
            "numbers": lambda name: drawn.numbers(self.bank.evidence.figures[name]),  # type: ignore[attr-defined]
        }
        # Under the name of its file, which an error then tells with the line.
        code = self.env.compile(own.text, filename=own.path)
        text = Template.from_code(self.env, code, self.env.make_globals(None)).render(values)
        return Page(f"{own.name}.md", own.title, _marked(text), framed=False)

    def _page(self, path: str, title: str, template: str, **values: object) -> Page:
        # `a.md` becomes `a/`, `a/index.md` becomes `a/`: one step up to the root for each part of that.
        root = "../" * len([part for part in path.removesuffix(".md").split("/") if part != "index"])
        up = "../" * path.count("/")
        text = self.env.get_template(template).render(values, root=root, up=up, title=title, drawing=numbered())
        return Page(path, title, _marked(text))


def _marked(text: str) -> str:
    """A page with the mark in its front matter, which it is given if it has none."""
    rest = text.removeprefix("---\n") if text.startswith("---\n") else f"---\n\n{text}"
    return f"---\n{MARK}{rest}"


def numbered() -> Callable[[], int]:
    """Gives the drawings of one page their numbers."""
    return itertools.count(1).__next__


def told(program: Program) -> str:
    """Under which versions and settings a program ran, in a line."""
    versions = [f"{name} {number}" for name, number in program.measured.versions.items()]
    settings = [f"{name.replace('_', ' ')} {value}" for name, value in program.measured.settings.items()]
    return escape(", ".join([*versions, *settings]))


def count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
