"""The captures in docs/trtet.md are what the program prints today."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import Trtet

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "trtet.md"


def captures(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "tools" / "captures.py"), *map(str, arguments)],
        capture_output=True,
        text=True,
    )


def test_captures_are_current(trtet: Trtet) -> None:
    done = captures("--check", PAGE)
    assert done.returncode == 0, (
        f"{done.stdout}{done.stderr}renew them: python tools/captures.py docs/trtet.md"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("float32[2, 3]", "float64[2, 3]"),
        ("--warmup", "--warm-up"),
        ("phases of the delegate", "phases"),
    ],
)
def test_a_stale_capture_is_noticed_and_renewed(
    trtet: Trtet, tmp_path: Path, old: str, new: str
) -> None:
    text = PAGE.read_text()
    assert old in text
    page = tmp_path / "page.md"
    page.write_text(text.replace(old, new))
    stale = captures("--check", page)
    assert stale.returncode == 1
    assert "not current" in stale.stdout
    assert captures(page).returncode == 0
    assert captures("--check", page).returncode == 0


def test_a_page_without_captures_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("nothing here\n")
    assert captures("--check", tmp_path / "page.md").returncode != 0


@pytest.mark.parametrize(
    "command", ["run", "bench", "inspect", "extract", "pack", "kv-check", "doctor"]
)
def test_every_sub_command_is_shown(command: str) -> None:
    assert f"$ trtet {command} " in PAGE.read_text() or f"$ trtet {command}\n" in PAGE.read_text()
