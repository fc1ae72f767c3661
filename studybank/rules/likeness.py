"""Prompts that say nearly the same: the second of two near-duplicates teaches nothing."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from math import ceil

from studybank.model import Bank
from studybank.problems import Problem

# Two prompts whose sets of word triples overlap by this share (Jaccard) are near-duplicates.
THRESHOLD = 0.7
WORD = re.compile(r"\w+")


def _shingles(source: str) -> set[str]:
    words = WORD.findall(source.casefold())
    return {" ".join(words[i : i + 3]) for i in range(max(1, len(words) - 2))}


def near_duplicates(bank: Bank) -> Iterator[Problem]:
    """Exact, and near linear: two sets that overlap enough share one of their rarest members.

    The prefix filter of Chaudhuri, Ganti and Kaushik (ICDE 2006), as used by Bayardo, Ma and Srikant (WWW 2007).
    """
    prompts = {q.id: _shingles(q.prompt.source) for q in bank.questions if q.prompt.source}
    count = Counter(shingle for shingles in prompts.values() for shingle in shingles)
    holders: defaultdict[str, list[str]] = defaultdict(list)
    for name, shingles in prompts.items():
        rarest = sorted(shingles, key=lambda s: (count[s], s))[: len(shingles) - ceil(THRESHOLD * len(shingles)) + 1]
        for other in {holder for shingle in rarest for holder in holders[shingle]}:
            shared = len(shingles & prompts[other])
            if shared >= THRESHOLD * (len(shingles) + len(prompts[other]) - shared):
                here, there = bank.by_id[name], bank.by_id[other]
                wrong = f"the prompt is nearly that of {there.path}:{there.prompt.line}"
                yield here.problem(here.prompt.line, "duplicate", wrong, "ask something else, or merge the two")
        for shingle in rarest:
            holders[shingle].append(name)
