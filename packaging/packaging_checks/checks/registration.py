"""Registration goes to the ExecuTorch of the process, so its functions are imported, never defined here."""

from __future__ import annotations

from collections.abc import Iterator

from ..findings import Finding
from ..subject import Subject

NAME = "registration"


def check(subject: Subject) -> Iterator[Finding]:
    library, policy = subject.library, subject.library_policy
    if library is None:
        return
    for mangled, readable in policy.imports_required.items():
        if mangled in library.exports or mangled in library.hidden:
            yield Finding(
                NAME,
                library.name,
                f"defines {readable} ({mangled}) itself",
                "it would register into a registry of its own: programs load and report no backend",
                "link the shared libexecutorch.so, not ExecuTorch's static libraries",
                structural=True,
            )
        elif not library.import_named(mangled):
            yield Finding(
                NAME,
                library.name,
                f"does not import {readable} ({mangled})",
                "loading it would register nothing",
                "keep the object that registers the backend in the link",
                structural=True,
            )
