"""The predecessor's wheels, and programs of this project's own for its runner."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "exporter"), str(ROOT / "standins" / "python")]

from programs import refresh  # noqa: E402
from programs.running import Peer  # noqa: E402
from tests.support.wheels import unpacked_wheel  # noqa: E402

TORCH_TENSORRT = "torch-tensorrt==2.14.0"
RUNTIME = "torch-tensorrt-executorch-runtime==0.1.0"


@pytest.fixture(scope="session")
def build_folder() -> Path:
    return Path(os.environ.get("TRTET_BUILD_DIR", ROOT / "build" / "default"))


@pytest.fixture(scope="session")
def peer() -> Peer:
    """The predecessor's C++ runner and the library from its Python runtime that it needs."""
    runner = unpacked_wheel(TORCH_TENSORRT) / "torch_tensorrt" / "bin" / "example_executorch_runner"
    # Wheels unpacked by zipfile lose the executable bit.
    runner.chmod(0o755)
    return Peer(runner, unpacked_wheel(RUNTIME) / "torch_tensorrt_executorch_runtime")


@pytest.fixture(scope="session")
def serialization() -> ModuleType:
    """torch_tensorrt/executorch/serialization.py, loaded by path: it needs no PyTorch."""
    path = unpacked_wheel(TORCH_TENSORRT) / "torch_tensorrt" / "executorch" / "serialization.py"
    spec = importlib.util.spec_from_file_location("peer_serialization", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # dataclasses look their module up by name.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def samples_folder(build_folder: Path) -> Path:
    return build_folder / "programs"


@pytest.fixture(scope="session")
def networks_folder(build_folder: Path) -> Path:
    folder = build_folder / "programs" / "networks"
    refresh.refresh("networks", folder)
    return folder
