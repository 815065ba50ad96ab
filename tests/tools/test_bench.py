"""trtet bench: figures, phases, baseline, interrupts."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import Trtet
from .programs import slow

Programs = Callable[[str], Path]
FIGURES = ["min", "median", "p90", "p99", "max"]


def test_figures_are_ordered_and_complete(trtet: Trtet, programs: Programs) -> None:
    report = trtet.json("bench", programs("add"), "--runs", 40, "--warmup", 2)
    latency = report["latency_us"]
    values = [latency[name] for name in FIGURES]
    assert values == sorted(values)
    assert values[0] > 0
    assert report["runs"] == report["requested_runs"] == 40
    assert report["warmup"] == 2
    assert report["standins"] is True
    assert report["interrupted"] is False
    assert report["throughput_per_second"] == pytest.approx(1e6 / latency["mean"])
    assert sum(part["count"] for part in report["histogram"]) == 40


def test_the_text_is_for_people(trtet: Trtet, programs: Programs) -> None:
    done = trtet("bench", programs("add"), "--runs", 30)
    assert done.returncode == 0, done.stderr
    header, figures = done.stdout.splitlines()[1:3]
    assert header.split() == [*FIGURES, "throughput"]
    assert re.fullmatch(r"(  [0-9.]+ (us|ms|s) *){5}[0-9]+ runs/s", figures), figures
    bars = re.findall(r"^  [0-9.]+ \w+ - [0-9.]+ \w+ +(\d+) *(#*)$", done.stdout, re.MULTILINE)
    assert sum(int(count) for count, _ in bars) == 30
    assert all((count == "0") == (bar == "") for count, bar in bars)
    assert max(len(bar) for _, bar in bars) == 40


def test_phases_of_the_delegate(trtet: Trtet, programs: Programs) -> None:
    report = trtet.json("bench", programs("add"), "--runs", 20)
    phases = {phase["name"]: phase for phase in report["phases"]}
    assert {"bind", "stage inputs", "enqueue", "wait", "stage outputs"} <= set(phases)
    assert all(phase["runs"] == 20 and phase["median_us"] >= 0 for phase in phases.values())
    assert phases["wait"]["median_us"] > 0
    assert "wait" in trtet("bench", programs("add"), "--runs", 5).stdout


def test_a_program_without_the_delegate_has_no_phases(trtet: Trtet, programs: Programs) -> None:
    report = trtet.json("bench", programs("without_delegate"), "--runs", 5)
    assert report["phases"] == []
    assert report["standins"] is False


def test_a_baseline_gives_a_ratio(trtet: Trtet, programs: Programs, tmp_path: Path) -> None:
    before = trtet.json("bench", programs("add"), "--runs", 20)
    before["latency_us"]["median"] *= 4
    (tmp_path / "before.json").write_text(json.dumps(before))
    report = trtet.json(
        "bench", programs("add"), "--runs", 20, "--baseline", tmp_path / "before.json"
    )
    expected = report["latency_us"]["median"] / before["latency_us"]["median"]
    assert report["baseline"]["ratio"] == pytest.approx(expected)
    assert report["baseline"]["differences"] == ""
    text = trtet(
        "bench", programs("add"), "--runs", 20, "--baseline", tmp_path / "before.json"
    ).stdout
    assert re.search(r"baseline .*before\.json: \d+\.\d\d times its median", text)


def test_a_baseline_measured_otherwise_is_said(
    trtet: Trtet, programs: Programs, tmp_path: Path
) -> None:
    before = trtet.json("bench", programs("add"), "--runs", 3, "--cuda-graph")
    (tmp_path / "before.json").write_text(
        json.dumps(before | {"io": "device", "method": "other", "standins": False})
    )
    done = trtet("bench", programs("add"), "--runs", 3, "--baseline", tmp_path / "before.json")
    assert "method other, --io device, with --cuda-graph, not on stand-ins" in done.stdout


@pytest.mark.parametrize(
    "content",
    [
        "",
        "not json",
        "[]",
        "{}",
        '{"latency_us": {"median": "1"}}',
        '{"latency_us": 3}',
        '{"latency_us": {"median": 0}, "method": "m", "io": "host",'
        ' "cuda_graph": false, "standins": true}',
    ],
)
def test_a_baseline_that_is_none(
    trtet: Trtet, programs: Programs, tmp_path: Path, content: str
) -> None:
    (tmp_path / "b.json").write_text(content)
    done = trtet("bench", programs("add"), "--baseline", tmp_path / "b.json")
    assert done.returncode == 1
    assert "--baseline" in done.stderr
    assert "b.json" in done.stderr
    assert done.stdout == ""


def copies(trtet: Trtet, tmp_path: Path, *arguments: Any) -> int:
    """Copies to and from the GPU in that process."""
    report = tmp_path / "report.json"
    done = trtet("bench", *arguments, env={"STANDIN_CUDA_REPORT": str(report)})
    assert done.returncode == 0, done.stderr
    counts = json.loads(report.read_text())["counts"]
    return int(counts.get("cudaMemcpyAsync", 0))


def test_device_resident_io_needs_no_staging(
    trtet: Trtet, programs: Programs, tmp_path: Path
) -> None:
    model = programs("add_unplanned")
    fewer, more = (copies(trtet, tmp_path, model, "--runs", n, "--io", "device") for n in (1, 21))
    assert fewer == more
    fewer, more = (copies(trtet, tmp_path, model, "--runs", n, "--io", "host") for n in (1, 21))
    assert (
        more - fewer == 20 * 3 * 2
    )  # two inputs and an output, in the measured and in the traced runs


def test_device_io_where_the_program_plans_its_inputs(trtet: Trtet, programs: Programs) -> None:
    done = trtet("bench", programs("without_delegate"), "--io", "device")
    assert done.returncode == 1
    assert "--io device" in done.stderr


def test_cuda_graphs_are_replayed(trtet: Trtet, programs: Programs, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    arguments = ["bench", programs("add_unplanned"), "--io", "device", "--runs", 20]
    assert (
        trtet(*arguments, "--cuda-graph", env={"STANDIN_CUDA_REPORT": str(report)}).returncode == 0
    )
    assert json.loads(report.read_text())["counts"]["cudaGraphLaunch"] >= 20
    assert trtet(*arguments, env={"STANDIN_CUDA_REPORT": str(report)}).returncode == 0
    assert json.loads(report.read_text())["counts"].get("cudaGraphLaunch", 0) == 0


@pytest.mark.parametrize("as_json", [False, True])
def test_an_interrupt_gives_a_partial_result_and_130(
    trtet: Trtet, programs: Programs, as_json: bool
) -> None:
    command = trtet.command(
        "bench", programs("add"), "--runs", 10000000, *(["--json"] if as_json else [])
    )
    process = subprocess.Popen(
        command, env=trtet.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    text, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    if as_json:
        report = json.loads(text)
        assert report["interrupted"] is True
        assert 0 < report["runs"] < report["requested_runs"]
        assert report["latency_us"]["median"] > 0
    else:
        assert "interrupted" in text
        assert re.search(r", \d+ of 10000000 runs", text)
        assert "median" in text


def test_a_second_interrupt_ends_it_at_once(trtet: Trtet, tmp_path: Path) -> None:
    """In the middle of a run of many seconds."""
    model = slow(tmp_path / "slow.pte")
    process = subprocess.Popen(
        trtet.command("bench", model, "--warmup", 0),
        env=trtet.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    time.sleep(3)
    for _ in range(2):
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT
