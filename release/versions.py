"""Versions of torch-tensorrt, the delegate and ExecuTorch, as far as the policy knows them.

Three forms, each of which tells its channel; anything else is refused. Ordering is PEP 440's for
these forms (nightly < candidate < release), with the +label left out of it.
"""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass, replace

from .refusal import Refusal

NIGHTLY = "nightly"
CANDIDATE = "candidate"
RELEASE = "release"
_RANK = {NIGHTLY: 0, CANDIDATE: 1, RELEASE: 2}
_FORMS = "X.Y.Z.devYYYYMMDD (nightly), X.Y.ZrcN (release candidate), X.Y.Z (release)"
_NUMBER = r"(0|[1-9]\d*)"
_VERSION = re.compile(
    rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:\.dev(\d{{8}})|rc([1-9]\d*))?(?:\+([a-z0-9]+))?",
    re.ASCII,
)


@dataclass(frozen=True)
class Version:
    """number is the date of a nightly (YYYYMMDD), N of a candidate rcN, 0 of a release."""

    major: int
    minor: int
    micro: int
    channel: str
    number: int = 0
    label: str = ""

    @property
    def order(self) -> tuple[int, int, int, int, int]:
        return (self.major, self.minor, self.micro, _RANK[self.channel], self.number)

    @property
    def public(self) -> str:
        """Without the label."""
        return f"{self.major}.{self.minor}.{self.micro}{self.suffix}"

    @property
    def suffix(self) -> str:
        if self.channel == NIGHTLY:
            return f".dev{self.number}"
        return f"rc{self.number}" if self.channel == CANDIDATE else ""

    @property
    def line(self) -> tuple[int, int]:
        """The minor line, (major, minor)."""
        return (self.major, self.minor)

    @property
    def next_minor(self) -> str:
        return f"{self.major}.{self.minor + 1}"

    def labelled(self, label: str) -> Version:
        return replace(self, label=label)

    def __str__(self) -> str:
        return f"{self.public}+{self.label}" if self.label else self.public


def _is_date(digits: str) -> bool:
    try:
        datetime.datetime.strptime(digits, "%Y%m%d")
    except ValueError:
        return False
    return True


def parse_version(text: str, subject: str) -> Version:
    """subject names where the text came from, for the refusal."""
    match = _VERSION.fullmatch(text)
    if match is None or (match[4] and not _is_date(match[4])):
        raise Refusal(
            subject, f"{text!r} does not tell its channel", _FORMS, "optionally with a +cuNNN label"
        )
    major, minor, micro = int(match[1]), int(match[2]), int(match[3])
    label = match[6] or ""
    if match[4]:
        return Version(major, minor, micro, NIGHTLY, int(match[4]), label)
    if match[5]:
        return Version(major, minor, micro, CANDIDATE, int(match[5]), label)
    return Version(major, minor, micro, RELEASE, 0, label)


def minor_range(lowest: Version) -> str:
    """Specifiers from a version up to its next minor, for example ">=1.6.0,<1.7"."""
    return f">={lowest.public},<{lowest.next_minor}"


def in_minor_range(version: Version, lowest: Version) -> bool:
    # An installer never counts 1.7.0.dev1 as below 1.7, so comparing the lines is the whole rule.
    return version.line == lowest.line and version.order >= lowest.order
