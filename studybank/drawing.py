"""A figure's chart as SVG that takes its colors and its typeface from the page it stands on."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from hashlib import blake2b
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import Any

from studybank.figures import Figure

# In CSS pixels: beside the text of a window, and on a phone.
WIDTHS = {"wide": 640, "narrow": 330}
HUES = [f"var(--hue-{i})" for i in range(1, 9)]
# Measured in another face than the page's, which runs wider.
SHOWN, MEASURED = 12, 13.2
TEXT = {"labelFontSize": MEASURED, "titleFontSize": MEASURED, "labelColor": "var(--soft)", "titleColor": "var(--soft)"}
THEME: dict[str, Any] = {
    "background": None,
    "padding": 4,
    "view": {"stroke": None},
    "axis": TEXT
    | {
        "domain": False,
        "ticks": False,
        "gridColor": "var(--rule)",
        "labelPadding": 6,
        "titleFontWeight": "normal",
        "titlePadding": 8,
    },
    "legend": TEXT
    | {"orient": "top", "title": None, "labelColor": "var(--ink)", "symbolType": "square", "columnPadding": 14},
    "header": TEXT | {"title": None, "labelColor": "var(--ink)", "labelFontWeight": "bold"},
    "text": {"fontSize": MEASURED, "color": "var(--ink)"},
    "line": {"strokeWidth": 2.25},
    "rule": {"color": "var(--soft)"},
    "range": {"category": HUES, "ordinal": HUES},
    "mark": {"color": HUES[0]},
}
# What assistive technology would read mark by mark; the figure has its words.
SPOKEN = re.compile(r' (?:aria-[a-z]+|role)="[^"]*"')
IDENTIFIED = re.compile(r'(id="|url\(#|href="#)')


@dataclass(frozen=True)
class Drawing:
    """Draws charts; `cache` is a folder in which it keeps them."""

    cache: Path

    def svg(self, figure: Figure, width: str, number: int) -> str:
        """The chart of a figure in one of WIDTHS, as the drawing of its page with this number."""
        specification = json.dumps(self._specification(figure, width), sort_keys=True)
        key = blake2b((version("vl-convert-python") + specification).encode(), digest_size=8).hexdigest()
        path = self.cache / "figures" / f"{key}.svg"
        if not path.exists():
            # It brings a whole engine along, which a build with kept drawings does without.
            import vl_convert

            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(vl_convert.vegalite_to_svg(specification), encoding="utf-8")
        return self._dressed(path.read_text(encoding="utf-8"), figure, f"drawing-{number}-")

    def _specification(self, figure: Figure, width: str) -> dict[str, Any]:
        narrow = width == "narrow"
        chart = dict(figure.drawn.chart or {})
        other = chart.pop("narrow", {})
        return {
            "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
            # Under each other where there is no room for one line of them.
            "config": THEME | {"legend": {**THEME["legend"], "columns": 3 if narrow else 6}},
            "autosize": {"type": "fit", "contains": "padding"},
            "data": {"values": figure.drawn.rows},
            "width": WIDTHS[width],
            **chart,
            **(other if narrow else {}),
        }

    @staticmethod
    def _dressed(svg: str, figure: Figure, prefix: str) -> str:
        """Without a size of its own, told as a whole, with ids that no other drawing of the page has."""
        view = re.search(r'viewBox="[^"]*"', svg)
        inner = SPOKEN.sub("", svg[svg.index(">") + 1 :])
        inner = IDENTIFIED.sub(lambda found: found[1] + prefix, inner)
        inner = re.sub(r' font-family="[^"]*"', "", inner).replace(f'"{MEASURED}px"', f'"{SHOWN}px"')
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {view[0] if view else ""} role="img"'
        return f'{head} aria-label="{escape(figure.title)}"><desc>{escape(figure.drawn.words)}</desc>{inner}'
