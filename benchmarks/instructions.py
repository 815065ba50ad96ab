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
class Instructions:
    """Instructions of one execute, split by where they ran."""

    outside: float
    standins: float
    by_object: dict[str, float]

    @property
    def all(self) -> float:
        return self.outside + self.standins


def count_by_object(command: Sequence[str], environment: dict[str, str]) -> Counter[str]:
    """Runs a command under callgrind and returns its instructions per shared object (file name only).

    libc and the loader count as the object that runs there, like every other.
    """
    if shutil.which("valgrind") is None:
        raise RuntimeError("valgrind is not installed; apt-get install valgrind")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "callgrind.out"
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--dump-line=no",
             "--compress-strings=no", "--compress-pos=no", *command],
            env=environment, capture_output=True, text=True, check=False,
        )
        if done.returncode != 0 or not out.exists():
            raise RuntimeError(f"{command[0]} under valgrind ended with {done.returncode}:\n"
                               f"{(done.stdout + done.stderr)[-2000:]}")
        return self_cost_by_object(out)


def self_cost_by_object(path: Path) -> Counter[str]:
    """Reads the self cost per object from a callgrind profile (format version 1, names uncompressed)."""
    costs: Counter[str] = Counter()
    current = "?"
    call_line_follows = False
    cost_line = re.compile(r"^[+\-*0-9]\S* (\d+)")
    with path.open() as lines:
        for line in lines:
            if line.startswith("ob="):
                current = Path(line[3:].strip()).name
            elif line.startswith("calls="):
                call_line_follows = True
            elif match := cost_line.match(line):
                # The line after calls= is the callee's inclusive cost, counted where it ran.
                if not call_line_follows:
                    costs[current] += int(match[1])
                call_line_follows = False
    return costs


def per_execute(
    command_for_runs: Callable[[int], Sequence[str]], environment: dict[str, str],
    few: int = 50, many: int = 250,
) -> Instructions:
    """The difference of two runs over the difference of their counts, so that load and exit cancel out."""
    low = count_by_object(command_for_runs(few), environment)
    high = count_by_object(command_for_runs(many), environment)
    slope = {name: (high[name] - low[name]) / (many - few) for name in high if high[name] != low[name]}
    inside = {name: cost for name, cost in slope.items() if name.startswith(STAND_INS)}
    standins = sum(inside.values())
    return Instructions(outside=sum(slope.values()) - standins, standins=standins, by_object=slope)
