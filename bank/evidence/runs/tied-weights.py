"""An embedding and a head with one weight, in one unit of FSDP or in two.

Four transformer blocks, each a unit, on two processes. A step of SGD is held against that of one process that sees both
batches: either both modules come out with its weight, or each with one of its own, or the first forward stops with an
error.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from toolbox import Block, Transformer, agreed, flattened, fsdp1, loss, main, sharded, tokens, whole
from torch import Tensor, nn
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
from torch.distributed.fsdp.wrap import ModuleWrapPolicy

SETTINGS = {"processes": 2, "one_call": True}
# As if a list of modules made a group of each.
MUTATION = {"one_call": False}
UNITS = {Block, nn.Embedding, nn.Linear}


def tied() -> Transformer:
    torch.manual_seed(0)
    model = Transformer()
    model.head.weight = model.embedding.weight
    return model


def grouped(*, one_call: bool) -> Transformer:
    model = tied()
    ends = [model.embedding, model.head]
    for group in [ends] if one_call else ends:
        fully_shard(group)
    return sharded(model)


def ends(model: nn.Module) -> list[Tensor]:
    """The weights of embedding and head, whole."""
    if isinstance(model, FullyShardedDataParallel):
        with FullyShardedDataParallel.summon_full_params(model):
            return [end.weight.detach().clone() for end in (model.embedding, model.head)]
    return [whole(end.weight) for end in (model.embedding, model.head)]


def outcome(model: nn.Module) -> str:
    alone = tied()
    for member in range(dist.get_world_size()):
        (loss(alone, tokens(member)) / dist.get_world_size()).backward()
    try:
        forward = loss(model, tokens(dist.get_rank()))
    except ValueError:
        return "ValueError"
    except RuntimeError as error:
        return f"RuntimeError, {str(error).partition(',')[0]}"
    forward.backward()
    for trained in (alone, model):
        torch.optim.SGD(trained.parameters(), lr=0.1).step()
    right = whole(alone.embedding.weight)
    embedding, head = ends(model)
    if not torch.equal(embedding, head):
        return "untied"
    return "as one process" if torch.allclose(embedding, right, rtol=0, atol=1e-6) else "otherwise"


def every(one_call: bool) -> dict[str, Any]:
    return {
        "in_the_root": outcome(sharded(tied())),
        "one_group": outcome(grouped(one_call=one_call)),
        "two_groups": outcome(grouped(one_call=False)),
        "fsdp1_in_the_root": outcome(flattened(tied())),
        "fsdp1_two_units": outcome(fsdp1(tied(), auto_wrap_policy=ModuleWrapPolicy(UNITS))),
        "fsdp1_two_units_original": outcome(
            fsdp1(tied(), auto_wrap_policy=ModuleWrapPolicy(UNITS), use_orig_params=True)
        ),
    }


def measure(processes: int, one_call: bool) -> dict[str, Any]:
    return agreed(processes, every, one_call)


if __name__ == "__main__":
    main(measure, SETTINGS, MUTATION)
