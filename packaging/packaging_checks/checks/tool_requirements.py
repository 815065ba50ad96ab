"""The tool's wheel asks for the runtime wheel of its own version, and for nothing else."""

from __future__ import annotations

from collections.abc import Iterator

from ..findings import Finding
from ..subject import Subject

NAME = "tool-metadata"


def check(subject: Subject) -> Iterator[Finding]:
    wheel, name = subject.wheel, subject.wheel_policy.requires_exactly
    if wheel is None or name is None:
        return
    lines = [str(requirement) for requirement in wheel.requirements]
    wanted = f"{name}=={wheel.version}"
    if lines != [wanted] or wheel.unreadable_requirements:
        seen = ", ".join([*lines, *wheel.unreadable_requirements]) or "nothing"
        yield Finding(
            NAME,
            wheel.filename,
            f"requires {seen}, not exactly {wanted}",
            "the two are built from one tree; the runtime wheel pins all the rest",
            "take the version from version.txt and require nothing else",
        )
