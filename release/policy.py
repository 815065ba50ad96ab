"""The policy itself: does the extra of a wheel name the delegate, and which index carries it?"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .model import DEFAULT_INDEX, Channel, Index, Pin, Platform, Policy, Row
from .refusal import Refusal
from .versions import RELEASE, Version, minor_range, parse_version


@dataclass(frozen=True)
class Wheel:
    """One torch-tensorrt wheel: its version without label, and what it is built for."""

    version: Version
    pin: Pin
    row: Row
    platform: Platform
    index: Index
    channel: Channel

    @property
    def label(self) -> str:
        """The default index refuses labels; everywhere else the label is the CUDA row."""
        return "" if self.index.name == DEFAULT_INDEX else self.row.name

    @property
    def labelled_version(self) -> Version:
        return self.version.labelled(self.label)

    def __str__(self) -> str:
        kind = f"{self.channel.name}, {self.row.name}, {self.platform.title}"
        return f"{self.labelled_version} ({kind})"


@dataclass(frozen=True)
class Decision:
    """named: the extra requires the delegate. carried_by: an index with the delegate, or None.

    reason says why the extra does not name the delegate; empty where it does.
    """

    named: bool
    carried_by: Index | None
    reason: str


def describe_wheel(
    policy: Policy, version: str, pin: Pin, row: str, platform: str, index: str
) -> Wheel:
    """Checks what is given as text. A label must be the row's own, and PyPI takes none."""
    parsed = parse_version(version, "--version")
    channel = policy.channels[parsed.channel]
    wheel = Wheel(
        parsed.labelled(""),
        pin,
        policy.row(row),
        policy.platform(platform),
        policy.index(index, channel.name),
        channel,
    )
    if parsed.label and parsed.label != wheel.label:
        raise Refusal(
            "--version",
            f"{version!r} carries the label {parsed.label} in a {wheel.row.name} wheel for "
            f"{wheel.index.title}",
            f"+{wheel.label} or no label" if wheel.label else "no label",
        )
    return wheel


def decide(policy: Policy, wheel: Wheel) -> Decision:
    channel, pin, index = wheel.channel, wheel.pin, wheel.index
    return decide_cell(policy, channel, pin, wheel.row, wheel.platform, index)


def decide_cell(
    policy: Policy, channel: Channel, pin: Pin, row: Row, platform: Platform, index: Index
) -> Decision:
    missing = _why_not_carried(policy, channel, pin, row, platform, index)
    if missing:
        return Decision(False, None, missing)
    if index.name != channel.extra_names_delegate_on:
        named_on = policy.indexes[channel.extra_names_delegate_on].title
        reason = f"only a {channel.name} wheel for {named_on} names the delegate in its extra"
        return Decision(False, index, reason)
    return Decision(True, index, "")


def _why_not_carried(
    policy: Policy, channel: Channel, pin: Pin, row: Row, platform: Platform, index: Index
) -> str:
    """Why the index lacks the delegate or the ExecuTorch it is built for; empty if it has both."""
    if not platform.delegate:
        return platform.why
    if pin.kind != channel.pin:
        return (
            f"a {channel.name} wheel with ExecuTorch pinned to the {pin.kind} {pin.version} "
            f"finds no delegate for it; it needs a {channel.pin} pin"
        )
    if index.name not in channel.carried_on:
        return f"{index.title} carries no {channel.name} wheels"
    if index.name == DEFAULT_INDEX and row.name != policy.pypi_row:
        return f"{index.title} carries {policy.pypi_row} builds, and this is a {row.name} one"
    return ""


def delegate_version(wheel: Wheel, base: Version) -> Version:
    """Version of the delegate wheel built beside a torch-tensorrt wheel.

    It keeps its own X.Y.Z and takes the date, candidate number and label of the other.
    """
    number = wheel.version.number
    return replace(base, channel=wheel.version.channel, number=number, label=wheel.label)


def delegate_requirement(policy: Policy, wheel: Wheel, base: Version) -> str:
    """A release takes later fixes of the delegate's minor; the others only their own build.

    Labels can only be compared exactly, so off the default index an exact version is also what
    keeps one install from taking the delegate of another CUDA row.
    """
    version = delegate_version(wheel, base)
    if version.channel == RELEASE and not version.label:
        return f"{policy.delegate}{minor_range(version)}"
    return f"{policy.delegate}=={version}"
