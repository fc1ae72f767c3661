"""Synthetic questions: any number, the same on every run, each as long as a real one.

A third are true/false claims, half of them true; the other kinds share the rest. Each question holds five formulas, two
of which stand nowhere else; the other three are among COMMON.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from bench.words import Words

A_TOPIC = 25
KINDS = ("why", "spot-the-error", "compute", "edge-case")
COMMON = tuple(
    tex % letter
    for letter in "NSBLKM"
    for tex in (r"%s", r"\frac{%s-1}{2}", r"O(%s \log n)", r"\alpha %s", r"%s^2", r"\sqrt{%s}", r"2\Psi/%s")
)


@dataclass(frozen=True)
class Concept:
    id: str
    name: str
    aliases: list[str]
    definition: str


@dataclass(frozen=True)
class Source:
    key: str
    cite: str
    title: str
    authors: str
    link: str


@dataclass(frozen=True)
class Choice:
    text: str
    right: bool
    why: str


@dataclass(frozen=True)
class Question:
    """Markdown throughout. `verdict` is None where the question is no claim; a source is a key and a place in it."""

    id: str
    kind: str
    title: str
    verdict: bool | None
    difficulty: int
    concepts: list[Concept]
    sources: list[tuple[Source, str]]
    requires: list[str]
    prompt: str
    answer: str
    explanation: str
    corrected: str | None
    points: list[str]
    hints: list[str]
    choices: list[Choice]


@dataclass(frozen=True)
class Topic:
    id: str
    title: str
    summary: str
    questions: list[Question] = field(default_factory=list)


@dataclass(frozen=True)
class Subject:
    """A synthetic bank. `concepts` and `sources` are those that its questions name, and grow with its size."""

    concepts: list[Concept]
    sources: list[Source]
    topics: list[Topic]


def subject(number: int) -> Subject:
    """A bank of so many questions."""
    words = Words(f"subject of {number}")
    concepts = [_concept(words, i) for i in range(50 + number // 50)]
    sources = [_source(words, i) for i in range(20 + number // 100)]
    # An even number, so that half of them can be true; a true and a false claim after each other are of one length.
    claims = 2 * round(number / 6)
    topics: list[Topic] = []
    claim = other = 0
    for i in range(number):
        if i % A_TOPIC == 0:
            name = words.phrase(3)
            topics.append(Topic(_slug(name, len(topics)), name, words.sentence(14)))
        is_claim = (i + 1) * claims // number > i * claims // number
        verdict = claim % 2 == 0 if is_claim else None
        kind = "true-false" if is_claim else KINDS[other % len(KINDS)]
        length = 20 + claim // 2 % 21 if is_claim else 30 + other % 41
        claim, other = claim + is_claim, other + (not is_claim)
        topics[-1].questions.append(_question(words, i, kind, verdict, length, concepts, sources, topics[-1].questions))
    return Subject(concepts, sources, topics)


def _slug(name: str, number: int) -> str:
    """An id of the name, told apart by the number."""
    return f"{name.lower().replace(' ', '-')}-{number}"


def _concept(words: Words, number: int) -> Concept:
    name = f"{words.phrase(2)} {number}"
    aliases = [f"{words.word()} {words.word()} {number}.{i}" for i in range(words.draw.randint(2, 6))]
    return Concept(_slug(name, number), name, aliases, words.paragraph(30))


def _source(words: Words, number: int) -> Source:
    name, year = words.word(), 2000 + number % 25
    title, authors = words.phrase(8), ", ".join(words.phrase(2).title() for _ in range(4))
    link = f"https://example.org/{name}/{number}"
    return Source(f"{name}-{number}", f"{name.title()} et al. {year}", title, authors, link)


def _question(
    words: Words,
    number: int,
    kind: str,
    verdict: bool | None,
    length: int,
    concepts: list[Concept],
    sources: list[Source],
    earlier: list[Question],
) -> Question:
    """A question whose prompt has `length` words."""
    draw = words.draw
    common = [f"${tex}$" for tex in draw.sample(COMMON, 3)]
    title = f"{words.phrase(draw.randint(4, 7))} {number}"
    opening = "" if verdict is None else f"{verdict}: "
    prompt = words.sentence(length, common[0]) if verdict is not None else words.paragraph(length, common[0])
    mended = verdict is False or kind == "spot-the-error"
    return Question(
        id=_slug(title.rpartition(" ")[0], number),
        kind=kind,
        title=title,
        verdict=verdict,
        difficulty=draw.randint(1, 3),
        concepts=draw.sample(concepts, draw.randint(3, 5)),
        sources=[(source, f"§{draw.randint(2, 9)}.1") for source in draw.sample(sources, draw.randint(1, 3))],
        requires=[draw.choice(earlier).id] if earlier and draw.random() < 0.5 else [],
        prompt=prompt,
        answer=opening + words.sentence(draw.randint(16, 32), _own_inline(number)),
        explanation=_explanation(words, number, common[1:]),
        corrected=words.sentence(draw.randint(20, 36)) if mended else None,
        points=[words.phrase(draw.randint(7, 13)) for _ in range(draw.randint(3, 5))],
        hints=[words.sentence(draw.randint(9, 17)) for _ in range(draw.randint(0, 2))],
        choices=_choices(words) if kind in ("spot-the-error", "compute") else [],
    )


def _explanation(words: Words, number: int, common: list[str]) -> str:
    """70 to 240 words around a displayed formula, with two common ones and a name in code."""
    draw = words.draw
    total = draw.randint(70, 240)
    before = draw.randint(25, total - 40)
    code = f"`{words.word()}_{words.word()}()`"
    lead, rest = words.paragraph(before, common[0]), words.paragraph(total - before, common[1], code)
    return f"{lead}\n\n$$\n{_own_display(number)}\n$$\n\n{rest}"


def _own_inline(number: int) -> str:
    return rf"$\frac{{{number}}}{{{number + 3}}}\cdot {number + 7}\,\Psi$"


def _own_display(number: int) -> str:
    n = number
    terms = rf"(N-1)\,\alpha + \frac{{{n}-1}}{{N}}\cdot\frac{{S}}{{B}} + \sum_{{i=1}}^{{{n + 2}}} \sqrt{{x_i^2 + {n}}}"
    return f"t_{{{n}}} = {terms}"


def _choices(words: Words) -> list[Choice]:
    draw, right = words.draw, words.draw.randrange(4)
    return [Choice(words.phrase(draw.randint(5, 9)), i == right, words.sentence(draw.randint(9, 17))) for i in range(4)]
