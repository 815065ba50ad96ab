"""`make bench`: this delegate beside its predecessor and the limit; one table, one file build/bench.json.

Ratios come from one run with the two programs in turns. Absolute times on a machine without a GPU say nothing about
one with; the GPU's own figures are in docs/performance.md.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks import imports, peer, sizes
from benchmarks.instructions import per_execute
from benchmarks.programs import write_programs
from benchmarks.rows import Row, render

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "default"
STANDINS = BUILD / "standins"
IMMEDIATE = {"STANDIN_CUDA_MODE": "immediate"}


def our_command(program: Path, runs: int) -> list[str]:
    return [str(BUILD / "trtet"), "run", str(program), "--runs", str(runs)]


def our_environment() -> dict[str, str]:
    return dict(os.environ, LD_LIBRARY_PATH=str(STANDINS), **IMMEDIATE)


def peer_environment() -> dict[str, str]:
    return {**peer.environment(STANDINS), **IMMEDIATE}


def name_of(count: int, tagged: bool) -> str:
    return f"{count} input{'s' if count > 1 else ''}, {'CUDA-tagged' if tagged else 'host buffers'}"


def seconds(command: Sequence[str], environment: dict[str, str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, env=environment, check=True, capture_output=True)
    return time.perf_counter() - started


def per_execute_us(
    commands: Sequence[tuple[Callable[[int], Sequence[str]], dict[str, str]]],
    few: int,
    many: int,
    rounds: int,
) -> list[float]:
    """Microseconds per execute of each program: the difference of two run counts, the programs in turns."""
    samples: list[list[float]] = [[] for _ in commands]
    for round_number in range(rounds):
        order = list(enumerate(commands))
        for index, (command, environment) in order if round_number % 2 == 0 else reversed(order):
            low, high = seconds(command(few), environment), seconds(command(many), environment)
            samples[index].append((high - low) / (many - few) * 1e6)
    return [statistics.median(one) for one in samples]


def overhead_rows(programs: dict[tuple[int, bool], Path], rounds: int) -> list[Row]:
    rows = []
    for (count, tagged), path in programs.items():
        ours, theirs = per_execute_us(
            [
                (lambda runs, path=path: our_command(path, runs), our_environment()),
                (lambda runs, path=path: peer.command(path, runs), peer_environment()),
            ],
            few=100,
            many=20100,
            rounds=rounds,
        )
        rows.append(Row(f"execute, {name_of(count, tagged)}", ours, "us", peer=theirs))
    return rows


def instruction_rows(programs: dict[tuple[int, bool], Path]) -> list[Row]:
    rows = []
    for (count, tagged), path in programs.items():
        ours = per_execute(lambda runs, path=path: our_command(path, runs), our_environment())
        theirs = per_execute(lambda runs, path=path: peer.command(path, runs), peer_environment())
        rows.append(
            Row(
                f"instructions outside the stand-ins, {name_of(count, tagged)}",
                ours.outside,
                "instructions",
                peer=theirs.outside,
            )
        )
    return rows


def call_rows(programs: dict[tuple[int, bool], Path]) -> list[Row]:
    """Calls per execute into CUDA and TensorRT, from the stand-ins' own reports."""
    rows = []
    for (count, tagged), path in programs.items():
        for library in ("cuda", "tensorrt"):
            ours = calls_per_execute(
                library, lambda runs, path=path: our_command(path, runs), our_environment()
            )
            theirs = calls_per_execute(
                library, lambda runs, path=path: peer.command(path, runs), peer_environment()
            )
            label = {"cuda": "CUDA", "tensorrt": "TensorRT"}[library]
            rows.append(
                Row(
                    f"{label} calls per execute, {name_of(count, tagged)}",
                    ours,
                    "calls",
                    peer=theirs,
                )
            )
    return rows


def calls_per_execute(
    library: str, command: Callable[[int], Sequence[str]], environment: dict[str, str]
) -> float:
    few, many = 10, 110
    totals: list[int] = []
    with tempfile.TemporaryDirectory() as folder:
        for runs in (few, many):
            report = Path(folder) / f"{runs}.json"
            variables = {**environment, f"STANDIN_{library.upper()}_REPORT": str(report)}
            subprocess.run(command(runs), env=variables, check=True, capture_output=True)
            totals.append(sum(json.loads(report.read_text())["counts"].values()))
    return (totals[1] - totals[0]) / (many - few)


def native_rows(name: str) -> list[Row]:
    """Rows that one C++ benchmark prints as JSON."""
    done = subprocess.run(
        [str(BUILD / "benchmarks" / name)],
        env=our_environment(),
        check=True,
        capture_output=True,
        text=True,
    )
    return [
        Row(row["name"], row["ours"], row["unit"], limit=row["limit"])
        for row in json.loads(done.stdout)
    ]


def blob_rows() -> list[Row]:
    done = subprocess.run(
        [
            str(BUILD / "benchmarks" / "blob_parse"),
            "--benchmark_format=json",
            "--benchmark_min_time=0.2",
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    times = {
        b["name"]: b["cpu_time"] for b in json.loads(done.stdout)["benchmarks"] if "/" in b["name"]
    }
    per_binding = times["parse/100"] / 100
    return [
        # The limit of 10,000 is what 100 bindings cost each: above 1, reading is not linear.
        Row(
            f"blob of {count} bindings",
            times[f"parse/{count}"],
            "ns",
            limit=per_binding * count if count > 1 else None,
        )
        for count in (1, 100, 10000)
    ]


def load_rows(sizes_mb: Sequence[int]) -> list[Row]:
    tool = str(BUILD / "benchmarks" / "load_memory")
    rows = []
    with tempfile.TemporaryDirectory(dir=BUILD) as folder:
        for megabytes in sizes_mb:
            path = str(Path(folder) / "blob")
            subprocess.run([tool, "write", path, str(megabytes << 20)], check=True)
            figures = {}
            for who in ("hand", "ours"):
                done = subprocess.run(
                    [tool, who, path],
                    env=our_environment(),
                    check=True,
                    capture_output=True,
                    text=True,
                )
                figures[who] = json.loads(done.stdout)
            rows.append(
                Row(
                    f"load, plan of {megabytes} MB",
                    figures["ours"]["ms"],
                    "ms",
                    limit=figures["hand"]["ms"],
                )
            )
            rows.append(
                Row(
                    "peak host memory of that load above the file's mapping",
                    figures["ours"]["peak_bytes"] / 1e6,
                    "MB",
                    limit=figures["hand"]["peak_bytes"] / 1e6,
                )
            )
    return rows


def main(arguments: list[str] | None = None) -> int:
    parts: dict[str, Callable[[], list[Row]]] = {
        "instructions": lambda: instruction_rows(programs),
        "calls": lambda: call_rows(programs),
        "overhead": lambda: overhead_rows(programs, options.rounds),
        "limit": lambda: native_rows("execute_overhead"),
        "blob": blob_rows,
        "load": lambda: load_rows(options.plan_mb),
        "import": imports.rows,
        "size": sizes.rows,
    }
    parser = argparse.ArgumentParser(prog="bench", description=__doc__, allow_abbrev=False)
    parser.add_argument("parts", nargs="*", help=f"only these of: {', '.join(parts)}")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--plan-mb", type=int, nargs="+", default=[1, 16, 256, 1024])
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "bench.json")
    options = parser.parse_args(arguments)
    unknown = [part for part in options.parts if part not in parts]
    if unknown:
        parser.error(f"unknown part {unknown[0]!r}; allowed: {', '.join(parts)}")

    programs = write_programs(BUILD / "benchmarks" / "programs")
    rows: list[Row] = []
    failed = []
    for name in options.parts or parts:
        print(f"bench: {name}", file=sys.stderr, flush=True)
        try:
            rows += parts[name]()
        except peer.Unavailable as reason:
            print(f"bench: {name} skipped: {reason}", file=sys.stderr)
        except (subprocess.CalledProcessError, RuntimeError) as error:
            said = getattr(error, "stderr", None) or ""
            print(f"bench: {name} FAILED: {error}\n{str(said)[-2000:]}", file=sys.stderr)
            failed.append(name)
        # After each part, so that one that fails loses nothing of the others.
        options.output.write_text(json.dumps([row.as_json() for row in rows], indent=1) + "\n")
    print(render(rows))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
