"""`make demo`: programs run from C++, from Python and by the predecessor, against eager PyTorch.

Ends with a table and 0 when every cell that ran passed. A cell that could not run says why.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "default"
for folder in (ROOT, ROOT / "exporter"):
    sys.path.insert(0, str(folder))

from trtet_export.runner import Runner  # noqa: E402

from benchmarks import peer  # noqa: E402
from benchmarks.built_wheel import built_wheel, install  # noqa: E402
from programs import index, refresh, running  # noqa: E402

SAMPLES = BUILD / "programs"
NETWORKS = BUILD / "programs" / "networks"
SHOWN_NETWORKS = ("mobilenet_v3_small", "decoder")


@dataclass(frozen=True)
class Cell:
    """One program in one lane over all its cases; `why` says why it failed or did not run."""

    verdict: str  # PASS | FAIL | skipped
    error: float = math.nan
    tolerance: float = math.nan
    why: str = ""


def judged(outcomes: Iterable[running.Outcome]) -> Cell:
    """The worst case decides."""
    outcomes = list(outcomes)
    for outcome in outcomes:
        if not outcome.passed:
            why = f"{outcome.case}: {outcome.problem}"[:160]
            return Cell("FAIL", outcome.max_error, outcome.tolerance, why)
    return Cell("PASS", max(o.max_error for o in outcomes), outcomes[0].tolerance)


def cpp(folder: Path, entry: index.Entry) -> Cell:
    fresh = [case for case in entry.cases if not case.continues]
    return judged(running.run_cpp(BUILD / "trtet", folder, entry, case) for case in fresh)


def predecessor(folder: Path, entry: index.Entry) -> Cell:
    if entry.not_by_peer:
        return Cell("skipped", why=entry.not_by_peer)
    try:
        extension = peer.wheel_folder(peer.RUNTIME_WHEEL) / "torch_tensorrt_executorch_runtime"
        runner = running.Peer(peer.runner(), extension)
    except peer.Unavailable as reason:
        return Cell("skipped", why=str(reason))
    return judged([running.run_peer(runner, BUILD / "standins", folder, entry)])


def installed_wheel() -> Runner:
    """Python with the wheel of dist/ installed in a folder of its own, on the stand-ins."""
    wheel = built_wheel()
    if wheel is None:
        raise SystemExit("demo: dist/ holds no wheel; run make wheel")
    site = ROOT / "build" / "demo-site"
    install(wheel, site)
    return Runner(None, (BUILD / "standins").resolve(), {"PYTHONPATH": str(site)})


def rows(programs: list[tuple[Path, index.Entry]]) -> Iterator[tuple[str, str, Cell]]:
    from_python = running.run_python(installed_wheel(), programs)
    for folder, entry in programs:
        yield entry.name, "C++", cpp(folder, entry)
        yield entry.name, "Python", judged(o for o in from_python if o.program == entry.name)
        yield entry.name, "peer", predecessor(folder, entry)


def shown(number: float) -> str:
    return "-" if math.isnan(number) else f"{number:.2g}"


def main() -> int:
    print(
        "demo: no GPU is needed; stand-ins take the place of CUDA and TensorRT "
        f"({os.path.relpath(BUILD / 'standins', ROOT)})",
        flush=True,
    )
    refresh.refresh("networks", NETWORKS, SHOWN_NETWORKS)
    programs = [(SAMPLES, entry) for entry in index.read(SAMPLES)]
    programs += [(NETWORKS, e) for e in index.read(NETWORKS) if e.name in SHOWN_NETWORKS]
    verdicts = []
    print(f"{'program':<20}{'lane':<8}{'max error':>10}{'allowed':>10}  verdict")
    for name, lane, cell in rows(programs):
        why = f" ({cell.why})" if cell.why else ""
        print(
            f"{name:<20}{lane:<8}{shown(cell.error):>10}{shown(cell.tolerance):>10}"
            f"  {cell.verdict}{why}"
        )
        verdicts.append(cell.verdict)
    passed, failed = verdicts.count("PASS"), verdicts.count("FAIL")
    print(f"{passed} passed, {failed} failed, {verdicts.count('skipped')} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
