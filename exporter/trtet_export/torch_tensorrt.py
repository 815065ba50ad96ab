"""Lowering with Torch-TensorRT's own exporter: real engines, where it and a GPU exist."""

from __future__ import annotations

from typing import Any

from executorch.exir.backend.compile_spec_schema import CompileSpec
from executorch.exir.program import EdgeProgramManager
from torch.export import ExportedProgram

from trtet_export.errors import ExportError, UnsupportedBuilder
from trtet_export.graph import describe_inputs
from trtet_export.options import ExportOptions


def lower_edge(program: ExportedProgram, options: ExportOptions) -> tuple[EdgeProgramManager, int]:
    """The edge program and its number of TensorRT parts.

    Raises UnsupportedBuilder naming what is missing: the package, TensorRT's library or a GPU.
    """
    _refuse_what_cannot_be_passed_on(options)
    torch_tensorrt = _import_torch_tensorrt()
    arguments, keywords = program.example_inputs or ((), {})
    if keywords:
        raise ExportError("builder torch-tensorrt: export the program with positional inputs only")
    compiled = torch_tensorrt.dynamo.compile(
        program,
        arg_inputs=[
            torch_tensorrt.Input(
                min_shape=tensor.minimum,
                opt_shape=tensor.maximum,
                max_shape=tensor.maximum,
                dtype=tensor.dtype,
            )
            for tensor in describe_inputs(program, program.range_constraints)
        ],
        device=torch_tensorrt.Device(gpu_id=options.device_id),
        min_block_size=1,  # small networks are delegated too
    )
    edge: EdgeProgramManager = torch_tensorrt.executorch.export(
        compiled,
        arg_inputs=arguments,
        partitioners=list(options.other_partitioners),
        compile_specs=[CompileSpec("target_device", str(options.device).encode())],
    )
    parts = sum(
        1
        for _, module in edge.exported_program().graph_module.named_children()
        if getattr(module, "backend_id", None) == "TensorRTBackend"
    )
    return edge, parts


def _refuse_what_cannot_be_passed_on(options: ExportOptions) -> None:
    if options.device is None:
        raise ExportError(
            "builder torch-tensorrt always marks tensors as CUDA memory; give a device"
        )
    if options.delegate_modules:
        raise ExportError(
            "builder torch-tensorrt chooses its own parts; leave out delegate_modules, "
            "or use builder standin"
        )


def _import_torch_tensorrt() -> Any:  # an optional package, without types here
    import torch

    if not torch.cuda.is_available():
        raise UnsupportedBuilder(
            "builder torch-tensorrt: PyTorch sees no usable GPU, and engines are built on one; "
            "run this on a machine with an NVIDIA GPU, or use builder standin"
        )
    try:
        import torch_tensorrt
        import torch_tensorrt.executorch
    except (ImportError, OSError) as error:
        raise UnsupportedBuilder(
            f"builder torch-tensorrt: cannot import torch_tensorrt: {error}; "
            "pip install torch-tensorrt, or use builder standin"
        ) from error
    return torch_tensorrt
