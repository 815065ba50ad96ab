"""The run-time process: loads programs with ExecuTorch's Python API and makes calls.

Usage: python -m trtet_export.run_program JOB ANSWER [--delegate LIBRARY]
JOB and ANSWER are JSON files that trtet_export.runner writes and reads.
"""

from __future__ import annotations

import argparse
import ctypes
import json
from pathlib import Path
from typing import Any

import numpy
import torch
from executorch.runtime import Runtime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("job", type=Path)
    parser.add_argument("answer", type=Path)
    parser.add_argument("--delegate", type=Path)
    arguments = parser.parse_args()
    _load_delegate(arguments.delegate)
    job = json.loads(arguments.job.read_text())
    folder = Path(job["folder"])
    answers = {
        program["path"]: _run(program["path"], program["calls"], folder / f"program{index}")
        for index, program in enumerate(job["programs"])
    }
    arguments.answer.write_text(json.dumps(answers))


def _load_delegate(library: Path | None) -> None:
    if library is None:
        import torch_tensorrt_executorch_runtime  # noqa: F401
    else:
        ctypes.CDLL(str(library), mode=ctypes.RTLD_LOCAL)


def _run(path: str, calls: list[list[str]], folder: Path) -> dict[str, Any]:
    """Files of outputs per call, or the runtime's complaint."""
    folder.mkdir()
    written: list[list[str]] = []
    try:
        method = Runtime.get().load_program(path).load_method("forward")
        if method is None:
            return {"outputs": [], "error": "the program has no method 'forward'"}
        for index, files in enumerate(calls):
            outputs = method.execute([_read(Path(file)) for file in files])
            suffix = Path(files[0]).suffix if files else ".npy"
            # Outputs live in the program's memory until the next call, so they go to files now.
            written.append(
                [
                    _write(folder / f"call{index}.output{position}{suffix}", output)
                    for position, output in enumerate(outputs)
                ]
            )
    except RuntimeError as error:
        return {"outputs": [], "error": str(error)}
    return {"outputs": written, "error": ""}


def _read(file: Path) -> torch.Tensor:
    if file.suffix == ".npy":
        return torch.from_numpy(numpy.load(file, allow_pickle=False))
    tensor: torch.Tensor = torch.load(file, weights_only=True)
    return tensor


def _write(file: Path, tensor: torch.Tensor) -> str:
    if file.suffix == ".npy":
        numpy.save(file, tensor.numpy(), allow_pickle=False)
    else:
        torch.save(tensor, file)
    return str(file)


if __name__ == "__main__":
    main()
