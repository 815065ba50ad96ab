"""Instructions per execute, counted by valgrind's callgrind: the same on every machine for the same binaries."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

# Objects whose instructions stand for the vendor's libraries.
STAND_INS = ("libcudart.so", "libnvinfer.so", "libstandin")


@dataclass(frozen=True)
class Profile:
    """Instructions of one whole run. inside: those of the stand-ins and of whatever they call."""

    total: int
    inside: int
    by_object: Counter[str]


@dataclass(frozen=True)
class Instructions:
    """Instructions of one execute. outside: what the program, ExecuTorch, the delegate and libc spend themselves."""

    outside: float
    inside: float
    by_object: dict[str, float]


def profile(command: Sequence[str], environment: dict[str, str]) -> Profile:
    """Runs a command under callgrind."""
    if shutil.which("valgrind") is None:
        raise RuntimeError("valgrind is not installed; apt-get install valgrind")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "callgrind.out"
        done = subprocess.run(
            [
                "valgrind",
                "--tool=callgrind",
                f"--callgrind-out-file={out}",
                "--compress-strings=no",
                "--compress-pos=no",
                *command,
            ],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0 or not out.exists():
            raise RuntimeError(
                f"{command[0]} under valgrind ended with {done.returncode}:\n"
                f"{(done.stdout + done.stderr)[-2000:]}"
            )
        return read_profile(out)


def read_profile(path: Path) -> Profile:
    """Reads a callgrind profile (format version 1, names and positions uncompressed).

    A call from outside into a stand-in carries what the stand-in and its callees cost, libc's share included.
    """
    by_object: Counter[str] = Counter()
    inside = 0
    current = "?"
    callee: str | None = None
    call_follows = False
    cost_line = re.compile(r"^[+\-*0-9]\S* (\d+)")
    with path.open() as lines:
        for line in lines:
            if line.startswith("ob="):
                current = Path(line[3:].strip()).name
            elif line.startswith("cob="):
                callee = Path(line[4:].strip()).name
            elif line.startswith("calls="):
                call_follows = True
            elif match := cost_line.match(line):
                if not call_follows:
                    by_object[current] += int(match[1])
                elif callee is not None and is_standin(callee) and not is_passage(current):
                    inside += int(match[1])
                if call_follows:
                    callee, call_follows = None, False
    return Profile(sum(by_object.values()), inside, by_object)


def is_standin(name: str) -> bool:
    return name.startswith(STAND_INS)


def is_passage(name: str) -> bool:
    """Whether a call from here into a stand-in may lie inside another one: libc runs its callbacks and wrappers."""
    return is_standin(name) or name.startswith(
        ("libc.", "libstdc++", "libpthread", "ld-linux", "?")
    )


def per_execute(
    command_for_runs: Callable[[int], Sequence[str]],
    environment: dict[str, str],
    few: int = 50,
    many: int = 250,
) -> Instructions:
    """The difference of two runs over the difference of their counts, so that load and exit cancel out."""
    low = profile(command_for_runs(few), environment)
    high = profile(command_for_runs(many), environment)
    runs = many - few
    inside = (high.inside - low.inside) / runs
    slope = {
        name: (high.by_object[name] - low.by_object[name]) / runs
        for name in high.by_object
        if high.by_object[name] != low.by_object[name]
    }
    return Instructions((high.total - low.total) / runs - inside, inside, slope)
