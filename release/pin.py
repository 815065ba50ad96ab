"""Moving the ExecuTorch pin: which version, whether it may, and what is written."""

from __future__ import annotations

import json
import re
import zipfile
from dataclasses import dataclass
from pathlib import Path

from .data import commit_hash
from .listing import Cell
from .model import Pin, Policy
from .refusal import Refusal
from .versions import NIGHTLY, Version, parse_version

MOVED, CURRENT, KEPT, REFUSED = "moved", "current", "kept", "refused"


@dataclass(frozen=True)
class Verdict:
    """outcome: "moved" to target, "current" (it is the newest), "kept" (newer ones will not do),

    "refused" (what was asked for or is on offer may not be taken). reasons: one line per version
    that was not taken, newest first.
    """

    outcome: str
    target: Version
    reasons: tuple[str, ...]


def required_cells(policy: Policy) -> list[Cell]:
    """Every build the nightly matrix needs of ExecuTorch: each row, delegate platform, Python."""
    target = policy.targets["wheel"]
    return [
        Cell(row, platform, python)
        for row in target.rows
        for platform in target.platforms
        if policy.platforms[platform].delegate
        for python in target.pythons
    ]


def choose(
    current: Version,
    offered: dict[Version, set[Cell]],
    required: list[Cell],
    wanted: Version | None,
    allow_backwards: bool,
    allow_minor: bool,
) -> Verdict:
    """wanted: one version asked for, which may be a release; None takes the newest nightly."""
    candidates = [wanted] if wanted else [v for v in offered if v.channel == NIGHTLY]
    reasons: list[str] = []
    for candidate in sorted(candidates, key=lambda version: version.order, reverse=True):
        if candidate == current:
            return Verdict(KEPT if reasons else CURRENT, current, tuple(reasons))
        why_not = _why_not(
            current,
            candidate,
            offered.get(candidate, set()),
            required,
            allow_backwards,
            allow_minor,
        )
        if not why_not:
            return Verdict(MOVED, candidate, tuple(reasons))
        reasons.append(f"{candidate}: {why_not}")
    newer = any(candidate.order > current.order for candidate in candidates)
    refused = wanted is not None or not newer
    if not candidates:
        reasons.append("the listing offers no nightly")
    return Verdict(REFUSED if refused else KEPT, current, tuple(reasons))


def _why_not(
    current: Version,
    candidate: Version,
    cells: set[Cell],
    required: list[Cell],
    allow_backwards: bool,
    allow_minor: bool,
) -> str:
    if candidate.order < current.order and not allow_backwards:
        return f"older than the pin {current}; --allow-backwards takes it"
    if candidate.line != current.line and not allow_minor:
        lines = [".".join(map(str, version.line)) for version in (current, candidate)]
        return f"leaves {lines[0]} for {lines[1]}; --allow-minor takes it"
    lacking = [cell for cell in required if not _has(cells, cell)]
    if not lacking:
        return ""
    if len(lacking) == len(required):
        return "has no CUDA build that the matrix asks for"
    return f"lacks {', '.join(_summary(lacking, required))}"


def _has(cells: set[Cell], cell: Cell) -> bool:
    return cell in cells or Cell(cell.row, cell.platform, "") in cells


def _summary(lacking: list[Cell], required: list[Cell]) -> list[str]:
    """One item per row and platform; its Pythons only where others of them are there."""
    lines = []
    for row, platform in dict.fromkeys((cell.row, cell.platform) for cell in lacking):
        absent = [c.python for c in lacking if (c.row, c.platform) == (row, platform)]
        asked = [c.python for c in required if (c.row, c.platform) == (row, platform)]
        pythons = "" if absent == asked else f" for Python {' '.join(absent)}"
        lines.append(f"{row} on {platform}{pythons}")
    return lines


def commit_of_wheel(path: Path, target: Version, subject: str) -> str:
    """The source commit an ExecuTorch wheel records of itself; the wheel must be the target's."""
    parts = path.name.split("-")
    if len(parts) < 5 or parts[0] != "executorch" or path.suffix != ".whl":
        raise Refusal(subject, f"{path.name} is no ExecuTorch wheel", "executorch-*.whl")
    version = parse_version(parts[1], subject).labelled("")
    if version != target:
        raise Refusal(subject, f"{path.name} is not {target}", f"a wheel of {target}")
    try:
        with zipfile.ZipFile(path) as archive:
            source = archive.read("executorch/version.py").decode("utf-8")
    except (OSError, KeyError, zipfile.BadZipFile, UnicodeDecodeError) as error:
        raise Refusal(subject, f"{path} cannot be read: {error}", "a whole wheel") from error
    match = re.search(r"git_version[^=\n]*=\s*['\"]([^'\"]*)['\"]", source)
    if match is None:
        raise Refusal(subject, f"{path.name} records no source commit", "git_version in it")
    return commit_hash(match[1], subject)


def write_pin(pin: Pin, path: Path) -> None:
    """Version and commit in one replacement, so that no reader ever sees a pair of two builds."""
    text = json.dumps({"version": str(pin.version), "commit": pin.commit}, indent=2) + "\n"
    scratch = path.with_name(path.name + ".new")
    scratch.write_text(text, encoding="utf-8")
    scratch.replace(path)


def explain(verdict: Verdict, current: Pin, commit: str, written: bool) -> str:
    """What was done and why not more, in lines."""
    done = {
        MOVED: f"{'moved' if written else 'would move'} the pin from {current.version} to "
        f"{verdict.target}" + (f" (commit {commit})" if commit else ""),
        CURRENT: f"kept the pin: {current.version} is the newest",
        KEPT: f"kept the pin {current.version}: nothing newer will do",
        REFUSED: f"kept the pin {current.version}: refused",
    }[verdict.outcome]
    return "\n".join([done, *(f"  not taken: {reason}" for reason in verdict.reasons)])
