"""The checking side's own process: loads programs with ExecuTorch's Python API and runs them.

Usage: python -m trtet_export.run_program JOB ANSWER [--delegate LIBRARY]
"""

from __future__ import annotations

import argparse
import ctypes
from pathlib import Path

import torch
from executorch.runtime import Runtime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("job", type=Path)
    parser.add_argument("answer", type=Path)
    parser.add_argument("--delegate", type=Path)
    arguments = parser.parse_args()
    _load_delegate(arguments.delegate)
    job = torch.load(arguments.job, weights_only=True)
    torch.save({path: _run(path, calls) for path, calls in job.items()}, arguments.answer)


def _load_delegate(library: Path | None) -> None:
    if library is None:
        import torch_tensorrt_executorch_runtime  # noqa: F401
    else:
        ctypes.CDLL(str(library), mode=ctypes.RTLD_LOCAL)


def _run(path: str, calls: list[list[torch.Tensor]]) -> list[list[torch.Tensor]] | str:
    """Outputs per call, or the runtime's complaint."""
    try:
        method = Runtime.get().load_program(path).load_method("forward")
        if method is None:
            return "the program has no method 'forward'"
        # Outputs live in the program's memory until the next call.
        return [[output.clone() for output in method.execute(inputs)] for inputs in calls]
    except RuntimeError as error:
        return str(error)


if __name__ == "__main__":
    main()
