"""ExecuTorch's label, TensorRT's distribution and the CUDA runtime are of one CUDA major.

The row's major is compared, never a whole version: a number in a file would refuse the other rows'
builds.
"""

from __future__ import annotations

from collections.abc import Iterator

from packaging.version import InvalidVersion, Version

from ..findings import Finding
from ..rows import distribution_major, label_major, soname_major
from ..subject import Subject

NAME = "cuda-row"


def check(subject: Subject) -> Iterator[Finding]:
    majors = dict(_majors(subject))
    for source, label in _labels(subject):
        if label == "cpu":
            continue
        major = label_major(label)
        if major is None:
            yield Finding(
                NAME,
                subject.name,
                f"{source} has the label +{label}, which names no CUDA row",
                "the row decides which TensorRT and which CUDA runtime belong to it",
                "build against an ExecuTorch labelled +cuNNN, +cpu, or not at all",
            )
        else:
            majors[f"{source} (+{label})"] = major
    if len(set(majors.values())) > 1:
        yield Finding(
            NAME,
            subject.name,
            "mixes CUDA majors: "
            + ", ".join(f"{what} is {major}" for what, major in majors.items()),
            "two CUDA runtimes would meet in one process, or one library would not be found",
            "build in an environment where all of them are of one CUDA row",
        )


def _majors(subject: Subject) -> Iterator[tuple[str, int]]:
    for needed in subject.library.needed if subject.library else ():
        if (major := soname_major(needed)) is not None:
            yield needed, major
    for requirement in subject.wheel.requirements if subject.wheel else ():
        if (major := distribution_major(requirement.name)) is not None:
            yield requirement.name, major
            # The row's own distributions carry CUDA's version; TensorRT's carry TensorRT's.
            version = _pinned(str(requirement.specifier))
            if version is not None and "cuda-runtime" in requirement.name:
                yield str(requirement), version.major
    recorded = subject.wheel.build_record.get("cuda", {}).get("major") if subject.wheel else None
    if isinstance(recorded, int):
        yield "the build record", recorded


def _labels(subject: Subject) -> Iterator[tuple[str, str]]:
    if subject.wheel is None:
        return
    for requirement in subject.wheel.requirements:
        version = _pinned(str(requirement.specifier))
        if requirement.name == "executorch" and version is not None and version.local:
            yield "executorch", version.local
    recorded = subject.wheel.build_record.get("executorch", {}).get("build_version", "")
    if "+" in recorded:
        yield "the ExecuTorch built against", recorded.split("+", 1)[1]


def _pinned(specifier: str) -> Version | None:
    try:
        return Version(specifier.removeprefix("=="))
    except InvalidVersion:
        return None
