"""A scratch copy of the repository with a build tree of its own, in which one mutation at a time is tried."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.mutations.entries import FREE_FORM

NO_TESTS_RAN = 5  # pytest's exit code; ctest is asked for an error of its own
TIMED_OUT = 124
# What processes open at run time, and what tests written in Python start.
OPENED = ("executorch_backend_tensorrt", "standin_cudart", "standin_nvinfer")
STARTED = (*OPENED, "trtet", "sample_programs", "load_memory")
# Tests that use nothing that is built.
STANDALONE = (
    "pytest:tests/release/",
    *(
        f"pytest:tests/package/test_{name}.py"
        for name in ("command", "guards", "recipe", "requirements")
    ),
)
# An edit in one of these may reach any target.
REACHES_ALL = (".cmake", ".csv", ".in", ".txt")


@dataclass(frozen=True)
class Outcome:
    code: int
    output: str
    seconds: float


class Tree:
    def __init__(self, source: Path, root: Path) -> None:
        self.source = source
        self.root = root
        self.build_folder = root / "build" / "default"
        self.environment = dict(
            os.environ,
            PATH=f"{root / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}",
            # Trees in other folders, and the one this is a copy of, share what ccache holds.
            CCACHE_BASEDIR=str(root),
            CCACHE_NOHASHDIR="1",
            # What wheels of others bring takes a second to import, and no test here needs it.
            PYTEST_DISABLE_PLUGIN_AUTOLOAD="1",
        )
        self._programs: dict[str, str] = {}
        self._files: dict[str, list[Path]] = {}

    def refresh(self) -> None:
        """Copies what changed only, so that the build tree stays warm between runs."""
        self.root.mkdir(parents=True, exist_ok=True)
        names = set(filter(None, self._git_listing().split("\0")))
        for name in names:
            source, target = self.source / name, self.root / name
            if not source.is_file():
                continue
            if target.exists() and target.read_bytes() == source.read_bytes():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
        known = self.root / ".copied"
        for name in set(known.read_text().split("\0")) - names if known.exists() else ():
            (self.root / name).unlink(missing_ok=True)
        known.write_text("\0".join(names))
        (self.source / ".cache").mkdir(exist_ok=True)
        for name in (".venv", ".cache"):
            if not (self.root / name).exists():
                (self.root / name).symlink_to((self.source / name).resolve())
        # Linters and some tests ask git which files there are.
        for command in (["git", "init", "-q"], ["git", "add", "-A"]):
            subprocess.run(command, cwd=self.root, check=True, capture_output=True)

    def _git_listing(self) -> str:
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        done = subprocess.run(command, cwd=self.source, capture_output=True, check=True, text=True)
        return done.stdout

    def run(self, command: list[str], timeout: float = 1800) -> Outcome:
        """Runs one command; past the timeout, and in the end, everything it started ends too."""
        started = time.monotonic()
        process = subprocess.Popen(
            command,
            cwd=self.root,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=timeout)
            code = process.returncode
        except subprocess.TimeoutExpired:
            code, output = TIMED_OUT, f"{command[0]}: no end after {timeout:.0f} s"
        # A test that fails may leave a program running that a mutant made deaf.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return Outcome(code, output, time.monotonic() - started)

    def build(self, specs: Iterable[str]) -> Outcome:
        """Builds what these tests need unmutated.

        As it ships, but without -Werror: a mutant need only behave.
        """
        if not (self.build_folder / "build.ninja").exists():
            launcher = shutil.which("ccache")
            done = self.run(
                [
                    "cmake",
                    "--preset",
                    "default",
                    *(f"-DCMAKE_{language}_FLAGS=" for language in ("C", "CXX")),
                    *(
                        f"-DCMAKE_{language}_COMPILER_LAUNCHER={launcher}"
                        for language in ("C", "CXX")
                        if launcher
                    ),
                ]
            )
            if done.code != 0:
                return done
        done = self.run(["bash", "scripts/build.sh", "default", *self._targets_of_all(specs)])
        if done.code == 0 and any(spec.startswith("ctest:") for spec in specs):
            self._programs, self._files = self._read_tests(), {}
        return done

    def _targets_of_all(self, specs: Iterable[str]) -> set[str]:
        """Nothing, which means everything, where CTest knows not all of them from an earlier build."""
        by_ctest = [spec for spec in specs if spec.startswith("ctest:")]
        if by_ctest:
            if self.known_ctests() is None:
                return set()
            self._programs = self._read_tests()
        if any(self._targets(spec) == list(OPENED) for spec in by_ctest):
            return set()
        return {target for spec in specs if needs_build([spec]) for target in self._targets(spec)}

    def _read_tests(self) -> dict[str, str]:
        """Every CTest test and the program it runs."""
        done = self.run(["ctest", "--test-dir", "build/default", "--show-only=json-v1"])
        tests = json.loads(done.output[done.output.index("{") :])["tests"]
        return {test["name"]: test.get("command", [""])[0] for test in tests}

    def known_ctests(self) -> list[str] | None:
        """The names of every CTest test; None where some were not built, and so cannot tell."""
        if not (self.build_folder / "build.ninja").exists():
            return None
        names = list(self._read_tests())
        return None if any(name.endswith("_NOT_BUILT") for name in names) else names

    def build_for(self, file: str, specs: tuple[str, ...]) -> Outcome:
        """Builds what the named tests need after an edit of `file`."""
        if not needs_build(specs):
            return Outcome(0, "", 0.0)
        has_ctest = any(spec.startswith("ctest:") for spec in specs)
        if has_ctest and file.endswith(REACHES_ALL):
            return self.run(["ninja", "-C", "build/default"])
        targets = {target for spec in specs for target in self._targets(spec)}
        return self.run(["ninja", "-C", "build/default", *sorted(targets)])

    def _targets(self, spec: str) -> list[str]:
        kind, _, what = spec.partition(":")
        if kind == "pytest":
            return list(STARTED)
        programs = {p for name, p in self._programs.items() if re.search(what, name)}
        inside = [Path(p) for p in programs if Path(p).is_relative_to(self.build_folder)]
        return [*OPENED, *(str(p.relative_to(self.build_folder)) for p in inside)]

    def test(self, spec: str, timeout: float = 1800) -> Outcome:
        kind, _, what = spec.partition(":")
        if kind == "ctest":
            command = ["ctest", "--preset", "default", "-R", what, "--stop-on-failure"]
        else:
            python = str(self.root / ".venv" / "bin" / "python")
            command = [python, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", what]
        done = self.run(command, timeout)
        if "No tests were found" in done.output:
            return Outcome(NO_TESTS_RAN, done.output, done.seconds)
        return done

    def digest(self, file: str, specs: tuple[str, ...]) -> str:
        """Of the unmutated file, the named tests and what lies beside them; formatting does not count."""
        digest = hashlib.sha256(_content(self.root / file))
        for path in sorted({path for spec in specs for path in self._test_files(spec)}):
            digest.update(str(path.relative_to(self.root)).encode() + _content(path))
        return digest.hexdigest()

    def _test_files(self, spec: str) -> list[Path]:
        """Files of the named tests' folders, less those that hold other tests only."""
        if spec not in self._files:
            find = self._ctest_files if spec.startswith("ctest:") else self._pytest_files
            self._files[spec] = [path for path in find(spec.partition(":")[2]) if path.is_file()]
        return self._files[spec]

    def _pytest_files(self, what: str) -> list[Path]:
        named = self.root / what.split("::")[0]
        beside = named.parent.rglob("*") if named.is_file() else named.rglob("*")
        return [
            *(p for p in beside if p.suffix != ".pyc" and (p == named or p.name[:5] != "test_")),
            *(self.root / "tests" / "support").glob("*.py"),
        ]

    def _ctest_files(self, what: str) -> list[Path]:
        targets = [target for target in self._targets(f"ctest:{what}") if target not in OPENED]
        done = self.run(["ninja", "-C", "build/default", "-t", "inputs", *targets])
        inputs = ((self.build_folder / line).resolve() for line in done.output.splitlines())
        folders = {p.parent for p in inputs if p.is_relative_to(self.root / "tests")}
        # executable.Instance/Suite.Test
        suites = {
            name.partition(".")[2].partition(".")[0].rpartition("/")[2]
            for name in self._programs
            if re.search(what, name)
        }
        return [
            path
            for folder in folders
            for path in folder.rglob("*")
            if not path.name.endswith("_test.cpp")
            or any(suite in path.read_text() for suite in suites)
        ]


def needs_build(specs: Iterable[str]) -> bool:
    return not all(spec.startswith(STANDALONE) for spec in specs)


def _content(path: Path) -> bytes:
    data = path.read_bytes()
    return b"".join(data.split()) if path.suffix in FREE_FORM else data
