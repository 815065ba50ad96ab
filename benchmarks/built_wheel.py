"""The delegate's wheel that `make wheel` left in dist/."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

DIST = Path(__file__).resolve().parent.parent / "dist"


def built_wheel() -> Path | None:
    """The newest one, None where there is none."""
    wheels = sorted(DIST.glob("torch_tensorrt_executorch_runtime-*.whl"))
    return wheels[-1] if wheels else None


def install(wheel: Path, site: Path) -> None:
    """Installs a wheel, without what it requires, into a folder for PYTHONPATH or site-packages."""
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
            "--upgrade",
            "--target",
            str(site),
            str(wheel),
        ],
        check=True,
    )
