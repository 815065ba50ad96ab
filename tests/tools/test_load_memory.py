"""Loading a program copies its plan nowhere: TensorRT gets the program's own bytes."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

BUILD = Path(__file__).resolve().parents[2] / "build" / "default"
PLAN_BYTES = 64 << 20


@pytest.fixture(scope="module")
def blob(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("load") / "blob"
    load_memory("write", str(path), str(PLAN_BYTES))
    return path


def load_memory(*arguments: str) -> str:
    return subprocess.run(
        [str(BUILD / "benchmarks" / "load_memory"), *arguments],
        env=dict(os.environ, LD_LIBRARY_PATH=str(BUILD / "standins")),
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def test_a_load_adds_no_copy_of_the_plan(blob):
    ours, by_hand = (json.loads(load_memory(who, str(blob))) for who in ("ours", "hand"))
    assert ours["file_bytes"] > PLAN_BYTES
    assert ours["peak_bytes"] <= by_hand["peak_bytes"] + 0.02 * PLAN_BYTES
