"""Writes a group of programs unless the folder holds what the present sources would write.

Usage: python -m programs.refresh samples|networks FOLDER [--force]
Standard library only; PyTorch is needed, in a process of its own, only when something changed.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHON_PATH = (ROOT, ROOT / "exporter", ROOT / "standins" / "python")
_SOURCES = ("exporter/trtet_export", "programs", "standins/python/standin_plan")
_PACKAGES = ("executorch", "torch", "openvino")
_STAMP = ".written-from"


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="programs.refresh", description=__doc__)
    parser.add_argument("group", choices=("samples", "networks"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--force", action="store_true", help="write in any case, leave no stamp")
    arguments = parser.parse_args(argv)
    if arguments.force:
        write(arguments.group, arguments.folder)
    else:
        refresh(arguments.group, arguments.folder)
    return 0


def refresh(group: str, folder: Path) -> None:
    """Brings a folder up to date. Raises CalledProcessError when writing fails."""
    wanted = _fingerprint()
    stamp = folder / _STAMP
    if stamp.exists() and stamp.read_text() == wanted:
        return
    write(group, folder)
    stamp.write_text(wanted)


def write(group: str, folder: Path) -> None:
    """Replaces a folder by what the present sources write."""
    shutil.rmtree(folder, ignore_errors=True)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, PYTHON_PATH))}
    subprocess.run(
        [sys.executable, "-m", "programs.write", group, str(folder)], env=environment, check=True
    )


def _fingerprint() -> str:
    digest = hashlib.sha256()
    for source in _SOURCES:
        for path in sorted((ROOT / source).rglob("*.py")):
            digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes() + b"\0")
    for package in _PACKAGES:
        digest.update(f"{package} {importlib.metadata.version(package)}\n".encode())
    return digest.hexdigest()


if __name__ == "__main__":
    sys.exit(main())
