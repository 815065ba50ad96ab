"""Wheels of other projects that tests hold this one against, fetched by name into .cache/wheels."""

from __future__ import annotations

from pathlib import Path

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
