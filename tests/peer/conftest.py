"""The predecessor, out of its wheels."""

from __future__ import annotations

from types import ModuleType

import pytest

from benchmarks.peer import RUNNER_WHEEL, RUNTIME_WHEEL
from programs.running import Peer
from tests.support import wheels


@pytest.fixture(scope="session")
def peer() -> Peer:
    """The predecessor's C++ runner and the library from its Python runtime that it needs."""
    runner = (
        wheels.unpacked_wheel(RUNNER_WHEEL) / "torch_tensorrt" / "bin" / "example_executorch_runner"
    )
    # Wheels unpacked by zipfile lose the executable bit.
    runner.chmod(0o755)
    return Peer(runner, wheels.unpacked_wheel(RUNTIME_WHEEL) / "torch_tensorrt_executorch_runtime")


@pytest.fixture(scope="session")
def serialization() -> ModuleType:
    return wheels.serialization()
