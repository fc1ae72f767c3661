"""What a bank must hold to, one module a family of checks.

A rule is a function from the bank to the problems that it finds. To add one, write it in its family and name it here.
"""

from collections.abc import Callable, Iterator

from studybank.model import Bank
from studybank.problems import Problem
from studybank.rules.cues import balance, cues
from studybank.rules.layout import layout
from studybank.rules.ledger import retired_ids, vanished_ids
from studybank.rules.likeness import near_duplicates
from studybank.rules.markup import markup
from studybank.rules.numbers import numbers
from studybank.rules.proofs import proofs
from studybank.rules.references import concept_names, figures, references, requirements, topics
from studybank.rules.titles import plain, titles
from studybank.rules.wording import lengths, stems, unfilled

RULES: tuple[Callable[[Bank], Iterator[Problem]], ...] = (
    topics,
    references,
    figures,
    requirements,
    concept_names,
    retired_ids,
    vanished_ids,
    titles,
    plain,
    markup,
    layout,
    unfilled,
    proofs,
    numbers,
    lengths,
    stems,
    near_duplicates,
    balance,
    cues,
)


def broken(bank: Bank) -> list[Problem]:
    """Every problem that a rule finds in the bank."""
    found = [problem for rule in RULES for problem in rule(bank)]
    return found + [
        question.problem(question.line_of(field), code, wrong, right)
        for question in bank.questions
        for field, code, wrong, right in question.faults()
    ]
