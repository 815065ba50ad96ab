"""Requires-Dist: what the guard refuses, and what the build computes from an environment."""

from __future__ import annotations

from dataclasses import replace as change
from pathlib import Path

import pytest
from libraries import GOOD
from packaging_checks.checks import requirements, run_checks
from packaging_checks.installed import Installed, read_installed
from packaging_checks.rows import CUDA_MAJORS
from packaging_checks.subject import read_subject
from wheel_requirements import BuildRefused, build_requirements, executorch_pin, pair
from wheels import WheelSpec, replace, write_distribution, write_wheel

INSTALLED = Installed(
    executorch_version="1.5.1",
    executorch_build_version="1.5.1+cpu",
    executorch_platform_tags=("manylinux_2_28_x86_64",),
    executorch_folder=Path("site/executorch"),
    cuda=CUDA_MAJORS[13],
    cudart_version="13.0.96",
    tensorrt_version="11.4.0.106",
    torch_version="2.14.0",
)


@pytest.fixture
def wheel(library, tmp_path):
    def make(**changes):
        return read_subject(
            write_wheel(replace(WheelSpec(library(GOOD).read_bytes()), **changes), tmp_path)
        )

    return make


@pytest.fixture
def refused(wheel):
    """Texts of the metadata findings when one requirement is exchanged for others; no other check may speak."""

    def check(position: int | None, *new: str, **changes):
        right = list(WheelSpec(b"", **changes).right_requirements)
        if position is not None:
            right[position : position + 1] = new
        else:
            right += new
        found = run_checks(wheel(requirements=tuple(right), **changes))
        assert {finding.check for finding in found} == {"metadata"}, found
        return [f"{f.subject}: {f.what}; {f.why}" for f in found]

    return check


EXECUTORCH, TENSORRT, CUDART, TORCH = range(4)


@pytest.mark.parametrize(
    "line", ["torch-tensorrt", "torch_tensorrt>=2.14", "Torch.TensorRT==2.15.0"]
)
def test_torch_tensorrt_is_a_cycle(refused, line):
    (text,) = refused(None, line)
    assert "cycle that no resolver can satisfy" in text


def test_another_name(refused):
    (text,) = refused(None, "numpy")
    assert text.startswith("numpy: is not in the allowed set")


@pytest.mark.parametrize("line", ["torch>=2.14", "torch==2.14.0", "torch<3"])
def test_a_bound_on_torch(refused, line):
    (text,) = refused(TORCH, line)
    assert "bounds torch" in text


@pytest.mark.parametrize("position", [EXECUTORCH, TENSORRT, CUDART, TORCH])
def test_a_missing_requirement(refused, position):
    (text,) = refused(position)
    assert "is missing" in text


@pytest.mark.parametrize("position", [EXECUTORCH, TENSORRT, CUDART])
@pytest.mark.parametrize("specifier", ["", ">=1", "==1.*", "==1,!=2"])
def test_a_missing_pin(refused, position, specifier):
    name = WheelSpec(b"").right_requirements[position].split("==")[0]
    (text,) = refused(position, name + specifier)
    assert "is not pinned to one version" in text


def test_a_pin_stated_twice(refused):
    (text,) = refused(None, "executorch==1.5.1+cu130")
    assert "is stated 2 times" in text


@pytest.mark.parametrize(
    "line", ["executorch[vgf]==1.5.1+cu130", "executorch==1.5.1+cu130; python_version>'3.9'"]
)
def test_extras_and_markers(refused, line):
    (text,) = refused(EXECUTORCH, line)
    assert "has extras, a marker or a URL" in text


def test_an_unreadable_line(refused):
    (text,) = refused(None, "no such ! requirement")
    assert "is no valid requirement" in text


def test_a_label_in_a_wheel_for_pypi(refused):
    (text,) = refused(EXECUTORCH, "executorch==1.5.1+cu130", index="pypi")
    assert "has the label +cu130 in a wheel meant for PyPI" in text


def test_a_wheel_for_pypi_with_a_label_of_its_own(wheel):
    (finding,) = run_checks(wheel(index="pypi", version="0.2.0+cu130"))
    assert "has a label: 0.2.0+cu130" in finding.what


def test_a_label_left_away(refused):
    (text,) = refused(EXECUTORCH, "executorch==1.5.1")
    assert "is not the 1.5.1+cu130 of the build record" in text


def test_a_label_where_no_label_exists(refused):
    texts = refused(CUDART, "nvidia-cuda-runtime==13.0.96+cu130")
    assert any("that package has no labels" in text for text in texts)


def test_a_structural_fault_comes_before_versions(refused):
    texts = refused(EXECUTORCH, "executorch==1.4.1", "numpy")
    assert texts[0].startswith("numpy")
    assert "1.5.1+cu130" in texts[1]


def test_another_project_or_version(wheel):
    assert "is 'other'" in run_checks(wheel(metadata_name="other"))[0].what
    assert "the file name says 0.2.0" in run_checks(wheel(metadata_version="0.3.0"))[0].what


@pytest.mark.parametrize("part", ["executorch_version", "tensorrt_version", "cudart_version"])
def test_a_wheel_for_another_build_than_the_installed_one(wheel, part):
    """Versions come from what is installed, so the fixture is wrong for this one rule only."""
    subject = wheel(label="")
    here = change(INSTALLED, **{part: "99.1"})
    found = list(requirements.check(change(subject, installed=here)))
    assert ["installed here" in f.what and "99.1" in f.what for f in found] == [True]
    assert list(requirements.check(change(subject, installed=INSTALLED))) == []


@pytest.mark.parametrize(
    ("version", "build", "index", "wanted"),
    [
        ("1.5.1", "1.5.1+cpu", "pytorch", "executorch==1.5.1"),
        ("1.5.1", "1.5.1+cpu", "pypi", "executorch==1.5.1"),
        ("1.5.1+cu130", "1.5.1+cu130", "pytorch", "executorch==1.5.1+cu130"),
        ("1.5.1+cu130", "1.5.1+cu130", "pypi", "executorch==1.5.1"),
        (
            "1.6.0.dev20261101+cu132",
            "1.6.0.dev20261101+cu132",
            "pytorch",
            "executorch==1.6.0.dev20261101+cu132",
        ),
    ],
)
def test_requirements_follow_the_installed_executorch(version, build, index, wanted):
    pairing = pair(
        change(INSTALLED, executorch_version=version, executorch_build_version=build), index
    )
    assert pairing.requirements == [
        wanted,
        "tensorrt-cu13==11.4.0.106",
        "nvidia-cuda-runtime==13.0.96",
        "torch",
    ]


def test_requirements_of_a_cuda_12_environment():
    here = change(
        INSTALLED, cuda=CUDA_MAJORS[12], cudart_version="12.6.77", tensorrt_version="11.4.0.106"
    )
    pairing = pair(here, "pytorch")
    assert pairing.requirements[1:3] == [
        "tensorrt-cu12==11.4.0.106",
        "nvidia-cuda-runtime-cu12==12.6.77",
    ]
    assert pairing.row == "cu126"


def test_a_pin_from_the_data_file_is_said_in_the_log():
    pairing = pair(change(INSTALLED, tensorrt_version=None), "pytorch")
    assert any(
        "tensorrt-cu13 is not installed here" in n and "packaging/pins.json" in n
        for n in pairing.notes
    )
    assert pair(INSTALLED, "pytorch").notes == ()


def test_the_installed_version_beats_the_data_file():
    assert (
        "tensorrt-cu13==11.9.9.9"
        in pair(change(INSTALLED, tensorrt_version="11.9.9.9"), "pypi").requirements
    )


@pytest.mark.parametrize(
    ("changes", "index", "row", "text"),
    [
        ({"executorch_version": None}, "pypi", None, "no ExecuTorch is installed"),
        ({"cuda": None}, "pypi", None, "no CUDA runtime is installed"),
        ({}, "elsewhere", None, "allowed: pytorch, pypi"),
        ({}, "pypi", "cu132", "TRTET_CUDA_ROW is cu132; the environment is of row cu130"),
        ({"executorch_build_version": "1.5.1+cu132"}, "pypi", "cu130", "of row cu132"),
    ],
)
def test_an_environment_that_is_refused(changes, index, row, text):
    with pytest.raises(BuildRefused, match=text):
        pair(change(INSTALLED, **changes), index, row)


def test_install_arguments_of_a_labelled_executorch():
    labelled = change(
        INSTALLED, executorch_version="1.5.1+cu130", executorch_build_version="1.5.1+cu130"
    )
    record = pair(labelled, "pytorch").record("0.2.0")
    assert record["executorch"]["install_arguments"][0] == "--extra-index-url"
    assert record["executorch"]["install_arguments"][1].endswith("/cu130")
    assert pair(INSTALLED, "pytorch").record("0.2.0")["executorch"]["install_arguments"] == []


def test_an_isolated_environment_asks_for_what_it_cannot_see():
    nothing = change(INSTALLED, executorch_version=None, cudart_version=None)
    wanted = build_requirements(nothing)
    assert f"executorch=={executorch_pin()}" in wanted
    assert any(line.startswith("nvidia-cuda-runtime==") for line in wanted)
    assert build_requirements(INSTALLED) == []


def test_installed_versions_are_read_from_folders(tmp_path):
    """The first folder on the path wins, as on import; the label comes from version.py."""
    import zipfile

    for site, version in (("first", "1.5.1"), ("second", "1.4.1")):
        code = f'from typing import Optional\n__version__ = "{version}+cpu"\n'
        files = {"executorch/version.py": code.encode()}
        archive = write_distribution(tmp_path, "executorch", version, files)
        zipfile.ZipFile(archive).extractall(tmp_path / site)
    runtime = write_distribution(tmp_path, "nvidia-cuda-runtime-cu12", "12.6.77", {})
    zipfile.ZipFile(runtime).extractall(tmp_path / "second")
    here = read_installed([str(tmp_path / "first"), str(tmp_path / "second")])
    assert (here.executorch_version, here.executorch_build_version) == ("1.5.1", "1.5.1+cpu")
    assert here.executorch_platform_tags == ("any",)
    assert (here.cuda, here.cudart_version) == (CUDA_MAJORS[12], "12.6.77")
    assert (here.tensorrt_version, here.torch_version) == (None, None)


def test_nothing_is_installed_in_an_empty_folder(tmp_path):
    here = read_installed([str(tmp_path)])
    assert (here.executorch_version, here.executorch_build_version, here.cuda) == (None, None, None)
