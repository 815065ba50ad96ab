"""Small float graphs as the stand-in's own operations; no OpenVINO is needed to run those."""

from __future__ import annotations

import operator
from dataclasses import dataclass, field

import torch
from executorch.exir.dialects._ops import ops as exir_ops
from torch._export.utils import get_buffer, get_lifted_tensor_constant, get_param
from torch.fx import Node

from trtet_export.graph import DelegatedGraph

_aten = exir_ops.edge.aten

OPERATIONS = {
    _aten.add.Tensor: "add",
    _aten.sub.Tensor: "subtract",
    _aten.mul.Tensor: "multiply",
    _aten.maximum.default: "maximum",
    _aten.relu.default: "relu",
    _aten.neg.default: "negate",
    _aten.abs.default: "abs",
    _aten.mm.default: "matmul",
    _aten.bmm.default: "matmul",
}
_MOST_OPERATIONS = 32


@dataclass(frozen=True)
class Operation:
    """One node of a plan."""

    name: str
    inputs: tuple[str, ...]
    output: str


@dataclass
class NativeGraph:
    """A graph in the stand-in's operations; values carry the names of the plan's tensors."""

    operations: list[Operation] = field(default_factory=list)
    constants: dict[str, torch.Tensor] = field(default_factory=dict)


def translate(graph: DelegatedGraph) -> NativeGraph | None:
    """The graph in the stand-in's operations, or None when it has others or is not small."""
    values = _Values(graph)
    native = NativeGraph()
    for node in graph.program.graph.nodes:
        if node.op != "call_function" or values.is_constant(node):
            continue
        name = OPERATIONS.get(node.target)
        arguments = [a for a in node.args if isinstance(a, Node)]
        is_plain = len(arguments) == len(node.args) and not node.kwargs
        if name is None or not is_plain or node.meta["val"].dtype != torch.float32:
            return None
        sources = tuple(values.name_of(a, native) for a in arguments)
        native.operations.append(Operation(name, sources, node.name))
    # A value that is returned twice, or known beforehand, needs a copy under the output's name.
    outputs = graph.program.graph.output_node().args[0]
    for node, tensor in zip(outputs, graph.outputs, strict=True):
        source = values.name_of(node, native)
        if source != tensor.name:
            native.operations.append(Operation("identity", (source,), tensor.name))
    return native if len(native.operations) <= _MOST_OPERATIONS else None


class _Values:
    """Names of a graph's values, and the values known without running it."""

    def __init__(self, graph: DelegatedGraph) -> None:
        self._program = graph.program
        self._known: dict[Node, torch.Tensor] = {}

    def is_constant(self, node: Node) -> bool:
        return self._value(node) is not None

    def name_of(self, node: Node, native: NativeGraph) -> str:
        value = self._value(node)
        if value is None:
            return node.name
        name = f"{node.name}.constant"
        native.constants[name] = value
        return name

    def _value(self, node: Node) -> torch.Tensor | None:
        if node not in self._known:
            found = self._compute(node)
            if found is None:
                return None
            self._known[node] = found
        return self._known[node]

    def _compute(self, node: Node) -> torch.Tensor | None:
        if node.op == "placeholder":
            if node.name in self._program.graph_signature.user_inputs:
                return None
            for read in (get_param, get_buffer, get_lifted_tensor_constant):
                value = read(self._program, node)
                if value is not None:
                    return value.detach()
            return None
        if node.op != "call_function" or node.target is operator.getitem:
            return None
        sources = {source: self._value(source) for source in node.all_input_nodes}
        if not sources or any(value is None for value in sources.values()):
            return None
        args, kwargs = torch.fx.map_arg((node.args, node.kwargs), sources.__getitem__)
        result = node.target(*args, **kwargs)  # type: ignore[operator]
        return result if isinstance(result, torch.Tensor) else None
