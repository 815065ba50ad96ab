"""trtet run on the (simulated) GPU: memory, options, devices, streams, and what is missing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Trtet

Programs = Callable[[str], Path]


def counts(path: Path) -> dict[str, int]:
    """What the CUDA stand-in counted in that process."""
    calls = json.loads(path.read_text())["counts"]
    assert isinstance(calls, dict)
    return calls


def test_an_output_in_gpu_memory_is_copied_back(trtet: Trtet, programs: Programs) -> None:
    """The stand-in's device memory cannot be read by the program: a missing copy would crash."""
    report = trtet.json("run", programs("add_on_device"))
    assert report["outputs"][0]["first_values"] == [2] * 6


@pytest.mark.parametrize("program", ["decoder", "decoder_planned"])
def test_caches_start_at_zero(trtet: Trtet, programs: Programs, program: str) -> None:
    """Fresh memory of the stand-in holds NaN, and inputs are ones; a cache must be neither."""
    report = trtet.json("run", programs(program))
    assert report["outputs"][0]["first_values"] == [1, 1, 1, 1]


def test_load_time_options_reach_the_delegate(trtet: Trtet, programs: Programs) -> None:
    done = trtet("run", programs("add"), "--option", "no_such_key=1")
    assert done.returncode == 1
    assert "no_such_key" in done.stderr
    wrong_type = trtet("run", programs("add"), "--option", "cuda_graph=7")
    assert wrong_type.returncode == 1
    assert "cuda_graph" in wrong_type.stderr
    for option in (
        "cuda_graph=true",
        "assume_alignment=16",
        "weight_streaming_budget=",
        "device_id=0",
    ):
        assert trtet("run", programs("add"), "--option", option).returncode == 0, option


def test_an_option_too_long_for_executorch_is_a_usage_error(
    trtet: Trtet, programs: Programs
) -> None:
    for option in (f"{'k' * 64}=1", f"weight_streaming_budget={'1' * 256}"):
        done = trtet("run", programs("add"), "--option", option)
        assert done.returncode == 2
        assert "longer than" in done.stderr


def test_another_device(trtet: Trtet, programs: Programs, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    env = {"STANDIN_CUDA_DEVICES": "2", "STANDIN_CUDA_REPORT": str(report)}
    assert trtet("run", programs("add"), "--device", 1, env=env).returncode == 0
    used = [gpu["total_allocations"] for gpu in json.loads(report.read_text())["ledger"]]
    assert used[0] == 0 and used[1] > 0, "the delegate runs there as well"
    absent = trtet("run", programs("add"), "--device", 2, env=env)
    assert absent.returncode == 1
    assert "--device" in absent.stderr
    assert "cudaErrorInvalidDevice" in absent.stderr


@pytest.mark.parametrize("choice", [["--caller-stream"], ["--green-context-sms", "0"]])
def test_a_stream_of_the_callers(
    trtet: Trtet, programs: Programs, tmp_path: Path, choice: list[str]
) -> None:
    env = {"STANDIN_CUDA_REPORT": str(tmp_path / "report.json")}
    done = trtet("run", programs("add"), *choice, env=env)
    assert done.returncode == 0, done.stderr
    assert "2, 2, 2" in done.stdout
    used = counts(tmp_path / "report.json")
    assert used["cudaStreamCreateWithFlags"] == used["cudaStreamDestroy"] == 1


def test_the_callers_stream_is_the_one_waited_for(trtet: Trtet, programs: Programs) -> None:
    """On a stream nobody waits for, work would be lost: lazy streams run only when waited for."""
    done = trtet(
        "run", programs("add"), "--caller-stream", "--runs", 3, env={"STANDIN_CUDA_MODE": "lazy"}
    )
    assert done.returncode == 0
    assert "2, 2, 2" in done.stdout


def test_a_green_context(trtet: Trtet, programs: Programs) -> None:
    done = trtet("run", programs("add"), "--green-context-sms", 8)
    assert done.returncode == 0, done.stderr
    assert "2, 2, 2" in done.stdout


def test_no_green_context_means_no_run(trtet: Trtet, programs: Programs) -> None:
    done = trtet("run", programs("add"), "--green-context-sms", 1000)
    assert done.returncode == 1
    assert "no green context can be made" in done.stderr
    assert done.stdout == ""


def test_gpu_flags_need_a_gpu_program(trtet: Trtet, programs: Programs) -> None:
    for flags in (["--device", "0"], ["--caller-stream"], ["--green-context-sms", "0"]):
        done = trtet("run", programs("without_delegate"), *flags)
        assert done.returncode == 2
        assert flags[0] in done.stderr


def test_a_machine_without_a_driver(trtet: Trtet, programs: Programs) -> None:
    for env in ({"STANDIN_CUDA_DRIVER": "none"}, {"STANDIN_CUDA_DEVICES": "0"}):
        done = trtet("run", programs("add"), env=env)
        assert done.returncode == 1
        assert "driver" in done.stderr or "GPU" in done.stderr


def test_an_engine_of_another_tensorrt(trtet: Trtet, programs: Programs) -> None:
    done = trtet("run", programs("other_version"))
    assert done.returncode == 1
    assert "12.0.0" in done.stderr


def test_gpu_memory_that_cannot_be_had(trtet: Trtet, programs: Programs) -> None:
    done = trtet("run", programs("add_on_device"), env={"STANDIN_CUDA_OOM_EVERY": "1"})
    assert done.returncode == 1
    assert "planned memory" in done.stderr


def test_libraries_come_from_the_environment(
    trtet: Trtet, programs: Programs, tmp_path: Path
) -> None:
    """Whatever stands first on the library path is used, as for any program."""
    (tmp_path / "libnvinfer.so.11").write_text("not a library")
    done = trtet("run", programs("add"), env={"LD_LIBRARY_PATH": str(tmp_path)})
    assert done.returncode == 1
    assert "libnvinfer.so.11" in done.stderr
    assert "pip install tensorrt" in done.stderr
