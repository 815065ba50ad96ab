"""Wheels of other projects that tests hold this one against, fetched by name into .cache/wheels."""

from __future__ import annotations

import fcntl
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".cache" / "wheels"


def unpacked_wheel(requirement: str) -> Path:
    """Returns the folder that holds the wheel's files; skips the test, with the reason, where it cannot be had.

    requirement: an exact one, such as ``torch-tensorrt==2.14.0``.
    """
    target = CACHE / requirement.replace("==", "-")
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (target / ".complete").exists():
            download = target / "download"
            fetched = subprocess.run(
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
            if fetched.returncode != 0:
                reason = (fetched.stderr.strip().splitlines() or ["pip said nothing"])[-1]
                pytest.skip(f"{requirement} could not be fetched: {reason}")
            (wheel,) = download.glob("*.whl")
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(target)
            wheel.unlink()
            (target / ".complete").touch()
    return target
