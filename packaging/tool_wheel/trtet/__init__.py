"""Puts the trtet executable on PATH. It replaces this process, so signals and exit codes are its own."""

from __future__ import annotations

import os
import sys

_LIBRARY_FOLDERS = (
    "executorch/lib",
    "torch_tensorrt_executorch_runtime/lib",
    "tensorrt_libs",
    "nvidia/cu13/lib",
    "nvidia/cuda_runtime/lib",
)


def executable() -> str:
    """The executable's path."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "trtet")


def main() -> None:
    """The console script. Never returns."""
    path = executable()
    variables = dict(os.environ)
    folders = [*variables.get("LD_LIBRARY_PATH", "").split(":"), *_other_folders(path)]
    folders = [folder for folder in folders if folder]
    if folders:
        variables["LD_LIBRARY_PATH"] = ":".join(folders)
    os.execve(path, [path, *sys.argv[1:]], variables)


def _other_folders(path: str) -> list[str]:
    """Libraries in other folders of the import path; its run path knows its own site-packages."""
    own = os.path.dirname(os.path.dirname(os.path.dirname(path)))
    missing = [f for f in _LIBRARY_FOLDERS if not os.path.isdir(os.path.join(own, f))]
    candidates = (os.path.join(root, f) for f in missing for root in sys.path if root)
    return [folder for folder in candidates if os.path.isdir(folder)]
