"""The run path holds origin-relative entries only, and those that site-packages needs."""

from __future__ import annotations

from collections.abc import Iterator

from ..findings import Finding
from ..rows import CUDA_MAJORS, soname_major
from ..subject import Subject

NAME = "run-path"


def check(subject: Subject) -> Iterator[Finding]:
    library, policy = subject.library, subject.library_policy
    if library is None:
        return

    def finding(what: str, why: str, remedy: str) -> Finding:
        return Finding(NAME, library.name, what, why, remedy)

    if library.rpath is not None:
        yield finding(
            f"has the old DT_RPATH ({library.rpath})",
            "it beats LD_LIBRARY_PATH, so nobody can put another library in place",
            "link with --enable-new-dtags",
        )
    recorded = library.runpath if library.runpath is not None else library.rpath
    entries = recorded.split(":") if recorded is not None else []
    for entry in entries:
        if entry == "":
            yield finding(
                f"has an empty entry in its run path ({recorded})",
                "the loader then searches the current folder, whoever can write there",
                "remove the doubled, leading or trailing colon",
            )
        elif entry != "$ORIGIN" and not entry.startswith("$ORIGIN/"):
            yield finding(
                f"has {entry} in its run path",
                "it names a folder of the build machine, or one relative to the current folder",
                "use $ORIGIN entries only; install with CMAKE_INSTALL_RPATH, not the build's",
            )
    required = [*policy.run_path_required, *_cudart_entries(library.needed)]
    for entry in required:
        if entry not in entries:
            yield finding(
                f"lacks {entry} in its run path ({recorded})",
                "libraries that pip installed in the same site-packages would not be found",
                f"add {entry} to INSTALL_RPATH",
            )
    known = {*required, *policy.run_path_allowed, ""}
    for entry in entries:
        if entry not in known and (entry == "$ORIGIN" or entry.startswith("$ORIGIN/")):
            yield finding(
                f"has {entry} in its run path, which the policy does not know",
                "a folder searched for no reason is one where a stranger's library can be found",
                "remove it, or allow it in the policy",
            )


def _cudart_entries(needed: tuple[str, ...]) -> list[str]:
    majors = [major for name in needed if (major := soname_major(name)) is not None]
    return [f"$ORIGIN/../../{CUDA_MAJORS[m].cudart_folder}" for m in majors if m in CUDA_MAJORS]
