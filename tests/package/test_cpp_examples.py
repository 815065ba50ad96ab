"""The C++ examples as a project of their own, against the installed wheel."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from environments import VENV_SITE, Done, Environment, run

from tests.tools import programs

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "cpp"
SAMPLES = ROOT / "programs" / "data"
# Copies of the stand-in arrive late, so that a program that does not wait for them is seen.
LATE = {"STANDIN_CUDA_MODE": "lazy"}


@pytest.fixture(scope="session")
def built(moved: Environment, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """By the commands of the examples' own page."""
    folder = tmp_path_factory.mktemp("examples")
    (folder / "examples").symlink_to(EXAMPLES.parent)
    (folder / "model.pte").symlink_to(SAMPLES / "add.pte")
    (block,) = re.findall(r"```sh\n(.*?)```", (EXAMPLES / "README.md").read_text(), re.DOTALL)
    variables = {
        "PATH": f"{moved.folder / 'bin'}:{Path(sys.executable).parent}:/usr/bin:/bin",
        # The stand-in for the CUDA runtime's wheel has no headers; the locked one's are the same.
        "CMAKE_INCLUDE_PATH": str(VENV_SITE / "nvidia" / "cu13" / "include"),
        "CXXFLAGS": "-Wall -Wextra -Wconversion -Wshadow -Werror",
    }
    done = run("bash", "-eux", "-c", block, variables=variables, cwd=folder)
    assert done.code == 0, done.out[-3000:] + done.err[-3000:]
    assert done.out.endswith("\n[2, 2, 2, 2]\n")
    return folder / "build" / "examples"


def example(built: Path, name: str, *models: Path) -> Done:
    return run(built / name, *models, variables=LATE)


@pytest.mark.parametrize(
    ("program", "said"), [("add", "[2, 2, 2, 2]"), ("sum_and_product", "[2, 2, 2, 2] [1, 1, 1, 1]")]
)
def test_inference(built: Path, program: str, said: str) -> None:
    done = example(built, "inference", SAMPLES / f"{program}.pte")
    assert (done.code, done.out) == (0, said + "\n"), done


def test_two_threads(built: Path) -> None:
    models = [SAMPLES / "matmul.pte", SAMPLES / "add_host.pte"]
    done = example(built, "two_threads", *models)
    said = f"{models[0]}: [3, 3, 3, 3]\n{models[1]}: [2, 2, 2, 2]\n"
    assert (done.code, done.out) == (0, said), done


def test_caller_stream(built: Path, tmp_path: Path) -> None:
    done = example(built, "caller_stream", programs.add(tmp_path / "model.pte"))
    assert (done.code, done.out) == (0, "[2, 2, 2, 2]\n"), done


@pytest.mark.parametrize("name", ["inference", "two_threads", "caller_stream"])
def test_a_program_that_is_not_there_is_said(built: Path, name: str, tmp_path: Path) -> None:
    wanted = [tmp_path / "none.pte"] * (2 if name == "two_threads" else 1)
    assert example(built, name, *wanted).code == 1
    done = example(built, name)
    assert (done.code, done.err.split()[:2]) == (2, ["usage:", name])


def test_every_example_is_run_here(built: Path) -> None:
    assert {path.stem for path in EXAMPLES.glob("*.cpp")} == {
        "inference",
        "two_threads",
        "caller_stream",
    }
