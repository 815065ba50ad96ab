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
    visibility,
)

Check = Callable[[Subject], Iterator[Finding]]

CHECKS: dict[str, Check] = {
    "contents": contents.check,
    "metadata": requirements.check,
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


def run_checks(subject: Subject) -> list[Finding]:
    """Every finding of every check; none hides behind another."""
    return ordered([finding for check in CHECKS.values() for finding in check(subject)])
