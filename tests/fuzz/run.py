"""Runs libFuzzer programs side by side and judges them; the last line is the total.

A target fails when libFuzzer ends it (a crash, a hang, a leak, too much memory), when it does not end by itself, and
when it executed nothing. Inputs that reach new code stay in build/fuzz-corpus, finds go to build/fuzz-findings.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORPUS = Path(__file__).resolve().parent / "corpus"
# Hit by no input of a few kilobytes; both far above what any reader needs.
HANG_SECONDS = 5
MEMORY_MB = 1024
# Beyond its own limit of time a program may finish one input and write its statistics.
GRACE_SECONDS = 60

PROGRESS = re.compile(r"cov: (\d+) ft: (\d+)")
EXECUTED = re.compile(r"stat::number_of_executed_units: *(\d+)")
KINDS = {"crash": "crash", "leak": "leak", "timeout": "hang", "oom": "too much memory"}


@dataclass(frozen=True)
class Outcome:
    name: str
    executions: int
    seconds: float
    coverage: tuple[int, int]  # edges, features
    half_time: tuple[int, int]
    failure: str = ""

    def line(self) -> str:
        edges, features = self.coverage
        return (
            f"fuzz {self.name:<10} {self.executions:>12,} executions {self.rate:>9,.0f}/s  "
            f"{edges} edges, {features} features (half-time {self.half_time[0]}, {self.half_time[1]})  "
            f"{'FAILED: ' + self.failure if self.failure else 'ok'}"
        )

    @property
    def rate(self) -> float:
        return self.executions / max(self.seconds, 0.001)


def command(program: Path, name: str, seconds: int, corpus: Path, findings: Path) -> list[str]:
    seeds = [CORPUS / name] if (CORPUS / name).is_dir() else []
    return [
        str(program),
        f"-max_total_time={seconds}",
        f"-timeout={HANG_SECONDS}",
        f"-rss_limit_mb={MEMORY_MB}",
        "-max_len=4096",
        "-print_final_stats=1",
        f"-artifact_prefix={findings}/",
        str(corpus),
        *map(str, seeds),
    ]


def failure_of(code: int | None, executions: int, artifacts: list[str]) -> str:
    """Empty for a sound run; else what went wrong, as a person would say it."""
    if code is None:
        return "did not end"
    if code != 0:
        kinds = {KINDS[a.split("-")[0]] for a in artifacts if a.split("-")[0] in KINDS}
        return f"{', '.join(sorted(kinds)) or 'no artifact'} (ended with {code})"
    return "" if executions else "executed nothing"


def run_target(program: Path, seconds: int, out: Path, grace: int = GRACE_SECONDS) -> Outcome:
    name = program.name.removeprefix("fuzz_")
    corpus, findings = out / "fuzz-corpus" / name, out / "fuzz-findings" / name
    for folder in (corpus, findings):
        folder.mkdir(parents=True, exist_ok=True)
    old = set(os.listdir(findings))
    log = findings.with_suffix(".log")
    started = time.monotonic()
    half_time = (0, 0)
    with log.open("wb") as sink:
        process = subprocess.Popen(
            command(program, name, seconds, corpus, findings), stdout=sink, stderr=sink
        )
        code: int | None = None
        for wait in (seconds / 2, seconds / 2 + grace):
            try:
                code = process.wait(timeout=wait)
                break
            except subprocess.TimeoutExpired:
                half_time = half_time if half_time != (0, 0) else read_coverage(log)
        else:
            process.kill()
            process.wait()
    took = time.monotonic() - started
    text = log.read_text(errors="replace")
    executed = EXECUTED.findall(text)
    executions = int(executed[-1]) if executed else 0
    artifacts = sorted(set(os.listdir(findings)) - old)
    failure = failure_of(code, executions, artifacts)
    if failure:
        failure += f", see {log}" + "".join(f" {findings / a}" for a in artifacts)
    return Outcome(name, executions, took, read_coverage(log), half_time, failure)


def read_coverage(log: Path) -> tuple[int, int]:
    seen = PROGRESS.findall(log.read_text(errors="replace"))
    return (int(seen[-1][0]), int(seen[-1][1])) if seen else (0, 0)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="fuzz", allow_abbrev=False)
    parser.add_argument("--programs", type=Path, default=ROOT / "build" / "fuzz" / "fuzz")
    parser.add_argument("--seconds", type=int, default=60, help="for all targets together")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", type=Path, default=ROOT / "build")
    parser.add_argument("targets", nargs="*", help="only these")
    options = parser.parse_args(arguments)
    if options.seconds < 1 or options.jobs < 1:
        parser.error("--seconds and --jobs must be at least 1")
    programs = {p.name.removeprefix("fuzz_"): p for p in sorted(options.programs.glob("fuzz_*"))}
    unknown = [name for name in options.targets if name not in programs]
    if unknown or not programs:
        parser.error(f"no target {unknown or ''} in {options.programs}; there: {list(programs)}")
    chosen = [programs[name] for name in options.targets or programs]

    jobs = min(options.jobs, len(chosen))
    rounds = -(-len(chosen) // jobs)
    each = max(1, options.seconds // rounds)
    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(run_target, p, each, options.out) for p in chosen]
        outcomes = []
        for future in futures:
            outcomes.append(future.result())
            print(outcomes[-1].line(), flush=True)
    failed = [outcome for outcome in outcomes if outcome.failure]
    total = sum(outcome.executions for outcome in outcomes)
    print(f"{total:,} executions of {len(outcomes)} targets, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
