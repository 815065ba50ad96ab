"""Comparing what a written program answers with eager PyTorch."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from trtet_export.errors import CheckFailed
from trtet_export.runner import Runner


@dataclass(frozen=True)
class Case:
    """One call: inputs in argument order and what eager PyTorch answers."""

    inputs: Sequence[torch.Tensor]
    expected: Sequence[torch.Tensor]


@dataclass(frozen=True)
class CheckResult:
    """The largest difference from eager over all elements of one call's outputs."""

    max_error: float


def check_program(
    path: Path, cases: Sequence[Case], tolerance: float, runner: Runner
) -> list[CheckResult]:
    """Runs the cases in turn on one load. Raises CheckFailed saying which call and by how much."""
    with tempfile.TemporaryDirectory(prefix="trtet-export-") as name:
        folder = Path(name)
        calls = [_save(case.inputs, folder, index) for index, case in enumerate(cases)]
        answer = runner.run({path: calls}, folder)[path]
        if answer.error:
            raise CheckFailed(f"the program does not run: {answer.error}")
        got = [[torch.load(f, weights_only=True) for f in call] for call in answer.outputs]
    return [
        compare(outputs, case.expected, tolerance, f"call {index}")
        for index, (outputs, case) in enumerate(zip(got, cases, strict=True))
    ]


def _save(tensors: Sequence[torch.Tensor], folder: Path, call: int) -> list[Path]:
    files = [folder / f"call{call}.input{i}.pt" for i in range(len(tensors))]
    for file, tensor in zip(files, tensors, strict=True):
        torch.save(tensor, file)
    return files


def compare(
    got: Sequence[torch.Tensor],
    expected: Sequence[torch.Tensor],
    tolerance: float,
    where: str,
) -> CheckResult:
    """Raises CheckFailed when count, dtype, shape or a value differs by more than allowed."""
    if len(got) != len(expected):
        raise CheckFailed(f"{where}: got {len(got)} outputs; eager has {len(expected)}")
    worst = 0.0
    for index, (value, wanted) in enumerate(zip(got, expected, strict=True)):
        name = f"{where}, output {index}"
        if value.dtype != wanted.dtype or value.shape != wanted.shape:
            raise CheckFailed(
                f"{name}: got {value.dtype} {tuple(value.shape)}; "
                f"eager has {wanted.dtype} {tuple(wanted.shape)}"
            )
        if not wanted.numel():
            continue
        exact = wanted.double()
        error = (value.double() - exact).abs()
        # A NaN compares false with everything, so it fails here too.
        if not bool((error <= tolerance * exact.abs().clamp_min(1)).all()):
            raise CheckFailed(
                f"{name}: differs from eager by {error.max().item():.3g}; "
                f"allowed {tolerance:g} * max(1, |eager|)"
            )
        worst = max(worst, error.max().item())
    return CheckResult(worst)
