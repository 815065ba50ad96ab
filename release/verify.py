"""Is what an installer resolved what the policy meant? It never says so itself when it is not."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from .messages import matches
from .model import Policy
from .policy import Wheel, decide, delegate_requirement
from .refusal import Refusal
from .versions import Version, in_minor_range, minor_range, parse_version


def read_resolution(text: str, subject: str) -> dict[str, str]:
    """Names and versions out of `pip install --report` (JSON), or of freeze lines name==version."""
    if text.lstrip()[:1] == "{":
        try:
            entries = [item["metadata"] for item in json.loads(text)["install"]]
            found = {_normal(entry["name"]): str(entry["version"]) for entry in entries}
        except (ValueError, KeyError, TypeError) as error:
            raise Refusal(subject, f"no pip report: {error}", "pip install --report") from error
    else:
        lines = (line.split("#")[0].strip() for line in text.splitlines())
        pairs = [re.fullmatch(r"([A-Za-z0-9._-]+)==(\S+)", line) for line in lines if line]
        found = {_normal(match[1]): match[2] for match in pairs if match}
    if not found:
        raise Refusal(subject, "no package in it", "a pip report or freeze lines name==version")
    return found


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def findings(policy: Policy, wheel: Wheel, base: Version, found: Mapping[str, str]) -> list[str]:
    """One line per way in which a resolution is not the wheel's; empty when it is right."""
    named = decide(policy, wheel).named
    return [
        *_main(policy, wheel, found),
        *_executorch(policy, wheel, found),
        *(_delegate(policy, wheel, base, found) if named else []),
        *(_rows(policy, wheel, found) if named or policy.delegate in found else []),
    ]


def _main(policy: Policy, wheel: Wheel, found: Mapping[str, str]) -> list[str]:
    installed = found.get(policy.main)
    if installed is None or installed.split("+")[0] != wheel.version.public:
        return [
            f"{policy.main} is {installed or 'absent'}, not {wheel.version.public}: an installer "
            "takes another one, without saying so, when the extra cannot be satisfied"
        ]
    return []


def _executorch(policy: Policy, wheel: Wheel, found: Mapping[str, str]) -> list[str]:
    wanted = minor_range(wheel.pin.version)
    installed = found.get(policy.executorch)
    if installed is None:
        return [f"{policy.executorch} is absent, not {wanted}"]
    version = _parsed(installed)
    if version is None or not in_minor_range(version, wheel.pin.version):
        return [f"{policy.executorch} is {installed}, not {wanted}"]
    return []


def _delegate(policy: Policy, wheel: Wheel, base: Version, found: Mapping[str, str]) -> list[str]:
    wanted = delegate_requirement(policy, wheel, base)
    installed = found.get(policy.delegate)
    if installed is None:
        return [f"{policy.delegate} is absent, and the extra names {wanted}"]
    version = _parsed(installed)
    if version is None or not matches(wheel, base, version):
        return [f"{policy.delegate} is {installed}, and the extra names {wanted}"]
    return []


def _rows(policy: Policy, wheel: Wheel, found: Mapping[str, str]) -> list[str]:
    names = (policy.main, policy.delegate, policy.executorch, policy.torch)
    rows = {name: _row(policy, found[name]) for name in names if name in found}
    if set(rows.values()) <= {wheel.row.name}:
        return []
    told = ", ".join(f"{name} {found[name]} is {row}" for name, row in rows.items())
    return [f"CUDA rows are mixed, or not {wheel.row.name}: {told}"]


def _row(policy: Policy, version: str) -> str:
    """A version without a label is from the default index, which carries one row only."""
    _, _, label = version.partition("+")
    return label or policy.pypi_row


def _parsed(text: str) -> Version | None:
    try:
        return parse_version(text, "")
    except Refusal:
        return None
