from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Our folder is no package, so it cannot hide PyPI's ``packaging``; this makes what lies in it
# importable.
sys.path[:0] = [str(ROOT / "packaging"), str(Path(__file__).parent)]

from libraries import GOOD, LibrarySpec, build_library  # noqa: E402


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Callable[[LibrarySpec], Path]:
    """Compiles a library, once per description."""
    built: dict[LibrarySpec, Path] = {}

    def build(spec: LibrarySpec = GOOD) -> Path:
        if spec not in built:
            built[spec] = build_library(spec, tmp_path_factory.mktemp("library"))
        return built[spec]

    return build
