"""Pages come out as Markdown by itself would make them, only sooner."""

from __future__ import annotations

import pytest
from bs4 import BeautifulSoup
from markdown import markdown

from studybank.frames import anchors, lifted, restored
from studybank.skips import Skips

EXTENSIONS = ["attr_list", "md_in_html", "smarty", "pymdownx.betterem", "pymdownx.superfences"]
CARD = """\
<article class="card" markdown>

## A title {#name}

<p class="meta"><a href="../kinds/">A kind</a></p>

<div id="name--why" markdown>

Some *text* with `code`,
and a list:

- one
- two

```html
<p>not a piece of the frame</p>
```
<div class="corrected" markdown>
**Put right:** "quoted" -- so.
</div>

<ul class="points" markdown>
<li markdown="span"><label><input type="checkbox"> <span>`A` *point*</span></label></li>
<li markdown="span"><label><input type="checkbox"> <span>1. no list</span></label></li>
</ul>
</div>
<nav>
<a href="#x">It's next</a>
</nav>

</article>
"""


def shape(html: str) -> str:
    """HTML without the differences that no reader sees."""
    return BeautifulSoup(html, "html.parser").prettify()


def test_a_frame_comes_back_around_what_markdown_made() -> None:
    source, frame = lifted(CARD)
    assert "<article" not in source
    assert "<p>not a piece" in source
    made = restored(markdown(source, extensions=EXTENSIONS), frame)
    assert shape(made) == shape(markdown(CARD, extensions=EXTENSIONS))
    assert list(anchors(frame)) == ["name--why"]


def test_a_quiz_is_left_to_its_plugin() -> None:
    quiz = "<quiz>\nTrue or false?\n\n- [x] True\n- [ ] False\n</quiz>\n"
    assert lifted(quiz) == (quiz, [])


@pytest.mark.parametrize("source", ["plain", '"It\'s" -- so...', "*a* `b--c` **'d'**", "- a\n- 'b'\n\n> c\n", CARD])
def test_what_is_skipped_would_not_have_changed(source: str) -> None:
    assert markdown(source, extensions=[*EXTENSIONS, Skips()]) == markdown(source, extensions=EXTENSIONS)
