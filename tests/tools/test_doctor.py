"""trtet doctor: the verdict, what is missing, and the command that mends it."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import BUILD, Trtet


def test_stand_ins_are_usable_and_named(trtet: Trtet) -> None:
    report = trtet.json("doctor")
    assert report["usable"] is True
    assert report["registered"] is True
    assert report["stand_ins"] == ["tensorrt", "cuda_runtime"]
    assert report["problems"] == []
    assert report["gpu"]["count"] == 1
    libraries = report["libraries"]
    assert libraries["tensorrt"]["version"].startswith("11.")
    assert libraries["cuda_runtime"]["version"].startswith("13.")
    assert Path(libraries["tensorrt"]["path"]).parent.resolve() == (BUILD / "standins").resolve()
    assert libraries["executorch"]["path"].endswith("/libexecutorch.so")
    text = trtet("doctor").stdout
    assert "verdict: usable" in text
    assert "stand-ins are in use" in text


@pytest.mark.parametrize(
    ("library", "part", "command"),
    [
        ("libnvinfer.so.11", "tensorrt", "pip install tensorrt"),
        ("libcudart.so.13", "cuda_runtime", "nvidia-cuda-runtime"),
        ("libexecutorch_backend_tensorrt.so", "delegate", "torch-tensorrt-executorch-runtime"),
    ],
)
def test_a_library_that_cannot_be_loaded(
    trtet: Trtet, tmp_path: Path, library: str, part: str, command: str
) -> None:
    (tmp_path / library).write_text("not a library")
    env = {"LD_LIBRARY_PATH": str(tmp_path)}
    report = trtet.json("doctor", code=1, env=env)
    assert report["usable"] is False
    (problem,) = [p for p in report["problems"] if p["part"] == part]
    assert library in problem["message"]
    assert command in problem["command"]
    text = trtet("doctor", env=env).stdout
    assert "verdict: not usable" in text
    assert f"problem ({part})" in text


def test_all_problems_at_once(trtet: Trtet, tmp_path: Path) -> None:
    for library in ("libnvinfer.so.11", "libcudart.so.13", "libexecutorch_backend_tensorrt.so"):
        (tmp_path / library).write_text("not a library")
    report = trtet.json("doctor", code=1, env={"LD_LIBRARY_PATH": str(tmp_path)})
    assert {p["part"] for p in report["problems"]} == {"tensorrt", "cuda_runtime", "delegate"}


@pytest.mark.parametrize(
    "setting", [("STANDIN_CUDA_DRIVER", "none"), ("STANDIN_CUDA_DEVICES", "0")]
)
def test_no_usable_gpu(trtet: Trtet, setting: tuple[str, str]) -> None:
    report = trtet.json("doctor", code=1, env=dict([setting]))
    (problem,) = report["problems"]
    assert problem["part"] == "gpu"
    assert "driver" in problem["message"]
    assert report["gpu"]["count"] == 0


def test_another_major_of_tensorrt(trtet: Trtet) -> None:
    report = trtet.json("doctor", code=1, env={"STANDIN_TENSORRT_VERSION": "12.0.0.1"})
    problems = [p for p in report["problems"] if p["part"] == "tensorrt"]
    assert problems
    assert "12.0.0.1" in problems[0]["message"]
