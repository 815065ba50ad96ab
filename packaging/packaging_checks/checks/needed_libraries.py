"""The library needs ExecuTorch, TensorRT, the CUDA runtime and the C/C++ runtimes, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator

from ..findings import Finding
from ..subject import Subject

NAME = "needed-libraries"


def check(subject: Subject) -> Iterator[Finding]:
    library, policy = subject.library, subject.library_policy
    if library is None:
        return
    for needed in library.needed:
        if needed in policy.needed_allowed:
            continue
        torch = needed.startswith(policy.needed_forbidden_prefixes)
        yield Finding(
            NAME,
            library.name,
            f"needs {needed}",
            "torch or c10 would have to be installed and loaded for a C++ application"
            if torch
            else "nothing that this wheel requires supplies it",
            "link executorch::runtime only; ExecuTorch's headers bring their own c10"
            if torch
            else "drop it from the link, or allow it in the policy with its supplier",
            structural=True,
        )
    for prefix in policy.needed_prefixes:
        if not any(name.startswith(prefix) for name in library.needed):
            yield Finding(
                NAME,
                library.name,
                f"does not need {prefix}{'*' if prefix.endswith('.') else ''}",
                "the loader would not bring it in, and a first call would end the process",
                "link the shared library, not a static one or none",
                structural=True,
            )
