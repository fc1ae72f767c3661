"""The bank as a MkDocs plugin: the only module that knows MkDocs.

Order of events: the bank is checked (`on_config`), its pages join the site (`on_files`), formulas give way to tokens
(`on_page_markdown`), the quiz widgets are mended (`on_page_content`), all new formulas are set together (`on_env`),
tokens give way to formulas once search has read the page (`on_page_context`), and search, style, fonts and redirects
are written (`on_post_build`).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from jinja2 import Environment
from material.plugins.search.plugin import SearchPlugin
from mkdocs.config import config_options as option
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin, event_priority, get_plugin_logger
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import AnchorLink, TableOfContents
from mkdocs.utils.templates import TemplateContext

from studybank import fonts, frontend, redirects, search, widget
from studybank.checking import checked
from studybank.formulas import TOKEN, Formula, tokenized
from studybank.frames import anchors, lifted, restored
from studybank.maths import FormulaStore, MathsError
from studybank.model import Bank
from studybank.names import named
from studybank.pages import Pages
from studybank.problems import BankError
from studybank.skips import Skips
from studybank.writing import write

log = get_plugin_logger(__name__)

QUIZ_SCRIPT = "assets/js/quiz.js"
QUIZ_STYLE = "assets/css/quiz.css"


class Options(Config):  # type: ignore[no-untyped-call]
    bank = option.Dir(exists=True, default="bank")


@dataclass
class Rendered:
    """A generated page as Markdown made it, kept while `mkdocs serve` runs: most pages do not change with an edit."""

    source: str
    html: str
    toc: TableOfContents
    anchors: set[str] | None


class StudyBank(BasePlugin[Options]):  # type: ignore[no-untyped-call]
    bank: Bank | None = None
    serving = False

    def __init__(self) -> None:
        self.rendered: dict[str, Rendered] = {}

    @cached_property
    def store(self) -> FormulaStore:
        """One for as long as `serve` runs; opened once the packages are there that it is named after."""
        return FormulaStore(frontend.CACHE)

    def on_startup(self, *, command: str, dirty: bool) -> None:
        # Also tells MkDocs to keep this object from one build of `serve` to the next.
        self.serving = command == "serve"

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        try:
            frontend.install(log.warning)
            # Set together with those of the bank: to start MathJax again takes longer than they do.
            for page in sorted(Path(config.docs_dir).rglob("*.md")):
                tokenized(page.read_text(encoding="utf-8"), self.store.want)
            self.bank = checked(Path(os.path.relpath(self.config.bank)), self.store)
        except (BankError, MathsError) as error:
            said = f"The bank can't be built:\n{error}"
            if not self.serving or self.bank is None:
                raise PluginError(said) from None
            log.error("%s\nThe site stays as it was.", said)
        except frontend.FrontendError as error:
            raise PluginError(str(error)) from None
        assert self.bank
        about = self.bank.about
        config.site_name = about.title
        config.site_description = about.description
        config.repo_url = about.repository
        config.extra["bank"] = self.bank
        # MkDocs passes extensions on as they are, objects too.
        config.markdown_extensions.append(Skips())  # type: ignore[arg-type]
        widget.adopt(config.plugins["mkdocs_quiz"])
        self.used: dict[str, set[str]] = {}
        return config

    def on_pre_build(self, *, config: MkDocsConfig) -> None:
        redirects.set_aside(Path(config.site_dir))

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        assert self.bank
        pages = list(Pages(self.bank))
        folder = Path(config.config_file_path).parent / "build" / "pages"
        write(folder, {page.path: page.markdown for page in pages})
        self.generated = {page.path for page in pages}
        self.framed = {page.path for page in pages if page.framed}
        for page in pages:
            files.append(File(page.path, str(folder), config.site_dir, config.use_directory_urls))
        files.append(File.generated(config, QUIZ_SCRIPT, content=widget.script()))
        files.append(File.generated(config, QUIZ_STYLE, content=widget.style()))
        for asset in self.bank.assets:
            name = asset.relative_to(Path(self.bank.root, "pages")).as_posix()
            files.append(File.generated(config, name, abs_src_path=str(asset.resolve())))
        for name, path in fonts.text_fonts(frontend.CACHE).items():
            files.append(File.generated(config, f"assets/fonts/{name}", abs_src_path=str(path)))
        written = sorted(file.src_uri for file in files.documentation_pages() if file.src_uri not in self.generated)
        config.nav = [{page.title: page.path} for page in pages] + written
        return files

    @event_priority(100)
    def on_page_markdown(self, markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        path = page.file.src_uri
        used = self.used[path] = set()

        def note(formula: Formula) -> None:
            self.store.want(formula)
            used.add(formula.key)

        source = tokenized(markdown, note)
        page.meta["source"] = source
        kept = self.rendered.get(path)
        if kept and kept.source == source:
            return ""
        if path in self.framed:
            source, page.meta["frame"] = lifted(source)
        return source

    @event_priority(-60)
    def on_page_content(self, html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        path, source = page.file.src_uri, page.meta.pop("source")
        kept = self.rendered.get(path)
        if kept and kept.source == source:
            page.toc, page.present_anchor_ids = kept.toc, kept.anchors
            return kept.html
        frame = page.meta.pop("frame", [])
        page.present_anchor_ids = {*(page.present_anchor_ids or ()), *anchors(frame)}
        html = widget.mended(restored(html, frame))
        if self.serving and path in self.generated:
            self.rendered[path] = Rendered(source, html, page.toc, page.present_anchor_ids)
        return html

    def on_env(self, env: Environment, *, config: MkDocsConfig, files: Files) -> Environment:
        self.store.settle()
        for path, said in self._refused():
            log.warning("%s: MathJax refuses a formula: %s", path, said)
        return env

    def _refused(self) -> list[tuple[str, str]]:
        errors = self.store.errors
        return [(path, errors[key]) for path, keys in self.used.items() for key in sorted(keys & errors.keys())]

    @event_priority(-100)
    def on_page_context(
        self, context: TemplateContext, *, page: Page, config: MkDocsConfig, nav: Any
    ) -> TemplateContext:
        page.content = self.store.rendered(named(page.content or "", self.store.plain))
        _each_title(page.toc.items, self.store.plain)
        return context

    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> str:
        # Held until the end of the build otherwise: half a gigabyte at 10,000 questions.
        page.content = None
        return output

    @event_priority(60)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        assert self.bank
        site = Path(config.site_dir)
        index = cast(SearchPlugin, config.plugins["material/search"]).search_index
        for entry in index.entries:
            entry["text"] = TOKEN.sub("", entry["text"])
            # Pages on the site itself: seldom what someone looks for who names a concept.
            entry["boost"] = 0.2
        index.entries[:0] = search.entries(self.bank, self.store)
        style, glyphs = self.store.style(key for keys in self.used.values() for key in keys)
        fonts.write_maths(site, style, glyphs, frontend.CACHE)
        redirects.write(site, self.bank)

    def on_serve(self, server: LiveReloadServer, *, config: MkDocsConfig, builder: Callable[..., None]) -> None:
        server.watch(self.config.bank)


def _each_title(items: list[AnchorLink], change: Callable[[str], str]) -> None:
    for item in items:
        item.title = change(item.title)
        _each_title(item.children, change)
