"""What several lanes use: the build that is tested, the programs in it, and where our modules lie."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "exporter"), str(ROOT / "standins" / "python")]


@pytest.fixture(scope="session")
def build_folder() -> Path:
    """The build whose delegate, stand-ins and tool are tested."""
    return Path(os.environ.get("TRTET_BUILD_DIR", ROOT / "build" / "default"))


@pytest.fixture(scope="session")
def samples_folder(build_folder: Path) -> Path:
    return build_folder / "programs"


@pytest.fixture(scope="session")
def networks_folder(build_folder: Path) -> Path:
    """Exported networks; written again only when their sources changed."""
    from programs import refresh

    folder = build_folder / "programs" / "networks"
    refresh.refresh("networks", folder)
    return folder
