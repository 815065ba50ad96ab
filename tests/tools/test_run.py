"""trtet run: inputs in, outputs out, comparisons, streams, devices, and what stops it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import numpy
import pytest

from .conftest import Trtet

Programs = Callable[[str], Path]


def save(path: Path, array: numpy.ndarray) -> Path:
    numpy.save(path, array)
    return path


def counts(path: Path) -> dict[str, int]:
    """What the CUDA stand-in counted in that process."""
    calls = json.loads(path.read_text())["counts"]
    assert isinstance(calls, dict)
    return calls


def test_inputs_are_ones_by_default(trtet: Trtet, programs: Programs) -> None:
    done = trtet("run", programs("add"))
    assert done.returncode == 0, done.stderr
    assert "forward ran 1 time\n" in done.stdout
    assert "sum  float32[2, 3]  2, 2, 2, 2, 2, 2" in done.stdout


def test_it_says_that_stand_ins_are_in_use(trtet: Trtet, programs: Programs) -> None:
    done = trtet("run", programs("add"), "--json")
    assert "stand-ins for CUDA and TensorRT" in done.stderr
    assert json.loads(done.stdout)["standins"] is True


@pytest.mark.parametrize(
    ("program", "dtype"),
    [
        ("add", "float32"),
        ("add_half", "float16"),
        ("add_int64", "int64"),
        ("add_inline", "float32"),
    ],
)
def test_named_inputs_and_written_outputs(
    trtet: Trtet, programs: Programs, tmp_path: Path, program: str, dtype: str
) -> None:
    x = (numpy.arange(6).reshape(2, 3) - 2).astype(dtype)
    y = (numpy.arange(6).reshape(2, 3) * 2).astype(dtype)
    save(tmp_path / "x.npy", x), save(tmp_path / "y.npy", y)
    report = trtet.json(
        "run",
        programs(program),
        "--input",
        f"x={tmp_path / 'x.npy'}",
        "--input",
        f"1={tmp_path / 'y.npy'}",
        "--output-dir",
        tmp_path / "new" / "out",
    )
    assert report["outputs"] == [
        {"name": "sum", "dtype": dtype, "shape": [2, 3], "first_values": (x + y).flatten().tolist()}
    ]
    written = numpy.load(tmp_path / "new" / "out" / "output0.npy")
    numpy.testing.assert_array_equal(written, x + y)
    assert written.dtype == x.dtype


def test_random_values_are_the_same_for_the_same_seed(trtet: Trtet, programs: Programs) -> None:
    first, again, other = (
        trtet.json("run", programs("add"), "--random", seed)["outputs"][0]["first_values"]
        for seed in (7, 7, 8)
    )
    assert first == again != other
    assert len(set(first)) == 6
    assert all(-2 <= value < 2 for value in first)


def test_random_differs_from_input_to_input(
    trtet: Trtet, programs: Programs, tmp_path: Path
) -> None:
    values = trtet.json("run", programs("two_outputs"), "--random", 3)["outputs"][1]["first_values"]
    both = trtet.json("run", programs("add"), "--random", 3)["outputs"][0]["first_values"]
    assert [2 * -v for v in values[:4]] != both[:4]


def test_every_given_output_is_compared(trtet: Trtet, programs: Programs, tmp_path: Path) -> None:
    right = save(tmp_path / "next.npy", numpy.full(4, 2, "float32"))
    wrong = save(tmp_path / "wrong.npy", numpy.array([-1, -1, 5, -1], "float32"))
    done = trtet("run", programs("two_outputs"), "--expect", right, "--expect", wrong)
    assert done.returncode == 1
    assert "PASS  next" in done.stdout
    assert "FAIL  negative" in done.stdout
    assert "max error 6" in done.stdout
    assert "1 of 4 elements differ; [2] is -1, expected 5" in done.stdout
    # By name, in any order, and only one of the two.
    named = trtet(
        "run", programs("two_outputs"), "--expect", f"negative={wrong}", "--expect", f"next={right}"
    )
    assert named.returncode == 1
    one = trtet("run", programs("two_outputs"), "--expect", f"0={right}")
    assert one.returncode == 0
    assert "1 of 2 outputs were compared" in one.stdout


@pytest.mark.parametrize(
    ("wanted", "tolerance", "code"),
    [
        (2.0, None, 0),
        (2.00001, None, 0),
        (2.001, None, 1),
        (2.001, "1e-3", 0),
        (2.001, "0", 1),
        (2.5, "0.2", 0),
        (2.5, "0.19", 1),
        (float("nan"), "1e9", 1),
        (float("inf"), "1e9", 1),
    ],
)
def test_tolerance(
    trtet: Trtet,
    programs: Programs,
    tmp_path: Path,
    wanted: float,
    tolerance: str | None,
    code: int,
) -> None:
    """|got - expected| <= T * max(1, |expected|), so 2 against 2.5 passes from 0.2 on."""
    file = save(tmp_path / "sum.npy", numpy.full((2, 3), wanted, "float32"))
    arguments = ["--tolerance", tolerance] if tolerance else []
    assert trtet("run", programs("add"), "--expect", file, *arguments).returncode == code


def test_nan_matches_nan_only(trtet: Trtet, programs: Programs, tmp_path: Path) -> None:
    nan = save(tmp_path / "nan.npy", numpy.full(4, numpy.nan, "float32"))
    number = save(tmp_path / "one.npy", numpy.ones(4, "float32"))
    assert trtet("run", programs("nan_decoder"), "--expect", nan).returncode == 0
    report = trtet.json("run", programs("nan_decoder"), "--expect", number, code=1)
    assert report["comparisons"][0]["max_error"] is None
    assert report["outputs"][0]["first_values"] == ["nan"] * 4


def test_integers_are_compared_exactly(trtet: Trtet, programs: Programs, tmp_path: Path) -> None:
    """As doubles these two would be equal."""
    big = 2**62
    save(tmp_path / "x.npy", numpy.full((2, 3), big, "int64"))
    file = save(tmp_path / "sum.npy", numpy.full((2, 3), big + 2, "int64"))
    arguments = [
        "run",
        programs("add_int64"),
        "--input",
        f"x={tmp_path / 'x.npy'}",
        "--expect",
        file,
    ]
    report = trtet.json(*arguments, code=1)
    assert report["comparisons"][0]["max_error"] == 1
    assert trtet(*arguments, "--tolerance", 1).returncode == 0


@pytest.mark.parametrize(
    ("array", "word"),
    [(numpy.ones((3, 2), "float32"), "float32[3, 2]"), (numpy.ones((2, 3)), "float64[2, 3]")],
)
def test_an_expectation_of_another_shape_or_dtype(
    trtet: Trtet, programs: Programs, tmp_path: Path, array: numpy.ndarray, word: str
) -> None:
    done = trtet("run", programs("add"), "--expect", save(tmp_path / "e.npy", array))
    assert done.returncode == 1
    assert f"got float32[2, 3], expected {word}" in done.stdout


def test_an_input_of_another_dtype_is_refused_by_name(
    trtet: Trtet, programs: Programs, tmp_path: Path
) -> None:
    file = save(tmp_path / "x.npy", numpy.ones((2, 3), "int32"))
    done = trtet("run", programs("add"), "--input", f"x={file}")
    assert done.returncode == 1
    assert "input x is float32" in done.stderr
    assert "int32" in done.stderr


def test_a_dynamic_batch_takes_the_size_of_the_file(
    trtet: Trtet, programs: Programs, tmp_path: Path
) -> None:
    file = save(tmp_path / "x.npy", numpy.full((3, 4), 4, "float32"))
    report = trtet.json("run", programs("dynamic"), "--input", f"x={file}")
    assert report["outputs"][0]["shape"] == [3, 4]
    assert trtet.json("run", programs("dynamic"))["outputs"][0]["shape"] == [8, 4]


def test_runs_and_warm_up_are_all_done(trtet: Trtet, programs: Programs, tmp_path: Path) -> None:
    def launches(*arguments: object) -> int:
        env = {
            "STANDIN_TENSORRT_REPORT": str(tmp_path / "t.json"),
            "STANDIN_CUDA_REPORT": str(tmp_path / "c.json"),
        }
        done = trtet("run", programs("add"), *arguments, env=env)
        assert done.returncode == 0, done.stderr
        return counts(tmp_path / "c.json")["cudaStreamSynchronize"]

    one = launches()
    assert launches("--runs", 5) - one == 4
    assert launches("--runs", 2, "--warmup", 3) - one == 4
    assert "ran 5 times" in trtet("run", programs("add"), "--runs", 5).stdout


def test_a_chosen_method(trtet: Trtet, programs: Programs) -> None:
    for method, value in (("first", 2), ("second", 3)):
        report = trtet.json("run", programs("two_methods"), "--method", method)
        assert report["method"] == method
        assert report["outputs"][0]["first_values"] == [value, value]


def test_a_program_without_the_delegate_runs_and_says_so(trtet: Trtet, programs: Programs) -> None:
    """No library of TensorRT or CUDA is needed: none is even looked for."""
    done = trtet(
        "run",
        programs("without_delegate"),
        env={"LD_DEBUG": "libs", "LD_DEBUG_OUTPUT": "/dev/null"},
    )
    assert done.returncode == 0
    assert "uses no TensorRTBackend delegate" in done.stderr
    report = json.loads(trtet("run", programs("without_delegate"), "--json").stdout)
    assert report["standins"] is False


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_a_truncated_program(
    trtet: Trtet, programs: Programs, tmp_path: Path, share: float
) -> None:
    whole = programs("add").read_bytes()
    file = tmp_path / "cut.pte"
    file.write_bytes(whole[: int(len(whole) * share)])
    done = trtet("run", file)
    assert done.returncode == 1, done.stderr
    assert str(file) in done.stderr
    assert done.stdout == ""


def test_an_input_given_back_as_an_output(trtet: Trtet, programs: Programs) -> None:
    """It has memory already; memory for an output would take the input's place."""
    report = trtet.json("run", programs("passthrough"), "--runs", 2)
    assert report["outputs"][0]["first_values"] == [1] * 6


def test_an_empty_program(trtet: Trtet, tmp_path: Path) -> None:
    (tmp_path / "empty.pte").touch()
    assert trtet("run", tmp_path / "empty.pte").returncode == 1


def test_an_interrupt_during_many_runs_prints_the_last_outputs(
    trtet: Trtet, programs: Programs
) -> None:
    process = subprocess.Popen(
        trtet.command("run", programs("add"), "--runs", 1000000),
        env=trtet.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    text, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "sum  float32[2, 3]  2, 2, 2" in text


def test_verbose_shows_more(trtet: Trtet, programs: Programs) -> None:
    quiet = trtet("run", programs("add"))
    assert len(trtet("--verbose", "run", programs("add")).stderr) >= len(quiet.stderr)


def test_a_progress_bar_only_on_a_terminal_and_only_for_long_work(
    trtet: Trtet, programs: Programs
) -> None:
    pty = pytest.importorskip("pty")
    command = trtet.command("run", programs("add"), "--runs", 1000000)
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        command, env=trtet.environment(), stdout=subprocess.PIPE, stderr=follower
    )
    os.close(follower)
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    shown = b""
    while True:
        try:
            shown += os.read(leader, 65536)
        except OSError:
            break
        if not shown or shown.endswith(b"\033[K"):
            break
    os.close(leader)
    assert b"run [" in shown
    assert b"/ 1000000" in shown
    assert "run [" not in trtet("run", programs("add"), "--runs", 3).stderr


def test_no_progress_bar_in_a_pipe(trtet: Trtet, programs: Programs) -> None:
    process = subprocess.Popen(
        trtet.command("run", programs("add"), "--runs", 1000000),
        env=trtet.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    _, shown = process.communicate(timeout=60)
    assert b"run [" not in shown
