"""Exports a network with a dynamic batch. Usage: export_network.py MODEL.pte

The file is written beside MODEL.pte, run against eager PyTorch, and moved into place only when the
answers agree; otherwise an old MODEL.pte stays as it was and the exit code is 1.
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch.export import Dim
from trtet_export import ExportError, ExportOptions
from trtet_export.export import export_file


def main(target: str) -> int:
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.GELU(), torch.nn.Linear(16, 4))
    program = torch.export.export(
        network.eval(),
        (torch.randn(3, 8),),
        dynamic_shapes={"input": {0: Dim("batch", min=1, max=16)}},
    )
    cases = [(torch.randn(batch, 8),) for batch in (1, 3, 16)]
    try:
        done = export_file(program, Path(target), ExportOptions(device="cuda:0"), cases=cases)
    except ExportError as error:
        print(f"not exported: {error}", file=sys.stderr)
        return 1
    worst = max(check.max_error for check in done.checks)
    print(f"{done.path}: largest difference from eager {worst:.2g} over {len(cases)} calls")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
