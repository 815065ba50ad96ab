"""Exports the project's programs into a folder, with inputs, eager answers and an index.

Usage: python -m programs.write samples|networks FOLDER [--only NAME]
Needs PyTorch. Checks nothing: the lanes that run the programs do.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy
import torch
from trtet_export.export import Lowered, eager_outputs, lower
from trtet_export.options import ExportOptions

from programs import index
from programs.definition import Definition
from programs.networks import networks
from programs.samples import samples

GROUPS = {"samples": samples, "networks": networks}


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="programs.write", description=__doc__, allow_abbrev=False)
    parser.add_argument("group", choices=tuple(GROUPS))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    arguments = parser.parse_args(argv)
    definitions = GROUPS[arguments.group]()
    unknown = set(arguments.only) - {d.name for d in definitions}
    if unknown:
        parser.error(f"--only: no program {sorted(unknown)[0]!r} in {arguments.group}")
    if arguments.only:
        definitions = [d for d in definitions if d.name in arguments.only]
    entries = [write(definition, arguments.folder) for definition in definitions]
    if arguments.only and (arguments.folder / index.NAME).exists():
        kept = [e for e in index.read(arguments.folder) if e.name not in arguments.only]
        entries = kept + entries
    index.write(arguments.folder, entries)
    return 0


def write(definition: Definition, folder: Path) -> index.Entry:
    """One program with its data files. Raises RuntimeError when it came out in other parts."""
    folder.mkdir(parents=True, exist_ok=True)
    program = export(definition)
    lowered = lower(program, options(definition))
    if lowered.part_count != definition.parts:
        raise RuntimeError(
            f"{definition.name}: got {lowered.part_count} delegated parts; "
            f"wanted {definition.parts}; left out: {dict(lowered.left_out)}"
        )
    (folder / f"{definition.name}.pte").write_bytes(lowered.pte)
    print(f"{definition.name}: {len(lowered.pte)} bytes{_left_out(lowered)}", flush=True)
    return index.Entry(
        name=definition.name,
        about=definition.about,
        file=f"{definition.name}.pte",
        device=definition.device,
        delegated_parts=definition.parts,
        tolerance=definition.tolerance,
        not_by_peer=definition.peer,
        cases=_write_cases(definition, program, folder),
    )


def export(definition: Definition) -> torch.export.ExportedProgram:
    """The definition's module as a `torch.export` program; the same weights every time."""
    torch.manual_seed(0)
    module = definition.make().eval()
    return torch.export.export(
        module, definition.cases[0].inputs, dynamic_shapes=definition.dynamic_shapes
    )


def options(definition: Definition) -> ExportOptions:
    """How the definition wants to be lowered."""
    return ExportOptions(
        device=definition.device,
        delegate_modules=definition.delegate_modules,
        other_partitioners=_partitioners(definition.other_backends),
    )


def _partitioners(names: Sequence[str]) -> list[Any]:
    if "xnnpack" not in names:
        return []
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner

    return [XnnpackPartitioner()]


def _write_cases(
    definition: Definition, program: torch.export.ExportedProgram, folder: Path
) -> tuple[index.CaseFiles, ...]:
    """A case that continues sees the state of those before it; any other starts afresh."""
    files = []
    calls: list[tuple[torch.Tensor, ...]] = []
    for case in definition.cases:
        calls = [*calls, case.inputs] if case.continues else [case.inputs]
        expected = eager_outputs(program, calls)[-1]
        prefix = f"{definition.name}.{case.name}"
        files.append(
            index.CaseFiles(
                name=case.name,
                continues=case.continues,
                inputs=_write_tensors(folder, f"{prefix}.input", case.inputs),
                expected=_write_tensors(folder, f"{prefix}.expected", expected),
            )
        )
    return tuple(files)


def _write_tensors(folder: Path, prefix: str, tensors: Sequence[torch.Tensor]) -> tuple[str, ...]:
    names = []
    for position, tensor in enumerate(tensors):
        names.append(f"{prefix}{position}.npy")
        numpy.save(folder / names[-1], tensor.detach().numpy(), allow_pickle=False)
    return tuple(names)


def _left_out(lowered: Lowered) -> str:
    return "".join(f"; not delegated: {name}: {why}" for name, why in lowered.left_out.items())


if __name__ == "__main__":
    sys.exit(main())
