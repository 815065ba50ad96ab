"""The runtime wheel of this tree in a folder of its own; built again when sources change."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_FOLDER = ROOT / "build" / "runtime-wheel"
_SOURCES = (
    "CMakeLists.txt",
    "cmake",
    "include",
    "packaging",
    "pyproject.toml",
    "python",
    "src",
    "tensorrt_interface",
    "version.txt",
)


def installed_runtime_wheel() -> Path:
    """A folder for PYTHONPATH. Raises AssertionError with pip's words when it does not build."""
    _refresh()
    return _FOLDER / "site"


def built_runtime_wheel() -> Path:
    """The wheel's file. Raises AssertionError as above."""
    _refresh()
    (wheel,) = (_FOLDER / "dist").glob("*.whl")
    return wheel


def _refresh() -> None:
    _FOLDER.mkdir(parents=True, exist_ok=True)
    site, stamp = _FOLDER / "site", _FOLDER / "built-from"
    with (_FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = _fingerprint()
        if not stamp.exists() or stamp.read_text() != wanted:
            stamp.unlink(missing_ok=True)
            shutil.rmtree(site, ignore_errors=True)
            shutil.rmtree(_FOLDER / "dist", ignore_errors=True)
            _pip("wheel", "--no-build-isolation", "--wheel-dir", str(_FOLDER / "dist"), str(ROOT))
            (wheel,) = (_FOLDER / "dist").glob("*.whl")
            _pip("install", "--target", str(site), str(wheel))
            stamp.write_text(wanted)


def _pip(command: str, *arguments: str) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [sys.executable, "-m", "pip", command, "--no-deps", *arguments],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]


def _fingerprint() -> str:
    digest = hashlib.sha256()
    for source in _SOURCES:
        path = ROOT / source
        files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
        for file in files:
            if "__pycache__" not in file.parts:
                digest.update(f"{file.relative_to(ROOT)}\0".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()
