"""Names that must lead somewhere: topics, concepts, sources and other questions."""

from __future__ import annotations

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from studybank.kinds.true_false import TrueFalse
from studybank.model import Bank, Entry
from studybank.problems import Problem, one_of


def _at(entry: Entry, field: str, code: str, wrong: str, right: str) -> Problem:
    return Problem(entry.path, entry.line_of(field), code, wrong, right)


def topics(bank: Bank) -> Iterator[Problem]:
    """A question lies in the folder of a topic, a topic is learnt after earlier ones, and home asks a question."""
    known = [t.id for t in bank.about.topics]
    for question in bank.questions:
        if question.topic not in known:
            wrong = f"the folder `{question.topic}` is not a topic of bank.yaml"
            yield question.problem(1, "unknown-topic", wrong, one_of(question.topic, known))
    for i, topic in enumerate(bank.about.topics):
        for other in topic.learn_first:
            if other not in known[:i]:
                wrong = f"`{other}` does not come before `{topic.id}`"
                yield _at(topic, "learn_first", "unknown-topic", wrong, "name earlier topics")
        if not any(question.topic == topic.id for question in bank.questions):
            folder = Path(bank.root, "questions", topic.id)
            yield _at(topic, "id", "empty-topic", f"`{topic.id}` has no question", f"put one into {folder}/")
    trial = bank.by_id.get(bank.about.trial)
    claims = [q.id for q in bank.questions if isinstance(q, TrueFalse)]
    if not isinstance(trial, TrueFalse):
        wrong = f"`{bank.about.trial}` is not a true/false question"
        yield _at(bank.about, "trial", "unknown-id", wrong, one_of(bank.about.trial, claims))


def references(bank: Bank) -> Iterator[Problem]:
    """Each concept and source that a question names exists, and is named once."""
    for question in bank.questions:
        for concept in question.concepts:
            if concept not in bank.concept:
                wrong = f"`{concept}` is not in concepts.yaml"
                right = one_of(concept, bank.concept)
                yield question.problem(question.line_of("concepts"), "unknown-concept", wrong, right)
        if len(set(question.concepts)) < len(question.concepts):
            yield question.problem(question.line_of("concepts"), "twice", "a concept is named twice", "each once")
        for cited in question.sources:
            if cited.key not in bank.source:
                wrong = f"`{cited.key}` is not in sources.yaml"
                yield question.problem(cited.line, "unknown-source", wrong, one_of(cited.key, bank.source))


def requirements(bank: Bank) -> Iterator[Problem]:
    """What a question requires exists, and no way through `requires` leads back to where it began."""
    for question in bank.questions:
        for other in question.requires:
            if other not in bank.by_id:
                wrong = f"`{other}` is not a question"
                right = one_of(other, bank.by_id)
                yield question.problem(question.line_of("requires"), "unknown-id", wrong, right)
    graph = {q.id: sorted(set(q.requires)) for q in bank.questions}
    while True:
        try:
            TopologicalSorter(graph).prepare()
            return
        except CycleError as error:
            circle: list[str] = error.args[1][::-1]
            first = bank.by_id[circle[0]]
            wrong = "these require each other: " + " → ".join(circle)
            yield first.problem(first.line_of("requires"), "circle", wrong, "drop one of the steps")
            # Break this circle, to find the others in the same run.
            graph[circle[0]] = [other for other in graph[circle[0]] if other != circle[1]]


def concept_names(bank: Bank) -> Iterator[Problem]:
    """A name or alias belongs to one concept, or a search for it could not tell which is meant."""
    owner: dict[str, str] = {}
    for concept in bank.concepts:
        mine = set()
        for field, name in [("name", concept.name), *(("aliases", alias) for alias in concept.aliases)]:
            word = name.casefold()
            if owner.setdefault(word, concept.id) != concept.id:
                yield _at(concept, field, "alias", f"`{name}` names `{owner[word]}` too", "give it to one of the two")
            if field == "aliases" and name in mine:
                yield _at(concept, field, "alias", f"`{name}` is listed twice", "each alias once")
            mine.add(name)
