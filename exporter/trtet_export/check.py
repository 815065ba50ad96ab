"""Running written programs in a fresh process and comparing their answers with eager PyTorch."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch

from trtet_export.errors import CheckFailed, ExportError

_PACKAGE_ROOT = Path(__file__).resolve().parents[1]
_CHECKOUT = _PACKAGE_ROOT.parent
_TIMEOUT_S = 600
_MESSAGE_LINES = 12


@dataclass(frozen=True)
class Case:
    """One call: inputs in argument order and what eager PyTorch answers."""

    inputs: Sequence[torch.Tensor]
    expected: Sequence[torch.Tensor]


@dataclass(frozen=True)
class CheckResult:
    """The largest difference from eager over all elements of one call's outputs."""

    max_error: float


@dataclass(frozen=True)
class Runner:
    """Where programs are run: the delegate to load and the libraries it finds.

    delegate: path of the delegate library; None imports the installed runtime package.
    library_path: folders put before the process's LD_LIBRARY_PATH.
    """

    delegate: Path | None
    library_path: tuple[Path, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def for_builder(cls, builder: str) -> Runner:
        """The runner for plans of one builder. Raises ExportError when its parts are not there."""
        if builder != "standin":
            return cls(delegate=None)
        return cls.on_standins(_build_folder())

    @classmethod
    def on_standins(cls, build: Path) -> Runner:
        """The delegate of a build folder on the stand-ins beside it."""
        delegate, standins = build / "libexecutorch_backend_tensorrt.so", build / "standins"
        for path in (delegate, standins):
            if not path.exists():
                raise ExportError(
                    f"{path}: not there, so the export cannot be checked; run `make build`, "
                    "or set TRTET_BUILD_DIR to a build folder"
                )
        return cls(delegate.resolve(), (standins.resolve(),))

    def run(
        self, programs: Mapping[Path, Sequence[Sequence[torch.Tensor]]]
    ) -> dict[Path, list[list[torch.Tensor]] | str]:
        """Outputs per program and call, or what the runtime said instead.

        Each program is loaded once; its calls share its state. Raises CheckFailed when the
        process died, naming the program it was at.
        """
        with tempfile.TemporaryDirectory(prefix="trtet-export-") as folder:
            job, answer = Path(folder, "job.pt"), Path(folder, "answer.pt")
            torch.save({str(p): [list(c) for c in calls] for p, calls in programs.items()}, job)
            command = [sys.executable, "-m", "trtet_export.run_program", str(job), str(answer)]
            if self.delegate:
                command += ["--delegate", str(self.delegate)]
            done = subprocess.run(
                command,
                env=self._environment(),
                capture_output=True,
                text=True,
                timeout=_TIMEOUT_S,
                check=False,
            )
            said = "\n".join((done.stdout + done.stderr).strip().splitlines()[-_MESSAGE_LINES:])
            if done.returncode != 0 or not answer.exists():
                raise CheckFailed(f"the run-time process ended with {done.returncode}:\n{said}")
            answers = torch.load(answer, weights_only=True)
        return {
            path: f"{got}\n{said}" if isinstance(got, str) else got
            for path, got in ((p, answers[str(p)]) for p in programs)
        }

    def _environment(self) -> dict[str, str]:
        merged = {**os.environ, **self.environment}
        merged["LD_LIBRARY_PATH"] = _joined(*self.library_path, merged.get("LD_LIBRARY_PATH"))
        merged["PYTHONPATH"] = _joined(_PACKAGE_ROOT, merged.get("PYTHONPATH"))
        return merged


def check_program(
    path: Path, cases: Sequence[Case], tolerance: float, runner: Runner
) -> list[CheckResult]:
    """Runs the cases in turn on one load. Raises CheckFailed saying which call and by how much."""
    got = runner.run({path: [case.inputs for case in cases]})[path]
    if isinstance(got, str):
        raise CheckFailed(f"the program does not run: {got}")
    return [
        compare(outputs, case.expected, tolerance, f"call {index}")
        for index, (outputs, case) in enumerate(zip(got, cases, strict=True))
    ]


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


def _build_folder() -> Path:
    named = os.environ.get("TRTET_BUILD_DIR")
    return Path(named) if named else _CHECKOUT / "build" / "default"


def _joined(*entries: Path | str | None) -> str:
    return os.pathsep.join(str(entry) for entry in entries if entry)
