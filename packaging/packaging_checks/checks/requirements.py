"""Requires-Dist is exactly the set that the wheel needs, pinned to what it was built against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from ..findings import Finding
from ..rows import distribution_major, label_major
from ..subject import Subject
from ..wheel_facts import WheelFacts

NAME = "metadata"
_KINDS = ("executorch", "TensorRT", "CUDA runtime", "torch")


def check(subject: Subject) -> Iterator[Finding]:
    wheel = subject.wheel
    if wheel is None:
        return
    yield from _names(wheel)
    yield from _identity(subject)
    for requirement in wheel.requirements:
        yield from _pin(wheel, requirement)
    yield from _built_against(subject)


def kind_of(name: str) -> str | None:
    """Which of the four allowed requirements ``name`` is; None for any other."""
    canonical = canonicalize_name(name)
    if canonical in ("executorch", "torch"):
        return canonical
    if distribution_major(canonical) is not None:
        return "TensorRT" if canonical.startswith("tensorrt") else "CUDA runtime"
    return None


def _names(wheel: WheelFacts) -> Iterator[Finding]:
    for line in wheel.unreadable_requirements:
        yield _finding(line, "is no valid requirement", "pip refuses the wheel", "correct it", True)
    for requirement in wheel.requirements:
        name = canonicalize_name(requirement.name)
        if name == "torch-tensorrt":
            yield _finding(
                str(requirement),
                "must not be required",
                "this wheel is built from that project: a cycle that no resolver can satisfy",
                "remove it; only deprecated names look for it, when they are called",
                True,
            )
        elif kind_of(name) is None:
            yield _finding(
                str(requirement),
                "is not in the allowed set",
                "a wheel asks only for what it links or imports",
                "remove it",
                True,
            )
        if requirement.extras or requirement.marker or requirement.url:
            yield _finding(
                str(requirement),
                "has extras, a marker or a URL",
                "the requirement must hold for every installation, from any index",
                "write the plain name and its pin",
                True,
            )
    kinds = Counter(kind_of(requirement.name) for requirement in wheel.requirements)
    for kind in _KINDS:
        if kinds[kind] == 0:
            yield _finding(
                f"requirement on {kind}",
                "is missing",
                "pip would not install what the delegate needs",
                "let the build write the requirements from the installed versions",
                True,
            )
        elif kinds[kind] > 1:
            yield _finding(
                f"requirement on {kind}",
                f"is stated {kinds[kind]} times",
                "two sources of one truth drift apart",
                "state it once",
                True,
            )


def _identity(subject: Subject) -> Iterator[Finding]:
    wheel = subject.wheel
    assert wheel is not None
    if canonicalize_name(wheel.metadata_name) != subject.wheel_policy.distribution:
        yield _finding(
            "Name",
            f"is {wheel.metadata_name!r}, not {subject.wheel_policy.distribution!r}",
            "pip would install it as another project",
            "correct the project name",
            True,
        )
    if wheel.metadata_version != wheel.version:
        yield _finding(
            "Version",
            f"is {wheel.metadata_version}; the file name says {wheel.version}",
            "pip refuses the wheel",
            "take both from version.txt",
        )
    if _for_pypi(wheel) and "+" in wheel.metadata_version:
        yield _finding(
            "Version",
            f"has a label: {wheel.metadata_version}",
            "PyPI refuses labels",
            "leave the label away for PyPI",
        )


def _pin(wheel: WheelFacts, requirement: Requirement) -> Iterator[Finding]:
    kind, text = kind_of(requirement.name), str(requirement)
    if kind == "torch":
        if str(requirement.specifier):
            yield _finding(
                text,
                "bounds torch",
                "the choice of build stays with the user",
                "require torch by name only",
            )
        return
    if kind is None:
        return
    version = exact_version(requirement)
    if version is None:
        yield _finding(
            text,
            "is not pinned to one version (==)",
            "the delegate shares C++ types with exactly the build it was compiled against",
            "pin the installed version",
        )
    elif version.local and kind != "executorch":
        yield _finding(
            text, f"has the label +{version.local}", "that package has no labels", "remove it"
        )
    elif version.local and _for_pypi(wheel):
        yield _finding(
            text,
            f"has the label +{version.local} in a wheel meant for PyPI",
            "PyPI refuses labels, so nothing there can satisfy it",
            "pin the version without its label",
        )
    elif version.local and version.local != "cpu" and label_major(version.local) is None:
        yield _finding(
            text,
            f"has the label +{version.local}, which names no CUDA row",
            "no index has such a build",
            "build against an ExecuTorch of a CUDA row",
        )


def _built_against(subject: Subject) -> Iterator[Finding]:
    """Pins against the build record, and against the environment when it is there to be asked."""
    wheel = subject.wheel
    assert wheel is not None
    by_kind = {kind_of(r.name): r for r in wheel.requirements}
    for kind, version, source in _expected(subject):
        requirement = by_kind.get(kind)
        pinned = exact_version(requirement) if requirement is not None else None
        if requirement is None or pinned is None:
            continue  # spoken of above
        wanted = Version(version)
        if kind == "executorch" and _for_pypi(wheel):
            wanted, pinned = Version(wanted.public), Version(pinned.public)
        if pinned != wanted:
            yield _finding(
                str(requirement),
                f"is not the {wanted} {source}",
                "another build than the one compiled against may be laid out differently in memory",
                f"build the wheel where {requirement.name} {pinned} is installed, or pin {wanted}",
            )


def _expected(subject: Subject) -> Iterator[tuple[str, str, str]]:
    assert subject.wheel is not None
    parts = {"executorch": "executorch", "TensorRT": "tensorrt", "CUDA runtime": "cuda_runtime"}
    for kind, part in parts.items():
        version = subject.wheel.build_record.get(part, {}).get("version")
        if version:
            yield kind, version, "of the build record"
    installed = subject.installed
    if installed is not None:
        versions = (
            installed.executorch_version,
            installed.tensorrt_version,
            installed.cudart_version,
        )
        for kind, installed_version in zip(parts, versions, strict=True):
            if installed_version:
                yield kind, installed_version, "installed here"


def exact_version(requirement: Requirement) -> Version | None:
    """The one version that ``requirement`` admits; None when it admits more or fewer."""
    specifiers = list(requirement.specifier)
    if len(specifiers) != 1 or specifiers[0].operator not in ("==", "==="):
        return None
    try:
        return Version(specifiers[0].version)
    except InvalidVersion:  # a wildcard
        return None


def _for_pypi(wheel: WheelFacts) -> bool:
    return wheel.build_record.get("index") == "pypi"


def _finding(subject: str, what: str, why: str, remedy: str, structural: bool = False) -> Finding:
    return Finding(NAME, subject, what, why, remedy, structural)
