"""Memory of the logits at the loss.

A head of vocabulary 128,256 on 8,192 tokens in fp32, with tensors that have no data, counted by PyTorch's memory
tracker: the peak of `cross_entropy` and its backward, in sizes of the logits, and the same with the loss computed in
chunks of tokens whose backward runs at once. The head is narrow, so that its own weight and input count for little.
"""

from __future__ import annotations

from typing import Any

import torch
from toolbox import main
from torch import nn
from torch._subclasses import FakeTensorMode
from torch.distributed._tools.mem_tracker import MemTracker

SETTINGS = {"tokens": 8192, "vocabulary": 128_256, "width": 8, "chunks": 8}
# Chunks of half as many tokens.
MUTATION = {"chunks": 16}


def peak(tokens: int, vocabulary: int, width: int, *, chunks: int = 1, hold: bool = False) -> float:
    with FakeTensorMode(), MemTracker() as tracker:
        head = nn.Linear(width, vocabulary, bias=False)
        hidden = torch.randn(tokens, width, requires_grad=True)
        target = torch.zeros(tokens, dtype=torch.long)
        for part, right in zip(hidden.chunk(chunks), target.chunk(chunks), strict=True):
            tracker.reset_mod_stats()
            if hold:
                logits = head(part)
                nn.functional.cross_entropy(logits, right).backward()
                del logits
            else:
                nn.functional.cross_entropy(head(part), right).backward()
    highest = tracker.get_tracker_snapshot("peak")[torch.device("cpu")]
    return round(highest["Total"] / (tokens * vocabulary * 4), 3)


def measure(tokens: int, vocabulary: int, width: int, chunks: int) -> dict[str, Any]:
    return {
        "bytes": tokens * vocabulary * 4,
        "peak": peak(tokens, vocabulary, width),
        "peak_while_held": peak(tokens, vocabulary, width, hold=True),
        "peak_in_chunks": peak(tokens, vocabulary, width, chunks=chunks),
    }


if __name__ == "__main__":
    main(measure, SETTINGS, MUTATION)
