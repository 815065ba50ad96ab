"""ExecuTorch's ahead-of-time half of the delegate: a partition goes in, a blob comes out."""

from __future__ import annotations

import contextlib
import platform
import sys
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import final

from executorch.exir.backend.backend_details import BackendDetails, PreprocessResult
from executorch.exir.backend.compile_spec_schema import CompileSpec
from torch.export import ExportedProgram

from trtet_export.blob import Binding, Metadata, write_blob
from trtet_export.builders import Builder
from trtet_export.errors import ExportError
from trtet_export.graph import DTYPE_NAMES, GraphTensor, Ranges, describe

TARGET_DEVICE_KEY = "target_device"


@dataclass(frozen=True)
class Lowering:
    """What the lowering of one program needs beside its partitions.

    ranges: the program's own; those of the edge dialect say 2 where the program admits a size of 1.
    """

    builder: Builder
    ranges: Ranges


# ExecuTorch hands preprocess nothing but bytes that end up in the file, so the rest waits here.
_lowering: ContextVar[Lowering | None] = ContextVar("trtet_export_lowering", default=None)


@contextlib.contextmanager
def lowering_with(lowering: Lowering) -> Iterator[None]:
    """Partitions lowered inside the block are built with this."""
    token = _lowering.set(lowering)
    try:
        yield
    finally:
        _lowering.reset(token)


@final
class TensorRTBackend(BackendDetails):  # type: ignore[misc]
    """Found by ExecuTorch by its class name, which is also the run-time backend's name."""

    @staticmethod
    def preprocess(
        edge_program: ExportedProgram, compile_specs: list[CompileSpec]
    ) -> PreprocessResult:
        lowering = _lowering.get()
        if lowering is None:
            raise ExportError(
                "TensorRTBackend: no builder is set; lower through trtet_export, "
                "or inside trtet_export.backend.lowering_with(...)"
            )
        builder = lowering.builder
        graph = describe(edge_program, lowering.ranges)
        metadata = Metadata(
            io_bindings=(
                *(_binding(t, True) for t in graph.inputs),
                *(_binding(t, False) for t in graph.outputs),
            ),
            aliased_io=graph.aliases,
            device_id=_device_id(compile_specs),
            serialized_metadata=f"builder={builder.name}",
            target_platform=f"{sys.platform}_{platform.machine()}",
        )
        return PreprocessResult(processed_bytes=write_blob(builder.build(graph), metadata))


def _binding(tensor: GraphTensor, is_input: bool) -> Binding:
    return Binding(tensor.name, is_input, DTYPE_NAMES[tensor.dtype], tensor.engine_shape)


def _device_id(compile_specs: list[CompileSpec]) -> int:
    for spec in compile_specs:
        if spec.key == TARGET_DEVICE_KEY:
            return int(spec.value.decode().rpartition(":")[2])
    return 0
