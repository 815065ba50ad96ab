"""PyTorch with the CUDA stand-in in the real library's place, as exporters and readers use it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import torch
import executorch.runtime

total = (torch.arange(6, dtype=torch.float32).reshape(2, 3) @ torch.ones(3, 2)).sum().item()
print("total", total, "gpus", torch.cuda.device_count())
"""


def run_torch(variables: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip()


def test_torch_computes_on_the_cpu_with_the_stand_in_preloaded(
    build_folder: Path, tmp_path: Path
) -> None:
    report = tmp_path / "cuda.json"
    said = run_torch(
        {
            "LD_PRELOAD": str(build_folder / "standins" / "libcudart.so.13"),
            "STANDIN_CUDA_DEVICES": "3",
            "STANDIN_CUDA_ON_MISUSE": "abort",
            "STANDIN_CUDA_REPORT": str(report),
        }
    )
    assert said == "total 30.0 gpus 3"
    counts = json.loads(report.read_text())["counts"]
    assert counts["cudaGetDeviceCount"] >= 1
    assert "cudaMalloc" not in counts


def test_torch_sees_no_gpu_without_a_driver(build_folder: Path) -> None:
    said = run_torch(
        {
            "LD_PRELOAD": str(build_folder / "standins" / "libcudart.so.13"),
            "STANDIN_CUDA_DRIVER": "none",
        }
    )
    assert said == "total 30.0 gpus 0"


def test_torch_works_with_the_stand_ins_on_the_library_path(build_folder: Path) -> None:
    # Its libraries carry an old-style run path, so it keeps its own runtime there.
    said = run_torch({"LD_LIBRARY_PATH": str(build_folder / "standins")})
    assert said.startswith("total 30.0")
