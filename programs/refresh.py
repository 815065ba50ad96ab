"""Writes a group of programs unless the folder holds what the present sources would write.

Usage: python -m programs.refresh samples|networks FOLDER [--only NAME]... [--force]
Standard library only; PyTorch is needed, in a process of its own, only when something changed.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PYTHON_PATH = (ROOT, ROOT / "exporter", ROOT / "standins" / "python")
_SOURCES = ("exporter/trtet_export", "programs", "standins/python/standin_plan")
# Modules that run or check programs; what they say does not reach the files.
_NOT_WRITING = frozenset(
    f"{name}.py"
    for name in (
        "__main__",
        "check",
        "cli",
        "refresh",
        "replace",
        "run_program",
        "runner",
        "running",
    )
)
_PACKAGES = ("executorch", "torch", "openvino")
_STAMP = ".written-from"
_EVERYTHING = "*"


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="programs.refresh", description=__doc__)
    parser.add_argument("group", choices=("samples", "networks"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--force", action="store_true", help="write in any case, leave no stamp")
    arguments = parser.parse_args(argv)
    if arguments.force:
        write(arguments.group, arguments.folder, arguments.only)
    else:
        refresh(arguments.group, arguments.folder, arguments.only)
    return 0


def refresh(group: str, folder: Path, names: Sequence[str] = ()) -> None:
    """Brings programs of a group up to date, all of them when no names are given.

    Raises CalledProcessError when writing fails.
    """
    stamp = folder / _STAMP
    wanted = _fingerprint()
    present = _read_stamp(stamp)
    if present.get("sources") != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        present = {"sources": wanted, "programs": []}
    there = set(present["programs"])
    missing = sorted(set(names or [_EVERYTHING]) - there)
    if not missing or _EVERYTHING in there:
        return
    write(group, folder, names and missing)
    present["programs"] = sorted(there | set(missing))
    stamp.write_text(json.dumps(present))


def write(group: str, folder: Path, names: Sequence[str] = ()) -> None:
    """Writes programs of a group, all of them (and nothing else) when no names are given."""
    if not names:
        shutil.rmtree(folder, ignore_errors=True)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, PYTHON_PATH))}
    command = [sys.executable, "-m", "programs.write", group, str(folder)]
    for name in names:
        command += ["--only", name]
    print(
        f"{folder}: writing {', '.join(names) or group} with PyTorch", file=sys.stderr, flush=True
    )
    # PyTorch and ExecuTorch warn about themselves there; people see it when something went wrong.
    done = subprocess.run(command, env=environment, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        done.check_returncode()


def _read_stamp(stamp: Path) -> dict[str, Any]:
    try:
        content: dict[str, Any] = json.loads(stamp.read_text())
    except (FileNotFoundError, json.JSONDecodeError):
        return {}
    return content


def _fingerprint() -> str:
    digest = hashlib.sha256()
    for source in _SOURCES:
        for path in sorted((ROOT / source).rglob("*.py")):
            if path.name in _NOT_WRITING:
                continue
            digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes() + b"\0")
    for package in _PACKAGES:
        digest.update(f"{package} {importlib.metadata.version(package)}\n".encode())
    return digest.hexdigest()


if __name__ == "__main__":
    sys.exit(main())
