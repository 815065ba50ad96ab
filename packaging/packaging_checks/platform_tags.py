"""Platform tags on auditwheel's policies: what a tag promises, and which is the lowest true one."""

from __future__ import annotations

import functools
from collections import defaultdict

from auditwheel.architecture import Architecture
from auditwheel.libc import Libc
from auditwheel.policy import Policy, WheelPolicies

from .elf_facts import ElfFacts

# What a tag speaks of; other version nodes (CUDA's, TensorRT's) belong to packages that pip installs.
_FAMILIES = ("GLIBC", "GLIBCXX", "CXXABI", "GCC")


@functools.cache
def _policies(machine: str) -> WheelPolicies:
    return WheelPolicies(libc=Libc.GLIBC, arch=Architecture(machine))


def policy_named(machine: str, tag: str) -> Policy | None:
    """The policy behind a platform tag; None for one that promises nothing (``linux_x86_64``)."""
    policies = _policies(machine)
    try:
        policy = policies.get_policy_by_name(tag)
    except LookupError:
        return None
    return None if policy == policies.linux else policy


def is_lower(machine: str, tag: str, other: str) -> bool:
    """Whether ``tag`` promises older systems than ``other``."""
    mine, theirs = policy_named(machine, tag), policy_named(machine, other)
    if theirs is None:
        return mine is not None
    return mine is not None and mine.priority > theirs.priority


def lowest_true_tag(library: ElfFacts, floors: tuple[str, ...] = ()) -> str:
    """The tag of the oldest systems that have every symbol the library needs.

    ``floors`` are the tags of the wheel it is installed with (any of them suffices): a tag below them would claim
    systems where that one cannot be installed. ExecuTorch has 2.28 on x86-64 where it has 2.35 on Arm.
    """
    policies = _policies(library.machine)
    tag: str = policies.versioned_symbols_policy(_needed_versions(library)).name
    known = [floor for floor in floors if policy_named(library.machine, floor) is not None]
    if known:
        floor = max(known, key=lambda f: policies.get_policy_by_name(f).priority)
        if is_lower(library.machine, tag, floor):
            tag = policies.get_policy_by_name(floor).name
    return tag


def disallowed_versions(library: ElfFacts, tag: str) -> list[str]:
    """Versions the library needs and ``tag`` does not promise, oldest family first."""
    policy = policy_named(library.machine, tag)
    if policy is None:
        return []
    allowed = {f"{family}_{v}" for family, vs in policy.symbol_versions.items() for v in vs}
    needed = {version for versions in _needed_versions(library).values() for version in versions}
    return sorted(needed - allowed, key=_natural)


def _needed_versions(library: ElfFacts) -> dict[str, set[str]]:
    versions: dict[str, set[str]] = defaultdict(set)
    for symbol in library.imports:
        if symbol.version and symbol.version.partition("_")[0] in _FAMILIES:
            versions[symbol.library or ""].add(symbol.version)
    return dict(versions)


def _natural(version: str) -> tuple[str, list[int]]:
    family, _, number = version.partition("_")
    return family, [int(part) if part.isdigit() else 0 for part in number.split(".")]
