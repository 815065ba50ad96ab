"""The command-line tool trtet. The executable is beside this file, where its library search path holds."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn

EXECUTABLE = Path(__file__).resolve().parent / "bin" / "trtet"


def main() -> NoReturn:
    """Becomes the executable: arguments, streams, signals and exit code are its own."""
    os.execv(EXECUTABLE, ["trtet", *sys.argv[1:]])
