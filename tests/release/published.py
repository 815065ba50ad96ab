"""The indexes as they stand when torch-tensorrt 2.15.0 is out: what each would really carry."""

from __future__ import annotations

from pathlib import Path

from release.versions import parse_version

from .local_indexes import Indexes, StandIn, delegate_wheel, main_wheel
from .support import DELEGATE, NIGHTLY_PIN, RELEASE_PIN, VERSIONS, policy, wheel

# Ahead of the release that is out, or an installer takes that one.
CANDIDATE, NIGHTLY = "2.16.0rc3", "2.16.0.dev20261130"
BASE = parse_version("0.2.0", "")
PREDECESSOR = StandIn(DELEGATE, "0.1.0")
# 2.14's extra did not know the delegate; this is what pip falls back to.
OLDER_MAIN = StandIn(
    "torch-tensorrt",
    "2.14.0",
    ("torch==2.14.0", "tensorrt-cu13"),
    {"executorch": ("executorch>=1.5.0,<1.6",)},
)
TENSORRT = StandIn("tensorrt-cu13", "11.4.0.106")


def torch(version: str) -> StandIn:
    return StandIn("torch", version)


def executorch(version: str) -> StandIn:
    return StandIn("executorch", version)


def publish_default(
    indexes: Indexes,
    main: str = VERSIONS["release"],
    pin: str = RELEASE_PIN,
    platform: str = "linux_x86_64",
) -> None:
    """The default index: the release of one row, the years before it, and a later fix."""
    indexes.add("pypi", "any", OLDER_MAIN, PREDECESSOR, torch("2.14.0"), torch("2.15.0"))
    indexes.add("pypi", "any", executorch("1.5.1"), executorch("1.6.0"))
    indexes.add("pypi", "any", delegate_wheel("0.2.0", "1.6.0"), delegate_wheel("0.2.1", "1.6.0"))
    released = wheel(main, pin, policy().pypi_row, platform, "pypi")
    indexes.add("pypi", "any", main_wheel(released, BASE, "2.15.0"))
    indexes.add("inference_library", "any", TENSORRT)


def publish_candidate(indexes: Indexes, *rows: str) -> None:
    for row in rows:
        candidate = wheel(CANDIDATE, RELEASE_PIN, row, index="test")
        indexes.add("test", row, main_wheel(candidate, BASE, f"2.16.0+{row}"))
        indexes.add("test", row, delegate_wheel(f"0.2.0rc3+{row}", f"1.6.0+{row}"))
        indexes.add("test", row, executorch(f"1.6.0+{row}"), torch(f"2.16.0+{row}"))


def publish_nightly(indexes: Indexes, *rows: str) -> None:
    day = "dev20261130"
    for row in rows:
        nightly = wheel(NIGHTLY, NIGHTLY_PIN, row, index="nightly")
        indexes.add("nightly", row, main_wheel(nightly, BASE, f"2.16.0.{day}+{row}"))
        indexes.add("nightly", row, delegate_wheel(f"0.2.0.{day}+{row}", f"{NIGHTLY_PIN}+{row}"))
        indexes.add("nightly", row, executorch(f"{NIGHTLY_PIN}+{row}"))
        indexes.add("nightly", row, torch(f"2.16.0.{day}+{row}"))


def publish_stable(indexes: Indexes, *rows: str) -> None:
    for row in rows:
        released = wheel(row=row, index="stable")
        indexes.add("stable", row, main_wheel(released, BASE, f"2.15.0+{row}"))
        indexes.add("stable", row, delegate_wheel(f"0.2.0+{row}", f"1.6.0+{row}"))
        indexes.add("stable", row, executorch(f"1.6.0+{row}"), torch(f"2.15.0+{row}"))


def write(folder: Path, text: str) -> Path:
    path = folder / "resolution.txt"
    path.write_text(text, encoding="utf-8")
    return path
