"""Runs the C++ tests on a GPU: the same executables, the real CUDA runtime, the TensorRT stand-in built by nvcc.

Standard library only, so that a bundle (scripts/gpu_bundle.sh) runs on a machine that has nothing but a driver.
Each case runs in a process of its own, as CTest does it. Closes with: N passed, N failed, N skipped.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Outcome:
    name: str
    verdict: str  # passed | failed | skipped
    text: str = ""


def cases(executable: Path, environment: dict[str, str]) -> list[str]:
    listing = subprocess.run(
        [str(executable), "--gtest_list_tests"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    found, suite = [], ""
    for line in listing.splitlines():
        name = line.split("#")[0].rstrip()
        if not name or name.startswith("Running main"):
            continue
        if not name.startswith(" "):
            suite = name
        else:
            found.append(suite + name.strip())
    return found


def run_case(executable: Path, case: str, environment: dict[str, str], seconds: int) -> Outcome:
    name = f"{executable.name}.{case}"
    try:
        done = subprocess.run(
            [str(executable), f"--gtest_filter={case}"],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Outcome(name, "failed", f"no end after {seconds} s")
    if done.returncode != 0:
        return Outcome(name, "failed", done.stdout[-1500:])
    if "[  SKIPPED ]" in done.stdout:
        reason = re.search(r"Skipped\n(.*)", done.stdout)
        return Outcome(name, "skipped", reason[1].strip() if reason else "no reason given")
    return Outcome(name, "passed")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("executables", nargs="+", type=Path)
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--seconds", type=int, default=60, help="limit of one case")
    options = parser.parse_args(arguments)
    environment = dict(os.environ)
    work = [(e, case) for e in options.executables for case in cases(e.resolve(), environment)]
    with ThreadPoolExecutor(options.jobs) as pool:
        outcomes = list(
            pool.map(lambda w: run_case(w[0].resolve(), w[1], environment, options.seconds), work)
        )
    for outcome in outcomes:
        if outcome.verdict != "passed":
            print(f"{outcome.verdict:<8}{outcome.name}: {outcome.text}")
    count = {v: sum(o.verdict == v for o in outcomes) for v in ("passed", "failed", "skipped")}
    print(f"{count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")
    return 1 if count["failed"] or not count["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
