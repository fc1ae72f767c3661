"""Shards and padding where a size does not divide evenly.

FSDP2 cuts a weight by rows with chunks of the rounded-up size; its collectives are padded. FSDP1 pads one flat list.
Four processes; forward and backward of a layer that is a unit by itself.
"""

from __future__ import annotations

from typing import Any

import torch
from toolbox import Ear, fsdp1, main, ranks
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import Shard

SETTINGS = {"processes": 4, "rows": 9}
# A number of rows that divides evenly needs no padding.
MUTATION = {"rows": 8}


def fsdp2(rows: int, columns: int, **settings: Any) -> dict[str, Any]:
    layer = nn.Linear(columns, rows, bias=False)
    fully_shard(layer, **settings)
    local = layer.weight.to_local()
    updating = torch.optim.Adam(layer.parameters())
    with Ear() as ear:
        layer(torch.ones(2, columns)).sum().backward()
    updating.step()
    heard = {collective.kind: collective.bytes for collective in ear.heard}
    moments = updating.state[layer.weight]["exp_avg"].to_local().numel() if local.numel() else 0
    storage = local.untyped_storage().nbytes()
    return {"shape": list(local.shape), "storage": storage, "moments": moments, "heard": heard}


def flat_parameter(layer: nn.Module, *, use_orig_params: bool) -> dict[str, int]:
    flat = fsdp1(layer, use_orig_params=use_orig_params)._handle.flat_param
    return {"per_rank": flat._sharded_size.numel(), "whole": flat._unpadded_unsharded_size.numel()}


def every(rows: int) -> dict[str, Any]:
    found: dict[str, Any] = {
        "asked": fsdp2(rows, 4),
        "asked_bf16": fsdp2(rows, 4, mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16)),
        "five_rows": fsdp2(5, 3),
        "eight_rows": fsdp2(8, 4),
        "twelve_rows": fsdp2(12, 4),
        "fsdp1": flat_parameter(nn.Linear(3, 5, bias=False), use_orig_params=False),
        "fsdp1_asked": flat_parameter(nn.Linear(4, rows, bias=False), use_orig_params=False),
    }
    try:
        fully_shard(nn.Linear(6, 8, bias=False), shard_placement_fn=lambda _: Shard(1))
        found["second_dimension"] = "accepted"
    except NotImplementedError:
        found["second_dimension"] = "NotImplementedError"
    return found


def aligned() -> dict[str, int]:
    layers = nn.Sequential(*(nn.Linear(3, 3) for _ in range(5)))
    return flat_parameter(layers, use_orig_params=True)


def measure(processes: int, rows: int) -> dict[str, Any]:
    by_rank = ranks(processes, every, rows)
    found: dict[str, Any] = {}
    for name in ("asked", "asked_bf16", "five_rows", "eight_rows", "twelve_rows"):
        ours = [rank[name] for rank in by_rank]
        found[name] = {
            "rows": [one["shape"][0] for one in ours],
            "storage": [one["storage"] for one in ours],
            "moments": [one["moments"] for one in ours],
            "all_gather": ours[0]["heard"]["all_gather"],
            "reduce_scatter": ours[0]["heard"]["reduce_scatter"],
        }
    for name in ("fsdp1", "fsdp1_asked"):
        found[name] = by_rank[0][name]
    found["second_dimension"] = by_rank[0]["second_dimension"]
    found["aligned"] = ranks(2, aligned)[0]
    return found


if __name__ == "__main__":
    main(measure, SETTINGS, MUTATION)
