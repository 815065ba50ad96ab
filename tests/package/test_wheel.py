"""The built wheel, and the build: what it records, computes, prints and refuses."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from conftest import ROOT
from environments import VENV_SITE, interpreters, make_environment, run
from packaging_checks.checks import run_checks
from packaging_checks.installed import read_installed
from packaging_checks.subject import read_subject
from test_import import MAPPED, REGISTERED, run_command

PACKAGE = "torch_tensorrt_executorch_runtime"
PYTHONS = interpreters()


def build(folder: Path, *settings: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "-v"]
    command += ["-w", str(folder), *[f"-C{setting}" for setting in settings], str(ROOT)]
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = dict(os.environ, PATH=tools)
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


@pytest.fixture(scope="module")
def facts(wheel):
    return read_subject(wheel, read_installed()).wheel


def test_no_guard_refuses_it(wheel):
    assert run_checks(read_subject(wheel, read_installed())) == []


def test_one_wheel_for_every_python_under_the_lowest_true_tag(facts):
    """ExecuTorch's own wheel is manylinux_2_28, and nothing here reaches for more."""
    machine = facts.library.machine
    floor = {"x86_64": "manylinux_2_28", "aarch64": "manylinux_2_35"}[machine]
    assert facts.filename_tags == {f"py3-none-{floor}_{machine}"}


def test_requirements_are_those_of_the_installed_environment(facts):
    here = read_installed()
    lines = [str(requirement) for requirement in facts.requirements]
    tensorrt = facts.build_record["tensorrt"]["version"]
    assert lines == [
        f"executorch=={here.executorch_version}",
        f"{here.cuda.tensorrt_distribution}=={tensorrt}",
        f"{here.cuda.cudart_distribution}=={here.cudart_version}",
        "torch",
    ]
    assert facts.build_record["executorch"]["build_version"] == here.executorch_build_version


def test_the_version_comes_from_the_one_file(facts):
    version = (ROOT / "version.txt").read_text().strip()
    assert (facts.version, facts.build_record["version"]) == (version, version)


def test_the_log_says_where_pins_come_from_and_the_figures(wheel):
    log = (wheel.parent / "build.log").read_text()
    if read_installed().tensorrt_version is None:
        assert "tensorrt-cu13 is not installed here; its pin" in log
        assert "packaging/pins.json" in log
    assert "wheel_backend: requires: executorch==" in log
    assert " of 100,000 bytes, library " in log and "11 checks, 0 findings" in log


def test_building_twice_gives_the_same_bytes(wheel, tmp_path):
    assert build(tmp_path).returncode == 0
    (again,) = tmp_path.glob("*.whl")
    assert again.read_bytes() == wheel.read_bytes()


@pytest.mark.parametrize(
    ("setting", "text"),
    [
        ("cuda-row=cu199", "TRTET_CUDA_ROW is cu199; the environment is of row cu"),
        ("index=elsewhere", "index is 'elsewhere'; allowed: pytorch, pypi"),
        ("platform-tag=manylinux_2_17_x86_64", "[tag]"),
    ],
)
def test_a_build_that_is_refused_leaves_no_wheel(tmp_path, setting, text):
    done = build(tmp_path, setting)
    assert done.returncode != 0
    assert text in done.stdout + done.stderr
    assert "wheel_backend: refused: " in done.stdout + done.stderr
    assert list(tmp_path.glob("*.whl")) == []


def test_a_source_distribution_leaves_the_requirements_open(tmp_path):
    """They are those of the environment that builds from it."""
    command = [sys.executable, "-m", "build", "--sdist", "--no-isolation", "-o", tmp_path, ROOT]
    subprocess.run([str(word) for word in command], check=True, capture_output=True)
    (built,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(built) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
        information = archive.extractfile(f"{built.name.removesuffix('.tar.gz')}/PKG-INFO")
        assert information is not None
        assert "dynamic: requires-dist" in information.read().decode().lower()
    for needed in ("packaging/pins.json", "release/pin.json", "version.txt", "src/backend.cpp"):
        assert needed in names


def test_make_wheel_leaves_it_in_dist_and_prints_the_figures(tmp_path):
    done = subprocess.run(
        [ROOT / "scripts" / "wheel.sh"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done
    (built,) = (ROOT / "dist").glob(f"{PACKAGE}-*.whl")
    assert f"dist/{built.name}" in done.stdout
    assert f"wheel {built.stat().st_size:,} of 100,000 bytes" in done.stdout
    assert "bytes stripped" in done.stdout


def test_several_pythons_are_here():
    assert len(PYTHONS) >= 1, "no Python 3.10 or newer was found"


@pytest.mark.parametrize("version", sorted(PYTHONS, key=lambda v: int(v.split(".")[1])))
def test_pip_installs_the_one_wheel_on_every_python(tmp_path, wheel, parts, version):
    environment = make_environment(tmp_path / "venv", PYTHONS[version], with_pip=True)
    parts.all()
    done = environment.run("-m", "pip", "install", "-q", wheel, variables=parts.pip_variables)
    assert done.code == 0, done
    assert environment.site.parent.name == f"python{version}"
    assert environment.load(REGISTERED).out.strip() == "True"


def test_pip_takes_the_highest_label_and_import_says_so(tmp_path, wheel, parts):
    """Several labels satisfy ``executorch==1.5.1``; the command names the one that was built against."""
    shop = parts.elsewhere()
    shop.all()
    shop.executorch("1.5.1+cu130", "1.5.1+cu130")
    environment = make_environment(tmp_path / "venv", with_pip=True)
    done = environment.run("-m", "pip", "install", "-q", wheel, variables=shop.pip_variables)
    assert done.code == 0, done
    done = environment.load()
    assert "ExecuTorch 1.5.1+cu130 is installed" in done.err
    assert run_command(environment, done.command, shop).code == 0
    assert environment.load(REGISTERED).out.strip() == "True"


def test_pip_cannot_mix_what_an_index_lacks(tmp_path, wheel, parts):
    """With only another ExecuTorch on offer pip refuses, rather than installing something else."""
    shop = parts.elsewhere()
    for made in (
        shop.torch(),
        *shop.tensorrt(),
        shop.cudart(),
        shop.executorch("1.4.1", "1.4.1+cpu"),
    ):
        assert made.exists()
    environment = make_environment(tmp_path / "venv", with_pip=True)
    done = environment.run("-m", "pip", "install", "-q", wheel, variables=shop.pip_variables)
    assert done.code != 0 and "executorch==1.5.1" in done.err


ORDERS = {
    "before": f"import {PACKAGE}\nfrom executorch.runtime import Runtime\n",
    "after": f"from executorch.runtime import Runtime\nimport {PACKAGE}\n",
}


@pytest.mark.parametrize("order", ORDERS)
def test_beside_the_real_runtime_in_either_order(tmp_path, wheel, parts, order):
    environment = make_environment(tmp_path / "venv").unpack([wheel])
    (environment.site / "layer.pth").write_text(f"{VENV_SITE}\n")
    code = ORDERS[order] + (
        "assert Runtime.get().backend_registry.is_available('TensorRTBackend')\n"
        "names = Runtime.get().backend_registry.registered_backend_names\n"
        "assert names.count('TensorRTBackend') == 1, names\n"
        "import warnings; warnings.simplefilter('ignore')\n"
        f"assert {PACKAGE}.get_runtime() is Runtime.get()\n"
        f"assert {PACKAGE}.activate().__name__.endswith('portable_lib')\n"
    )
    done = environment.run(
        "-c", code + MAPPED % "libexecutorch.so", variables={"LD_LIBRARY_PATH": str(parts.standins)}
    )
    assert done.code == 0, done
    assert done.out.strip() == repr([str(VENV_SITE / "executorch/lib/libexecutorch.so")])


def test_an_editable_installation(tmp_path, parts):
    """The Python files stay in the tree and the library goes elsewhere; no run path joins them."""
    environment = make_environment(tmp_path / "venv", with_pip=True).unpack(parts.tensorrt())
    (environment.site / "layer.pth").write_text(f"{VENV_SITE}\n")
    # A build folder of its own, since another environment's paths would spoil that of the wheel.
    launcher = {k: v for k, v in os.environ.items() if k.startswith(("CMAKE_", "CCACHE_", "HOME"))}
    done = run(
        environment.python,
        *("-m", "pip", "install", "-q", "--no-build-isolation", "--no-deps"),
        "-Cbuild-dir=build/editable",
        *("-e", ROOT),
        variables={
            **launcher,
            "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
            "PIP_NO_INDEX": "1",
        },
    )
    assert done.code == 0, done
    done = environment.load(
        REGISTERED + f"print({PACKAGE}._registration.__file__)",
        variables={"LD_LIBRARY_PATH": str(parts.standins)},
    )
    assert done.out.split() == ["True", str(ROOT / "python" / PACKAGE / "_registration.py")], done
