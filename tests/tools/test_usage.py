"""The command line: what is refused, naming the argument, with exit code 2 and nothing run."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Trtet

Programs = Callable[[str], Path]
COMMANDS = ["run", "bench", "inspect", "extract", "pack", "kv-check", "doctor"]
ON_A_MODEL = ["run", "bench", "kv-check"]


def refused(done: subprocess.CompletedProcess[str], *words: str) -> None:
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert done.stdout == ""
    for word in words:
        assert word in done.stderr


@pytest.mark.parametrize(
    "count", ["abc", "0", "-1", "1e3", "1.5", "+3", " 3", "0x10", "", "99999999999999999999999"]
)
@pytest.mark.parametrize("command", ["run", "bench"])
def test_a_count_that_is_not_a_positive_integer(
    trtet: Trtet, programs: Programs, command: str, count: str
) -> None:
    refused(trtet(command, programs("add"), "--runs", count), "--runs", f"'{count}'")


@pytest.mark.parametrize("count", ["abc", "-1", "1e3", "1.5"])
@pytest.mark.parametrize("command", ["run", "bench"])
def test_warm_up_may_be_zero_and_nothing_less(
    trtet: Trtet, programs: Programs, command: str, count: str
) -> None:
    refused(trtet(command, programs("add"), "--warmup", count), "--warmup", f"'{count}'")


@pytest.mark.parametrize("command", COMMANDS)
def test_an_unknown_flag(trtet: Trtet, programs: Programs, command: str) -> None:
    file = programs("add")
    given = {"pack": ["--engine", file, "--description", file, "--output", "b"], "doctor": []}.get(
        command, [file]
    )
    refused(trtet(command, *given, "--bogus"), "--bogus")


@pytest.mark.parametrize(
    "flag",
    [["--runs", "2"], ["--tolerance", "1"], ["--json"], ["--caller-stream"], ["--device", "0"]],
)
def test_a_repeated_flag(trtet: Trtet, programs: Programs, flag: list[str]) -> None:
    refused(trtet("run", programs("add"), *flag, *flag), flag[0])


@pytest.mark.parametrize(
    ("flag", "value"), [("--option", "cuda_graph=true"), ("--input", "x=FILE")]
)
def test_a_name_given_twice(
    trtet: Trtet, programs: Programs, tmp_path: Path, flag: str, value: str
) -> None:
    numpy = pytest.importorskip("numpy")
    numpy.save(tmp_path / "x.npy", numpy.ones((2, 3), "float32"))
    value = value.replace("FILE", str(tmp_path / "x.npy"))
    refused(trtet("run", programs("add"), flag, value, flag, value), flag, "twice")


@pytest.mark.parametrize("command", [*ON_A_MODEL, "inspect", "extract"])
def test_a_missing_file(trtet: Trtet, command: str) -> None:
    refused(trtet(command, "nosuch.pte"), "nosuch.pte", "does not exist")


@pytest.mark.parametrize("command", [*ON_A_MODEL, "inspect", "extract"])
def test_a_directory_instead_of_a_file(trtet: Trtet, tmp_path: Path, command: str) -> None:
    refused(trtet(command, tmp_path), str(tmp_path), "directory")


@pytest.mark.parametrize("command", [*ON_A_MODEL, "inspect", "extract"])
def test_no_file_at_all(trtet: Trtet, command: str) -> None:
    refused(trtet(command), "required")


@pytest.mark.parametrize(
    ("flag", "value"),
    [
        ("--input", "x=nosuch.npy"),
        ("--expect", "nosuch.npy"),
        ("--expect", "sum=nosuch.npy"),
        ("--input", "x"),
        ("--input", "=x.npy"),
        ("--input", "x="),
        ("--option", "cuda_graph"),
        ("--option", "=true"),
        ("--tolerance", "nan"),
        ("--tolerance", "-1"),
        ("--tolerance", "x"),
        ("--random", "-1"),
        ("--random", "1.5"),
        ("--device", "-1"),
        ("--device", "x"),
        ("--device", "128"),
        ("--green-context-sms", "-1"),
        ("--green-context-sms", "x"),
    ],
)
def test_a_value_that_is_wrong(trtet: Trtet, programs: Programs, flag: str, value: str) -> None:
    refused(trtet("run", programs("add"), flag, value), flag)


def test_a_baseline_that_is_missing(trtet: Trtet, programs: Programs) -> None:
    refused(
        trtet("bench", programs("add"), "--baseline", "nosuch.json"), "--baseline", "nosuch.json"
    )


def test_io_is_host_or_device(trtet: Trtet, programs: Programs) -> None:
    refused(trtet("bench", programs("add"), "--io", "moon"), "--io", "host", "device")


def test_options_that_contradict_each_other(trtet: Trtet, programs: Programs) -> None:
    refused(
        trtet("run", programs("add"), "--device", 0, "--option", "device_id=0"),
        "--device",
        "device_id",
    )
    refused(
        trtet("run", programs("add"), "--caller-stream", "--green-context-sms", 0),
        "--caller-stream",
    )
    refused(
        trtet("bench", programs("add"), "--cuda-graph", "--option", "cuda_graph=false"),
        "cuda_graph",
    )


def test_an_input_or_output_that_is_not_there(
    trtet: Trtet, programs: Programs, tmp_path: Path
) -> None:
    numpy = pytest.importorskip("numpy")
    file = tmp_path / "a.npy"
    numpy.save(file, numpy.ones((2, 3), "float32"))
    refused(trtet("run", programs("add"), "--input", f"z={file}"), "--input", "'z'", "x, y")
    refused(
        trtet("run", programs("add"), "--input", f"x={file}", "--input", f"0={file}"),
        "--input",
        "twice",
    )
    refused(trtet("run", programs("add"), "--expect", f"z={file}"), "--expect", "'z'")
    refused(
        trtet("run", programs("add"), "--expect", file, "--expect", file), "--expect", "more files"
    )
    refused(
        trtet("run", programs("add"), "--expect", file, "--expect", f"0={file}"),
        "--expect",
        "twice",
    )


def test_a_method_that_is_not_there(trtet: Trtet, programs: Programs) -> None:
    refused(
        trtet("run", programs("add"), "--method", "backward"), "--method", "'backward'", "forward"
    )
    refused(trtet("run", programs("two_methods")), "--method", "first, second")


def test_no_sub_command(trtet: Trtet) -> None:
    refused(trtet(), "subcommand")
    refused(trtet("fly"), "fly")


def test_extract_must_be_told_what_to_write(trtet: Trtet, programs: Programs) -> None:
    refused(trtet("extract", programs("add")), "--engine", "--metadata", "--blob")


@pytest.mark.parametrize("missing", ["--engine", "--description", "--output"])
def test_pack_needs_all_three(
    trtet: Trtet, programs: Programs, tmp_path: Path, missing: str
) -> None:
    given = {
        "--engine": str(programs("add")),
        "--description": str(programs("add")),
        "--output": str(tmp_path / "b"),
    }
    arguments = [part for flag, value in given.items() if flag != missing for part in (flag, value)]
    refused(trtet("pack", *arguments), missing)
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example_and_every_flag_is_explained(trtet: Trtet, command: str) -> None:
    done = trtet(command, "--help")
    assert done.returncode == 0
    assert done.stderr == ""
    assert re.search(rf"Examples?:\n  trtet {command}", done.stdout)
    assert max(map(len, done.stdout.splitlines())) <= 120


def test_help_and_version(trtet: Trtet) -> None:
    text = trtet("--help").stdout
    assert all(command in text for command in COMMANDS)
    assert "130" in text
    version = (Path(__file__).resolve().parents[2] / "version.txt").read_text().strip()
    assert trtet("--version").stdout == f"trtet {version}\n"


@pytest.mark.parametrize(
    "arguments",
    [["run", "add"], ["bench", "add"], ["inspect", "add"], ["doctor"], ["kv-check", "decoder"]],
)
def test_a_closed_standard_output_is_reported(
    trtet: Trtet, programs: Programs, arguments: list[str]
) -> None:
    command = trtet.command(arguments[0], *map(programs, arguments[1:]))
    closed = subprocess.run(
        command,
        env=trtet.environment(),
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: os.close(1),
        timeout=120,
    )
    assert closed.returncode == 1
    assert "standard output" in closed.stderr


def test_a_reader_that_went_away_is_reported(trtet: Trtet, programs: Programs) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = trtet("inspect", programs("add"), stdout=writer)
    os.close(writer)
    assert done.returncode == 1
    assert "standard output" in done.stderr


def test_a_full_disk_is_reported(trtet: Trtet, programs: Programs) -> None:
    with open("/dev/full", "w") as full:
        done = trtet("inspect", programs("add"), stdout=full)
    assert done.returncode == 1
    assert "No space left" in done.stderr


def test_a_closed_standard_output_is_no_place_for_files(
    trtet: Trtet, programs: Programs, tmp_path: Path
) -> None:
    """The first file opened takes descriptor 1 when that is free: text would land in it."""
    subprocess.run(
        trtet.command("run", programs("add"), "--output-dir", tmp_path / "out"),
        env=trtet.environment(),
        preexec_fn=lambda: os.close(1),
        stderr=subprocess.DEVNULL,
        timeout=120,
    )
    assert (tmp_path / "out" / "output0.npy").read_bytes().startswith(b"\x93NUMPY")
    assert (tmp_path / "out" / "output0.npy").stat().st_size == 128 + 24


def test_colour_only_for_people(trtet: Trtet, programs: Programs) -> None:
    assert "\033" not in trtet("inspect", programs("add")).stdout
    pty = pytest.importorskip("pty")
    leader, follower = pty.openpty()
    done = trtet("inspect", programs("add"), stdout=follower)
    os.close(follower)
    shown = os.read(leader, 65536)
    os.close(leader)
    assert done.returncode == 0
    assert b"\033[" in shown
