"""What a check has to say: one sentence each for what was seen, why it matters and how to put it right."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One reason not to ship.

    ``check`` is the guard's name, ``subject`` the file or requirement it speaks of. ``structural`` findings
    (something that should not be there at all) come before details such as versions.
    """

    check: str
    subject: str
    what: str
    why: str
    remedy: str
    structural: bool = False


def ordered(findings: list[Finding]) -> list[Finding]:
    """Structural findings first, each group in the order in which the checks ran."""
    return sorted(findings, key=lambda finding: not finding.structural)
