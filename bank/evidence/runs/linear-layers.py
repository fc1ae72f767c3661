"""What a linear layer multiplies and saves, and which gathers its backward needs.

Floating-point operations and operands of two linear layers in one process, under DDP, FSDP2 and tensor parallelism;
what `nn.Linear` saves for backward; and the all-gathers in the backward of four linear layers, each a unit, of which
one is told that backward does not need its weight.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from toolbox import Ear, counts, main, ranks
from torch import Tensor, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor
from torch.distributed.tensor.parallel import ColwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode

SETTINGS = {"processes": 4, "tokens": 16, "told": 0}
# A layer whose weight backward does need.
MUTATION = {"told": 1}
WIDTH, WIDER = 32, 128


class Operands(TorchDispatchMode):
    """Notes the rows of each weight of the wider layer that is multiplied by."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: set[int] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if any(issubclass(kind, DTensor) for kind in types):
            return NotImplemented
        # Fake tensors are how DTensor works out a shape: nothing is multiplied.
        if func is torch.ops.aten.mm.default and type(args[1]) is Tensor and args[1].shape[0] == WIDTH:
            self.rows.add(args[1].shape[1])
        return func(*args, **(kwargs or {}))


def pair() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(WIDTH, WIDER, bias=False), nn.Linear(WIDER, WIDTH, bias=False))


def work(model: nn.Module, count: int) -> dict[str, int]:
    x = torch.randn(count, WIDTH, requires_grad=True)
    with FlopCounterMode(display=False) as forward:
        y = model(x)
    with FlopCounterMode(display=False) as backward:
        y.sum().backward()
    return {"forward": forward.get_total_flops(), "backward": backward.get_total_flops()}


def multiplied(layer: nn.Module) -> list[int]:
    with Operands() as operands, torch.no_grad():
        layer(torch.ones(16, WIDTH))
    return sorted(operands.rows)


def saved(*, trainable_input: bool) -> list[str]:
    layer = nn.Linear(WIDTH, WIDER, bias=False)
    x = torch.randn(2, WIDTH, requires_grad=trainable_input)
    found: set[str] = set()

    def note(tensor: Tensor) -> Tensor:
        same = tensor.untyped_storage().data_ptr()
        found.add("weight" if same == layer.weight.untyped_storage().data_ptr() else "input")
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        layer(x)
    return sorted(found)


def stack() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(*(nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4)))


def gathers(told: int | None) -> dict[str, Any]:
    model = stack()
    for layer in model:
        fully_shard(layer)
    fully_shard(model)
    if told is not None:
        model[told].set_unshard_in_backward(False)
    x = torch.randn(8, WIDTH, generator=torch.Generator().manual_seed(dist.get_rank()))
    y = model(x)
    with Ear() as ear:
        try:
            y.square().sum().backward()
        except RuntimeError:
            return {"all_gather": None, "error": "RuntimeError"}
    gradients = [weight.grad.full_tensor().tolist() for weight in model.parameters()]
    return {"all_gather": counts(ear.heard)["all_gather"], "gradients": gradients}


def every(count: int, told: int) -> dict[str, Any]:
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    sharded = pair()
    for layer in sharded:
        fully_shard(layer)
    split = parallelize_module(nn.Linear(WIDTH, WIDER, bias=False), mesh, ColwiseParallel())
    plain, spared = gathers(None), gathers(told)
    found = {
        "ddp": work(DistributedDataParallel(pair()), count),
        "stored_rows": sharded[0].weight.to_local().shape[0],
        "fsdp2_rows": multiplied(sharded[0]),
        "tensor_parallel_rows": multiplied(split),
        "backward_gathers": plain["all_gather"],
        "spared_gathers": spared["all_gather"],
        "same_gradients": spared.get("gradients") == plain["gradients"],
    }
    return found | {"fsdp2": work(sharded, count)}


def spared_in_the_middle() -> str:
    return str(gathers(2).get("error"))


def measure(processes: int, tokens: int, told: int) -> dict[str, Any]:
    found = ranks(processes, every, tokens, told)[0]
    return found | {
        "alone": work(pair(), tokens),
        "two_ranks": {
            name: value for name, value in ranks(2, every, tokens, told)[0].items() if name in ("ddp", "fsdp2")
        },
        "in_the_middle": ranks(2, spared_in_the_middle)[0],
        "saved": {
            "input_needs_gradient": saved(trainable_input=True),
            "input_needs_none": saved(trainable_input=False),
        },
    }


if __name__ == "__main__":
    main(measure, SETTINGS, MUTATION)
