from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Our folder is no package, so it cannot hide PyPI's ``packaging``; this makes what lies in it importable.
sys.path[:0] = [str(ROOT / "packaging"), str(Path(__file__).parent)]

from environments import Environment, Parts, make_environment, with_executorch  # noqa: E402
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


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runtime wheel, built from this tree as `make wheel` builds it."""
    folder = tmp_path_factory.mktemp("wheel")
    environment = dict(
        os.environ, PATH=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    )
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--no-build-isolation",
            "--no-deps",
            "-w",
            folder,
            "-v",
            ROOT,
        ],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    (folder / "build.log").write_text(done.stdout + done.stderr)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Parts:
    standins = ROOT / "build" / "default" / "standins"
    for name in ("libcudart.so.13", "libnvinfer.so.11"):
        assert (standins / name).exists(), f"{standins / name} is missing; run make build"
    return Parts(tmp_path_factory.mktemp("index"), standins)


@pytest.fixture
def environment(tmp_path: Path, wheel: Path, parts: Parts) -> Environment:
    """A fresh virtual environment with the wheel and everything it needs; tests take things away."""
    return make_environment(tmp_path / "venv").unpack([wheel, *parts.all()])


@pytest.fixture(scope="session")
def moved(tmp_path_factory: pytest.TempPathFactory, wheel: Path, parts: Parts) -> Environment:
    """A complete environment that was moved after it was filled; a folder with a space in its name."""
    first = make_environment(tmp_path_factory.mktemp("first") / "venv")
    with_executorch(first.unpack([wheel, *parts.all()]))
    second = tmp_path_factory.mktemp("moved") / "to here"
    shutil.move(first.folder, second)
    return Environment(second)
