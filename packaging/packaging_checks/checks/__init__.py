"""Every guard by name. A check is a pure function from facts to findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..findings import Finding, ordered
from ..subject import Subject
from . import (
    backend_name,
    contents,
    cuda_row,
    needed_libraries,
    platform_tag,
    private_runtime,
    registration,
    requirements,
    run_path,
    symbol_versions,
    tool_requirements,
    visibility,
)

Check = Callable[[Subject], Iterator[Finding]]

CHECKS: dict[str, Check] = {
    "contents": contents.check,
    "metadata": requirements.check,
    "tool-metadata": tool_requirements.check,
    "cuda-row": cuda_row.check,
    "tag": platform_tag.check,
    "symbol-versions": symbol_versions.check,
    "private-runtime": private_runtime.check,
    "registration": registration.check,
    "visibility": visibility.check,
    "run-path": run_path.check,
    "needed-libraries": needed_libraries.check,
    "backend-name": backend_name.check,
}


def checks_of(subject: Subject) -> dict[str, Check]:
    """The guards that apply to the kind of file that ``subject`` is."""
    return {name: check for name, check in CHECKS.items() if name in subject.wheel_policy.checks}


def run_checks(subject: Subject) -> list[Finding]:
    """Every finding of every check that applies; none hides behind another."""
    return ordered([f for check in checks_of(subject).values() for f in check(subject)])
