"""Applies each recorded mutation in a scratch copy and runs the tests that should notice.

A mutation is an entry in tests/mutations/*.toml:

    [[mutation]]
    name = "wait-removed"            # unique
    guards = "execute always waits"  # the behaviour, one line
    file = "src/launch.cpp"          # path from the root of the repository
    find = "..."                     # text that occurs exactly once in the file
    replace = "..."
    tests = ["ctest:<regex>", "pytest:<path>[::node]"]

Killed: at least one named test fails. Survived: all pass. Broken: the text is not there exactly once, the tests
fail unmutated, or no test ran. A mutant that does not compile is broken too: it proves nothing about the tests.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent.parent
SCRATCH = ROOT / "build" / "mutations"
NO_TESTS_RAN = 5  # pytest's exit code; ctest is asked for an error of its own


@dataclass(frozen=True)
class Mutation:
    name: str
    guards: str
    file: str
    find: str
    replace: str
    tests: tuple[str, ...]


def read_mutations(folder: Path) -> list[Mutation]:
    found: dict[str, Mutation] = {}
    for path in sorted(folder.glob("*.toml")):
        for entry in tomllib.loads(path.read_text())["mutation"]:
            mutation = Mutation(**{**entry, "tests": tuple(entry["tests"])})
            if mutation.name in found:
                raise SystemExit(f"{path.name}: mutation {mutation.name!r} is recorded twice")
            if not mutation.tests:
                raise SystemExit(f"{path.name}: mutation {mutation.name!r} names no test")
            found[mutation.name] = mutation
    return list(found.values())


class Copy:
    """A scratch copy of the tracked files with a build tree of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.environment = dict(
            os.environ, PATH=f"{root / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
        )

    def refresh(self) -> None:
        """Copies what changed only, so that the build tree stays warm between runs."""
        self.root.mkdir(parents=True, exist_ok=True)
        listing = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for name in filter(None, listing.split("\0")):
            source, target = ROOT / name, self.root / name
            if not source.is_file():
                continue
            if target.exists() and target.read_bytes() == source.read_bytes():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
        venv = self.root / ".venv"
        if not venv.exists():
            venv.symlink_to((ROOT / ".venv").resolve())
        cache = self.root / ".cache"
        (ROOT / ".cache").mkdir(exist_ok=True)
        if not cache.exists():
            cache.symlink_to((ROOT / ".cache").resolve())

    def run(self, command: list[str], timeout: int = 900) -> tuple[int, str]:
        try:
            done = subprocess.run(
                command,
                cwd=self.root,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                timeout=timeout,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return 124, f"{command[0]}: no end after {timeout} s"
        return done.returncode, done.stdout

    def build(self) -> tuple[int, str]:
        return self.run(["bash", "scripts/build.sh", "default"])

    def test(self, spec: str) -> tuple[int, str]:
        kind, _, what = spec.partition(":")
        if kind == "ctest":
            command = [
                "ctest",
                "--preset",
                "default",
                "-R",
                what,
                "--no-tests=error",
                "--timeout",
                "60",
            ]
        elif kind == "pytest":
            command = [
                str(self.root / ".venv/bin/python"),
                "-m",
                "pytest",
                "-q",
                "-x",
                "-p",
                "no:cacheprovider",
                what,
            ]
        else:
            raise SystemExit(f"test {spec!r}: must begin with ctest: or pytest:")
        return self.run(command)


def needs_build(mutation: Mutation) -> bool:
    return mutation.file.endswith(
        (".cpp", ".h", ".c", ".cu", ".txt", ".cmake", ".map", ".fbs")
    ) or any(test.startswith("ctest:") for test in mutation.tests)


def judge(copy: Copy, mutation: Mutation) -> tuple[str, str]:
    """Returns (killed | survived | broken, one line of explanation)."""
    target = copy.root / mutation.file
    if not target.exists():
        return "broken", f"{mutation.file} does not exist"
    text = target.read_text()
    if text.count(mutation.find) != 1:
        return (
            "broken",
            f"the text to find occurs {text.count(mutation.find)} times in {mutation.file}, must be once",
        )
    target.write_text(text.replace(mutation.find, mutation.replace))
    try:
        if needs_build(mutation):
            code, output = copy.build()
            if code != 0:
                return "broken", "does not build: " + last_line(output, "error:")
        for test in mutation.tests:
            code, output = copy.test(test)
            if code == NO_TESTS_RAN or "No tests were found" in output:
                return "broken", f"{test} ran no test"
            if code != 0:
                return "killed", test
        return "survived", f"{', '.join(mutation.tests)} passed"
    finally:
        target.write_text(text)


def last_line(output: str, mark: str) -> str:
    marked = [line for line in output.splitlines() if mark in line]
    return (marked or output.splitlines() or [""])[0][:200]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="mutations", allow_abbrev=False)
    parser.add_argument("names", nargs="*", help="only these mutations")
    parser.add_argument("--list", action="store_true", help="print the recorded mutations and stop")
    parser.add_argument("--file", help="only mutations of this source file")
    options = parser.parse_args(arguments)
    mutations = read_mutations(ROOT / "tests" / "mutations")
    unknown = set(options.names) - {m.name for m in mutations}
    if unknown:
        parser.error(f"unknown mutation {sorted(unknown)[0]!r}; see --list")
    chosen = [
        m
        for m in mutations
        if (not options.names or m.name in options.names) and options.file in (None, m.file)
    ]
    if options.list:
        for mutation in chosen:
            print(f"{mutation.name:<40} {mutation.guards}")
        return 0
    if not chosen:
        parser.error("no mutation chosen")

    copy = Copy(SCRATCH)
    copy.refresh()
    code, output = copy.build()
    if code != 0:
        print(output[-3000:])
        raise SystemExit("mutations: the unmutated copy does not build")
    counts = {"killed": 0, "survived": 0, "broken": 0}
    proven: dict[str, int] = {}
    for mutation in chosen:
        verdict, why = judge(copy, mutation)
        if verdict == "killed":
            # Red is worth something only where the same test is green without the mutation.
            if why not in proven:
                copy.build()
                proven[why] = copy.test(why)[0]
            if proven[why] != 0:
                verdict, why = "broken", f"{why} fails without the mutation too"
        counts[verdict] += 1
        print(
            f"{verdict:<9} {mutation.name:<40} {why if verdict != 'killed' else mutation.guards}",
            flush=True,
        )
    copy.build()
    if counts["broken"]:
        print(f"{counts['broken']} broken entries: repair them, they prove nothing")
    print(f"{counts['killed']} killed, {counts['survived']} survived")
    return 1 if counts["survived"] or counts["broken"] else 0


if __name__ == "__main__":
    sys.exit(main())
