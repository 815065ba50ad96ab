"""Chooses what goes to the delegate: everything the builder can, in as few parts as possible."""

from __future__ import annotations

import operator
from collections.abc import Mapping

import torch
from executorch.exir.backend.compile_spec_schema import CompileSpec
from executorch.exir.backend.partitioner import DelegationSpec, Partitioner, PartitionResult
from executorch.exir.backend.utils import tag_constant_data
from torch.export import ExportedProgram
from torch.fx import Node
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner, Partition
from torch.fx.passes.operator_support import OperatorSupportBase

from trtet_export.backend import TARGET_DEVICE_KEY, TensorRTBackend
from trtet_export.builders import Builder
from trtet_export.graph import ALIAS_META, DTYPE_NAMES, operator_name
from trtet_export.options import ExportOptions


class TensorRTPartitioner(Partitioner):  # type: ignore[misc]
    """Tags what the builder supports; `left_out` then says why the other operators stay."""

    def __init__(self, builder: Builder, options: ExportOptions) -> None:
        super().__init__()
        self.builder = builder
        self._support = _Support(builder, options.delegate_modules)
        self._is_tagged = options.device is not None
        specs = [CompileSpec(TARGET_DEVICE_KEY, options.device.encode())] if options.device else []
        self._delegation = DelegationSpec(TensorRTBackend.__name__, specs)
        self.part_count = 0

    @property
    def left_out(self) -> Mapping[str, str]:
        """Operator -> why it was not delegated."""
        return self._support.reasons

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        partitions = self._propose(exported_program)
        tags: dict[str, DelegationSpec] = {}
        for part in partitions:
            tag = f"tensorrt_{part.id}"
            tags[tag] = self._delegation
            for node in part.nodes:
                node.meta["delegation_tag"] = tag
        self.part_count += len(partitions)
        tag_constant_data(exported_program)
        if self._is_tagged:
            _mark_aliases(exported_program, _written_inputs(exported_program))
        return PartitionResult(exported_program, tags)

    def _propose(self, program: ExportedProgram) -> list[Partition]:
        """Partitions whose boundaries are tensors; what breaks that rule is left out in turn."""
        while True:
            partitions = CapabilityBasedPartitioner(
                program.graph_module, self._support, allows_single_node_partition=True
            ).propose_partitions()
            sized = [node for part in partitions for node in _non_tensor_boundary(part)]
            sharing = _sharing_constants(program, partitions)
            if not sized and not sharing:
                return partitions
            for node in sized:
                self._support.leave_out(node, "a size crosses into or out of the delegated part")
            for node in sharing:
                self._support.leave_out(node, "it shares a constant with what is not delegated")


class _Support(OperatorSupportBase):
    def __init__(self, builder: Builder, delegate_modules: tuple[str, ...]) -> None:
        self._builder = builder
        self._modules = delegate_modules
        self._excluded: set[str] = set()
        self.reasons: dict[str, str] = {}

    def leave_out(self, node: Node, reason: str) -> None:
        self._excluded.add(node.name)
        self.reasons.setdefault(operator_name(node), reason)

    def is_node_supported(self, submodules: Mapping[str, torch.nn.Module], node: Node) -> bool:
        if node.op != "call_function" or node.name in self._excluded:
            return False
        if node.target is operator.getitem:
            source = node.args[0]
            return isinstance(source, Node) and self.is_node_supported(submodules, source)
        reason = self._reason_against(node)
        if reason:
            self.reasons.setdefault(operator_name(node), reason)
        return reason is None

    def _reason_against(self, node: Node) -> str | None:
        if self._modules and not _is_inside(node, self._modules):
            return "outside the modules to delegate"
        for value in (node, *node.all_input_nodes):
            for tensor in _tensors(value):
                if tensor.dtype not in DTYPE_NAMES:
                    return f"{tensor.dtype} has no TensorRT type"
                if free_unbacked_symbols(tensor):
                    return "its output's size depends on data"
        if not self._builder.supports(node):
            return f"the builder '{self._builder.name}' lacks it"
        return None


def _tensors(node: Node) -> list[torch.Tensor]:
    value = node.meta.get("val")
    values = value if isinstance(value, (list, tuple)) else [value]
    return [v for v in values if isinstance(v, torch.Tensor)]


def _is_inside(node: Node, prefixes: tuple[str, ...]) -> bool:
    """nn_module_stack holds (path, type) of every enclosing module; the innermost comes last."""
    paths = [str(path) for path, _ in node.meta.get("nn_module_stack", {}).values()]
    return any(
        path == prefix or path.startswith(f"{prefix}.") for path in paths for prefix in prefixes
    )


def _non_tensor_boundary(part: Partition) -> list[Node]:
    inside = set(part.nodes)
    offenders = []
    for node in inside:
        sources = [n for n in node.all_input_nodes if n not in inside]
        if any(not _tensors(source) for source in sources) or (
            not _tensors(node) and any(user not in inside for user in node.users)
        ):
            offenders.append(node)
    return offenders


def _sharing_constants(program: ExportedProgram, partitions: list[Partition]) -> list[Node]:
    """Delegated readers of constants that others read too: ExecuTorch lets a constant go whole."""
    inside = {node for part in partitions for node in part.nodes}
    signature = program.graph_signature
    constants = (
        signature.inputs_to_parameters.keys()
        | signature.inputs_to_buffers.keys()
        | signature.inputs_to_lifted_tensor_constants.keys()
    ) - set(_written_inputs(program).values())
    return [
        user
        for node in program.graph.nodes
        if node.name in constants and not inside.issuperset(node.users)
        for user in node.users
        if user in inside
    ]


def _written_inputs(program: ExportedProgram) -> dict[str, str]:
    """Node that holds the new value -> placeholder it is written back to."""
    signature = program.graph_signature
    placeholder_of = {target: name for name, target in signature.inputs_to_buffers.items()}
    written = {
        value: placeholder_of[target] for value, target in signature.buffers_to_mutate.items()
    }
    written.update(signature.user_inputs_to_mutate)
    return written


def _mark_aliases(program: ExportedProgram, written: Mapping[str, str]) -> None:
    """The delegate may write an update into its input when both are alike and in one partition."""
    nodes = {node.name: node for node in program.graph.nodes}
    buffers = set(program.graph_signature.inputs_to_buffers)
    for value_name, placeholder_name in written.items():
        value, placeholder = nodes[value_name], nodes[placeholder_name]
        tag = value.meta.get("delegation_tag")
        new, old = value.meta["val"], placeholder.meta["val"]
        if tag is None or all(u.meta.get("delegation_tag") != tag for u in placeholder.users):
            continue
        if new.shape == old.shape and new.dtype == old.dtype:
            kind = "kv_cache_update" if placeholder_name in buffers else "user"
            value.meta[ALIAS_META] = (placeholder_name, kind)
