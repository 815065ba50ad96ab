"""The release matrix, out of full matrices as the CI makes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .ci_matrix import KINDS, Entry, entry, full_matrix
from .support import NIGHTLY_PIN, RELEASE_PIN, Ran, policy, release

SUPPORTED = ("3.10", "3.11", "3.12", "3.13", "3.14")


@pytest.fixture
def run(tmp_path: Path) -> Any:
    def run_matrix(matrix: object, *flags: str, kind: str = "wheel", code: int = 0) -> Ran:
        path = tmp_path / "full.json"
        path.write_text(json.dumps(matrix), encoding="utf-8")
        pin = [] if "--pin" in flags else ["--pin", RELEASE_PIN]
        return release("matrix", f"--{kind}-matrix", path, *pin, *flags, code=code)

    return run_matrix


def told(entries: list[Entry], *keys: str) -> list[tuple[Any, ...]]:
    return [tuple(item[key] for key in keys) for item in entries]


def test_wheels_of_a_release(run: Any) -> None:
    include = run(full_matrix("linux")).json["include"]
    assert told(include, "desired_cuda", "python_version", "platform") == [
        (row, python, "linux_x86_64") for python in SUPPORTED for row in ("cu132", "cu134")
    ]


def test_entries_are_handed_on_whole(run: Any) -> None:
    matrix = full_matrix("linux", "linux-aarch64", "windows")
    for kept in run(matrix).json["include"]:
        original = {
            key: value
            for key, value in kept.items()
            if key not in ("platform", "target_index", "build_delegate")
        }
        assert original in matrix["include"]


def test_the_delegate_is_built_once_per_row_and_platform_and_never_on_windows(run: Any) -> None:
    include = run(full_matrix("linux", "linux-aarch64", "windows")).json["include"]
    built = [item for item in include if item["build_delegate"]]
    assert told(built, "desired_cuda", "platform") == [
        ("cu132", "linux_x86_64"),
        ("cu134", "linux_x86_64"),
        ("cu132", "linux_aarch64"),
        ("cu134", "linux_aarch64"),
    ]
    assert len({json.dumps(item) for item in include if item["platform"] == "win_amd64"}) == 10
    only = run(full_matrix("linux", "linux-aarch64", "windows"), "--delegate-only")
    assert only.json["include"] == built


@pytest.mark.parametrize(
    ("channel", "pin", "indexes"),
    [
        ("release", RELEASE_PIN, {("cu132", "pypi"), ("cu134", "stable")}),
        ("candidate", RELEASE_PIN, {("cu132", "test"), ("cu134", "test")}),
        ("nightly", NIGHTLY_PIN, {(row, "nightly") for row in ("cu130", "cu132", "cu134")}),
    ],
)
def test_every_row_has_its_index(
    run: Any, channel: str, pin: str, indexes: set[tuple[str, str]]
) -> None:
    include = run(full_matrix("linux"), "--channel", channel, "--pin", pin).json["include"]
    assert set(told(include, "desired_cuda", "target_index")) == indexes
    assert any(item["build_delegate"] for item in include)


@pytest.mark.parametrize(("channel", "pin"), [("nightly", RELEASE_PIN), ("candidate", NIGHTLY_PIN)])
def test_no_delegate_is_built_for_a_pin_that_its_channel_cannot_have(
    run: Any, channel: str, pin: str
) -> None:
    ran = run(full_matrix("linux"), "--channel", channel, "--pin", pin)
    assert not any(item["build_delegate"] for item in ran.json["include"])
    only = run(full_matrix("linux"), "--channel", channel, "--pin", pin, "--delegate-only")
    assert only.json == {"include": []}


def test_only_the_flag_drops_the_older_row(run: Any) -> None:
    """The row is one the target builds, so that nothing but the flag can have removed it."""
    assert policy().rows["cu130"].older
    matrix = full_matrix("linux")
    dropped = run(matrix, "--drop-older-rows").json["include"]
    kept = run(matrix, "--no-drop-older-rows").json["include"]
    difference = [
        item
        for item in kept
        if item["desired_cuda"] not in {other["desired_cuda"] for other in dropped}
    ]
    assert {item["desired_cuda"] for item in difference} == {"cu130"}
    assert len(kept) == len(dropped) + len(SUPPORTED)


@pytest.mark.parametrize(
    ("channel", "drops"), [("nightly", False), ("candidate", True), ("release", True)]
)
def test_a_channel_says_whether_older_rows_are_dropped(run: Any, channel: str, drops: bool) -> None:
    rows = {e["desired_cuda"] for e in run(full_matrix(), "--channel", channel).json["include"]}
    assert ("cu130" not in rows) == drops


def test_tarballs_take_one_python_per_row_and_platform(run: Any) -> None:
    ran = run(full_matrix("linux", "linux-aarch64", "windows"), kind="tarball")
    include = ran.json["include"]
    assert told(include, "desired_cuda", "python_version", "platform") == [
        (row, "3.11", platform)
        for platform in ("linux_x86_64", "linux_aarch64")
        for row in ("cu132", "cu134")
    ]
    assert not any("build_delegate" in item for item in include)


def test_tarballs_take_another_python_or_none_where_theirs_is_not_offered(run: Any) -> None:
    wheels = [entry(python, "cuda", "13.2", "linux", "test") for python in ("3.13", "3.12")]
    assert told(run({"include": wheels}, kind="tarball").json["include"], "python_version") == [
        ("3.12",)
    ]
    libtorch = {
        "desired_cuda": "cu132",
        "gpu_arch_type": "cuda",
        "gpu_arch_version": "13.2",
        "package_type": "libtorch",
        "libtorch_variant": "shared-with-deps",
        "validation_runner": "linux.g5.4xlarge.nvidia.gpu",
    }
    assert len(run({"include": [libtorch]}, kind="tarball").json["include"]) == 1


def test_few_keys_are_enough(run: Any) -> None:
    matrix = {
        "include": [
            {"python_version": "3.11", "desired_cuda": "cu132"},
            {"python_version": "3.11", "desired_cuda": "cpu"},
            {"python_version": "3.12", "gpu_arch_type": "cuda", "gpu_arch_version": "13.4"},
        ]
    }
    include = run(matrix).json["include"]
    assert [item["python_version"] for item in include] == ["3.11", "3.12"]
    assert {item["platform"] for item in include} == {"linux_x86_64"}
    windows = run(matrix, "--platform", "win_amd64").json["include"]
    assert {item["platform"] for item in windows} == {"win_amd64"}
    assert not any(item["build_delegate"] for item in windows)


@pytest.mark.parametrize(
    ("change", "platform"),
    [
        ({"platform": "manylinux_2_28_aarch64"}, "linux_aarch64"),
        ({"os": "linux-aarch64"}, "linux_aarch64"),
        ({"os": "linux"}, "linux_x86_64"),
        ({"os": "windows"}, "win_amd64"),
        ({"gpu_arch_type": "cuda-aarch64"}, "linux_aarch64"),
        ({"container_image": "pytorch/manylinux2_28_aarch64-builder:cuda13.2"}, "linux_aarch64"),
        ({"validation_runner": "windows.g4dn.xlarge"}, "win_amd64"),
        ({"validation_runner": "linux.arm64.m7g.4xlarge"}, "linux_aarch64"),
        ({"package_type": "manywheel"}, "linux_x86_64"),
    ],
)
def test_each_key_that_tells_the_platform(run: Any, change: dict[str, str], platform: str) -> None:
    item = {"python_version": "3.11", "desired_cuda": "cu132", "gpu_arch_version": "13.2", **change}
    assert told(run({"include": [item]}).json["include"], "platform") == [(platform,)]


GOOD = entry("3.11", "cuda", "13.2", "linux", "test")


@pytest.mark.parametrize(
    ("matrix", "seen"),
    [
        ([], "no list of objects under include"),
        ({"include": {}}, "no list of objects under include"),
        ({"include": ["cu132"]}, "no list of objects under include"),
        ({"include": [{**GOOD, "gpu_arch_version": "13.4"}]}, "13.4 in the row cu132"),
        ({"include": [{**GOOD, "gpu_arch_type": "rocm"}]}, "gpu_arch_type 'rocm' with"),
        ({"include": [{**GOOD, "desired_cuda": "cuda13"}]}, "desired_cuda: 'cuda13'"),
        ({"include": [{**GOOD, "desired_cuda": 132}]}, "132 is not a string"),
        ({"include": [{**GOOD, "python_version": "python3"}]}, "python_version: 'python3'"),
        ({"include": [{**GOOD, "python_version": ""}]}, "without python_version"),
        ({"include": [{**GOOD, "os": "windows"}]}, "different platforms"),
        (
            {"include": [{**GOOD, "os": "linux-aarch64", "gpu_arch_type": "cuda-arm64"}]},
            "different platforms",
        ),
        ({"include": [{"python_version": "3.11"}]}, "neither desired_cuda nor gpu_arch_type"),
        ({"include": [{**GOOD, "platform": "amiga"}]}, "'amiga' is not a platform"),
        ({"include": [GOOD, GOOD]}, "two entries for cu132 linux_x86_64 3.11"),
    ],
)
def test_what_cannot_be_interpreted_is_refused(run: Any, matrix: object, seen: str) -> None:
    ran = run(matrix, code=2)
    assert ran.out == ""
    assert "argument --wheel-matrix" in ran.err
    assert seen in ran.err


def test_a_gap_is_told_and_fails_where_completeness_is_asked(run: Any) -> None:
    matrix = full_matrix("linux")
    matrix["include"] = [
        item
        for item in matrix["include"]
        if (item["desired_cuda"], item["python_version"]) != ("cu134", "3.13")
    ]
    assert "lacks cu134 on Linux x86-64 for Python 3.13" in run(matrix).err
    assert run(matrix, "--complete", code=1).json == run(matrix).json
    kinds = tuple(kind for kind in KINDS if kind != ("cuda", "13.4"))
    without = full_matrix("linux", kinds=kinds)
    assert "lacks cu134 on Linux x86-64\n" in run(without, "--complete", code=1).err
    assert run(full_matrix("linux"), "--complete").err == ""


def test_nothing_left_to_build_fails(run: Any) -> None:
    ran = run(full_matrix("linux", kinds=(("cpu", ""), ("cuda", "12.6"))), code=1)
    assert ran.json == {"include": []}
    assert "nothing is left to build" in ran.err
