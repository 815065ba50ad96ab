"""The gpu lane on a machine that can build: core's contract tests again, on the real CUDA runtime."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "default"


def gpu_missing() -> str:
    """Why the lane cannot run here; empty when it can."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return "no GPU driver (libcuda.so.1) here; on a GPU machine: make test LANES=gpu"
    count = ctypes.c_int()
    if (
        driver.cuInit(0) != 0
        or driver.cuDeviceGetCount(ctypes.byref(count)) != 0
        or count.value == 0
    ):
        return "the driver offers no GPU here; on a GPU machine: make test LANES=gpu"
    if not (BUILD / "standins-gpu" / "libnvinfer.so.11").exists():
        return "the TensorRT stand-in for GPUs is not built; configure with -DTRTET_BUILD_GPU_STANDIN=ON (nvcc)"
    return ""


@pytest.mark.skipif(bool(gpu_missing()), reason=gpu_missing())
def test_contract_on_the_gpu():
    cudart = next((ROOT / ".venv" / "site-packages" / "nvidia").glob("cu13/lib"))
    executables = sorted(map(str, (BUILD / "tests").glob("contract_*")))
    assert executables
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "gpu" / "run_contract.py"), *executables],
        env=dict(os.environ, LD_LIBRARY_PATH=f"{BUILD / 'standins-gpu'}{os.pathsep}{cudart}"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:]
