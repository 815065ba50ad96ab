"""The Python examples run as their documentation says, on the stand-ins."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from trtet_export.runner import Runner

from tests.python import pte

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "python"
Example = Callable[..., str]


def run_example(name: str, environment: dict[str, str], *arguments: Path) -> str:
    done = subprocess.run(
        [sys.executable, EXAMPLES / name, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def infer(runner: Runner) -> Example:
    """Runs an example with the installed wheel, on the stand-ins."""
    return lambda name, *arguments: run_example(name, runner.full_environment(), *arguments)


@pytest.fixture
def export(build_folder: Path) -> Example:
    """Runs an exporting example; only the process that checks its result is on the stand-ins."""
    path = os.pathsep.join(map(str, (ROOT / "exporter", ROOT / "standins" / "python")))
    environment = {**os.environ, "PYTHONPATH": path, "TRTET_BUILD_DIR": str(build_folder)}
    return lambda name, *arguments: run_example(name, environment, *arguments)


def test_inference(infer: Example, samples_folder: Path) -> None:
    inputs = [samples_folder / f"add.ones.input{i}.npy" for i in (0, 1)]
    said = infer("inference.py", samples_folder / "add.pte", *inputs)
    assert "output 0: (2, 3) [2.0, 2.0, 2.0, 2.0]" in said


def test_two_threads(infer: Example, samples_folder: Path) -> None:
    said = infer("two_threads.py", samples_folder / "matmul.pte", samples_folder / "add_host.pte")
    assert "matmul.pte: [[3.0, 3.0, 3.0, 3.0]]" in said
    assert "add_host.pte: [[2.0, 2.0, 2.0, 2.0]]" in said


def test_export_network(export: Example, tmp_path: Path) -> None:
    said = export("export_network.py", tmp_path / "network.pte")
    assert "over 3 calls" in said
    assert list(tmp_path.iterdir()) == [tmp_path / "network.pte"]


def test_the_pages_command_runs(tmp_path: Path, build_folder: Path) -> None:
    """As a reader types it, in a folder that looks like the checkout."""
    for name in ("examples", "exporter", "standins"):
        (tmp_path / name).symlink_to(ROOT / name)
    (block,) = re.findall(r"```sh\n(.*?)```", (EXAMPLES / "README.md").read_text(), re.DOTALL)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-eu", "-c", block],
        cwd=tmp_path,
        env={**os.environ, "PATH": path, "TRTET_BUILD_DIR": str(build_folder.resolve())},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "network.pte").exists()


def test_every_example_is_run_here() -> None:
    names = {path.name for path in EXAMPLES.glob("*.py")}
    assert names == {"export_network.py", "inference.py", "split_graph.py", "two_threads.py"}


def test_split_graph(export: Example, tmp_path: Path) -> None:
    said = export("split_graph.py", tmp_path / "split.pte")
    assert "1 part here" in said
    program = pte.read((tmp_path / "split.pte").read_bytes())
    assert sorted(program.backends) == ["TensorRTBackend", "XnnpackBackend"]
