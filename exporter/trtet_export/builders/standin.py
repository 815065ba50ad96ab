"""Plans for the TensorRT stand-in: its own operations where they do, else an OpenVINO model."""

from __future__ import annotations

import torch
from standin_plan import Plan
from torch.fx import Node

from trtet_export.builders import native, openvino_model
from trtet_export.graph import DTYPE_NAMES, DelegatedGraph, GraphTensor


class StandinBuilder:
    """Builds plans that run on the CPU, in the stand-in that takes TensorRT's place."""

    name = "standin"

    def supports(self, node: Node) -> bool:
        return node.target in native.OPERATIONS or openvino_model.supports(node)

    def build(self, graph: DelegatedGraph) -> bytes:
        plan = Plan()
        for tensor in graph.inputs:
            plan.input(tensor.name, DTYPE_NAMES[tensor.dtype], tensor.engine_shape)
        aliased = {alias.output: alias.input for alias in graph.aliases}
        for tensor in graph.outputs:
            dtype, shape = DTYPE_NAMES[tensor.dtype], tensor.engine_shape
            if tensor.name in aliased:
                plan.alias(tensor.name, aliased[tensor.name], dtype, shape)
            else:
                plan.output(tensor.name, dtype, shape)
        if any(tensor.is_dynamic for tensor in graph.inputs):
            plan.profile({tensor.name: _range(tensor) for tensor in graph.inputs})
        small = native.translate(graph)
        if small is None:
            plan.model(*openvino_model.convert(graph))
        else:
            _add_operations(plan, small)
        return plan.write()


def _add_operations(plan: Plan, graph: native.NativeGraph) -> None:
    for name, value in graph.constants.items():
        plan.constant(name, DTYPE_NAMES[value.dtype], tuple(value.shape), _bytes(value))
    for operation in graph.operations:
        plan.node(operation.name, list(operation.inputs), operation.output)


def _range(tensor: GraphTensor) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Minimum, optimum and maximum; the stand-in optimises for nothing."""
    return tensor.minimum, tensor.maximum, tensor.maximum


def _bytes(value: torch.Tensor) -> bytes:
    return value.contiguous().view(-1).view(torch.uint8).numpy().tobytes()
