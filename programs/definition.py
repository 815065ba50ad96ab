"""What a program is made of, before it is exported."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

Inputs = tuple[torch.Tensor, ...]


@dataclass(frozen=True)
class Case:
    """One call. A case that continues runs after the one before it, on the same load."""

    name: str
    inputs: Inputs
    continues: bool = False


@dataclass(frozen=True)
class Definition:
    """A module with everything that exporting and checking it needs.

    make: builds the module; it is called with a fixed random seed.
    peer: why the predecessor's runner cannot run it; empty when it can.
    """

    name: str
    about: str
    make: Callable[[], torch.nn.Module]
    cases: Sequence[Case]
    dynamic_shapes: Mapping[str, Any] | None = None
    device: str | None = "cuda:0"
    delegate_modules: tuple[str, ...] = ()
    other_backends: tuple[str, ...] = ()
    tolerance: float = 1e-5
    parts: int = 1
    peer: str = ""


def random(*shape: int, seed: int = 0) -> torch.Tensor:
    """Normally distributed float32 values that are the same on every machine."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))
