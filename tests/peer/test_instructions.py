"""What one call costs, in instructions and calls: counts, so that they hold on any machine.

The bounds leave a little room for another libc; a lost optimisation costs more than that.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchmarks.instructions import per_execute
from benchmarks.peer import command as peer_command
from benchmarks.programs import write_programs
from benchmarks.run import (
    BUILD,
    calls_per_execute,
    our_command,
    our_environment,
    peer_environment,
)

pytestmark = pytest.mark.skipif(
    shutil.which("valgrind") is None, reason="valgrind is not installed: apt-get install valgrind"
)

# inputs: instructions outside the stand-ins that one execute may take, and its share of the peer's.
BOUNDS = {1: (892, 0.40), 2: (1070, 0.40), 8: (2060, 0.30), 32: (6000, 0.30)}


@pytest.fixture(scope="module")
def programs() -> dict[tuple[int, bool], Path]:
    return write_programs(BUILD / "benchmarks" / "programs")


@pytest.mark.parametrize("inputs", BOUNDS)
def test_one_execute_stays_within_its_instructions(programs, inputs):
    path = programs[inputs, False]
    most, share = BOUNDS[inputs]
    ours = per_execute(lambda runs: our_command(path, runs), our_environment()).outside
    assert 0 < ours <= most
    theirs = per_execute(lambda runs: peer_command(path, runs), peer_environment()).outside
    assert ours / theirs <= share, f"{ours:.0f} of {theirs:.0f}"


@pytest.mark.parametrize("inputs", BOUNDS)
@pytest.mark.parametrize("is_tagged", [False, True], ids=["host", "tagged"])
def test_a_steady_execute_calls_tensorrt_once(programs, inputs, is_tagged):
    path = programs[inputs, is_tagged]
    assert calls_per_execute("tensorrt", lambda n: our_command(path, n), our_environment()) == 1
