"""The tool's own wheel: one executable on PATH, and the runtime wheel of its own version."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from auditwheel.wheeltools import InWheelCtx
from conftest import ROOT
from environments import Environment, make_environment, run
from packaging_checks.checks import CHECKS, run_checks
from packaging_checks.subject import read_subject
from test_cmake_package import with_executorch

VERSION = (ROOT / "version.txt").read_text().strip()


@pytest.fixture(scope="module")
def tool_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tool")
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    command = [sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "-v"]
    done = subprocess.run(
        [*command, "-w", folder, ROOT / "packaging" / "tool_wheel"],
        capture_output=True,
        text=True,
        env=dict(os.environ, PATH=tools),
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(tmp_path_factory, wheel, tool_wheel, parts) -> Environment:
    """Both wheels beside the real ExecuTorch's libraries, installed by pip."""
    environment = make_environment(tmp_path_factory.mktemp("venv") / "tool", with_pip=True)
    parts.all()
    shutil.copy(wheel, parts.folder)
    done = environment.run("-m", "pip", "install", "-q", tool_wheel, variables=parts.pip_variables)
    assert done.code == 0, done
    return with_executorch(environment)


def test_no_guard_refuses_it(tool_wheel):
    subject = read_subject(tool_wheel)
    assert run_checks(subject) == []
    assert subject.wheel.filename.startswith(f"trtet-{VERSION}-py3-none-manylinux_")


def test_it_requires_the_runtime_wheel_exactly(tool_wheel):
    lines = [str(r) for r in read_subject(tool_wheel).wheel.requirements]
    assert lines == [f"torch-tensorrt-executorch-runtime=={VERSION}"]


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["torch"],
        ["torch-tensorrt-executorch-runtime"],
        ["torch-tensorrt-executorch-runtime==9.9"],
    ],
)
def test_other_requirements_are_refused(tool_wheel, tmp_path, lines):
    changed = tmp_path / tool_wheel.name
    with InWheelCtx(tool_wheel, changed) as context:
        metadata = context.path / f"trtet-{VERSION}.dist-info" / "METADATA"
        kept = [x for x in metadata.read_text().splitlines() if not x.startswith("Requires-Dist")]
        metadata.write_text("\n".join([*[f"Requires-Dist: {x}" for x in lines], *kept]) + "\n")
    (finding,) = run_checks(read_subject(changed))
    assert finding.check == "tool-metadata" and finding.check in CHECKS
    assert f"not exactly torch-tensorrt-executorch-runtime=={VERSION}" in finding.what


def test_the_executable_is_on_path_and_is_the_native_one(installed):
    done = run(installed.folder / "bin" / "trtet", "--help")
    assert done.code == 0 and "run" in done.out, done
    wrong = run(installed.folder / "bin" / "trtet", "no-such-command")
    assert wrong.code == 2


def test_doctor_finds_everything_in_site_packages(installed):
    done = run(installed.folder / "bin" / "trtet", "doctor", "--json")
    report = json.loads(done.out)
    assert report["usable"] is True and done.code == 0, report
    text = json.dumps(report)
    for library in ("libexecutorch_backend_tensorrt.so", "libnvinfer.so.11", "libcudart.so.13"):
        assert library in text


def test_what_users_set_comes_first(installed, parts, tmp_path):
    own = tmp_path / "libnvinfer.so.11"
    own.write_bytes((parts.standins / "libnvinfer.so.11").read_bytes())
    variables = {"LD_LIBRARY_PATH": str(tmp_path)}
    done = run(installed.folder / "bin" / "trtet", "doctor", "--json", variables=variables)
    assert str(own) in done.out


def test_libraries_in_another_site_folder(tmp_path, wheel, tool_wheel, parts):
    environment = make_environment(tmp_path / "venv").unpack([tool_wheel])
    second = tmp_path / "second"
    environment.unpack([wheel, *parts.all()], second)
    shutil.move(with_executorch(environment).site / "executorch", second / "real")
    shutil.rmtree(second / "executorch")
    (second / "real").rename(second / "executorch")
    (environment.site / "second.pth").write_text(f"{second}\n")
    done = environment.run("-c", "import trtet, sys; sys.argv[1:] = ['doctor']; trtet.main()")
    assert done.code == 0, done


def test_the_exit_code_and_signals_are_its_own(installed):
    """The script replaces itself with the executable, so no Python stands between."""
    program = installed.site / "trtet" / "bin" / "trtet"
    done = installed.run("-c", "import os, trtet; os.execve = lambda *a: print(a[0]); trtet.main()")
    assert done.out.strip() == str(program)
