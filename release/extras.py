"""Requirement lines of torch-tensorrt's extra, for its setup.py or PEP 517 build to call."""

from __future__ import annotations

from .data import load_delegate_version, load_pin, load_policy, pin_version
from .model import Pin, Policy
from .policy import Wheel, decide, delegate_requirement, describe_wheel
from .versions import Version, minor_range


def extra_lines(policy: Policy, wheel: Wheel, base: Version) -> list[str]:
    """ExecuTorch in the pin's range, always; the delegate where the policy says so."""
    lines = [f"{policy.executorch}{minor_range(wheel.pin.version)}"]
    if decide(policy, wheel).named:
        lines.append(delegate_requirement(policy, wheel, base))
    return lines


def extras_require(
    version: str, row: str, platform: str, index: str, pin: str | None = None
) -> dict[str, list[str]]:
    """What goes into setup(extras_require=...) of the wheel described.

    version: torch-tensorrt's own; row: "cuNNN"; platform: a wheel's platform tag; index: the one
    the wheel is for ("pypi", "nightly", "test", "stable"); pin: ExecuTorch's version, by default
    the recorded one. Raises Refusal, a ValueError, for what cannot be interpreted.
    """
    policy = load_policy()
    pinned = load_pin() if pin is None else Pin(pin_version(pin, "pin"))
    wheel = describe_wheel(policy, version, pinned, row, platform, index)
    return {policy.extra: extra_lines(policy, wheel, load_delegate_version())}
