"""Writes docs/errors.md from src/base/messages.def, the table that the delegate itself compiles.

Usage: scripts/errors_doc.py [--check]    (--check: only compare, exit 1 when the file is stale)
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "src" / "base" / "messages.def"
TARGET = ROOT / "docs" / "errors.md"

INTRO = """# Errors and notices

Generated from `src/base/messages.def`, which the delegate compiles: do not edit. Every line is logged once, through
ExecuTorch's log, where the fault is found, with the prefix of ExecuTorch (time, file `TensorRTBackend`, the name below).
It says cause and remedy first and is at most 256 bytes; when TensorRT logged an error on this thread, its words follow
after `; TensorRT: ` as far as they fit. `…` stands for what the message fills in. The error column is what `init` or
`execute` returns; a notice returns nothing.
"""

TITLES = {
    "blob": "The blob",
    "metadata": "The metadata",
    "load options and compile specs": "Load options and compile specs",
}


@dataclass(frozen=True)
class Message:
    name: str
    error: str
    text: str


def compiler_view() -> str:
    """The table after the preprocessor, so that macros and comments mean what they mean to the compiler."""
    macro = "TRTET_MESSAGE(id, error, params, format)=@@ id @ error @ format"
    done = subprocess.run(
        ["g++", "-E", "-P", "-x", "c++", f"-D{macro}", str(TABLE)],
        capture_output=True,
        text=True,
        check=True,
    )
    return " ".join(done.stdout.split())


def messages() -> list[Message]:
    found = []
    for entry in compiler_view().split("@@")[1:]:
        name, error, arguments = (part.strip() for part in entry.split("@", 2))
        literals = re.match(r'\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)', arguments)
        if literals is None:
            raise SystemExit(f"errors_doc: message {name} has no format string")
        text = "".join(
            ast.literal_eval(part) for part in re.findall(r'"(?:[^"\\]|\\.)*"', literals[1])
        )
        found.append(
            Message(name, error, re.sub(r"%[-+ #0-9.*]*(?:hh|h|ll|l|z|j|t)?[a-zA-Z]", "…", text))
        )
    return found


def sections() -> list[tuple[str, set[str]]]:
    """The table's own headings (`// --- heading`) and the names under each."""
    result: list[tuple[str, set[str]]] = []
    for line in TABLE.read_text().splitlines():
        if heading := re.match(r"// --- (.+)", line):
            result.append((heading[1], set()))
        elif entry := re.match(r"TRTET_MESSAGE\((\w+),", line):
            result[-1][1].add(entry[1])
    return result


def render() -> str:
    everything = messages()
    parts = [INTRO]
    for heading, names in sections():
        title = TITLES.get(heading, heading[0].upper() + heading[1:])
        rows = [f"\n## {title}\n", "| name | error | message |", "| --- | --- | --- |"]
        rows += [
            f"| `{m.name}` | {'notice' if m.error == 'Ok' else m.error} | {m.text.replace('|', chr(92) + '|')} |"
            for m in everything
            if m.name in names
        ]
        parts.append("\n".join(rows) + "\n")
    return "".join(parts)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    text = render()
    if options.check:
        if TARGET.read_text() != text:
            print("docs/errors.md is stale; run scripts/errors_doc.py", file=sys.stderr)
            return 1
        return 0
    TARGET.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
