"""From a `torch.export` program to a checked `.pte` file."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch
from executorch.exir import ExecutorchBackendConfig, to_edge_transform_and_lower
from executorch.exir.passes import MemoryPlanningPass
from executorch.exir.program import EdgeProgramManager
from torch.export import ExportedProgram

from trtet_export.backend import Lowering, lowering_with
from trtet_export.builders import Builder
from trtet_export.check import Case, CheckResult, check_program
from trtet_export.errors import ExportError, NothingDelegated, UnsupportedBuilder
from trtet_export.options import DEFAULT_TOLERANCE, ExportOptions
from trtet_export.partition import TensorRTPartitioner
from trtet_export.replace import candidate
from trtet_export.runner import Runner


@dataclass(frozen=True)
class Lowered:
    """A program's bytes and what became of its operators."""

    pte: bytes
    part_count: int
    left_out: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Export:
    """An export that was written and checked."""

    path: Path
    lowered: Lowered
    checks: Sequence[CheckResult]


def lower(program: ExportedProgram, options: ExportOptions | None = None) -> Lowered:
    """Lowers a program. Raises ExportError when a builder is missing or nothing is delegated."""
    options = options or ExportOptions()
    # ExecuTorch runs the write-back of buffers while lowering; autograd refuses that.
    with torch.no_grad():
        if options.builder == "torch-tensorrt":
            from trtet_export import torch_tensorrt

            edge, part_count = torch_tensorrt.lower_edge(program, options)
            left_out: Mapping[str, str] = {}
        else:
            partitioner = TensorRTPartitioner(_builder_named(options.builder), options)
            edge = _lower_edge(program, partitioner, options)
            part_count, left_out = partitioner.part_count, partitioner.left_out
        if not part_count:
            reasons = "; ".join(f"{name}: {why}" for name, why in left_out.items())
            raise NothingDelegated(
                f"no operator of the program can be delegated: {reasons or 'it has none'}"
            )
        pte = edge.to_executorch(
            ExecutorchBackendConfig(
                memory_planning_pass=MemoryPlanningPass(alignment=options.alignment_bytes),
                extract_delegate_segments=True,
            )
        )
    return Lowered(bytes(pte.buffer), part_count, dict(left_out))


def export_file(
    program: ExportedProgram,
    target: Path,
    options: ExportOptions | None = None,
    *,
    cases: Sequence[Sequence[torch.Tensor]] | None = None,
    tolerance: float = DEFAULT_TOLERANCE,
    runner: Runner | None = None,
) -> Export:
    """Writes a program beside `target`, runs it against eager PyTorch, then moves it into place.

    cases: inputs to check with, one call each on one load (so state carries over); the program's
        own example inputs when not given.
    Raises ExportError (and leaves `target` and its folder as they were) when the program cannot be
    lowered, does not load or run, or differs from eager by more than `tolerance`.
    """
    options = options or ExportOptions()
    calls = [tuple(inputs) for inputs in cases] if cases is not None else [_example(program)]
    if not calls:
        raise ExportError("cases: got none; an export is checked with at least one call")
    expected = eager_outputs(program, calls)
    lowered = lower(program, options)
    with candidate(target, lowered.pte) as path:
        checks = check_program(
            path,
            [Case(inputs, outputs) for inputs, outputs in zip(calls, expected, strict=True)],
            tolerance,
            runner or Runner.for_builder(options.builder),
        )
    return Export(target, lowered, checks)


def eager_outputs(
    program: ExportedProgram, calls: Sequence[Sequence[torch.Tensor]]
) -> list[tuple[torch.Tensor, ...]]:
    """What eager PyTorch answers, call after call on one module whose written buffers start at 0.

    ExecuTorch does not keep a written buffer's first value either.
    """
    module = copy.deepcopy(program.module())  # its buffers are the program's own
    with torch.no_grad():
        for buffer in _written_buffers(module, calls[0]):
            buffer.zero_()
        results = []
        for inputs in calls:
            outputs = module(*(tensor.clone() for tensor in inputs))
            flat = torch.utils._pytree.tree_leaves(outputs)
            results.append(tuple(tensor.clone() for tensor in flat))
    return results


def _written_buffers(module: torch.nn.Module, inputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Found by running: a program that is not lowered yet does not list them."""
    before = {buffer: buffer._version for buffer in module.buffers()}
    module(*(tensor.clone() for tensor in inputs))
    return [buffer for buffer, version in before.items() if buffer._version != version]


def _example(program: ExportedProgram) -> tuple[torch.Tensor, ...]:
    if program.example_inputs is None:
        raise ExportError("the program holds no example inputs to check with; give cases")
    args, kwargs = program.example_inputs
    values = torch.utils._pytree.tree_leaves((args, kwargs))
    if not all(isinstance(value, torch.Tensor) for value in values):
        raise ExportError("the program takes inputs that are not tensors; give tensors only")
    return tuple(values)


def _builder_named(name: str) -> Builder:
    if name == "standin":
        from trtet_export.builders.standin import StandinBuilder

        return StandinBuilder()
    raise UnsupportedBuilder(f"builder: got {name!r}; wanted 'standin' or 'torch-tensorrt'")


def _lower_edge(
    program: ExportedProgram, partitioner: TensorRTPartitioner, options: ExportOptions
) -> EdgeProgramManager:
    with lowering_with(Lowering(partitioner.builder, program.range_constraints)):
        return to_edge_transform_and_lower(
            program, partitioner=[partitioner, *options.other_partitioners]
        )
