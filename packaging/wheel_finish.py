"""The last steps of every wheel: the true platform tag, then every guard."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import NoReturn

from auditwheel.wheeltools import InWheelCtx, add_platforms
from packaging_checks.checks import checks_of, run_checks
from packaging_checks.installed import read_installed
from packaging_checks.platform_tags import lowest_true_tag
from packaging_checks.rendering import as_text
from packaging_checks.subject import read_subject


def finish(built: Path, directory: Path, wanted_tag: str | None) -> str:
    """Puts the wheel ``built`` into ``directory`` under its true tag; returns the file name.

    Exits with every finding printed when a guard refuses it; ``directory`` is then untouched.
    """
    tagged = _tag(built, built.parent / "tagged", wanted_tag)
    subject = read_subject(tagged, read_installed())
    findings = run_checks(subject)
    log(as_text(subject, findings, len(checks_of(subject))))
    if findings:
        refuse(f"{len(findings)} findings; no wheel is left")
    shutil.copyfile(tagged, directory / tagged.name)
    return tagged.name


def _tag(built: Path, folder: Path, wanted_tag: str | None) -> Path:
    subject = read_subject(built)
    wheel = subject.wheel
    assert wheel is not None
    if wheel.library is None:
        refuse(f"{built.name} holds no {subject.library_policy.name}; check its install rules")
    recorded = wheel.build_record.get("executorch", {}).get("platform_tags")
    floors = tuple(recorded or read_installed().executorch_platform_tags)
    tag = wanted_tag or lowest_true_tag(wheel.library, floors)
    folder.mkdir()
    with InWheelCtx(built, folder / built.name) as context:
        return Path(add_platforms(context, [tag], set(wheel.platform_tags) - {tag}))


def log(text: str) -> None:
    """A line of the build log; ``make wheel`` shows those."""
    print(f"wheel_backend: {text}", file=sys.stderr, flush=True)


def refuse(text: str) -> NoReturn:
    """Ends the build without a wheel."""
    log(f"refused: {text}")
    raise SystemExit(1)
