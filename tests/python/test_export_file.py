"""A rejected export leaves the old file byte for byte and nothing beside it."""

from __future__ import annotations

import hashlib
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from trtet_export import CheckFailed, ExportError, ExportOptions
from trtet_export.cli import main
from trtet_export.export import export_file
from trtet_export.replace import candidate
from trtet_export.runner import Runner

from tests.python import pte, sources

ROOT = Path(__file__).resolve().parents[2]
OLD = b"the program that works today"
LINEAR = "tests.python.sources:linear"


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """A file that an export would replace."""
    path = tmp_path / "model.pte"
    path.write_bytes(OLD)
    path.chmod(0o640)
    return path


def state(folder: Path) -> dict[str, tuple[str, int]]:
    """Every file's hash and mode, hidden ones included."""
    return {
        path.name: (
            hashlib.sha256(path.read_bytes()).hexdigest(),
            stat.S_IMODE(path.stat().st_mode),
        )
        for path in folder.iterdir()
    }


@pytest.fixture(autouse=True)
def in_checkout(monkeypatch: pytest.MonkeyPatch, build_folder: Path) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("TRTET_BUILD_DIR", str(build_folder))


def reject(arguments: list[str], target: Path, capsys: pytest.CaptureFixture[str]) -> str:
    before = state(target.parent)
    code = main([*arguments, "--output", str(target)])
    assert code == 1
    assert state(target.parent) == before
    complaint = capsys.readouterr().err
    assert f"{target} was not written" in complaint
    return complaint


def test_an_answer_outside_the_tolerance(target: Path, capsys: pytest.CaptureFixture[str]) -> None:
    complaint = reject([LINEAR, "--tolerance", "0"], target, capsys)
    assert "call 0, output 0: differs from eager by" in complaint


def test_a_program_the_delegate_refuses(
    target: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STANDIN_TENSORRT_LOAD_REFUSAL", "out of luck")
    complaint = reject([LINEAR], target, capsys)
    assert "the program does not run" in complaint
    assert "out of luck" in complaint


def test_nothing_to_delegate(target: Path, capsys: pytest.CaptureFixture[str]) -> None:
    complaint = reject(["tests.python.sources:undelegable"], target, capsys)
    assert "no operator of the program can be delegated" in complaint


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("tests.python.sources:not_a_program", "gave a str; wanted an ExportedProgram"),
        ("tests.python.sources:missing", "has no attribute 'missing'"),
        ("no.such.module:f", "No module named"),
        ("README.nowhere", "not a file of torch.export.save"),
    ],
)
def test_a_source_that_is_none(
    target: Path, capsys: pytest.CaptureFixture[str], source: str, reason: str
) -> None:
    assert reason in reject([source], target, capsys)


def test_no_build_to_check_with(
    target: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRTET_BUILD_DIR", str(target.parent / "nowhere"))
    assert "run `make build`" in reject([LINEAR], target, capsys)


def test_a_run_time_that_dies(target: Path) -> None:
    before = state(target.parent)
    # Any library without the delegate's needs would do; this one cannot be loaded at all.
    with pytest.raises(CheckFailed, match="the run-time process ended with 1"):
        export_file(sources.linear(), target, runner=Runner(delegate=target))
    assert state(target.parent) == before


def test_a_target_in_no_folder(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="no such folder"):
        export_file(sources.linear(), tmp_path / "missing" / "model.pte")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("stop", [KeyboardInterrupt, MemoryError, SystemExit])
def test_any_way_out_removes_the_candidate(target: Path, stop: type[BaseException]) -> None:
    before = state(target.parent)
    with pytest.raises(stop), candidate(target, b"new") as path:
        assert path.read_bytes() == b"new"
        assert path.parent == target.parent
        raise stop
    assert state(target.parent) == before


def test_a_stopped_process_removes_the_candidate(target: Path) -> None:
    before = state(target.parent)
    process = subprocess.Popen(
        [sys.executable, "exporter/trtet-export", LINEAR, "--output", str(target)],
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 120
    while len(list(target.parent.iterdir())) == 1 and process.poll() is None:
        assert time.monotonic() < deadline, "no candidate appeared"
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    _, complaint = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "stopped" in complaint
    assert state(target.parent) == before


def test_an_accepted_export_replaces_the_file(
    target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([LINEAR, "--output", str(target)]) == 0
    assert list(target.parent.iterdir()) == [target]
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert pte.read(target.read_bytes()).backends == ["TensorRTBackend"]
    said = capsys.readouterr().out
    assert "plans for the TensorRT stand-in" in said
    assert "1 delegated part(s), largest difference from eager" in said


def test_a_new_file_gets_the_usual_mode(tmp_path: Path) -> None:
    mask = os.umask(0o027)
    try:
        with candidate(tmp_path / "new.pte", b"content"):
            pass
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "new.pte").stat().st_mode) == 0o640


def test_a_saved_program_is_a_source(tmp_path: Path) -> None:
    torch.export.save(sources.linear(), tmp_path / "linear.pt2")
    target = tmp_path / "linear.pte"
    assert main([str(tmp_path / "linear.pt2"), "-o", str(target), "--device", "host"]) == 0
    assert pte.read(target.read_bytes()).operators == ["delegate"]


def test_calls_share_state(target: Path, runner: Runner) -> None:
    """A program with state is checked over several calls on one load."""
    from programs.samples import samples
    from programs.write import export

    total = next(d for d in samples() if d.name == "running_total")
    cases = [case.inputs for case in total.cases]
    done = export_file(export(total), target, cases=cases, tolerance=0.0, runner=runner)
    assert [check.max_error for check in done.checks] == [0.0, 0.0, 0.0]


def test_cases_must_not_be_empty(target: Path) -> None:
    with pytest.raises(ExportError, match="at least one call"):
        export_file(sources.linear(), target, ExportOptions(), cases=[])


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        [LINEAR],
        [LINEAR, "-o", "x.pte", "--unknown"],
        [LINEAR, "-o", "x.pte", "-o", "y.pte"],
        [LINEAR, "-o", "x.pte", "--builder", "none"],
        [LINEAR, "-o", "x.pte", "--alignment", "0"],
        [LINEAR, "-o", "x.pte", "--alignment", "1e3"],
        [LINEAR, "-o", "x.pte", "--tolerance", "nan"],
        [LINEAR, "-o", "x.pte", "--tolerance", "-1"],
        [LINEAR, "-o", "x.pte", "--tol", "1"],
    ],
)
def test_wrong_arguments_end_with_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
