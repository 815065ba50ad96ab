"""An OpenVINO model of a delegated subgraph, for the TensorRT stand-in to execute."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

import openvino
from executorch.exir.dialects._ops import ops as exir_ops
from openvino.frontend.pytorch.torchdynamo.op_support import OperatorSupport
from torch.fx import Node

from trtet_export.errors import ExportError
from trtet_export.graph import DelegatedGraph, GraphTensor, operator_name

# Memory-format spellings of copies the converter's table knows under their aten names.
_EDGE_COPIES = frozenset(
    {
        exir_ops.edge.dim_order_ops._to_dim_order_copy.default,
        exir_ops.edge.dim_order_ops._clone_dim_order.default,
    }
)
# Converted, and missing from the converter's own table.
_ALSO_CONVERTED = frozenset(
    f"torch.ops.aten.logical_{name}.default" for name in ("and", "or", "xor")
)


@functools.cache
def _convertible() -> frozenset[str]:
    return frozenset(OperatorSupport([])._support_dict) | _ALSO_CONVERTED


def supports(node: Node) -> bool:
    """Whether OpenVINO's PyTorch front end converts this operator."""
    if node.target in _EDGE_COPIES:
        return True
    return f"torch.ops.{operator_name(node)}" in _convertible() or (
        f"_operator.{operator_name(node)}" in _convertible()  # arithmetic on sizes
    )


def convert(graph: DelegatedGraph) -> tuple[bytes, bytes]:
    """The model as OpenVINO writes it: (xml, weights). Tensors carry the graph's names."""
    try:
        model = openvino.convert_model(graph.program)
    except Exception as error:  # the front end raises its own, undocumented types
        raise ExportError(f"OpenVINO could not convert a delegated part: {error}") from error
    if (len(model.inputs), len(model.outputs)) != (len(graph.inputs), len(graph.outputs)):
        raise ExportError(
            f"OpenVINO's model has {len(model.inputs)} inputs and {len(model.outputs)} outputs; "
            f"the delegated part has {len(graph.inputs)} and {len(graph.outputs)}"
        )
    for port, tensor in zip(model.inputs, graph.inputs, strict=True):
        port.tensor.set_names({tensor.name})
        port.node.set_friendly_name(tensor.name)
    for port, tensor in zip(model.outputs, graph.outputs, strict=True):
        port.tensor.add_names({tensor.name})
    model.reshape({port: _shape(t) for port, t in zip(model.inputs, graph.inputs, strict=True)})
    model.set_friendly_name("delegated")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.xml")
        openvino.save_model(model, path, compress_to_fp16=False)
        return path.read_bytes(), path.with_suffix(".bin").read_bytes()


def _shape(tensor: GraphTensor) -> openvino.PartialShape:
    return openvino.PartialShape(
        [
            openvino.Dimension(low, high)
            for low, high in zip(tensor.minimum, tensor.maximum, strict=True)
        ]
    )
