"""`python3 -m release`: reads arguments, runs one sub-command, prints.

Exit code 0: done; 1: the answer is a refusal or a finding; 2: the arguments or files cannot be
interpreted, and the error names which.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable

from . import commands
from .arguments import Parser
from .commands import Result
from .data import load_policy
from .model import Policy
from .refusal import Refusal

Command = Callable[[Policy, argparse.Namespace], Result]


def _describes_wheel(parser: Parser) -> None:
    parser.value("--version", "torch-tensorrt's version", required=True, metavar="VERSION")
    parser.value("--row", "CUDA row, cuNNN", required=True, metavar="ROW")
    parser.value("--platform", "a wheel's platform tag", required=True, metavar="TAG")
    parser.value(
        "--index",
        "the index the wheel is for: pypi, nightly, test, stable, or pytorch for the channel's own",
        required=True,
        metavar="NAME",
    )
    _takes_pin(parser)
    _takes_delegate_version(parser)


def _takes_pin(parser: Parser) -> None:
    parser.value("--pin", "ExecuTorch's version (default: release/pin.json)", metavar="VERSION")


def _takes_delegate_version(parser: Parser) -> None:
    parser.value("--delegate-version", "the delegate's X.Y.Z (default: version.txt)", metavar="V")


def _message(parser: Parser) -> None:
    _describes_wheel(parser)
    parser.value("--installed", "version of the delegate that is there (default: none)")


def _indexes(parser: Parser) -> None:
    _takes_pin(parser)
    parser.value("--row", "CUDA row, cuNNN", required=True, metavar="ROW")
    parser.value("--channel", "nightly, candidate or release: add its PyTorch index")
    parser.flag("--inference-library", "add the index that carries TensorRT")


def _matrix(parser: Parser) -> None:
    files = parser.add_mutually_exclusive_group(required=True)
    for kind in ("wheel", "tarball"):
        add = Parser.value.__get__(files)
        add(f"--{kind}-matrix", f"the CI's full matrix, for the {kind}s", metavar="FILE")
    parser.value("--channel", "nightly, candidate or release (default)", default="release")
    parser.value(
        "--platform",
        "of entries that do not tell theirs (default: linux_x86_64)",
        default="linux_x86_64",
        metavar="TAG",
    )
    _takes_pin(parser)
    parser.switch("--drop-older-rows", "leave out rows marked older (default: the channel's)")
    parser.flag("--delegate-only", "only the entries that build the delegate")
    parser.flag("--complete", "fail when the full matrix lacks something the target asks for")


def _guide(parser: Parser) -> None:
    _takes_pin(parser)
    parser.value("--check", "compare FILE with what would be printed", metavar="FILE")


def _checklist(parser: Parser) -> None:
    parser.value("--version", "torch-tensorrt's version, without label", required=True)
    _takes_pin(parser)
    _takes_delegate_version(parser)


def _verify(parser: Parser) -> None:
    _describes_wheel(parser)
    parser.value(
        "--resolution", "a `pip install --report` or freeze lines", required=True, metavar="FILE"
    )


def _pin(parser: Parser) -> None:
    parser.value("--listing", "what the indexes offer, one file per row", nargs="+", metavar="FILE")
    parser.value("--to", "this version, a nightly or a release (default: the newest nightly)")
    parser.value("--wheel", "a wheel of the new version, to read its commit from", metavar="FILE")
    parser.value("--commit", "the new version's commit", metavar="HASH")
    parser.flag("--allow-backwards", "take an older version than the pin")
    parser.flag("--allow-minor", "take a version of another minor line")
    parser.flag("--dry-run", "say what would be done, write nothing")
    parser.value("--pin-file", "the pin to read and write (default: release/pin.json)")


_COMMANDS: dict[str, tuple[Command, Callable[[Parser], None], str]] = {
    "extras": (commands.extras, _describes_wheel, "requirement lines of a wheel's extra"),
    "wheel-version": (commands.wheel_version, _describes_wheel, "version of its delegate wheel"),
    "message": (commands.message, _message, "what a user reads when the delegate is missing"),
    "install-command": (commands.install_command, _describes_wheel, "the one command for a wheel"),
    "indexes": (commands.indexes, _indexes, "indexes a build job searches for the pin"),
    "matrix": (commands.matrix, _matrix, "the release's part of the CI's full matrix, as JSON"),
    "guide": (commands.guide, _guide, "docs/install.md"),
    "checklist": (commands.checklist, _checklist, "what is uploaded where, for one version"),
    "verify": (commands.verify, _verify, "whether an installer resolved what was meant"),
    "pin": (commands.pin, _pin, "show the ExecuTorch pin, or move it by index listings"),
}


def build_parser() -> Parser:
    parser = Parser(prog="python3 -m release", description=__doc__)
    choices = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (_, add_arguments, summary) in _COMMANDS.items():
        command = choices.add_parser(name, help=summary, description=summary)
        add_arguments(command)
        command.flag("--json", "print a JSON document")
    return parser


def main(arguments: list[str] | None = None) -> int:
    parser = build_parser()
    options = parser.parse_args(arguments)
    prefix = f"{parser.prog} {options.command}"
    try:
        result = _COMMANDS[options.command][0](load_policy(), options)
    except Refusal as refusal:
        print(f"{prefix}: error: argument {refusal}", file=sys.stderr)
        return 2
    for note in result.notes:
        print(f"{prefix}: {note}", file=sys.stderr)
    if options.json or (options.command == "matrix"):
        print(json.dumps(result.document))
    elif result.text:
        print(result.text)
    return result.code


if __name__ == "__main__":
    sys.exit(main())
