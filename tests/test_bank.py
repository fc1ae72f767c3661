"""What this repository's own bank holds. Another bank in its place has tests of its own here."""

from __future__ import annotations

from studybank.model import Bank

ORIGINALS = [
    "state-total-after-sharding",
    "exactly-n-times-less-memory",
    "fsdp-and-zero-3",
    "sharding-and-matmul-size",
    "fsdp-when-the-model-fits",
    "all-gather-and-reduce-scatter-cost",
    "local-optimizer-step",
    "redundancy-at-every-instant",
    "checkpointing-and-sharding",
    "activations-left-out",
    "slices-multiplied",
    "gradients-all-reduced",
    "gather-buffer-size",
    "sharding-on-slow-links",
    "zero-1-and-parameters",
    "optimizer-state-first",
    "gather-again-in-backward",
    "discard-after-use",
    "reduce-scatter-not-all-reduce",
    "what-hides-communication",
    "pipeline-and-the-gather-group",
    "mixed-precision-and-sharding",
    "accumulation-and-traffic",
    "one-gpu",
    "size-not-divisible",
    "choosing-when-it-fits",
    "n-to-infinity",
    "infinitely-fast-network",
    "activations-do-not-fit",
]


def test_the_first_29_questions_are_in_the_bank(bank: Bank) -> None:
    assert len(ORIGINALS) == 29
    assert not set(ORIGINALS) - bank.by_id.keys()


def test_the_bank_is_of_the_size_that_was_promised(bank: Bank) -> None:
    assert len({q.kind for q in bank.questions}) == 5
    assert sum(q.kind == "compute" for q in bank.questions) >= 6
    assert sum(bool(c.aliases) for c in bank.concepts) >= 40
