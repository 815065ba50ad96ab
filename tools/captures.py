"""Keeps the terminal captures in the documentation those of the real program.

A capture is a fenced block of kind `console` whose first line is a command, `$ trtet ...`; the rest
is what it prints. Programs named in the commands are the ones of tests/tools/programs.py.

Usage: python tools/captures.py [--check] FILE.md...
--check changes nothing and exits 1 when a capture is not current. Times differ from run to run:
where a capture shows times, its shape is compared and not its numbers.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("TRTET_BUILD_DIR", ROOT / "build" / "default"))
_BLOCK = re.compile(r"^```console\n\$ (trtet[^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TIMED = re.compile(r"\b(us|ms|runs/s)\b")


def capture(command: str, folder: Path) -> str:
    """What a person sees, with the paths of this machine taken out."""
    arguments = [str(BUILD / "trtet"), *shlex.split(command)[1:]]
    environment = {
        k: v for k, v in os.environ.items() if k not in ("LD_LIBRARY_PATH", "LD_PRELOAD")
    }
    done = subprocess.run(
        arguments,
        cwd=folder,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=120,
    )
    text = done.stdout
    for place in sorted({str(BUILD), str(BUILD.resolve())}, key=len, reverse=True):
        text = text.replace(place, "build")
    text = re.sub(r"/\S*/site-packages/", ".../site-packages/", text)
    return text if done.returncode == 0 else f"{text}[exit code {done.returncode}]\n"


def shape(text: str) -> str:
    """Text with what changes between runs taken out, when it shows times."""
    if not _TIMED.search(text):
        return text
    lines = (re.sub(r"[\d.]+ (us|ms|s)\b|[\d.]+", "N", line) for line in text.splitlines())
    shapes = (re.sub(r"\s+", " ", re.sub(r"#+", "", line)).strip() for line in lines)
    # The bins of a histogram differ in number.
    return re.sub(r"(N - N N\n)+", "N - N N\n", "\n".join(shapes) + "\n")


def update(path: Path, folder: Path, check: bool) -> list[str]:
    """Commands whose captures were not current. Raises ValueError for a file without any."""
    stale: list[str] = []

    def renew(block: re.Match[str]) -> str:
        command, old = block.groups()
        new = capture(command, folder)
        if shape(new) == shape(old):
            return block.group(0)
        stale.append(command)
        return f"```console\n$ {command}\n{new}```"

    text = path.read_text()
    if not _BLOCK.search(text):
        raise ValueError(f"{path}: no capture in it")
    renewed = _BLOCK.sub(renew, text)
    if not check and renewed != text:
        path.write_text(renewed)
    return stale


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("files", nargs="+", type=Path)
    arguments = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    from tests.tools.programs import write_all

    stale = []
    with tempfile.TemporaryDirectory() as folder:
        write_all(Path(folder))
        for path in arguments.files:
            stale += [
                f"{path}: $ {command}" for command in update(path, Path(folder), arguments.check)
            ]
    for line in stale:
        print(("not current: " if arguments.check else "renewed: ") + line)
    return 1 if stale and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
