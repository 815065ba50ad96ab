"""The quick linters of `make lint`, so that every run of the core lane has them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def lint(*names: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ROOT / "scripts" / "lint.sh", *names], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("name", ["ruff", "shellcheck", "clang-format"])
def test_clean(name: str) -> None:
    # The styles are written for the locked version; a system's own may be years older.
    if not (ROOT / ".venv" / "bin" / name).exists():
        pytest.skip(f"{name} of requirements/full.txt is not in .venv; make setup brings it")
    done = lint(name)
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_unknown_linter_is_refused() -> None:
    done = lint("ruf")
    assert done.returncode == 2
    assert "'ruf' is unknown; allowed: ruff, mypy, shellcheck" in done.stderr
