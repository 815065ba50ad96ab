"""The linters of `make lint`: that they find faults, that CI runs them all, and the quick ones on this tree."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def lint(*names: str, root: Path = ROOT) -> subprocess.CompletedProcess[str]:
    # The styles are written for the locked version; a system's own may be years older.
    for name in names:
        if name in FAULTS and not (ROOT / ".venv" / "bin" / name).exists():
            pytest.skip(f"{name} of requirements/full.txt is not in .venv; make setup brings it")
    return subprocess.run(
        [root / "scripts" / "lint.sh", *names], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("name", ["ruff", "shellcheck", "clang-format"])
def test_clean(name: str) -> None:
    done = lint(name)
    assert done.returncode == 0, done.stdout + done.stderr


# linter -> (file, what it accepts, what it does not)
FAULTS = {
    "ruff": ("page.py", "import os\n\nprint(os.name)\n", "import os\n"),
    "mypy": ("page.py", "x: int = 1\n", 'x: int = "1"\n'),
    "shellcheck": ("page.sh", '#!/bin/sh\necho "$1"\n', "#!/bin/sh\necho $1\n"),
    "clang-format": ("src/page.cpp", "int f() { return 1; }\n", "int  f( ) { return 1; }\n"),
    "clang-tidy": (
        "src/base/page.cpp",
        "int f(int a) { return a != 0 ? 1 : 2; }\n",
        "int f(int a) { return a != 0 ? 1 : 1; }\n",
    ),
}


@pytest.fixture
def small_tree(tmp_path: Path) -> Path:
    """A checkout with our script and settings and nothing to lint yet."""
    for name in ("scripts/lint.sh", ".clang-format", ".clang-tidy", ".pre-commit-config.yaml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / ".venv").symlink_to((ROOT / ".venv").resolve())
    (tmp_path / "pyproject.toml").write_text('[tool.mypy]\nstrict = true\nfiles = ["page.py"]\n')
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    subprocess.run(["git", "-C", tmp_path, "add", "."], check=True)
    return tmp_path


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_fails(name: str, small_tree: Path) -> None:
    file, good, bad = FAULTS[name]
    path = small_tree / file
    path.parent.mkdir(parents=True, exist_ok=True)
    database = small_tree / "build" / "default" / "compile_commands.json"
    database.parent.mkdir(parents=True)
    command = {"directory": str(small_tree), "file": str(path), "command": f"c++ -c {path}"}
    database.write_text(json.dumps([command]))
    path.write_text(good)
    done = lint(name, root=small_tree)
    assert (done.returncode, done.stdout) == (0, f"lint {name}: clean\n"), done.stderr
    path.write_text(bad)
    done = lint(name, root=small_tree)
    assert done.returncode == 1
    assert f"lint {name}: FAILED" in done.stderr
    assert path.name in done.stdout + done.stderr
    hooked = subprocess.run(
        [ROOT / ".venv" / "bin" / "pre-commit", "run", name, "--files", path],
        cwd=small_tree,
        env={**os.environ, "PRE_COMMIT_HOME": str(small_tree / "build")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert hooked.returncode == 1
    assert f"lint {name}: FAILED" in hooked.stdout, hooked.stdout + hooked.stderr


def test_an_unknown_linter_is_refused() -> None:
    done = lint("ruf")
    assert done.returncode == 2
    assert "'ruf' is unknown; allowed: ruff, mypy, shellcheck" in done.stderr


@pytest.mark.parametrize("code", [0, 2])
def test_ci_runs_lint_and_the_tests(code: int, tmp_path: Path) -> None:
    make = tmp_path / "make"
    make.write_text(f'#!/bin/sh\nprintf "%s\\n" "$PWD" "$@"\nexit {code}\n')
    make.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [ROOT / ".ci" / "run"],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    folder, *words = done.stdout.splitlines()
    # One that fails keeps nobody from hearing what the other says.
    assert (Path(folder), words) == (ROOT, ["--keep-going", "lint", "test"])
    assert done.returncode == code
