"""Running programs in a fresh process with ExecuTorch's Python API. Needs no PyTorch here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from trtet_export.errors import CheckFailed, ExportError

_PACKAGE_ROOT = Path(__file__).resolve().parents[1]
_CHECKOUT = _PACKAGE_ROOT.parent
_TIMEOUT_S = 600
_MESSAGE_LINES = 12

Calls = Sequence[Sequence[Path]]


@dataclass(frozen=True)
class Answer:
    """Files of a program's outputs per call, or what the runtime said instead."""

    outputs: tuple[tuple[Path, ...], ...] = ()
    error: str = ""


@dataclass(frozen=True)
class Runner:
    """Where programs are run: the delegate to load and the libraries it finds.

    delegate: path of the delegate library; None imports the installed runtime package.
    standins: folder of the stand-in libraries; None leaves the real ones.
    """

    delegate: Path | None
    standins: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def for_builder(cls, builder: str) -> Runner:
        """The runner for plans of one builder. Raises ExportError when its parts are not there."""
        if builder != "standin":
            return cls(delegate=None)
        named = os.environ.get("TRTET_BUILD_DIR")
        return cls.on_standins(Path(named) if named else _CHECKOUT / "build" / "default")

    @classmethod
    def on_standins(cls, build: Path) -> Runner:
        """The delegate of a build folder on the stand-ins beside it."""
        delegate, standins = build / "libexecutorch_backend_tensorrt.so", build / "standins"
        for path in (delegate, standins):
            if not path.exists():
                raise ExportError(
                    f"{path}: not there, so programs cannot be run; run `make build`, "
                    "or set TRTET_BUILD_DIR to a build folder"
                )
        return cls(delegate.resolve(), standins.resolve())

    def run(self, programs: Mapping[Path, Calls], folder: Path) -> dict[Path, Answer]:
        """Loads each program once and makes its calls in turn; output files go into `folder`.

        Inputs are .npy or .pt files, all of one kind; outputs are written as that kind.
        Raises CheckFailed when the process died.
        """
        with tempfile.TemporaryDirectory(prefix="trtet-export-") as exchange:
            job, answer = Path(exchange, "job.json"), Path(exchange, "answer.json")
            job.write_text(json.dumps(_describe(programs, folder)))
            command = [sys.executable, "-m", "trtet_export.run_program", str(job), str(answer)]
            if self.delegate:
                command += ["--delegate", str(self.delegate)]
            done = subprocess.run(
                command,
                env=self.full_environment(),
                capture_output=True,
                text=True,
                timeout=_TIMEOUT_S,
                check=False,
            )
            said = "\n".join((done.stdout + done.stderr).strip().splitlines()[-_MESSAGE_LINES:])
            if done.returncode != 0 or not answer.exists():
                raise CheckFailed(f"the run-time process ended with {done.returncode}:\n{said}")
            answers = json.loads(answer.read_text())
        return {path: _read(answers[str(path)], said) for path in programs}

    def full_environment(self) -> dict[str, str]:
        """The child's environment: this process's, with libraries and this package in front."""
        merged = {**os.environ, **self.environment}
        if self.standins:
            merged["LD_LIBRARY_PATH"] = _joined(self.standins, merged.get("LD_LIBRARY_PATH"))
            # PyTorch's libraries look for theirs by DT_RPATH, which LD_LIBRARY_PATH does not beat.
            cudart = self.standins / "libcudart.so.13"
            merged["LD_PRELOAD"] = _joined(cudart, merged.get("LD_PRELOAD"))
        merged["PYTHONPATH"] = _joined(_PACKAGE_ROOT, merged.get("PYTHONPATH"))
        return merged


def _describe(programs: Mapping[Path, Calls], folder: Path) -> dict[str, object]:
    return {
        "folder": str(folder),
        "programs": [
            {"path": str(path), "calls": [[str(file) for file in call] for call in calls]}
            for path, calls in programs.items()
        ],
    }


def _read(content: dict[str, object], said: str) -> Answer:
    if content["error"]:
        return Answer(error=f"{content['error']}\n{said}")
    outputs: list[list[str]] = content["outputs"]  # type: ignore[assignment]
    return Answer(tuple(tuple(Path(file) for file in call) for call in outputs))


def _joined(*entries: Path | str | None) -> str:
    return os.pathsep.join(str(entry) for entry in entries if entry)
