"""Report on this installation: ``python -m torch_tensorrt_executorch_runtime``."""

from __future__ import annotations

import argparse
import json
import os
import sys

from ._record import package_file


def main() -> int:
    """0 when the delegate is usable, 1 when it is not, 2 for a wrong argument."""
    parser = argparse.ArgumentParser(
        prog="python -m torch_tensorrt_executorch_runtime",
        description="Prints versions built for and installed, libraries loaded, GPUs, registration "
        "and a verdict. Exit code 0 only when the delegate is usable.",
        allow_abbrev=False,
    )
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="print the report as JSON")
    output.add_argument(
        "--cmake-dir",
        action="store_true",
        help="print the CMake package's folder, for CMAKE_PREFIX_PATH",
    )
    options = parser.parse_args()
    if options.cmake_dir:
        folder = package_file("lib", "cmake", "executorch_backend_tensorrt")
        print(folder)
        return 0 if os.path.isdir(folder) else 1
    from ._report import as_text, collect

    report = collect()
    print(json.dumps(report, indent=2) if options.json else as_text(report))
    return 0 if report["usable"] else 1


if __name__ == "__main__":
    sys.exit(main())
