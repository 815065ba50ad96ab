"""Splits one graph between this delegate and XNNPACK. Usage: split_graph.py MODEL.pte"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from trtet_export import ExportError, ExportOptions
from trtet_export.export import export_file


class Network(torch.nn.Module):
    """A trunk for the GPU and a head that stays on the CPU."""

    def __init__(self) -> None:
        super().__init__()
        self.trunk = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.GELU())
        self.head = torch.nn.Linear(32, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.trunk(x))


def main(target: str) -> int:
    torch.manual_seed(0)
    program = torch.export.export(Network().eval(), (torch.randn(2, 8),))
    options = ExportOptions(delegate_modules=("trunk",), other_partitioners=(XnnpackPartitioner(),))
    try:
        done = export_file(program, Path(target), options)
    except ExportError as error:
        print(f"not exported: {error}", file=sys.stderr)
        return 1
    left = ", ".join(sorted(done.lowered.left_out))
    print(f"{done.path}: {done.lowered.part_count} part here; left to XNNPACK: {left}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
