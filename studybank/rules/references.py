"""Names that must lead somewhere: topics, concepts, sources and other questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from studybank.kinds.true_false import TrueFalse
from studybank.model import Bank, Entry, Question
from studybank.problems import Problem, one_of


def _at(entry: Entry, field: str, code: str, wrong: str, right: str) -> Problem:
    return Problem(entry.path, entry.line_of(field), code, wrong, right)


def _all_known(entries: Mapping[str, Entry]) -> bool:
    """Whether all of a file could be read, so that a name which is not in it is wrong."""
    return bool(entries) and "" not in entries


def topics(bank: Bank) -> Iterator[Problem]:
    """A question lies in the folder of a topic, a topic is learnt after earlier ones, and home asks a question."""
    known = [t.id for t in bank.about.topics]
    filled = {question.topic for question in bank.questions}
    for question in bank.questions:
        if question.topic not in known and "" not in known:
            wrong = f"the folder `{question.topic}` is not a topic of bank.yaml"
            yield question.problem(1, "unknown-topic", wrong, one_of(question.topic, known))
    for i, topic in enumerate(bank.about.topics):
        for n, other in enumerate(topic.learn_first):
            if other not in known[:i]:
                wrong = f"`{other}` does not come before `{topic.id}`"
                yield _at(topic, f"learn_first.{n}", "unknown-topic", wrong, "name earlier topics")
        if topic.id and topic.id not in filled:
            folder = Path(bank.root, "questions", topic.id)
            yield _at(topic, "id", "empty-topic", f"`{topic.id}` has no question", f"put one into {folder}/")
    trial = bank.by_id.get(bank.about.trial)
    claims = [q.id for q in bank.questions if isinstance(q, TrueFalse)]
    # A file that could not be read may well hold what is asked for.
    if bank.about.trial and not isinstance(trial, TrueFalse) and type(trial) is not Question:
        wrong = f"`{bank.about.trial}` is not a true/false question"
        yield _at(bank.about, "trial", "unknown-id", wrong, one_of(bank.about.trial, claims))


def references(bank: Bank) -> Iterator[Problem]:
    """Each concept and source that a question names exists, and is named once."""
    for question in bank.questions:
        for i, concept in enumerate(question.concepts):
            if concept not in bank.concept and _all_known(bank.concept):
                wrong = f"`{concept}` is not in concepts.yaml"
                right = one_of(concept, bank.concept)
                yield question.problem(question.line_of(f"concepts.{i}"), "unknown-concept", wrong, right)
        if len(set(question.concepts)) < len(question.concepts):
            yield question.problem(question.line_of("concepts"), "twice", "a concept is named twice", "each once")
        for cited in question.sources:
            if cited.key and cited.key not in bank.source and _all_known(bank.source):
                wrong = f"`{cited.key}` is not in sources.yaml"
                yield question.problem(cited.line, "unknown-source", wrong, one_of(cited.key, bank.source))


def figures(bank: Bank) -> Iterator[Problem]:
    """Each figure that a question shows is drawn."""
    known = bank.evidence.figures
    for question in bank.questions:
        for i, name in enumerate(question.figures):
            if name not in known:
                wrong = f"`{name}` is not in evidence/figures.py"
                yield question.problem(question.line_of(f"figures.{i}"), "unknown-figure", wrong, one_of(name, known))


def requirements(bank: Bank) -> Iterator[Problem]:
    """What a question requires exists, and no way through `requires` leads back to where it began."""
    for question in bank.questions:
        for i, other in enumerate(question.requires):
            if other not in bank.by_id:
                wrong = f"`{other}` is not a question"
                right = one_of(other, bank.by_id)
                yield question.problem(question.line_of(f"requires.{i}"), "unknown-id", wrong, right)
    graph = {q.id: sorted(set(q.requires)) for q in bank.questions}
    while True:
        try:
            TopologicalSorter(graph).prepare()
            return
        except CycleError as error:
            circle: list[str] = error.args[1][::-1]
            first = bank.by_id[circle[0]]
            wrong = "these require each other: " + " → ".join(circle)
            line = first.line_of(f"requires.{first.requires.index(circle[1])}")
            yield first.problem(line, "circle", wrong, "drop one of the steps")
            # Break this circle, to find the others in the same run.
            graph[circle[0]] = [other for other in graph[circle[0]] if other != circle[1]]


def concept_names(bank: Bank) -> Iterator[Problem]:
    """A name or alias belongs to one concept, or a search for it could not tell which is meant."""
    owner: dict[str, str] = {}
    for concept in bank.concepts:
        mine = set()
        for field, name in [("name", concept.name), *((f"aliases.{i}", a) for i, a in enumerate(concept.aliases))]:
            word = name.casefold()
            if word and owner.setdefault(word, concept.id) != concept.id:
                yield _at(concept, field, "alias", f"`{name}` names `{owner[word]}` too", "give it to one of the two")
            if field != "name" and name in mine:
                yield _at(concept, field, "alias", f"`{name}` is listed twice", "each alias once")
            mine.add(name)
