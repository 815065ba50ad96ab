"""The platform tag claims no more than the library, and the ExecuTorch it links, hold true."""

from __future__ import annotations

from collections.abc import Iterator

from ..findings import Finding
from ..platform_tags import is_lower, lowest_true_tag, policy_named
from ..subject import Subject

NAME = "tag"


def check(subject: Subject) -> Iterator[Finding]:
    wheel, library = subject.wheel, subject.library
    if wheel is None or library is None:
        return
    floors = tuple(wheel.build_record.get("executorch", {}).get("platform_tags", ()))
    true_tag = lowest_true_tag(library, floors)
    for tag in wheel.platform_tags:
        if not tag.endswith(f"_{library.machine}"):
            yield Finding(
                NAME,
                wheel.filename,
                f"is tagged {tag}; the library is for {library.machine}",
                "pip would install it where it cannot load",
                f"build on {library.machine}, or leave the tag to be computed ({true_tag})",
                structural=True,
            )
        elif policy_named(library.machine, tag) is None:
            yield Finding(
                NAME,
                wheel.filename,
                f"is tagged {tag}, which promises nothing about the system",
                "an index refuses it, and pip installs it on systems too old for it",
                f"leave the tag to be computed; the lowest true one is {true_tag}",
            )
        elif is_lower(library.machine, tag, true_tag):
            yield Finding(
                NAME,
                wheel.filename,
                f"is tagged {tag}; the lowest true tag is {true_tag}",
                "the tag claims systems on which the library, or the ExecuTorch it links, cannot "
                "load",
                f"leave the tag to be computed, or build in the release container of {tag}",
            )
