"""Measure our site and a stock one with the same questions, and print the medians."""

from __future__ import annotations

import argparse
import gzip
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.building import Time, build, forget_maths, peak_memory, times
from bench.questions import subject
from bench.report import Row, machine, table
from bench.serving import edit_time
from bench.sites import Site, ours, stock
from bench.weight import Weight, weight
from studybank import frontend
from tests.sites import ROOT

SIZES = (30, 1_000, 10_000)
ROUNDS = {30: 5, 1_000: 3, 10_000: 1}
SERVED = 1_000
SERVE_ROUNDS = 5
WEIGHED = 120
HELD = 10_000
PARTS = ("build", "memory", "serve", "weight")

# Goals. Of builds: seconds more than stock, or times as long as stock, with known formulas and with new ones.
MORE = {30: {"warm": 0.6, "cold": 1.5}}
TIMES = {size: {"warm": 1.3, "cold": 3.0} for size in (1_000, 10_000)}
MEGABYTES = 600
KILOBYTES = {"page": 45, "first": 300, "following": 60, "script": 90}

WEIGHTS = {
    "page": "a page of 25 questions, HTML alone",
    "first": "first visit, search and fonts included",
    "following": "next topic page, cache warm",
    "script": "all script",
}


def main() -> None:
    options = _options()
    rows: list[Row] = []
    for part in PARTS:
        if part in options.parts:
            for row in MEASURES[part](options):
                print(row, file=sys.stderr)
                rows.append(row)
    print(table(rows))
    print(f"\n{_notes()}\n\n{machine()}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--sizes", type=_list_of(int), default=SIZES, help="of the banks to build (30,1000,10000)")
    parser.add_argument("--rounds", type=int, help="builds of each kind (5, 3 and 1 for those sizes)")
    parser.add_argument("--parts", type=_list_of(str), default=PARTS, help=f"what to measure ({','.join(PARTS)})")
    parser.add_argument("--quick", action="store_true", help="one round of builds of 30 questions, and the weights")
    parser.add_argument("--folder", type=Path, default=ROOT / "build/bench", help="for the sites (build/bench)")
    options = parser.parse_args()
    if options.quick:
        options.sizes, options.rounds, options.parts = [30], 1, ["build", "weight"]
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    return options


def _list_of(kind: Callable[[str], object]) -> Callable[[str], list[object]]:
    return lambda given: [kind(item) for item in given.split(",")]


def _sites(options: argparse.Namespace, size: int) -> tuple[Site, Site]:
    """The stock site and ours with so many questions."""
    questions = subject(size)
    folder = options.folder.resolve() / str(size)
    return stock(questions, folder / "stock"), ours(questions, folder / "ours")


def _builds(options: argparse.Namespace) -> Iterator[Row]:
    for size in options.sizes:
        found = times(*_sites(options, size), options.rounds or ROUNDS.get(size, 1))
        yield _build_row(size, "warm", found)
        yield _build_row(size, "cold", found)


def _build_row(size: int, state: str, found: dict[str, Time]) -> Row:
    what = f"build, {size:,} questions, {'formulas known' if state == 'warm' else 'formulas new'}"
    stock, ours = found["stock"], found[state]
    more, ratio = ours.wall - stock.wall, ours.wall / stock.wall
    if goal := MORE.get(size, {}).get(state):
        compared, aim, met = f"{more:+.2f} s", f"+{goal:.1f} s", more <= goal
        return Row(what, _seconds(stock), _seconds(ours), compared, aim, met)
    if goal := TIMES.get(size, {}).get(state):
        return Row(what, _seconds(stock), _seconds(ours), f"{ratio:.2f} ×", f"{goal:.1f} ×", ratio <= goal)
    return Row(what, _seconds(stock), _seconds(ours), f"{ratio:.2f} ×")


def _seconds(time: Time) -> str:
    return f"{time.wall:.2f} s ({time.cpu:.2f})"


def _memory(options: argparse.Namespace) -> Iterator[Row]:
    stock, ours = _sites(options, HELD)
    forget_maths()
    build(ours)
    peak = peak_memory(stock) / 1e6
    for state in ("known", "new"):
        if state == "new":
            forget_maths()
        held = peak_memory(ours) / 1e6
        what = f"peak memory, {HELD:,} questions, formulas {state}"
        yield Row(what, f"{peak:.0f} MB", f"{held:.0f} MB", f"{held / peak:.2f} ×", f"{MEGABYTES} MB", held < MEGABYTES)


def _serve(options: argparse.Namespace) -> Iterator[Row]:
    stock, ours = (edit_time(site, SERVE_ROUNDS) for site in _sites(options, SERVED))
    what = f"edit to page under `serve`, {SERVED:,} questions"
    yield Row(what, f"{stock:.2f} s", f"{ours:.2f} s", f"{ours / stock:.2f} ×", "1.0 ×", ours <= stock)


def _weigh(options: argparse.Namespace) -> Iterator[Row]:
    weights: list[Weight] = []
    for site in _sites(options, WEIGHED):
        build(site)
        weights.append(weight(site.built, site.page, site.next_page))
    for name, what in WEIGHTS.items():
        stock, ours = (getattr(found, name) / 1e3 for found in weights)
        goal = KILOBYTES[name]
        yield Row(what, f"{stock:.1f} KB", f"{ours:.1f} KB", f"{ours / stock:.2f} ×", f"{goal} KB", ours <= goal)


MEASURES: dict[str, Callable[[argparse.Namespace], Iterator[Row]]] = {
    "build": _builds,
    "memory": _memory,
    "serve": _serve,
    "weight": _weigh,
}


def _notes() -> str:
    mathjax = len(gzip.compress((frontend.MODULES / "mathjax" / "tex-mml-chtml.js").read_bytes(), 9)) / 1e3
    return f"""\
Medians. Seconds are those of the whole command, the bank's checks included; in brackets, processor seconds of all its
processes. Memory is the sum over all processes. Weights are of compressed bodies (KB = 1,000 bytes) in a bank of
{WEIGHED} questions; the stock page needs text fonts and MathJax in the browser as well ({mathjax:.0f} KB of script, and
its fonts), which come from other servers and are not counted."""


if __name__ == "__main__":
    main()
