"""Import time of the Python package on top of ExecuTorch's, and of everything up to a usable runtime."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from benchmarks import peer
from benchmarks.built_wheel import built_wheel, install
from benchmarks.rows import Row

ROOT = Path(__file__).resolve().parent.parent
STANDINS = ROOT / "build" / "default" / "standins"

# Each prints the seconds of what comes after the first import.
OURS_ON_TOP = """
import executorch.runtime, time
start = time.perf_counter()
import torch_tensorrt_executorch_runtime
print(time.perf_counter() - start)
"""
OURS_WHOLE = """
import torch, time
start = time.perf_counter()
import torch_tensorrt_executorch_runtime
from executorch.runtime import Runtime
Runtime.get()
print(time.perf_counter() - start)
"""
PEERS_WHOLE = """
import torch, time
start = time.perf_counter()
import torch_tensorrt_executorch_runtime
torch_tensorrt_executorch_runtime.get_runtime()
print(time.perf_counter() - start)
"""


def seconds(python: Path, code: str, environment: dict[str, str]) -> float:
    done = subprocess.run(
        [str(python), "-W", "ignore", "-c", code],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    return float(done.stdout.split()[-1])


def our_python(folder: Path) -> Path:
    """A fresh environment with the built wheel, over this checkout's locked wheels."""
    wheel = built_wheel()
    if wheel is None:
        raise peer.Unavailable("no wheel in dist/; run make wheel")
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    site = next((folder / "lib").glob("python*/site-packages"))
    install(wheel, site)
    (site / "locked.pth").write_text(str((ROOT / ".venv" / "site-packages").resolve()) + "\n")
    return python


def rows(rounds: int = 5) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        ours = our_python(Path(folder))
        # Preloaded: torch's own run path comes before LD_LIBRARY_PATH, and the predecessor crashes
        # where the CUDA runtime finds no driver.
        environment = dict(
            os.environ,
            LD_LIBRARY_PATH=str(STANDINS),
            LD_PRELOAD=str(STANDINS / "libcudart.so.13"),
        )
        peers = dict(environment)
        peers["LD_LIBRARY_PATH"] += os.pathsep + str(
            peer.wheel_folder(peer.RUNTIME_WHEEL) / "torch_tensorrt_executorch_runtime"
        )
        peers["PYTHONPATH"] = os.pathsep.join(
            str(peer.wheel_folder(wheel)) for wheel in (peer.EXECUTORCH_WHEEL, peer.RUNTIME_WHEEL)
        )
        on_top, whole, theirs = [], [], []
        for _ in range(rounds):
            on_top.append(seconds(ours, OURS_ON_TOP, environment))
            whole.append(seconds(ours, OURS_WHOLE, environment))
            theirs.append(seconds(Path(sys.executable), PEERS_WHOLE, peers))
    return [
        Row(
            "import of the package on top of executorch.runtime",
            statistics.median(on_top) * 1e3,
            "ms",
        ),
        Row(
            "import up to a usable runtime, torch imported",
            statistics.median(whole) * 1e3,
            "ms",
            peer=statistics.median(theirs) * 1e3,
        ),
    ]
