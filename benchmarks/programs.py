"""The programs that the peer and this delegate both run: y = x0 + x1 + ... of n inputs of 24 floats."""

from __future__ import annotations

import sys
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parent.parent
for folder in ("exporter", "standins/python"):
    sys.path.insert(0, str(ROOT / folder))

from trtet_export.export import lower  # noqa: E402
from trtet_export.options import ExportOptions  # noqa: E402

INPUT_COUNTS = (1, 2, 8, 32)


class Sum(torch.nn.Module):
    """x0 + 1 for one input, else the sum of all of them."""

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        total = inputs[0] + 1.0 if len(inputs) == 1 else inputs[0]
        for other in inputs[1:]:
            total = total + other
        return total


def write_programs(folder: Path) -> dict[tuple[int, bool], Path]:
    """Writes one program per (number of inputs, CUDA-tagged) and returns where they are."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = {}
    for count in INPUT_COUNTS:
        example = tuple(torch.ones(2, 3, 4) for _ in range(count))
        for tagged in (False, True):
            path = folder / f"sum_{count}{'_tagged' if tagged else ''}.pte"
            if not path.exists():
                options = ExportOptions(device="cuda:0" if tagged else None)
                path.write_bytes(lower(torch.export.export(Sum(), example), options).pte)
            paths[count, tagged] = path
    return paths
