"""`python -m torch_tensorrt_executorch_runtime`: what a person pastes into a bug report."""

from __future__ import annotations

import pytest
from environments import make_environment

PACKAGE = "torch_tensorrt_executorch_runtime"


def test_a_usable_installation(environment):
    done, report = environment.report()
    assert done.code == 0 and report["usable"] is True and report["problems"] == []
    assert report["recorded"]["executorch"]["build_version"] == "1.5.1+cpu"
    assert report["installed"]["executorch_build"] == "1.5.1+cpu"
    assert report["installed"]["tensorrt"] == report["recorded"]["tensorrt"]["version"]
    assert report["registered"] is True
    libraries = report["libraries"]
    assert libraries["delegate"]["path"].startswith(str(environment.site))
    assert libraries["tensorrt"]["path"] == str(environment.site / "tensorrt_libs/libnvinfer.so.11")
    assert libraries["cuda_runtime"]["version"] == "13.0"
    assert libraries["executorch"]["copies"] == [
        str(environment.site / "executorch/lib/libexecutorch.so")
    ]
    assert report["gpu"]["count"] == 1
    assert report["stand_ins"] == ["tensorrt", "cuda_runtime"]


def test_as_text(environment):
    done = environment.run("-m", PACKAGE)
    assert done.code == 0
    for text in (
        "built for",
        "1.5.1+cpu",
        "TensorRTBackend registered: yes",
        "libnvinfer.so.11",
        "GPUs: 1",
        "stand-ins are in use for: tensorrt, cuda_runtime",
        "verdict: usable",
    ):
        assert text in done.out, text


@pytest.mark.parametrize(
    "setting", [{"STANDIN_CUDA_DEVICES": "0"}, {"STANDIN_CUDA_DRIVER": "none"}]
)
def test_without_a_gpu_it_is_not_usable(environment, setting):
    done, report = environment.report(variables=setting)
    assert done.code == 1 and report["usable"] is False
    (problem,) = report["problems"]
    assert problem["part"] == "gpu" and "no usable GPU: " in problem["message"]
    assert report["registered"] is True and report["gpu"]["count"] == 0


@pytest.mark.parametrize(
    ("pattern", "part"),
    [
        ("executorch*", "executorch"),
        ("torch", "torch"),
        ("tensorrt_*", "tensorrt"),
        ("nvidia*", "cuda_runtime"),
    ],
)
def test_a_missing_part_is_a_problem_with_its_command(environment, pattern, part):
    done, report = environment.remove(pattern).report()
    assert done.code == 1
    assert report["problems"][0]["part"] == part
    assert "-m pip install" in report["problems"][0]["command"]
    text = environment.run("-m", PACKAGE)
    assert text.code == 1 and "verdict: not usable" in text.out and "  try: " in text.out
    assert "Traceback" not in text.err


def test_nothing_is_there(tmp_path, wheel):
    bare = make_environment(tmp_path / "venv").unpack([wheel])
    done, report = bare.report()
    assert done.code == 1 and report["usable"] is False
    assert report["installed"]["torch"] is None
    bare.remove(f"{PACKAGE}/build_record.json")
    done, report = bare.report()
    assert done.code == 1 and "build record cannot be read" in report["problems"][0]["message"]


def test_an_older_pytorch_is_flagged(environment, parts):
    environment.remove("torch", "torch-*").unpack([parts.elsewhere().torch("2.9.1")])
    done, report = environment.report()
    assert done.code == 0
    (note,) = [note for note in report["notes"] if "PyTorch" in note]
    assert "PyTorch 2.9.1 is older than 2." in note and "-m pip install" in note
    environment.remove("torch", "torch-*").unpack([parts.elsewhere().torch("2.99.0")])
    assert any("is newer than" in note for note in environment.report()[1]["notes"])


def test_the_right_pytorch_is_not_flagged(environment):
    assert not [note for note in environment.report()[1]["notes"] if "PyTorch" in note]


def test_another_tensorrt_is_noted(environment, tmp_path):
    from test_import import tensorrt_that_says

    library = tensorrt_that_says(110200, tmp_path / "other" / "libnvinfer.so.11")
    _, report = environment.report(variables={"LD_LIBRARY_PATH": str(library.parent)})
    assert any("TensorRT 11.2.0.7 is loaded from" in note for note in report["notes"])
    assert report["libraries"]["tensorrt"]["version"] == "11.2.0.7"
    assert report["stand_ins"] == ["cuda_runtime"]


def test_cmake_dir(environment):
    done = environment.run("-m", PACKAGE, "--cmake-dir")
    folder = environment.site / PACKAGE / "lib/cmake/executorch_backend_tensorrt"
    assert (done.code, done.out.strip(), done.err) == (0, str(folder), "")


def test_cmake_dir_needs_nothing_else(tmp_path, wheel):
    bare = make_environment(tmp_path / "venv").unpack([wheel])
    assert bare.run("-m", PACKAGE, "--cmake-dir").code == 0
    bare.remove(f"{PACKAGE}/lib")
    assert bare.run("-m", PACKAGE, "--cmake-dir").code == 1


@pytest.mark.parametrize("arguments", [["--nothing"], ["x"], ["--json", "--cmake-dir"], ["--js"]])
def test_a_wrong_argument(environment, arguments):
    done = environment.run("-m", PACKAGE, *arguments)
    assert done.code == 2 and "usage:" in done.err
