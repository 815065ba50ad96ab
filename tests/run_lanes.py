"""Runs test lanes and closes with one line: N passed, N failed, N skipped.

A lane that runs no test at all has failed, and so has one whose folder is missing.
"""

from __future__ import annotations

import argparse
import itertools
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from junitparser import Error, Failure, JUnitXml, Skipped, TestSuite

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "build" / "test-results"


@dataclass
class Tally:
    """Counts of one or more runners, and what a reader must see of them."""

    passed: int = 0
    failed: list[str] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    @property
    def total(self) -> int:
        return self.passed + len(self.failed) + len(self.skipped)


def lanes() -> dict[str, dict]:
    return tomllib.loads((ROOT / "tests" / "lanes.toml").read_text())


def read_junit(path: Path) -> Tally:
    tally = Tally()
    document = JUnitXml.fromfile(str(path))
    suites = [document] if isinstance(document, TestSuite) else list(document)
    for suite in suites:
        for case in suite:
            # pytest names classes by module, ctest repeats the case's name.
            name = case.name if case.classname == case.name else f"{case.classname}.{case.name}"
            outcomes = {type(result): result for result in case.result}
            if Failure in outcomes or Error in outcomes:
                tally.failed.append(name)
            elif Skipped in outcomes:
                tally.skipped.append((name, skip_reason(case, outcomes[Skipped])))
            else:
                tally.passed += 1
    return tally


def skip_reason(case, skipped) -> str:
    """pytest gives the reason; ctest only says that the output matched, so look for GoogleTest's own line."""
    output = (case.system_out or "").splitlines()
    for before, line in itertools.pairwise(output):
        if before.strip().endswith("Skipped") and ".cpp:" in before:
            return line.strip()
    return skipped.message or "no reason given"


def run(name: str, command: list[str], report: Path) -> Tally:
    """Runs one test runner; one that leaves no report or no test counts as a failure of its own."""
    report.unlink(missing_ok=True)
    environment = dict(os.environ, PATH=f"{ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}")
    code = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
    if not report.exists():
        return Tally(failed=[f"{name}: ended with {code} and left no report"])
    tally = read_junit(report)
    if tally.total == 0:
        tally.failed.append(f"{name}: ran no test")
    elif code != 0 and not tally.failed:
        tally.failed.append(f"{name}: ended with {code} though no test failed")
    return tally


def run_lane(lane: str, spec: dict, jobs: int) -> Tally:
    tally = Tally()
    RESULTS.mkdir(parents=True, exist_ok=True)
    if spec.get("ctest"):
        report = RESULTS / f"{lane}-ctest.xml"
        command = ["ctest", "--preset", "default", "-L", f"^{lane}$", "-j", str(jobs), "--quiet"]
        tally.add(run(f"{lane}: ctest", [*command, "--output-junit", str(report)], report))
    for folder in spec["pytest"]:
        if not (ROOT / folder).is_dir():
            tally.failed.append(f"{lane}: folder {folder} is missing")
            continue
        report = RESULTS / f"{lane}-{folder.replace('/', '-')}.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", folder]
        tally.add(run(f"{lane}: {folder}", [*command, f"--junitxml={report}"], report))
    return tally


def main(arguments: list[str] | None = None) -> int:
    known = lanes()
    parser = argparse.ArgumentParser(prog="run_lanes", description=__doc__, allow_abbrev=False)
    parser.add_argument("lanes", nargs="+", metavar="LANE", help=f"of: {', '.join(known)}")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args(arguments)
    unknown = [lane for lane in options.lanes if lane not in known]
    if unknown:
        parser.error(f"unknown lane {unknown[0]!r}; allowed: {', '.join(known)}")

    everything = Tally()
    rows = []
    for lane in options.lanes:
        print(f"== lane {lane}: {known[lane]['about']}", flush=True)
        started = time.monotonic()
        tally = run_lane(lane, known[lane], options.jobs)
        rows.append((lane, tally, time.monotonic() - started))
        everything.add(tally)

    for lane, tally, seconds in rows:
        print(
            f"{lane:<14}{tally.passed:>6} passed {len(tally.failed):>4} failed "
            f"{len(tally.skipped):>4} skipped {seconds:>7.1f} s"
        )
        for name, reason in tally.skipped:
            print(f"  skipped {name}: {reason}")
        for name in tally.failed:
            print(f"  FAILED  {name}")
    print(
        f"{everything.passed} passed, {len(everything.failed)} failed, "
        f"{len(everything.skipped)} skipped"
    )
    return 1 if everything.failed or everything.passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
