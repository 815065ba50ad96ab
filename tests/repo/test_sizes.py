"""No file that takes an afternoon, no function that a reader must scroll. C++ functions of src/ are clang-tidy's."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MOST_LINES_OF_A_FILE = 400
MOST_LINES_OF_A_FUNCTION = 60
CODE = ("*.cpp", "*.h", "*.cu", "*.py", "*.sh", "*.cmake", "CMakeLists.txt", "Makefile")


def tracked(*patterns: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    found = [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]
    assert found
    return found


def test_files_are_short() -> None:
    lines = {path: path.read_text("utf-8").count("\n") for path in tracked(*CODE)}
    long = {
        str(p.relative_to(ROOT)): count
        for p, count in lines.items()
        if count > MOST_LINES_OF_A_FILE
    }
    assert not long, f"more than {MOST_LINES_OF_A_FILE} lines: {long}"


def test_python_functions_are_short() -> None:
    long = []
    for path in tracked("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                assert node.end_lineno is not None
                lines = node.end_lineno - node.lineno + 1
                if lines > MOST_LINES_OF_A_FUNCTION:
                    long.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name} has {lines}")
    assert not long, f"more than {MOST_LINES_OF_A_FUNCTION} lines: {long}"
