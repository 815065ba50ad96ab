"""The wheel holds the known files, whole and recorded, under a tag for every Python, within its budget."""

from __future__ import annotations

from collections.abc import Iterator

from ..findings import Finding
from ..subject import Subject
from ..wheel_facts import WheelFacts

NAME = "contents"


def check(subject: Subject) -> Iterator[Finding]:
    if subject.wheel is not None:
        yield from _files(subject)
        yield from _record(subject.wheel)
        yield from _tags(subject)
    yield from _sizes(subject)


def _files(subject: Subject) -> Iterator[Finding]:
    wheel, policy = subject.wheel, subject.wheel_policy
    assert wheel is not None
    known = policy.files | {f"{wheel.dist_info}/{name}" for name in policy.dist_info_files}
    for name in sorted(set(wheel.files) - known):
        yield Finding(
            NAME,
            name,
            f"is in {wheel.filename} and not on the known list",
            "a wheel that carries more than its three things can overwrite, or clash with, other "
            "packages",
            "leave it out of the install components, or add it to the known list",
            structural=True,
        )
    for name in sorted(known - set(wheel.files)):
        yield Finding(
            NAME,
            name,
            f"is missing from {wheel.filename}",
            "what it offers would fail on the user's machine",
            "check the install rules; runtime and dev components make up the wheel",
            structural=True,
        )
    for name in wheel.duplicates:
        yield Finding(
            NAME,
            name,
            f"is in {wheel.filename} more than once",
            "installers disagree on which one wins",
            "install the file by one rule only",
            structural=True,
        )


def _record(wheel: WheelFacts) -> Iterator[Finding]:
    own = f"{wheel.dist_info}/RECORD"
    recorded = {line.path: line for line in wheel.record}
    for name, (digest, size) in sorted(wheel.files.items()):
        line = recorded.get(name)
        if name == own:
            continue
        if line is None:
            yield _record_finding(name, "is not listed in RECORD")
        elif line.digest != digest:
            yield _record_finding(name, f"has {digest}; RECORD says {line.digest or 'nothing'}")
        elif line.size != str(size):
            yield _record_finding(name, f"has {size} bytes; RECORD says {line.size or 'nothing'}")
    for name in sorted(set(recorded) - set(wheel.files)):
        yield _record_finding(name, "is listed in RECORD and not in the wheel")


def _record_finding(name: str, what: str) -> Finding:
    return Finding(
        NAME,
        name,
        what,
        "installers refuse the wheel or leave files behind on uninstalling",
        "write RECORD after the last change, with the tool that changed the wheel",
    )


def _tags(subject: Subject) -> Iterator[Finding]:
    wheel, policy = subject.wheel, subject.wheel_policy
    assert wheel is not None
    for tag in sorted(wheel.filename_tags | wheel.declared_tags):
        python, abi, _ = tag.split("-", 2)
        if (python, abi) != (policy.python_tag, policy.abi_tag):
            yield Finding(
                NAME,
                wheel.filename,
                f"is tagged {tag}",
                "nothing in it depends on an interpreter, so one wheel serves every Python",
                f"tag it {policy.python_tag}-{policy.abi_tag}-<platform>",
                structural=True,
            )
    if wheel.filename_tags != wheel.declared_tags:
        yield Finding(
            NAME,
            wheel.filename,
            f"names {_list(wheel.filename_tags)}; its WHEEL file says {_list(wheel.declared_tags)}",
            "installers believe the one or the other",
            "rename wheels with a tool that rewrites both",
        )
    if wheel.purelib:
        yield Finding(
            NAME,
            wheel.filename,
            "claims to be pure Python (Root-Is-Purelib: true)",
            "it holds a library for one architecture",
            "set Root-Is-Purelib: false",
        )


def _sizes(subject: Subject) -> Iterator[Finding]:
    library, wheel = subject.library, subject.wheel
    budget = subject.library_policy.size_budget_bytes
    if library is not None and library.stripped_size_bytes > budget:
        yield _size(library.name, library.stripped_size_bytes, budget, "stripped")
    if wheel is not None and wheel.size_bytes > subject.wheel_policy.size_budget_bytes:
        yield _size(
            wheel.filename, wheel.size_bytes, subject.wheel_policy.size_budget_bytes, "compressed"
        )


def _size(name: str, size: int, budget: int, kind: str) -> Finding:
    return Finding(
        NAME,
        name,
        f"has {size:,} bytes {kind}; the budget is {budget:,}",
        "smallness is a promise, and growth mostly means that something foreign was linked in",
        "find what grew (bloaty, nm --size-sort), or raise the budget in the policy and say why",
    )


def _list(tags: frozenset[str]) -> str:
    return ", ".join(sorted(tags)) or "none"
