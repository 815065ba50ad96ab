"""trtet-export: write a checked `.pte` whose graph runs on TensorRTBackend.

Exit codes: 0 written, 1 rejected (the old file is untouched), 2 wrong arguments.
"""

from __future__ import annotations

import argparse
import importlib
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from trtet_export.errors import ExportError

if TYPE_CHECKING:
    from torch.export import ExportedProgram

EXAMPLE = """example:
  trtet-export mlp.pt2 --output mlp.pte
  trtet-export my_package.networks:decoder --output decoder.pte --device cuda:1
"""


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parser().parse_args(argv)
    # A stopped export must take its temporary file with it, so the signal becomes an exception.
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        return _export(arguments)
    except ExportError as error:
        print(f"trtet-export: {arguments.output} was not written: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        print(f"trtet-export: stopped; {arguments.output} was not written", file=sys.stderr)
    return 1


class _Once(argparse.Action):
    """Refuses a flag given twice; argparse would quietly take the last one."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        given = namespace.__dict__.setdefault("_given", set())
        if self.dest in given:
            parser.error(f"argument {option_string}: given twice")
        given.add(self.dest)
        setattr(namespace, self.dest, values)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="trtet-export",
        description=__doc__,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add(
        "source",
        help="a file written by torch.export.save, or MODULE:FUNCTION returning an ExportedProgram",
    )
    add("--output", "-o", type=Path, required=True, action=_Once, help="the .pte file to write")
    add("--builder", choices=("standin", "torch-tensorrt"), default="standin", action=_Once)
    add(
        "--device",
        default="cuda:0",
        action=_Once,
        help="cuda:N, or host to leave the delegate's tensors in host memory (default: cuda:0)",
    )
    add(
        "--delegate-module",
        action="append",
        default=[],
        metavar="PATH",
        help="delegate only this sub-module; may be repeated",
    )
    add("--also", choices=("xnnpack",), action=_Once, help="give XNNPACK what this delegate leaves")
    add("--alignment", type=_positive, default=256, action=_Once, metavar="BYTES")
    add(
        "--tolerance",
        type=_tolerance,
        default=1e-5,
        action=_Once,
        metavar="T",
        help="reject when |got - eager| > T * max(1, |eager|) (default: 1e-5)",
    )
    return parser


def _positive(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"got {text!r}; wanted a positive decimal integer")
    return int(text)


def _tolerance(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"got {text!r}; wanted a finite number from 0 up")
    return value


def _export(arguments: argparse.Namespace) -> int:
    # Here and not above: --help and wrong arguments should not wait for torch.
    from trtet_export.export import export_file
    from trtet_export.options import ExportOptions

    options = ExportOptions(
        builder=arguments.builder,
        device=None if arguments.device == "host" else arguments.device,
        delegate_modules=tuple(arguments.delegate_module),
        other_partitioners=_other_partitioners(arguments.also),
        alignment_bytes=arguments.alignment,
    )
    if arguments.builder == "standin":
        print("note: plans for the TensorRT stand-in; they run on the CPU and on no GPU")
    done = export_file(
        _program(arguments.source),
        arguments.output,
        options,
        tolerance=arguments.tolerance,
    )
    for operator, reason in sorted(done.lowered.left_out.items()):
        print(f"not delegated: {operator}: {reason}")
    worst = max(check.max_error for check in done.checks)
    print(
        f"{done.path}: {len(done.lowered.pte)} bytes, {done.lowered.part_count} delegated part(s), "
        f"largest difference from eager {worst:.3g}"
    )
    return 0


def _program(source: str) -> ExportedProgram:
    import torch

    module_name, colon, function_name = source.partition(":")
    if colon and not Path(source).exists():
        sys.path.insert(0, "")
        try:
            program = getattr(importlib.import_module(module_name), function_name)()
        except (ImportError, AttributeError) as error:
            raise ExportError(f"source {source!r}: {error}") from error
    else:
        try:
            program = torch.export.load(source)
        except Exception as error:  # it raises whatever its unzipping and unpickling raise
            raise ExportError(
                f"source {source!r}: not a file of torch.export.save: {error}"
            ) from error
    if not isinstance(program, torch.export.ExportedProgram):
        raise ExportError(
            f"source {source!r}: gave a {type(program).__name__}; wanted an ExportedProgram"
        )
    return program


def _other_partitioners(name: str | None) -> list[Any]:
    if name is None:
        return []
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner

    return [XnnpackPartitioner()]


def _interrupt(signal_number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
