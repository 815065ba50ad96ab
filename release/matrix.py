"""The release matrix: the part of the CI's full build matrix that a release builds.

Reads the form {"include": [entry, ...]} of PyTorch's generate_binary_build_matrix. Few keys are
needed (desired_cuda or gpu_arch_version, python_version for wheels); entries are handed on whole,
with build_delegate and target_index added. Entries that contradict themselves are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .model import Channel, Pin, Platform, Policy, Target
from .policy import decide_cell
from .refusal import Refusal
from .versions import RELEASE

Entry = dict[str, Any]


@dataclass(frozen=True)
class Build:
    """An entry understood. row is "" for a CPU, ROCm or XPU build, python "" where none is told."""

    entry: Entry
    row: str
    python: str
    platform: str


@dataclass(frozen=True)
class Selection:
    """missing: what the target asks for and the full matrix did not offer, one line each."""

    include: list[Entry]
    missing: list[str]


def select(
    policy: Policy,
    matrix: Any,
    kind: str,
    channel: Channel,
    pin: Pin,
    drop_older_rows: bool,
    default_platform: Platform,
    subject: str,
) -> Selection:
    """kind: "wheel" or "tarball". default_platform: for entries that do not tell theirs."""
    target = policy.targets[kind]
    builds = [
        _understand(policy, entry, default_platform, f"{subject}: include[{number}]")
        for number, entry in enumerate(_entries(matrix, subject))
    ]
    rows = rows_of(policy, target, drop_older_rows)
    kept = [build for build in builds if _wanted(build, target, rows)]
    if not target.every_python:
        kept = _one_python(kept, target)
    else:
        _refuse_ambiguous(kept, subject)
    include = _annotate(policy, kept, channel, pin, kind)
    return Selection(include, _missing(policy, kept, builds, target, rows))


def rows_of(policy: Policy, target: Target, drop_older_rows: bool) -> list[str]:
    """The CUDA rows of a target, with or without those marked older in the data."""
    return [row for row in target.rows if not (drop_older_rows and policy.rows[row].older)]


def _entries(matrix: Any, subject: str) -> list[Entry]:
    include = matrix.get("include") if isinstance(matrix, dict) else None
    if not isinstance(include, list) or not all(isinstance(entry, dict) for entry in include):
        raise Refusal(subject, "no list of objects under include", '{"include": [{...}, ...]}')
    return include


def _understand(policy: Policy, entry: Entry, default: Platform, where: str) -> Build:
    row = _row(entry, where)
    platform = _platform(policy, entry, default, where) if row else ""
    return Build(entry, row, _python(entry, where), platform)


def _text(entry: Entry, key: str, where: str) -> str:
    value = entry.get(key, "")
    if not isinstance(value, str):
        raise Refusal(f"{where}: {key}", f"{value!r} is not a string", "a string")
    return value


def _row(entry: Entry, where: str) -> str:
    """cuNNN out of the two places that may tell it, which must agree; "" for other kinds."""
    desired = _text(entry, "desired_cuda", where)
    version = _text(entry, "gpu_arch_version", where)
    kind = _text(entry, "gpu_arch_type", where)
    if not desired and not kind:
        raise Refusal(where, "neither desired_cuda nor gpu_arch_type", "a CUDA row or a kind")
    if desired and not re.fullmatch(r"cu\d{3,}|cpu|xpu|rocm[\d.]+|cpu-[\w-]+", desired):
        raise Refusal(f"{where}: desired_cuda", f"{desired!r}", "cuNNN, cpu, xpu or rocmN.N")
    cuda = desired.startswith("cu") or (not desired and kind.startswith("cuda"))
    if kind and kind.startswith("cuda") != cuda:
        raise Refusal(where, f"gpu_arch_type {kind!r} with desired_cuda {desired!r}", "one kind")
    if not cuda:
        return ""
    told = f"cu{version.replace('.', '')}" if version else desired
    if not re.fullmatch(r"cu\d{3,}", told):
        raise Refusal(f"{where}: gpu_arch_version", f"{version!r}", "a CUDA version such as 13.2")
    if desired and told != desired:
        raise Refusal(where, f"gpu_arch_version {version} in the row {desired}", "one CUDA row")
    return desired or told


def _python(entry: Entry, where: str) -> str:
    python = _text(entry, "python_version", where)
    if python and not re.fullmatch(r"\d\.\d+t?", python):
        raise Refusal(f"{where}: python_version", f"{python!r}", "such as 3.11")
    return python


# What each key can tell about the machine: a pattern, the system it means, the architecture.
_HINTS = (
    ("os", r"windows-arm64", "win", "arm64"),
    ("os", r"linux-aarch64", "linux", "aarch64"),
    ("os", r"windows", "win", ""),
    ("os", r"linux", "linux", ""),
    ("os", r"macos(-.*)?", "macosx", ""),
    ("gpu_arch_type", r"\w+-aarch64", "linux", "aarch64"),
    ("gpu_arch_type", r"\w+-arm64", "win", "arm64"),
    ("package_type", r"manywheel", "linux", ""),
    ("validation_runner", r"windows.*arm64.*", "win", "arm64"),
    ("validation_runner", r"windows.*", "win", ""),
    ("validation_runner", r"linux.*(arm64|aarch64).*", "linux", "aarch64"),
    ("validation_runner", r"linux.*", "linux", ""),
    ("validation_runner", r"macos.*", "macosx", ""),
    ("container_image", r".*aarch64.*", "linux", "aarch64"),
    ("build_name", r".*aarch64.*", "linux", "aarch64"),
)
_USUAL_ARCH = {"linux": "x86_64", "win": "amd64", "macosx": "arm64"}


def _platform(policy: Policy, entry: Entry, default: Platform, where: str) -> str:
    told = _text(entry, "platform", where)
    if told:
        return policy.platform(told, f"{where}: platform").name
    systems: dict[str, str] = {}
    arches: dict[str, str] = {}
    for key, pattern, system, arch in _HINTS:
        if re.fullmatch(pattern, _text(entry, key, where)):
            systems.setdefault(system, key)
            if arch:
                arches.setdefault(arch, key)
    if len(systems) > 1 or len(arches) > 1:
        hints = ", ".join(f"{name} from {key}" for name, key in [*systems.items(), *arches.items()])
        raise Refusal(where, f"keys name different platforms: {hints}", "one platform")
    if not systems:
        return default.name
    system = next(iter(systems))
    return f"{system}_{next(iter(arches), _USUAL_ARCH[system])}"


def _wanted(build: Build, target: Target, rows: Iterable[str]) -> bool:
    python_fits = not build.python or build.python in target.pythons
    return build.row in rows and build.platform in target.platforms and python_fits


def _refuse_ambiguous(builds: list[Build], subject: str) -> None:
    seen: set[tuple[str, str, str]] = set()
    for build in builds:
        cell = (build.row, build.platform, build.python)
        if not build.python:
            raise Refusal(subject, "an entry without python_version", "one in every wheel entry")
        if cell in seen:
            raise Refusal(
                subject, f"two entries for {' '.join(cell)}", "one", "generate a single channel"
            )
        seen.add(cell)


def _one_python(builds: list[Build], target: Target) -> list[Build]:
    """For what does not depend on Python: the target's first Python of each row and platform."""
    order = {python: rank for rank, python in enumerate(target.pythons)}
    best: dict[tuple[str, str], Build] = {}
    for build in builds:
        held = best.setdefault((build.row, build.platform), build)
        if order.get(build.python, -1) < order.get(held.python, -1):
            best[(build.row, build.platform)] = build
    return [build for build in builds if best[(build.row, build.platform)] is build]


def _annotate(
    policy: Policy, builds: list[Build], channel: Channel, pin: Pin, kind: str
) -> list[Entry]:
    """The delegate wheel is py3-none: the first wheel entry of a row and platform builds it."""
    entries, with_delegate = [], set()
    for build in builds:
        cell = (build.row, build.platform)
        first = cell not in with_delegate
        with_delegate.add(cell)
        index = target_index(policy, channel, build.row)
        added: Entry = {"platform": build.platform, "target_index": index}
        if kind == "wheel":
            decision = decide_cell(
                policy,
                channel,
                pin,
                policy.rows[build.row],
                policy.platforms[build.platform],
                policy.indexes[index],
            )
            added["build_delegate"] = first and decision.carried_by is not None
        entries.append({**build.entry, **added})
    return entries


def target_index(policy: Policy, channel: Channel, row: str) -> str:
    """Where the wheels of a row go: a release of one row goes to the default index."""
    if channel.name == RELEASE and row == policy.pypi_row:
        return channel.extra_names_delegate_on
    return channel.pytorch_index


def _missing(
    policy: Policy, kept: list[Build], builds: list[Build], target: Target, rows: list[str]
) -> list[str]:
    """CI makes one matrix per platform, so only the platforms it offers are expected."""
    offered = [p for p in target.platforms if any(build.platform == p for build in builds)]
    have = {(build.row, build.platform, build.python) for build in kept}
    have_cells = {cell[:2] for cell in have}
    missing = []
    for platform in offered:
        for row in rows:
            if (row, platform) not in have_cells:
                missing.append(f"{row} on {policy.platforms[platform].title}")
            elif target.every_python:
                missing += [
                    f"{row} on {policy.platforms[platform].title} for Python {python}"
                    for python in target.pythons
                    if (row, platform, python) not in have
                ]
    return missing
