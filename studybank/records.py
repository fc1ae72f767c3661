"""Records: what a program measured, as it prints it and as it is kept beside it."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import isfinite
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError


class Measured(BaseModel):
    """What a program wrote: settings, versions, what came out, and by what part of it floats may differ next time."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    settings: dict[str, Any]
    versions: dict[str, str]
    results: dict[str, Any]
    tolerance: float = Field(0, ge=0, lt=1)


def measured(text: str) -> Measured:
    """A record from its JSON. Raises ValueError: what is wrong with it."""
    if not text.strip():
        raise ValueError("it is empty")
    try:
        return Measured.model_validate(
            json.loads(
                text,
                object_pairs_hook=_each_once,
                parse_constant=_finite(float),
                parse_float=_finite(float),
                parse_int=_finite(int),
            )
        )
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"it is no JSON: {error}") from None
    except ValidationError as error:
        said = (f"{'.'.join(map(str, e['loc']))}: {e['msg']}" if e["loc"] else e["msg"] for e in error.errors())
        raise ValueError("; ".join(said)) from None


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"`{name}` stands in it twice")
        found[name] = value
    return found


def _finite(kind: Callable[[str], Any]) -> Callable[[str], Any]:
    """Reads numbers that can be compared: no NaN, and none beyond the range of a float."""

    def read(digits: str) -> Any:
        if not isfinite(float(digits)):
            raise ValueError(f"{digits[:20]} is no number that could be compared")
        return kind(digits)

    return read
