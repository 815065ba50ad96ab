"""TensorRT's own lean runtime in the place of libnvinfer.so.11.

Without a driver the delegate must refuse clearly before it calls into TensorRT, whose createInferRuntime_INTERNAL
then returns a pointer that is neither null nor valid (seen with 11.4.0.106). With one, the real runtime refuses a
damaged plan and its words reach the delegate's message.
"""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.support.wheels import unpacked_wheel

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "default"
LEAN = "tensorrt-lean-cu13-libs==11.4.0.106"


def real_cudart_folder() -> Path:
    return next((ROOT / ".venv" / "site-packages" / "nvidia").glob("cu13/lib"))


def has_driver() -> bool:
    try:
        return ctypes.CDLL("libcuda.so.1").cuInit(0) == 0
    except OSError:
        return False


@pytest.fixture(scope="module")
def real_libraries(tmp_path_factory) -> str:
    """A search path with the lean runtime under the full one's soname, and the real CUDA runtime."""
    folder = tmp_path_factory.mktemp("real")
    (lean,) = unpacked_wheel(LEAN).glob("**/libnvinfer_lean.so.11")
    (folder / "libnvinfer.so.11").symlink_to(lean)
    return os.pathsep.join([str(folder), str(real_cudart_folder())])


def trtet(*arguments: str, path: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(BUILD / "trtet"), *arguments],
        env=dict(os.environ, LD_LIBRARY_PATH=path),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def sample_program() -> Path:
    return BUILD / "programs" / "add_one.pte"


@pytest.mark.skipif(has_driver(), reason="this machine has a driver; the refusal needs one without")
def test_without_a_driver_the_refusal_is_clear_and_nothing_crashes(real_libraries):
    done = trtet("run", str(sample_program()), path=real_libraries)
    said = done.stdout + done.stderr
    assert done.returncode == 1, said
    assert "no usable GPU" in said
    assert re.search(r"CUDA says .+ \(\d+\)", said), "the CUDA error and its number"
    assert "install an NVIDIA driver" in said


@pytest.mark.skipif(
    not has_driver(), reason="no GPU driver here; run on a GPU: make test LANES=real-library"
)
def test_with_a_driver_a_damaged_plan_is_refused_in_tensorrt_s_own_words(real_libraries):
    done = trtet("run", str(sample_program()), path=real_libraries)
    said = done.stdout + done.stderr
    assert done.returncode == 1, said
    assert "TensorRT refused the plan" in said
    assert "IRuntime::deserializeCudaEngine" in said, "TensorRT's own words"


def test_the_stand_ins_were_not_in_the_way(real_libraries):
    done = trtet("doctor", "--json", path=real_libraries)
    assert "standins" not in " ".join(
        line for line in done.stdout.splitlines() if "libnvinfer" in line or "libcudart" in line
    )
    assert "libnvinfer" in done.stdout
