"""The fonts that the site serves, cut to what it prints. Cut fonts are kept by content, since cutting takes longest."""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from typing import Any

from studybank import frontend

FONTSOURCE = frontend.MODULES / "@fontsource-variable"
TEXT_FONTS = {
    "serif.woff2": FONTSOURCE / "source-serif-4/files/source-serif-4-latin-wght-normal.woff2",
    "serif-italic.woff2": FONTSOURCE / "source-serif-4/files/source-serif-4-latin-wght-italic.woff2",
    "sans.woff2": FONTSOURCE / "inter/files/inter-latin-wght-normal.woff2",
    "mono.woff2": FONTSOURCE / "jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2",
}
# Latin letters and the punctuation of English; anything else falls back to the reader's own fonts.
TEXT = [*range(0x20, 0x7F), *range(0xA0, 0x180), *map(ord, "–—‘’“”„…•·′″←→↑↓−≈≠≤≥×÷€™")]
FEATURES = ("kern", "mark", "onum", "lnum", "tnum", "ss01")
WEIGHTS = (400, 700)

MATHS_FONTS = frontend.MODULES / "@mathjax/mathjax-stix2-font/chtml/woff2"
FAMILY = re.compile(r"MJX-STX-(\w+)|MJX-(BRK)")
# Fonts of one or two empty glyphs, which are addressed by more than the characters they print.
WHOLE = {"zero", "brk"}


def text_fonts(cache: Path) -> dict[str, Path]:
    """The faces of text, controls and code, by the name they are served under."""
    return {name: _kept(cache, path, _text_face, "text 1") for name, path in TEXT_FONTS.items()}


def write_maths(site: Path, style: str, glyphs: str, cache: Path) -> None:
    """Write the style sheet of the site's formulas, and the fonts that it names cut to the glyphs they print."""
    folder = site / "assets" / "fonts"
    folder.mkdir(parents=True, exist_ok=True)
    faces = []
    for name in sorted({(found[1] or found[2]).lower() for found in FAMILY.finditer(style)}):
        path = MATHS_FONTS / f"mjx-stx-{name}.woff2"
        if not path.exists():
            continue
        cut = path if name in WHOLE else _kept(cache, path, lambda font: _cut(font, map(ord, glyphs)), glyphs)
        (folder / path.name).write_bytes(cut.read_bytes())
        family = "MJX-BRK" if name == "brk" else f"MJX-STX-{name.upper()}"
        faces.append(f"@font-face{{font-family:{family};src:url(../fonts/{path.name}) format('woff2')}}")
    target = site / "assets" / "css" / "maths.css"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("\n".join([*faces, style, ""]), encoding="utf-8")


def _kept(cache: Path, path: Path, cut: Callable[[Any], Any], asked: str) -> Path:
    """The cut font, from the cache if it was cut so before."""
    name = blake2b(path.read_bytes() + asked.encode(), digest_size=8).hexdigest()
    kept = cache / "fonts" / f"{path.stem}-{name}.woff2"
    if not kept.exists():
        # Half a second to import, and most builds cut nothing.
        from fontTools.ttLib import TTFont

        font = cut(TTFont(path, recalcTimestamp=False))
        font.flavor = "woff2"
        made = BytesIO()
        font.save(made)
        kept.parent.mkdir(parents=True, exist_ok=True)
        part = kept.with_suffix(".part")
        part.write_bytes(made.getvalue())
        part.replace(kept)
    return kept


def _cut(font: Any, characters: Any, features: tuple[str, ...] = ()) -> Any:
    from fontTools import subset

    options = subset.Options(
        layout_features=list(features), name_IDs=[1, 2], notdef_outline=True, hinting=False, drop_tables=["ltag"]
    )
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=characters)
    cutter.subset(font)
    return font


def _text_face(font: Any) -> Any:
    from fontTools.varLib import instancer

    font = _cut(font, TEXT, FEATURES)
    return instancer.instantiateVariableFont(font, {"wght": WEIGHTS})
