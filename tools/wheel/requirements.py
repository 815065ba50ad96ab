"""What the tool's wheel asks for: the runtime wheel of the same version, exactly."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

_VERSION_FILE = Path(__file__).resolve().parents[2] / "version.txt"


def dynamic_metadata(settings: Mapping[str, Any], project: Mapping[str, Any]) -> dict[str, Any]:
    """scikit-build-core asks for the fields this provider fills."""
    version = _VERSION_FILE.read_text().strip()
    return {"dependencies": [f"torch-tensorrt-executorch-runtime=={version}"]}
