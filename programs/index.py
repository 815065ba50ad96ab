"""index.json: which programs a folder holds, what to feed them and what they answer.

Standard library only: lanes without PyTorch and the demo read it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

NAME = "index.json"


@dataclass(frozen=True)
class CaseFiles:
    """One call: .npy files in argument order. One that continues needs those before it first."""

    name: str
    continues: bool
    inputs: tuple[str, ...]
    expected: tuple[str, ...]


@dataclass(frozen=True)
class Entry:
    """One program. Values pass when |got - expected| <= tolerance * max(1, |expected|).

    device: "cuda:N" when its delegate's tensors are CUDA memory, None when host memory.
    not_by_peer: why the predecessor's runner cannot run it; empty when it can, on case "ones".
    """

    name: str
    about: str
    file: str
    device: str | None
    delegated_parts: int
    tolerance: float
    not_by_peer: str
    cases: tuple[CaseFiles, ...]


def write(folder: Path, entries: Iterable[Entry]) -> None:
    """Writes the index of a folder."""
    content = {"programs": [asdict(entry) for entry in entries]}
    (folder / NAME).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def read(folder: Path) -> list[Entry]:
    """Reads the index of a folder. Raises FileNotFoundError or KeyError for a damaged one."""
    content = json.loads((folder / NAME).read_text(encoding="utf-8"))
    return [_entry(entry) for entry in content["programs"]]


def _entry(content: dict[str, Any]) -> Entry:
    cases = tuple(
        CaseFiles(c["name"], c["continues"], tuple(c["inputs"]), tuple(c["expected"]))
        for c in content["cases"]
    )
    return Entry(**{**content, "cases": cases})
