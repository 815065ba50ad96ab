"""Exports are exactly those that are asked for: none missing, none hidden, none by accident."""

from __future__ import annotations

from collections.abc import Iterator

from ..findings import Finding
from ..subject import Subject

NAME = "visibility"


def check(subject: Subject) -> Iterator[Finding]:
    library, policy = subject.library, subject.library_policy
    if library is None:
        return
    has_upstream_guard = not policy.caller_stream_libraries.isdisjoint(library.needed)
    required = frozenset() if has_upstream_guard else policy.exports
    for symbol in sorted(required - library.exports):
        hidden = symbol in library.hidden
        yield Finding(
            NAME,
            library.name,
            f"{symbol} is {'present but hidden' if hidden else 'missing'}",
            "an application that includes our header would not link",
            "list it in the version script and give its declaration default visibility",
        )
    extra = library.exports - policy.exports
    if extra:
        yield Finding(
            NAME,
            library.name,
            f"exports {', '.join(sorted(extra))}",
            "an exported symbol can replace, or be replaced by, one of the application",
            "hide it with the version script, or allow it in the policy",
        )
