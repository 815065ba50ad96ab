"""`make demo`: sample programs from C++, from Python and by the predecessor's runner, compared with eager PyTorch's answers.

Ends with a table and 0 when every cell that ran passed. A cell that could not run says why.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "default"
PROGRAMS = BUILD / "programs"
STANDINS = BUILD / "standins"
for folder in (ROOT, ROOT / "exporter"):
    sys.path.insert(0, str(folder))

from trtet_export.runner import Runner  # noqa: E402

from benchmarks import peer  # noqa: E402
from programs import index  # noqa: E402


@dataclass(frozen=True)
class Cell:
    """One program in one lane. error: the largest difference, None when it did not run."""

    verdict: str  # PASS | FAIL | skipped
    error: float | None = None
    why: str = ""


def files(names: tuple[str, ...]) -> list[Path]:
    return [PROGRAMS / name for name in names]


def max_error(got: list[np.ndarray], expected: list[Path]) -> float:
    """The largest difference over max(1, |expected|); infinite when shapes or counts differ."""
    wanted = [np.load(path) for path in expected]
    if [g.shape for g in got] != [w.shape for w in wanted]:
        return float("inf")
    return max(
        (float(np.max(np.abs(g.astype(np.float64) - w.astype(np.float64)) / np.maximum(1, np.abs(w)), initial=0.0))
         for g, w in zip(got, wanted)),
        default=0.0,
    )


def judged(error: float, tolerance: float) -> Cell:
    return Cell("PASS" if error <= tolerance else "FAIL", error, "" if error <= tolerance else "differs from eager")


def cpp(entry: index.Entry) -> Cell:
    """`trtet run` on each case that starts from a fresh load."""
    worst = 0.0
    for case in entry.cases:
        if case.continues:
            continue
        with tempfile.TemporaryDirectory() as folder:
            command = [str(BUILD / "trtet"), "run", str(PROGRAMS / entry.file), "--output-dir", folder]
            for number, path in enumerate(files(case.inputs)):
                command += ["--input", f"{number}={path}"]
            for path in files(case.expected):
                command += ["--expect", str(path)]
            done = subprocess.run(
                [*command, "--tolerance", str(entry.tolerance)], capture_output=True, text=True, check=False
            )
            got = [np.load(Path(folder) / f"output{i}.npy") for i in range(len(case.expected))
                   if (Path(folder) / f"output{i}.npy").exists()]
            error = max_error(got, files(case.expected))
        if done.returncode != 0:
            return Cell("FAIL", None, (done.stderr or done.stdout).strip().splitlines()[-1][:100])
        worst = max(worst, error)
    return judged(worst, entry.tolerance)


def python(entries: list[index.Entry], site: Path) -> dict[str, Cell]:
    """The installed wheel in one Python process: Runtime.get().load_program(...), calls in turn."""
    runner = Runner(None, (STANDINS,), {"PYTHONPATH": str(site)})
    jobs = {PROGRAMS / e.file: [files(case.inputs) for case in e.cases] for e in entries}
    cells = {}
    with tempfile.TemporaryDirectory() as folder:
        answers = runner.run(jobs, Path(folder))
        for entry in entries:
            answer = answers[PROGRAMS / entry.file]
            if answer.error:
                cells[entry.name] = Cell("FAIL", None, answer.error.splitlines()[-1][:100])
                continue
            worst = max(
                max_error([np.load(f) for f in outputs], files(case.expected))
                for outputs, case in zip(answer.outputs, entry.cases, strict=True)
            )
            cells[entry.name] = judged(worst, entry.tolerance)
    return cells


def predecessor(entry: index.Entry) -> Cell:
    """The predecessor's runner feeds ones and prints its outputs' values, which are compared as text allows."""
    if entry.not_by_peer:
        return Cell("skipped", None, entry.not_by_peer)
    case = next((c for c in entry.cases if c.name == "ones"), None)
    if case is None:
        return Cell("skipped", None, "its runner feeds ones, and the program has no such case")
    try:
        command, environment = peer.command(PROGRAMS / entry.file, 1), peer.environment(STANDINS)
    except peer.Unavailable as reason:
        return Cell("skipped", None, str(reason))
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return Cell("FAIL", None, (done.stderr or done.stdout).strip().splitlines()[-1][:100])
    return compare_printed(done.stdout + done.stderr, files(case.expected), entry.tolerance)


def compare_printed(text: str, expected: list[Path], tolerance: float) -> Cell:
    from tests.peer.runner import printed_outputs  # the one reader of that runner's output

    printed = printed_outputs(text)
    if len(printed) != len(expected):
        return Cell("FAIL", None, f"printed {len(printed)} outputs, expected {len(expected)}")
    worst = 0.0
    for values, path in zip(printed, expected):
        wanted = np.load(path).astype(np.float64).ravel()[: len(values)]
        worst = max(worst, float(np.max(np.abs(np.array(values) - wanted) / np.maximum(1, np.abs(wanted)), initial=0.0)))
    # It prints six significant digits.
    return judged(worst, max(tolerance, 1e-5))


def install_wheel(site: Path) -> None:
    wheels = sorted((ROOT / "dist").glob("torch_tensorrt_executorch_runtime-*.whl"))
    if not wheels:
        raise SystemExit("demo: dist/ holds no wheel; run make wheel")
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--upgrade", "--target", str(site), str(wheels[-1])],
        check=True,
    )


def table(entries: list[index.Entry], cells: dict[tuple[str, str], Cell]) -> str:
    lines = [f"{'program':<24}{'lane':<9}{'max error':>11}  {'tolerance':>9}  verdict"]
    for entry in entries:
        for lane in ("C++", "Python", "peer"):
            cell = cells[entry.name, lane]
            error = "-" if cell.error is None else f"{cell.error:.2g}"
            lines.append(f"{entry.name:<24}{lane:<9}{error:>11}  {entry.tolerance:>9.0e}  {cell.verdict}"
                         + (f" ({cell.why})" if cell.why else ""))
    return "\n".join(lines)


def main() -> int:
    entries = index.read(PROGRAMS)
    site = ROOT / "build" / "demo-site"
    install_wheel(site)
    print("demo: no GPU is needed; stand-ins take the place of CUDA and TensorRT "
          f"({os.path.relpath(STANDINS, ROOT)})", flush=True)
    by_python = python(entries, site)
    cells = {}
    for entry in entries:
        cells[entry.name, "C++"] = cpp(entry)
        cells[entry.name, "Python"] = by_python[entry.name]
        cells[entry.name, "peer"] = predecessor(entry)
    print(table(entries, cells))
    count = {v: sum(cell.verdict == v for cell in cells.values()) for v in ("PASS", "FAIL", "skipped")}
    print(f"{count['PASS']} passed, {count['FAIL']} failed, {count['skipped']} skipped")
    return 1 if count["FAIL"] or not count["PASS"] else 0


if __name__ == "__main__":
    sys.exit(main())
