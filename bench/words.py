"""Prose without meaning: made-up words between the small words of English, the same for the same seed.

It compresses like the prose of the bank, and holds none of the words that the rules for titles and claims look for.
"""

from __future__ import annotations

import random
from functools import cache
from itertools import accumulate

SMALL = """the of a in to is and for on with that by its as from at each it one than this when which two are before
after between so per through into over while then where both part whole takes gives holds leaves"""
STARTS = "b br c cl d dr f fl g gr h k l m n p pl qu r s sc st t tr v w"
MIDDLES = "a e i o u ea io"
ENDS = "n r l s t nd rm st x"
# Words that the syllables could make, and that a rule of the bank would take for a cue.
REFUSED = {"some", "none", "never", "mistake"}
VOCABULARY = 4000
# Of a text's words, this share is small ones: near that of English.
SHARE_OF_SMALL = 0.5
SENTENCE = (8, 24)


@cache
def _vocabulary() -> tuple[list[str], list[float]]:
    """Made-up words of two or three syllables, and how often each is used, summed: by Zipf's law."""
    draw = random.Random("vocabulary")
    starts, middles, ends = STARTS.split(), MIDDLES.split(), ["", *ENDS.split()]
    made: dict[str, None] = {}
    while len(made) < VOCABULARY:
        syllables = (draw.choice(starts) + draw.choice(middles) for _ in range(draw.choice((2, 2, 2, 3))))
        word = "".join(syllables) + draw.choice(ends)
        if word not in REFUSED:
            made[word] = None
    return list(made), list(accumulate(1 / (rank + 2) for rank in range(VOCABULARY)))


class Words:
    """A stream of prose. Each piece that is asked for is the next one of the stream."""

    def __init__(self, seed: str) -> None:
        self.draw = random.Random(seed)

    def word(self) -> str:
        vocabulary, sums = _vocabulary()
        return self.draw.choices(vocabulary, cum_weights=sums)[0]

    def words(self, number: int) -> list[str]:
        """So many words; neither the first nor the last is a small one, and no word stands twice in a row."""
        small_words = SMALL.split()
        made = [self.word()]
        while len(made) < number:
            small = self.draw.random() < SHARE_OF_SMALL and len(made) < number - 1
            word = self.draw.choice(small_words) if small else self.word()
            if word != made[-1]:
                made.append(word)
        return made

    def phrase(self, number: int) -> str:
        """So many words, the first with a capital."""
        return " ".join(self.words(number)).capitalize()

    def sentence(self, number: int, *inserts: str) -> str:
        """So many words, the inserts counted as one each and put in at random, with a capital and a full stop."""
        made = self.words(number - len(inserts))
        for insert in inserts:
            made.insert(self.draw.randrange(1, len(made)), insert)
        return f"{made[0].capitalize()} {' '.join(made[1:])}."

    def paragraph(self, number: int, *inserts: str) -> str:
        """So many words in sentences of a usual length, at most one insert in each."""
        shortest, longest = SENTENCE
        left = list(inserts)
        sentences = []
        while number:
            # What would be too short for a sentence of its own goes into the last one.
            length = number if number <= longest else self.draw.randint(shortest, min(longest, number - shortest))
            sentences.append(self.sentence(length, *left[:1]))
            number, left = number - length, left[1:]
        if left:
            raise ValueError("the paragraph is too short for its inserts")
        return " ".join(sentences)
