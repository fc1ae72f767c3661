"""Figures of a bank: data, a chart of it, and the same in words, from what programs measured and formulas give.

`evidence/figures.py` has a function for each. Its docstring is the title and the caption; it is given the results of
all programs by name (`runs["peak-memory"].world_8.peak`) and returns a mapping with

- `rows`: a list of mappings, each a row of the table that stands under the figure, its keys the heads of the columns;
- `words`: the figure in words, for those who don't see it;
- `chart`: a Vega-Lite specification without data, or None where the table alone is the figure.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from studybank.modules import failure, loaded
from studybank.problems import Problem

FIGURES = "figures"
Cell = str | int | float | bool | None


class Drawn(BaseModel):
    """What a function of figures.py returns."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rows: list[dict[str, Cell]] = Field(min_length=1)
    words: str = Field(min_length=1)
    chart: dict[str, Any] | None = None


@dataclass(frozen=True)
class Figure:
    """`name` is part of its address; `columns` are those of the table."""

    name: str
    title: str
    caption: str
    drawn: Drawn

    @property
    def columns(self) -> list[str]:
        return list(self.drawn.rows[0])


def read_figures(folder: Path, results: Mapping[str, Any]) -> tuple[dict[str, Figure], list[Problem]]:
    """The figures of a bank by name, and what is wrong with them. `results` are those of its programs."""
    path = folder / f"{FIGURES}.py"
    if not path.exists():
        return {}, []
    module, problems = loaded(path, "figure")
    figures: dict[str, Figure] = {}
    for name, function in vars(module).items() if module else ():
        if name[0] == "_" or not inspect.isfunction(function) or function.__module__ != FIGURES:
            continue
        _, line = inspect.getsourcelines(function)
        title, _, caption = (inspect.getdoc(function) or "").partition("\n")
        if not title or not caption.strip():
            wrong = f"`{name}` has no title and caption"
            right = "a docstring: a line, an empty line, and what the figure shows"
            problems.append(Problem(str(path), line, "figure", wrong, right))
            continue
        try:
            drawn = Drawn.model_validate(function(results))
        except ValidationError as error:
            said = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
            problems.append(
                Problem(str(path), line, "figure", f"`{name}` returns no figure ({said})", "rows, words, chart")
            )
        except Exception as error:  # As above: the bank's own program.
            problems.append(failure(error, path, "figure"))
        else:
            figure = Figure(name.replace("_", "-"), title.rstrip("."), " ".join(caption.split()), drawn)
            figures[figure.name] = figure
    return figures, problems
