"""How long a build takes, and how much memory it holds at its worst."""

from __future__ import annotations

import resource
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

import psutil

from bench.sites import Site
from studybank import frontend
from tests.sites import quiet

# Long enough that looking does not slow down what is looked at, short enough to catch a process of a second.
SAMPLE = 0.1


@dataclass(frozen=True)
class Time:
    """Seconds on the wall, and seconds of processor time over all processes of a build."""

    wall: float
    cpu: float


def forget_maths() -> None:
    """Delete the set formulas and the fonts cut for them. The text fonts stay: no change to a bank has them cut again.

    The formulas of this repository's own bank go with them: every site has its formulas from one store.
    """
    for path in [*frontend.CACHE.glob("maths-*.sqlite"), *frontend.CACHE.glob("fonts/mjx-*")]:
        path.unlink()


def build(site: Site) -> Time:
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(site.mkdocs("build"), env=quiet(), check=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Time(wall, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def times(stock: Site, ours: Site, rounds: int) -> dict[str, Time]:
    """Medians of a stock build, ours with all formulas known ("warm") and ours with none ("cold"), taken in turns."""
    found: dict[str, list[Time]] = {"stock": [], "warm": [], "cold": []}
    # So that the store holds what this bank needs, and nothing of larger ones.
    forget_maths()
    for site in (stock, ours):
        build(site)
    for _ in range(rounds):
        found["stock"].append(build(stock))
        found["warm"].append(build(ours))
        forget_maths()
        found["cold"].append(build(ours))
    return {name: Time(median(t.wall for t in made), median(t.cpu for t in made)) for name, made in found.items()}


def peak_memory(site: Site) -> int:
    """The most memory, in bytes, that the processes of a build hold at once, of those moments that were looked at."""
    with subprocess.Popen(site.mkdocs("build"), env=quiet()) as process:
        most = 0
        while process.poll() is None:
            most = max(most, sum(_held(psutil.Process(process.pid))))
            time.sleep(SAMPLE)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, process.args)
    return most


def _held(parent: psutil.Process) -> Iterator[int]:
    """Bytes by process; memory in common with others counts in proportion, where the system tells that."""
    try:
        family = [parent, *parent.children(recursive=True)]
    except psutil.NoSuchProcess:
        return
    for process in family:
        try:
            info = process.memory_full_info()
        except psutil.Error:
            # It ended in the meantime.
            continue
        yield getattr(info, "pss", info.rss)
