"""What a check looks at: facts of a library, of the wheel around it, of the environment it was built in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from packaging.utils import canonicalize_name

from .elf_facts import ElfFacts, UnreadableFile, read_elf
from .installed import Installed
from .policy import (
    LIBRARY_POLICY,
    POLICIES,
    RECORD_FILE,
    WHEEL_POLICY,
    LibraryPolicy,
    WheelPolicy,
)
from .wheel_facts import WheelFacts, read_wheel


@dataclass(frozen=True)
class Subject:
    """Facts and rules; a part that is None is not there, and the checks of that part say nothing."""

    name: str
    library: ElfFacts | None = None
    wheel: WheelFacts | None = None
    installed: Installed | None = None
    library_policy: LibraryPolicy = LIBRARY_POLICY
    wheel_policy: WheelPolicy = WHEEL_POLICY


def read_subject(path: Path, installed: Installed | None = None) -> Subject:
    """Facts of a ``.whl`` or of a shared library, told apart by the name.

    Raises UnreadableFile when the file is neither, OSError when it cannot be opened.
    """
    if path.suffix == ".whl":
        library_policy, wheel_policy = policies_of(path.name)
        wheel = read_wheel(path, library_policy.name, RECORD_FILE)
        return Subject(path.name, wheel.library, wheel, installed, library_policy, wheel_policy)
    if ".so" in path.suffixes:
        return Subject(path.name, read_elf(path.name, path.read_bytes()), None, installed)
    raise UnreadableFile(f"{path.name}: neither a wheel (.whl) nor a library (.so)")


def policies_of(filename: str) -> tuple[LibraryPolicy, WheelPolicy]:
    """Rules for a wheel by its project; an unknown project is held to the runtime wheel's."""
    project = canonicalize_name(filename.split("-")[0])
    return POLICIES.get(project, (LIBRARY_POLICY, WHEEL_POLICY))
