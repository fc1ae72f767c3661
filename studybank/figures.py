"""Figures of a bank: data, a chart of it, and the same in words, from what programs measured and formulas give.

`evidence/figures.py` has a function for each. Its docstring is the title and the caption; it is given the results of
all programs by name (`runs["peak-memory"].world_8.peak`), from which the site tells what the figure rests on, and
returns a mapping with

- `rows`: a list of mappings, each a row of the table that stands under the figure, its keys the heads of the columns;
- `words`: the figure in words, for those who don't see it;
- `chart`: a Vega-Lite specification without data, or None where the table alone is the figure;
- `group`: the column under whose values the rows are gathered in the table, or None.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError, model_validator

from studybank.modules import failure, loaded
from studybank.problems import Problem

FIGURES = "figures"
Cell = str | int | FiniteFloat | bool | None


class Drawn(BaseModel):
    """What a function of figures.py returns."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)

    rows: list[dict[str, Cell]] = Field(min_length=1)
    words: str = Field(min_length=1)
    chart: dict[str, Any] | None = None
    group: str | None = None

    @model_validator(mode="after")
    def _is_a_table(self) -> Drawn:
        columns = list(self.rows[0])
        if not columns:
            raise ValueError("row 0 has no columns")
        for i, row in enumerate(self.rows):
            if list(row) != columns:
                raise ValueError(f"row {i} has the columns {list(row)}, the first has {columns}")
        if self.group not in [None, *columns]:
            raise ValueError(f"group: `{self.group}` is not among the columns {columns}")
        if self.group and len(columns) == 1:
            raise ValueError(f"group: `{self.group}` is the only column")
        if self.chart is not None:
            if not self.chart or "data" in self.chart:
                raise ValueError("chart: a specification without `data`, which is `rows`, or None")
            try:
                json.dumps(self.chart, allow_nan=False)
            except (TypeError, ValueError) as error:
                raise ValueError(f"chart: {error}") from None
        return self


@dataclass(frozen=True)
class Figure:
    """`name` is part of its address; `runs` are the programs whose results it shows; `columns` those of the table."""

    name: str
    title: str
    caption: str
    drawn: Drawn
    runs: tuple[str, ...]

    @property
    def columns(self) -> list[str]:
        return [name for name in self.drawn.rows[0] if name != self.drawn.group]

    def numeric(self, column: str) -> bool:
        """Whether a column of the table holds numbers."""
        return any(isinstance(row[column], int | float) for row in self.drawn.rows)

    @property
    def groups(self) -> dict[Cell, list[dict[str, Cell]]]:
        """The rows of the table under what heads them, which is None where they are not gathered."""
        gathered: dict[Cell, list[dict[str, Cell]]] = {}
        for row in self.drawn.rows:
            gathered.setdefault(row[self.drawn.group] if self.drawn.group else None, []).append(row)
        return gathered


class Results(Mapping[str, Any]):
    """Results of programs, which knows which of them were `read`."""

    def __init__(self, results: Mapping[str, Any]) -> None:
        self._results = results
        self.read: list[str] = []

    def __getitem__(self, name: str) -> Any:
        # What one figure sorts is not what the next one reads.
        found = deepcopy(self._results[name])
        if name not in self.read:
            self.read.append(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)


def read_figures(folder: Path, results: Mapping[str, Any]) -> tuple[dict[str, Figure], list[Problem]]:
    """The figures of a bank by name, and what is wrong with them. `results` are those of its programs."""
    path = folder / f"{FIGURES}.py"
    if not path.exists():
        return {}, []
    module, problems = loaded(path, "figure")
    figures: dict[str, Figure] = {}
    for name, function in list(vars(module).items()) if module else ():
        if name[0] == "_" or not inspect.isfunction(function) or function.__module__ != FIGURES:
            continue
        _, line = inspect.getsourcelines(function)
        title, _, caption = (inspect.getdoc(function) or "").partition("\n")
        if not title or not caption.strip():
            wrong = f"`{name}` has no title and caption"
            right = "a docstring: a line, an empty line, and what the figure shows"
            problems.append(Problem(str(path), line, "figure", wrong, right))
            continue
        read = Results(results)
        try:
            drawn = Drawn.model_validate(function(read))
        except ValidationError as error:
            said = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
            problems.append(
                Problem(str(path), line, "figure", f"`{name}` returns no figure ({said})", "rows, words, chart")
            )
        except (Exception, SystemExit) as error:  # As above: the bank's own program.
            problems.append(failure(error, path, "figure"))
        else:
            words = " ".join(caption.split())
            figure = Figure(name.replace("_", "-"), title.rstrip("."), words, drawn, tuple(read.read))
            figures[figure.name] = figure
    return figures, problems
