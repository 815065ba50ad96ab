"""Parts of a plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

Shape = Sequence[int]
Range = tuple[Shape, Shape, Shape]
"""Minimum, optimum and maximum of one input."""

# Bits of an element, in the order of TensorRT's DataType.
DTYPES = {
    "float32": 32,
    "float16": 16,
    "int8": 8,
    "int32": 32,
    "bool": 8,
    "uint8": 8,
    "fp8": 8,
    "bfloat16": 16,
    "int64": 64,
    "int4": 4,
    "fp4": 4,
    "e8m0": 8,
}


class PlanError(ValueError):
    """A plan that is not sound; the text says what and where."""


@dataclass
class Tensor:
    """An input or output of the engine; -1 in `shape` is dynamic."""

    name: str
    is_input: bool
    dtype: str
    shape: tuple[int, ...]
    alias: str = ""
    data_dependent: bool = False
    on_host: bool = False
    shape_tensor: bool = False
    format: int = 0
    components: int = 1
    vectorized_dim: int = -1

    def describe(self) -> dict[str, object]:
        described = dict(vars(self), shape=list(self.shape))
        described["mode"] = "input" if described.pop("is_input") else "output"
        return described


@dataclass
class Profile:
    """Ranges of inputs by name; `values` are those of shape tensors."""

    shapes: dict[str, Range] = field(default_factory=dict)
    values: dict[str, Range] = field(default_factory=dict)


@dataclass
class Node:
    op: str
    inputs: list[str]
    output: str
    attributes: list[int]


@dataclass
class Constant:
    name: str
    dtype: str
    shape: tuple[int, ...]
    data: bytes

    def describe(self) -> dict[str, object]:
        return {
            "name": self.name,
            "dtype": self.dtype,
            "shape": list(self.shape),
            "bytes": len(self.data),
        }
