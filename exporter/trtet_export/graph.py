"""One delegated subgraph as a builder sees it: named tensors with bounds, and the edge program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from sympy import Symbol
from torch.export import ExportedProgram
from torch.fx import Node
from torch.utils._sympy.value_ranges import ValueRanges, bound_sympy

from trtet_export.blob import Alias
from trtet_export.errors import ExportError

# Set on the node whose value updates an input in place: (placeholder's name, alias kind).
ALIAS_META = "trtet_alias"

Ranges = Mapping[Symbol, ValueRanges[Any]]

DTYPE_NAMES = {
    torch.float32: "float32",
    torch.float16: "float16",
    torch.bfloat16: "bfloat16",
    torch.int8: "int8",
    torch.uint8: "uint8",
    torch.int32: "int32",
    torch.int64: "int64",
    torch.bool: "bool",
}


def operator_name(node: Node) -> str:
    """Such as aten.add.Tensor, whether of the edge dialect or ATen's own; plain for Python's."""
    if isinstance(node.target, torch._ops.OpOverload):
        return str(node.target)
    return str(getattr(node.target, "__name__", node.target))


@dataclass(frozen=True)
class GraphTensor:
    """An input or output of the subgraph; bounds are equal where a dimension is static."""

    name: str
    dtype: torch.dtype
    minimum: tuple[int, ...]
    maximum: tuple[int, ...]

    @property
    def is_dynamic(self) -> bool:
        return self.minimum != self.maximum

    @property
    def engine_shape(self) -> tuple[int, ...]:
        """TensorRT's way of writing it: -1 for a dimension that varies."""
        return tuple(
            low if low == high else -1 for low, high in zip(self.minimum, self.maximum, strict=True)
        )


@dataclass(frozen=True)
class DelegatedGraph:
    """Inputs in the delegate's argument order, then outputs in argument order."""

    program: ExportedProgram
    inputs: tuple[GraphTensor, ...]
    outputs: tuple[GraphTensor, ...]
    aliases: tuple[Alias, ...]


def describe(program: ExportedProgram, ranges: Ranges) -> DelegatedGraph:
    """Names and bounds of a partition's tensors. Raises ExportError for what a plan cannot hold.

    ranges: of the symbols in shapes; they win over the partition's own.
    """
    ranges = {**program.range_constraints, **ranges}
    inputs = describe_inputs(program, ranges)
    wanted = [tensor.name for tensor in inputs]
    taken = {tensor.name for tensor in inputs}
    outputs: list[GraphTensor] = []
    aliases: list[Alias] = []
    for node in program.graph.output_node().args[0]:
        name = next(n for n in _candidates(node.name) if n not in taken)
        taken.add(name)
        outputs.append(_tensor(ranges, node, name))
        alias = node.meta.get(ALIAS_META)
        if alias and alias[0] in wanted:
            aliases.append(Alias(output=name, input=alias[0], kind=alias[1]))
    return DelegatedGraph(program, inputs, tuple(outputs), tuple(aliases))


def describe_inputs(program: ExportedProgram, ranges: Ranges) -> tuple[GraphTensor, ...]:
    """The program's own inputs in argument order. Raises ExportError for one without bounds."""
    placeholders = {n.name: n for n in program.graph.nodes if n.op == "placeholder"}
    names = map(str, program.graph_signature.user_inputs)
    return tuple(_tensor(ranges, placeholders[name], name) for name in names)


def _candidates(name: str) -> Iterator[str]:
    yield name
    for suffix in range(1, 10_000):
        yield f"{name}__{suffix}"


def _tensor(ranges: Ranges, node: Node, name: str) -> GraphTensor:
    value = node.meta["val"]
    if not isinstance(value, torch.Tensor):
        raise ExportError(
            f"{name}: a {type(value).__name__} crosses into the delegated part; only tensors can"
        )
    bounds = [_bounds(ranges, size, f"{name}, dimension {i}") for i, size in enumerate(value.shape)]
    return GraphTensor(
        name, value.dtype, tuple(low for low, _ in bounds), tuple(high for _, high in bounds)
    )


def _bounds(ranges: Ranges, size: int | torch.SymInt, where: str) -> tuple[int, int]:
    if isinstance(size, int):
        return size, size
    bounds = bound_sympy(size.node.expr, dict(ranges))
    if not (bounds.lower.is_Integer and bounds.upper.is_Integer):
        raise ExportError(
            f"{where}: {size} has no upper bound; an optimisation profile needs one: "
            "give torch.export.Dim a max"
        )
    return int(bounds.lower), int(bounds.upper)
