"""Nothing but the subject may tell a true claim from a false one: not its length, nor a word, nor the odds."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from math import exp, lgamma
from statistics import median

from studybank.formulas import prose
from studybank.kinds.true_false import TrueFalse
from studybank.model import Bank, Question
from studybank.problems import Problem
from studybank.rules.wording import words

# A cue is refused where chance alone would seldom make it so telling.
CHANCE = 0.05
CUES = {
    "an absolute (always, never, only, all, ...)": "always never only all every exactly must any entirely completely "
    "guarantee guarantees",
    "a negation": "not no none nothing neither nor without cannot n't unchanged unaffected",
    "a hedge (may, can, usually, about, ...)": "may might can could usually often typically generally about roughly "
    "nearly most some sometimes",
}


def _mark(words: str) -> re.Pattern[str]:
    whole = "|".join(word for word in words.split() if word != "n't")
    ending = r"|n['’]t\b" if "n't" in words.split() else ""
    # Part of a compound (all-weather, no-op) is a name rather than a cue.
    return re.compile(rf"(?<![\w-])(?:{whole})(?![\w-]){ending}", re.IGNORECASE)


def _claims(bank: Bank) -> list[TrueFalse]:
    return [q for q in bank.in_order if isinstance(q, TrueFalse) and q.verdict is not None and q.prompt.source]


def balance(bank: Bank) -> Iterator[Problem]:
    """Of a topic's claims 40 to 60% are true, or as near to half as their number allows."""
    by_topic = defaultdict(list)
    for claim in _claims(bank):
        by_topic[claim.topic].append(claim)
    # A claim that could not be read may be what a topic lacks.
    for question in bank.questions:
        if type(question) is Question or (isinstance(question, TrueFalse) and question.verdict is None):
            by_topic.pop(question.topic, None)
    for topic, claims in by_topic.items():
        true = sum(claim.verdict for claim in claims)
        slack = max(0.1 * len(claims), 0.5)
        if abs(true - len(claims) / 2) > slack:
            first = next(claim for claim in claims if claim.verdict == (true > len(claims) / 2))
            wrong = f"{true} of the {len(claims)} true/false claims of `{topic}` are true"
            yield first.problem(first.line_of("verdict"), "balance", wrong, "40 to 60%: turn one round")


def _by_chance(marked_true: int, marked: int, true: int, total: int) -> float:
    """How likely chance alone makes a cue at least this telling.

    Fisher's exact test, two-sided: the sum over the tables with the same margins that are no likelier than this one.
    """

    def log_choose(n: int, k: int) -> float:
        return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)

    def log_chance(k: int) -> float:
        return log_choose(true, k) + log_choose(total - true, marked - k) - log_choose(total, marked)

    seen = log_chance(marked_true) + 1e-9
    span = range(max(0, marked + true - total), min(marked, true) + 1)
    return sum(exp(log) for k in span if (log := log_chance(k)) <= seen)


def cues(bank: Bank) -> Iterator[Problem]:
    claims = _claims(bank)
    if not claims:
        return
    true = sum(claim.verdict for claim in claims)
    middle = median(words(claim.prompt) for claim in claims)
    marks = {what: _mark(cue) for what, cue in CUES.items()}
    marked = {what: [c for c in claims if mark.search(prose(c.prompt.source))] for what, mark in marks.items()}
    marked[f"more than {middle:g} words"] = [claim for claim in claims if words(claim.prompt) > middle]
    for what, cued in marked.items():
        cued_true = sum(claim.verdict for claim in cued)
        chance = _by_chance(cued_true, len(cued), true, len(claims))
        if chance < CHANCE:
            telling = cued_true / len(cued) > true / len(claims)
            example = next(claim for claim in cued if claim.verdict == telling)
            wrong = (
                f"{what} gives the verdict away: {cued_true} of {len(cued)} claims with it are true, "
                f"{true - cued_true} of {len(claims) - len(cued)} without (chance {chance:.3f})"
            )
            yield example.problem(example.prompt.line, "cue", wrong, "word some true and some false claims this way")
