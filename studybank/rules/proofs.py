"""Claims that a program decides: what a question says of formulas and of measurements has to hold."""

from __future__ import annotations

from collections.abc import Iterator

from studybank.claims import ClaimError
from studybank.model import Bank
from studybank.problems import Problem


def proofs(bank: Bank) -> Iterator[Problem]:
    for question in bank.questions:
        for claim in (*question.checks, *question.runs):
            try:
                outcome = bank.evidence.outcome(claim.expression, claim.run)
            except ClaimError as error:
                yield question.problem(claim.line, "claim", error.wrong, error.right)
            else:
                if not outcome.holds:
                    wrong = f"`{claim.expression}` is false: the value is {outcome.value}"
                    yield question.problem(claim.line, "claim", wrong, "mend the question, or the claim")
