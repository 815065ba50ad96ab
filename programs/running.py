"""Runs indexed programs the three ways there are, and compares with what eager PyTorch answered.

C++: `trtet run`. Python: ExecuTorch's runtime API. Peer: the predecessor's own runner.
Needs NumPy and no PyTorch here; the demo and the tests share it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy
from numpy.typing import NDArray
from trtet_export.runner import Runner

from programs.index import CaseFiles, Entry

PEER_CASE = "ones"
_TIMEOUT_S = 120
# The predecessor's runner prints four decimals, so its lane allows this much more.
_PEER_ROUNDING = 5.1e-5


@dataclass(frozen=True)
class Outcome:
    """One case of one program in one lane; `problem` is empty when the outputs agree."""

    program: str
    case: str
    lane: str
    max_error: float
    tolerance: float
    problem: str

    @property
    def passed(self) -> bool:
        return not self.problem


@dataclass(frozen=True)
class Peer:
    """The predecessor's runner and the folder with the libextension_cuda.so it needs."""

    runner: Path
    extension_folder: Path


def run_cpp(trtet: Path, folder: Path, entry: Entry, case: CaseFiles) -> Outcome:
    """A case that continues another cannot be run so: each process loads afresh."""
    command = [str(trtet), "run", str(folder / entry.file), "--json"]
    for index, name in enumerate(case.inputs):
        command += ["--input", f"{index}={folder / name}"]
    for name in case.expected:
        command += ["--expect", str(folder / name)]
    command += ["--tolerance", repr(entry.tolerance)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
    try:
        comparisons = json.loads(done.stdout)["comparisons"]
    except (json.JSONDecodeError, KeyError):
        problem = f"ended with {done.returncode}: {_tail(done.stdout + done.stderr)}"
        return _outcome(entry, case, "C++", float("nan"), problem)
    errors = [c["max_error"] for c in comparisons]
    worst = max((float("nan") if e is None else e for e in errors), default=float("nan"))
    reasons = [c["reason"] or "differs" for c in comparisons if not c["matches"]]
    if len(comparisons) != len(case.expected):
        reasons.append(f"{len(comparisons)} of {len(case.expected)} outputs were compared")
    if done.returncode and not reasons:
        reasons.append(f"ended with {done.returncode}: {_tail(done.stderr)}")
    return _outcome(entry, case, "C++", worst, "; ".join(reasons))


def run_python(runner: Runner, programs: Sequence[tuple[Path, Entry]]) -> list[Outcome]:
    """All cases of programs, with their folders, in one process; continuing cases share a load."""
    outcomes = []
    with tempfile.TemporaryDirectory(prefix="trtet-programs-") as scratch:
        loads = _loads(Path(scratch), programs)
        answers = runner.run(
            {
                path: [[load.folder / file for file in case.inputs] for case in load.cases]
                for path, load in loads.items()
            },
            Path(scratch),
        )
        for path, load in loads.items():
            entry, answer = load.entry, answers[path]
            for index, case in enumerate(load.cases):
                if answer.error:
                    outcomes.append(_outcome(entry, case, "Python", float("nan"), answer.error))
                    continue
                got = [numpy.load(file) for file in answer.outputs[index]]
                outcomes.append(_compared(entry, case, "Python", got, load.folder))
    return outcomes


def run_peer(peer: Peer, standins: Path, folder: Path, entry: Entry) -> Outcome:
    """The predecessor's runner feeds ones to every input and prints the first values it got."""
    case = next(c for c in entry.cases if c.name == PEER_CASE)
    entry = replace(entry, tolerance=entry.tolerance + _PEER_ROUNDING)
    done = peer_process(peer, standins, folder / entry.file)
    said = done.stdout + done.stderr
    if done.returncode:
        problem = f"ended with {done.returncode}: {_tail(said)}"
        return _outcome(entry, case, "peer", float("nan"), problem)
    printed = parse_peer_outputs(said)
    wanted = [numpy.load(folder / name) for name in case.expected]
    if [shape for shape, _ in printed] != [list(w.shape) for w in wanted]:
        problem = f"shapes {[s for s, _ in printed]}; eager has {[list(w.shape) for w in wanted]}"
        return _outcome(entry, case, "peer", float("nan"), problem)
    worst = 0.0
    for (_, values), want in zip(printed, wanted, strict=True):
        if not values:
            return _outcome(entry, case, "peer", float("nan"), f"printed no value: {_tail(said)}")
        exact = want.reshape(-1)[: len(values)].astype(numpy.float64)
        error = numpy.abs(numpy.asarray(values) - exact)
        allowed = entry.tolerance * numpy.maximum(1, numpy.abs(exact))
        worst = max(worst, float(error.max()))
        if not bool((error <= allowed).all()):
            return _outcome(entry, case, "peer", worst, f"differs by {worst:.3g}")
    return _outcome(entry, case, "peer", worst, "")


def peer_process(peer: Peer, standins: Path, program: Path) -> subprocess.CompletedProcess[str]:
    """Runs a program once in the predecessor's runner, on the stand-ins of a folder."""
    path = os.pathsep.join([str(standins), str(peer.extension_folder)])
    return subprocess.run(
        [str(peer.runner), f"--model_path={program}", "--num_runs=1"],
        env={**os.environ, "LD_LIBRARY_PATH": path},
        capture_output=True,
        text=True,
        timeout=_TIMEOUT_S,
        check=False,
    )


def parse_peer_outputs(said: str) -> list[tuple[list[int], list[float]]]:
    """Shape and first values of each output in what the predecessor's runner printed."""
    outputs: list[tuple[list[int], list[float]]] = []
    for line in said.splitlines():
        shape = re.search(r"output\[\d+\] shape=\[([\d, ]*)\]", line)
        values = re.search(r"first \d+ values:(.*)", line)
        if shape:
            outputs.append(([int(n) for n in re.findall(r"\d+", shape[1])], []))
        if values and outputs:
            outputs[-1][1].extend(float(number) for number in values[1].split())
    return outputs


@dataclass(frozen=True)
class _Load:
    folder: Path
    entry: Entry
    cases: list[CaseFiles]


def _loads(scratch: Path, programs: Sequence[tuple[Path, Entry]]) -> dict[Path, _Load]:
    """One path per load: a case that does not continue gets a link of its own to the program."""
    loads: dict[Path, _Load] = {}
    for folder, entry in programs:
        for case in entry.cases:
            if not case.continues:
                path = scratch / f"{entry.name}.{case.name}.pte"
                path.symlink_to((folder / entry.file).resolve())
                loads[path] = _Load(folder, entry, [])
            loads[path].cases.append(case)
    return loads


def _compared(
    entry: Entry, case: CaseFiles, lane: str, got: Sequence[NDArray[numpy.generic]], folder: Path
) -> Outcome:
    wanted = [numpy.load(folder / name) for name in case.expected]
    worst = 0.0
    if len(got) != len(wanted):
        problem = f"{len(got)} outputs; eager has {len(wanted)}"
        return _outcome(entry, case, lane, float("nan"), problem)
    for index, (value, want) in enumerate(zip(got, wanted, strict=True)):
        if value.dtype != want.dtype or value.shape != want.shape:
            problem = f"output {index} is {value.dtype} {value.shape}; eager has "
            problem += f"{want.dtype} {want.shape}"
            return _outcome(entry, case, lane, float("nan"), problem)
        exact = want.astype(numpy.float64)
        error = numpy.abs(value.astype(numpy.float64) - exact)
        worst = max(worst, float(error.max(initial=0.0)))
        # A NaN compares false with everything, so it fails here too.
        if not bool((error <= entry.tolerance * numpy.maximum(1, numpy.abs(exact))).all()):
            return _outcome(entry, case, lane, worst, f"output {index} differs by {worst:.3g}")
    return _outcome(entry, case, lane, worst, "")


def _outcome(entry: Entry, case: CaseFiles, lane: str, max_error: float, problem: str) -> Outcome:
    return Outcome(entry.name, case.name, lane, max_error, entry.tolerance, problem)


def _tail(text: str) -> str:
    return " | ".join(text.strip().splitlines()[-4:])
