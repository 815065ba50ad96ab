"""The one command that checks what was built and prints every finding."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from conftest import ROOT
from libraries import GOOD, replace
from wheels import WheelSpec, write_wheel


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "packaging"))
    return subprocess.run(
        [sys.executable, "-m", "packaging_checks", *map(str, arguments)],
        capture_output=True,
        text=True,
        env=environment,
        cwd=ROOT,
        check=False,
    )


@pytest.fixture
def bad_wheel(library, tmp_path):
    built = library(replace(GOOD, run_path="/opt/lib:", extra_export="stray"))
    return write_wheel(
        WheelSpec(built.read_bytes(), requirements=("torch-tensorrt", "torch>2")), tmp_path
    )


def test_every_finding_is_printed(bad_wheel):
    done = run(bad_wheel)
    assert done.returncode == 1
    for text in (
        "[metadata] torch-tensorrt",
        "bounds torch",
        "[run-path]",
        "/opt/lib",
        "an empty entry",
        "[visibility]",
        "stray",
        "why:",
        "remedy:",
        "11 checks,",
    ):
        assert text in done.stdout, text


def test_json(bad_wheel, library):
    done = run("--json", bad_wheel, library(GOOD))
    assert done.returncode == 1
    wheel, alone = json.loads(done.stdout)
    assert {"check", "subject", "what", "why", "remedy", "structural"} == set(wheel["findings"][0])
    assert wheel["findings"][0]["structural"] is True
    assert alone["findings"] == []
    assert alone["figures"]["library_stripped_bytes"] > 0


def test_figures_and_budgets_are_printed(library, tmp_path):
    done = run(write_wheel(WheelSpec(library(GOOD).read_bytes()), tmp_path))
    assert done.returncode == 0
    assert " of 100,000 bytes" in done.stdout and "bytes stripped" in done.stdout
    assert "11 checks, 0 findings" in done.stdout


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("missing-1.0-py3-none-any.whl", None, "No such file"),
        ("broken-1.0-py3-none-any.whl", b"no zip", "not a readable wheel"),
        ("wrong_name.whl", b"", "not a readable wheel"),
        ("broken.so", b"\x7fELF", "not a readable ELF library"),
        ("broken.so", b"text", "not a readable ELF library"),
        ("page.md", b"no recipe", "no fenced block marked"),
        ("page.txt", b"text", "neither a wheel (.whl) nor a library (.so)"),
    ],
)
def test_a_file_that_cannot_be_read(tmp_path, name, content, text):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    done = run(tmp_path / name)
    assert done.returncode == 2
    assert text in done.stderr and "Traceback" not in done.stderr


def test_a_truncated_library_never_ends_in_a_traceback(library, tmp_path):
    image = library(GOOD).read_bytes()
    for length in range(0, len(image), max(1, len(image) // 15)):
        (tmp_path / "cut.so").write_bytes(image[:length])
        done = run(tmp_path / "cut.so")
        assert "Traceback" not in done.stderr, (length, done.stderr)
        assert done.returncode in (1, 2)


def test_the_folder_does_not_hide_pypis_packaging():
    code = "import packaging.version, packaging_checks; print(packaging.version.__file__)"
    environment = dict(os.environ, PYTHONPATH=f"{ROOT}{os.pathsep}{ROOT / 'packaging'}")
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True
    )
    assert "site-packages" in done.stdout


@pytest.mark.parametrize("arguments", [[], ["--unknown"], ["--js", "x.whl"]])
def test_usage(arguments):
    assert run(*arguments).returncode == 2
