"""Names of controls, for those who hear them: a browser leaves formulas out of a name that it makes from a text."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape

from studybank.formulas import TOKEN

# The tag of a control, where its words stand right behind it.
CONTROL = re.compile(
    r'<(?P<tag>summary|input type="checkbox")(?P<attributes>[^>]*)>(?= ?(?:<span>)?(?P<words>.*?)</(?:summary|span)>)'
)
TAG = re.compile(r"<[^>]*>")


def named(html: str, plain: Callable[[str], str]) -> str:
    """The page with a name for each control whose words hold a formula; `plain` turns tokens into plain text."""

    def name(found: re.Match[str]) -> str:
        words = TAG.sub("", found["words"])
        if not TOKEN.search(words) or "aria-label=" in found["attributes"]:
            return found[0]
        said = TOKEN.sub(lambda token: escape(plain(token[0])), words).replace('"', "&quot;")
        return f'<{found["tag"]}{found["attributes"]} aria-label="{said}">'

    return CONTROL.sub(name, html)
