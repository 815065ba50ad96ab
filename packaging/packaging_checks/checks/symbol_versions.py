"""A library must not need newer symbols than the platform tag promises. Deliberately without an override."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ..findings import Finding
from ..platform_tags import disallowed_versions, policy_named
from ..subject import Subject

NAME = "symbol-versions"


def check(subject: Subject) -> Iterator[Finding]:
    if subject.library is None or subject.wheel is None:
        return
    users: dict[str, list[str]] = defaultdict(list)
    for symbol in subject.library.imports:
        if symbol.version:
            users[symbol.version].append(symbol.name)
    for tag in subject.wheel.platform_tags:
        if policy_named(subject.library.machine, tag) is None:
            continue  # the tag check speaks of tags that promise nothing
        too_new = disallowed_versions(subject.library, tag)
        for version in too_new:
            yield Finding(
                NAME,
                subject.library.name,
                f"needs {version}, for {', '.join(sorted(users[version]))}; "
                f"{tag} disallows {', '.join(too_new)}",
                f"the tag {tag} promises systems that have no {version}: loading would fail there",
                "build in the release container of that tag, or with an older compiler",
            )
