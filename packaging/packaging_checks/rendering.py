"""Findings as text for people and as JSON for machines."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from .findings import Finding
from .platform_tags import lowest_true_tag, policy_named
from .subject import Subject


def figures(subject: Subject) -> dict[str, Any]:
    """Sizes against budgets and the tag, for the line that every run prints."""
    result: dict[str, Any] = {}
    if subject.wheel is not None:
        result["wheel_bytes"] = subject.wheel.size_bytes
        result["wheel_budget_bytes"] = subject.wheel_policy.size_budget_bytes
    if subject.library is not None:
        result["library_stripped_bytes"] = subject.library.stripped_size_bytes
        result["library_budget_bytes"] = subject.library_policy.size_budget_bytes
        # A machine that no policy knows has findings already; a figure for it would be invented.
        if policy_named(subject.library.machine, f"manylinux_2_28_{subject.library.machine}"):
            result["lowest_symbol_tag"] = lowest_true_tag(subject.library)
    return result


def as_text(subject: Subject, findings: list[Finding], checks: int) -> str:
    numbers = figures(subject)
    parts = []
    if "wheel_bytes" in numbers:
        parts.append(f"wheel {numbers['wheel_bytes']:,} of {numbers['wheel_budget_bytes']:,} bytes")
    if "library_stripped_bytes" in numbers:
        parts.append(
            f"library {numbers['library_stripped_bytes']:,} of {numbers['library_budget_bytes']:,} "
            "bytes stripped"
        )
    if "lowest_symbol_tag" in numbers:
        parts.append(f"symbols allow {numbers['lowest_symbol_tag']}")
    lines = [": ".join([subject.name, *filter(None, [", ".join(parts)])])]
    for finding in findings:
        lines += [
            f"  [{finding.check}] {finding.subject}: {finding.what}",
            f"      why:    {finding.why}",
            f"      remedy: {finding.remedy}",
        ]
    plural = "" if checks == 1 else "s"
    lines.append(f"  {checks} check{plural}, {len(findings)} findings")
    return "\n".join(lines)


def as_json(subject: Subject, findings: list[Finding]) -> dict[str, Any]:
    return {
        "file": subject.name,
        "figures": figures(subject),
        "findings": [asdict(finding) for finding in findings],
    }


def dump(results: list[dict[str, Any]]) -> str:
    return json.dumps(results, indent=2)
