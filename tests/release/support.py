"""What the tests of release/ share: the policy, and the command line as people call it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from release.data import load_policy, pin_version
from release.model import Pin, Policy
from release.policy import Wheel, describe_wheel

ROOT = Path(__file__).resolve().parents[2]
NIGHTLY_PIN, RELEASE_PIN = "1.6.0.dev20261129", "1.6.0"
VERSIONS = {
    "nightly": "2.15.0.dev20261130",
    "candidate": "2.15.0rc3",
    "release": "2.15.0",
}
DELEGATE = "torch-tensorrt-executorch-runtime"


@cache
def policy() -> Policy:
    return load_policy()


def wheel(
    version: str = VERSIONS["release"],
    pin: str = RELEASE_PIN,
    row: str = "cu132",
    platform: str = "linux_x86_64",
    index: str = "pypi",
) -> Wheel:
    return describe_wheel(policy(), version, Pin(pin_version(pin, "pin")), row, platform, index)


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


def release(*arguments: object, cwd: Path = ROOT, code: int | None = 0) -> Ran:
    """`python3 -m release` in its own process. code: the exit code expected; None takes any."""
    done = subprocess.run(
        [sys.executable, "-m", "release", *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )
    assert code is None or done.returncode == code, (arguments, done.stdout, done.stderr)
    return Ran(done.returncode, done.stdout, done.stderr)


def describe(**changes: str) -> list[str]:
    """Arguments of the commands that describe a wheel; a keyword replaces its value."""
    values = {
        "version": VERSIONS["release"],
        "pin": RELEASE_PIN,
        "row": "cu132",
        "platform": "linux_x86_64",
        "index": "pypi",
        **changes,
    }
    return [word for key, value in values.items() for word in (f"--{key}", value)]
