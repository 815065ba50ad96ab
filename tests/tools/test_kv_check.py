"""trtet kv-check: a cache that persists passes, one that does not fails, so does NaN."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy
import pytest

from .conftest import Trtet

Programs = Callable[[str], Path]


@pytest.mark.parametrize("program", ["decoder", "decoder_planned"])
def test_a_cache_that_persists(trtet: Trtet, programs: Programs, program: str) -> None:
    done = trtet("kv-check", programs(program))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("PASS")
    report = trtet.json("kv-check", programs(program))
    assert report["persists"] is True
    assert report["max_difference"] == 1


def test_a_cache_that_does_not(trtet: Trtet, programs: Programs) -> None:
    done = trtet("kv-check", programs("decoder_forgetful"))
    assert done.returncode == 1
    assert done.stdout.startswith("FAIL")
    assert "did not persist" in done.stdout
    assert trtet.json("kv-check", programs("decoder_forgetful"), code=1)["persists"] is False


def test_nan_is_a_failure(trtet: Trtet, programs: Programs) -> None:
    done = trtet("kv-check", programs("nan_decoder"))
    assert done.returncode == 1
    assert "NaN" in done.stdout


def test_the_input_and_the_output_can_be_named(trtet: Trtet, programs: Programs) -> None:
    model = programs("decoder")
    assert trtet("kv-check", model, "--position", "position", "--logits", "logits").returncode == 0
    assert trtet("kv-check", model, "--position", 1, "--logits", 0).returncode == 0
    for flag in ("--position", "--logits"):
        done = trtet("kv-check", model, flag, "nowhere")
        assert done.returncode == 2
        assert flag in done.stderr


def test_a_program_without_a_position(trtet: Trtet, programs: Programs) -> None:
    done = trtet("kv-check", programs("add"))
    assert done.returncode == 2
    assert "--position" in done.stderr


def test_the_difference_must_pass_the_tolerance(
    trtet: Trtet, programs: Programs, tmp_path: Path
) -> None:
    numpy.save(tmp_path / "step.npy", numpy.full((1, 4), 1e-3, "float32"))
    arguments = ["kv-check", programs("decoder"), "--input", f"step={tmp_path / 'step.npy'}"]
    assert trtet(*arguments).returncode == 0
    assert trtet(*arguments, "--tolerance", "0.01").returncode == 1


@pytest.mark.parametrize("mode", ["lazy", "threaded"])
def test_caches_live_in_gpu_memory(trtet: Trtet, programs: Programs, mode: str) -> None:
    env = {"STANDIN_CUDA_MODE": mode, "STANDIN_CUDA_ON_MISUSE": "abort"}
    assert trtet("kv-check", programs("decoder"), env=env).returncode == 0


def test_a_program_that_fails_to_run(trtet: Trtet, programs: Programs) -> None:
    assert (
        trtet("kv-check", programs("decoder"), env={"STANDIN_CUDA_DRIVER": "none"}).returncode == 1
    )
