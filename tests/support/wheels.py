"""Wheels of other projects that tests hold this one against, fetched by name into .cache/wheels."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from benchmarks import peer


def unpacked_wheel(requirement: str) -> Path:
    """Returns the folder that holds the wheel's files; skips the test, with the reason, where it cannot be had.

    requirement: an exact one, such as ``torch-tensorrt==2.14.0``.
    """
    try:
        return peer.wheel_folder(requirement)
    except peer.Unavailable as reason:
        pytest.skip(f"could not be fetched: {reason}")


def serialization() -> ModuleType:
    """The predecessor's reader and writer of blobs, loaded by path: it needs no PyTorch."""
    folder = unpacked_wheel(peer.RUNNER_WHEEL) / "torch_tensorrt" / "executorch"
    spec = importlib.util.spec_from_file_location("peer_serialization", folder / "serialization.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # dataclasses look their module up by name.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
