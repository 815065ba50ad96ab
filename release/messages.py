"""What a person reads when the delegate is missing or does not match."""

from __future__ import annotations

from dataclasses import dataclass

from .install import install_words, shell
from .model import INFERENCE_LIBRARY, Index, Policy
from .policy import Wheel, decide, delegate_requirement, delegate_version
from .versions import Version, in_minor_range


@dataclass(frozen=True)
class Message:
    """problem: "missing", "mismatch" or "" (all is right). command: the one remedy, or ""."""

    problem: str
    text: str
    indexes: tuple[str, ...]
    command: str


def matches(wheel: Wheel, base: Version, installed: Version) -> bool:
    """Whether an installed delegate is one that the wheel was built to go with."""
    wanted = delegate_version(wheel, base)
    if wheel.label:
        return installed == wanted
    return in_minor_range(installed, wanted) and installed.label in ("", wheel.row.name)


def delegate_message(
    policy: Policy, wheel: Wheel, base: Version, installed: Version | None
) -> Message:
    """base: the delegate's X.Y.Z recorded when torch-tensorrt was built."""
    decision = decide(policy, wheel)
    if decision.carried_by is None:
        return _nothing_to_install(policy, wheel, decision.reason, installed)
    if installed is not None and matches(wheel, base, installed):
        return Message("", f"{policy.delegate} {installed} matches {policy.main} {wheel}.", (), "")
    problem = "missing" if installed is None else "mismatch"
    found = "is not installed" if installed is None else f"is {installed}"
    wanted = delegate_requirement(policy, wheel, base)
    command = install_words(policy, wheel, base)
    notes = []
    if not decision.named:
        notes = [f"The extra of this wheel does not name it: {decision.reason}."]
    carrying = _index_titles(policy, wheel, decision.carried_by)
    lines = [
        f"{policy.delegate} {found}, and {policy.main} {wheel} needs {wanted}.",
        f"At build time: delegate {delegate_version(wheel, base)}, "
        f"{policy.executorch} {wheel.pin.version}.",
        *notes,
        f"Both are on {carrying[0]}; TensorRT is on {carrying[-1]}.",
        f"Run: {shell(command)}",
    ]
    return Message(problem, "\n".join(lines), carrying, shell(command))


def _index_titles(policy: Policy, wheel: Wheel, carrying: Index) -> tuple[str, ...]:
    def titled(index: Index) -> str:
        return f"{index.title} ({index.url_for(wheel.row.name)})" if index.url else index.title

    return (titled(carrying), titled(policy.indexes[INFERENCE_LIBRARY]))


def _nothing_to_install(
    policy: Policy, wheel: Wheel, reason: str, installed: Version | None
) -> Message:
    """No index is named: none has the delegate for this wheel."""
    found = "is not installed" if installed is None else f"is {installed}"
    text = (
        f"{policy.delegate} {found}, and the extra of {policy.main} {wheel} does not name it: "
        f"{reason}.\n"
        f"No index carries a delegate for this wheel; {policy.guide} says which wheels have one."
    )
    return Message("missing" if installed is None else "mismatch", text, (), "")
