"""Mutates the readers of blobs, metadata, options and plan tags in every small way, and tests each mutant.

Only the mutated file is compiled anew. Killed: a unit test fails, crashes or hangs; else, with sanitizers, a unit test
or the replay of a fuzz corpus does. What does not compile, and what survives but optimises to the unmutated object, is
no mutant. A survivor is explained in survivors.toml, one by one; one that is not is an error, and so is an
explanation that nothing needs any more.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from tests.mutants.generate import Mutant, generate

ROOT = Path(__file__).resolve().parents[2]
SURVIVORS = Path(__file__).resolve().parent / "survivors.toml"
SCRATCH = ROOT / "build" / "mutants"
VERDICTS = SCRATCH / "verdicts.json"
FILES = ("blob", "metadata", "metadata_handler", "load_options", "plan_tag")
LEAST_PERCENT = 90
# The unmutated tests take a tenth of a second, under sanitizers a second.
HANG_SECONDS = 20
BUILD_SECONDS = 300
MEMORY_BYTES = 4 << 30
SANITIZERS = "hard_rss_limit_mb=2048:quarantine_size_mb=16"


def tool(name: str) -> str:
    return str(ROOT / ".venv" / "bin" / name)


def ninja_commands(preset: str, target: str) -> list[str]:
    """How the build makes one target: every command, the link last."""
    command = [tool("ninja"), "-C", str(ROOT / "build" / preset), "-t", "commands", target]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


@dataclass(frozen=True)
class Program:
    """A test program of one preset, and how to link it with one object exchanged."""

    preset: str
    name: str
    arguments: tuple[str, ...]
    link_command: str
    object_folder: str  # of the library whose objects it links

    @classmethod
    def find(cls, preset: str, name: str, library: str, arguments: tuple[str, ...]) -> Program:
        return cls(preset, name, arguments, ninja_commands(preset, name)[-1], library)

    def link(self, file: str, mutated: Path, output: Path) -> list[str]:
        built = f"{self.object_folder}/{file}.cpp.o"
        command, count = re.subn(
            rf"(?<=\s){re.escape(built)}(?=\s)", str(mutated), self.link_command
        )
        command, outputs = re.subn(r"(?<= -o )\S+", str(output), command)
        if (count, outputs) != (1, 1):
            raise SystemExit(
                f"mutants: {self.name} of {self.preset} does not link {built} just once"
            )
        faster = " -fuse-ld=gold -o " if shutil.which("ld.gold") else " -o "
        return ["bash", "-c", command.replace(" -o ", faster, 1)]


@dataclass(frozen=True)
class Stage:
    """Tests that run together: one compile of the mutated file, then each program until one fails."""

    preset: str
    programs: tuple[Program, ...]


def stages() -> list[Stage]:
    core = "src/CMakeFiles/executorch_backend_tensorrt_core.dir"
    reader = "tools/CMakeFiles/trtet_blob_reader.dir/__/src"
    unit = ("--gtest_fail_fast", "--gtest_brief=1")
    corpus = str(ROOT / "tests" / "fuzz" / "corpus")
    replays = tuple(
        Program.find("asan", f"fuzz_{name}", reader, (f"{corpus}/{name}",))
        for name in ("blob", "metadata", "plan_tag")
    )
    return [
        Stage("default", (Program.find("default", "unit_tests", core, unit),)),
        Stage("asan", (Program.find("asan", "unit_tests", core, unit), *replays)),
    ]


@functools.cache
def compile_command(preset: str, file: str) -> list[str]:
    """The build's own, without warnings, launcher and dependency output; source and output are missing."""
    database = json.loads((ROOT / "build" / preset / "compile_commands.json").read_text())
    source = str(ROOT / "src" / f"{file}.cpp")
    found = [
        shlex.split(entry["command"])
        for entry in database
        if entry["file"] == source and "executorch_backend_tensorrt_core" in entry["output"]
    ]
    if len(found) != 1:
        raise SystemExit(f"mutants: build/{preset} does not compile src/{file}.cpp just once")
    words = [word for word in found[0] if not word.startswith(("-W", "-MD")) and word != source]
    for option in ("-o", "-MT", "-MF", "-c"):
        while option in words:
            at = words.index(option)
            del words[at : at + (1 if option == "-c" else 2)]
    return [*words[1 if Path(words[0]).name == "ccache" else 0 :], "-w", "-c"]


def unoptimised(file: str) -> list[str]:
    return [word for word in compile_command("default", file) if not word.startswith("-O")]


def compile_with(
    command: list[str], preset: str, file: str, source: bytes, folder: Path
) -> Path | None:
    """The object, or None when the source does not compile."""
    folder.mkdir(parents=True, exist_ok=True)
    path, output = folder / f"{file}.cpp", folder / f"{file}.o"
    path.write_bytes(source)
    output.unlink(missing_ok=True)
    code = run([*command, str(path), "-o", str(output)], ROOT / "build" / preset)
    return output if code == 0 else None


def clang_arguments(command: list[str]) -> list[str]:
    """What of a compiler's command changes how the source reads."""
    words = iter(command)
    kept = ["-std=c++17", "-x", "c++"]
    for word in words:
        if word == "-isystem":
            kept += [word, next(words)]
        elif word.startswith(("-I", "-D")):
            kept.append(word)
    return kept


def run(
    command: list[str], cwd: Path, is_plain: bool = True, timeout: int = BUILD_SECONDS
) -> int | None:
    """The exit code, None for a hang."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if is_plain:  # sanitizers reserve terabytes
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))

    environment = dict(os.environ, ASAN_OPTIONS=SANITIZERS)
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(
        command, cwd=cwd, env=environment, stdin=quiet, stdout=quiet, stderr=quiet, preexec_fn=limit
    )
    try:
        return process.wait(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return None


class Judge:
    """Compiles and tests one mutant at a time in each thread."""

    def __init__(self, all_stages: list[Stage]) -> None:
        self.stages = all_stages
        self.unmutated: dict[str, bytes] = {}

    def prepare(self, file: str) -> None:
        """The file's headers compiled once, and proof that its tests pass unmutated."""
        source = (ROOT / "src" / f"{file}.cpp").read_bytes()
        folder = SCRATCH / "unmutated"
        folder.mkdir(parents=True, exist_ok=True)
        headers = folder / f"{file}.headers.h"
        headers.write_bytes(b"\n".join(line for line in source.splitlines() if b"#include" in line))
        command = [*unoptimised(file), "-x", "c++-header", str(headers), "-o", f"{headers}.gch"]
        if run(command, ROOT / "build" / "default") != 0:
            raise SystemExit(f"mutants: the headers of src/{file}.cpp do not compile")
        for stage in self.stages:
            failing = self.fails(stage, file, source, folder)
            if failing:
                raise SystemExit(f"mutants: without a mutation, {file}: {failing}")
        built = compile_with(compile_command("default", file), "default", file, source, folder)
        if built is None:
            raise SystemExit(f"mutants: src/{file}.cpp does not compile unmutated")
        self.unmutated[file] = built.read_bytes()

    def fails(self, stage: Stage, file: str, source: bytes, folder: Path) -> str | None:
        """The program that fails, empty when all pass; None when the source does not compile."""
        cwd = ROOT / "build" / stage.preset
        is_plain = stage.preset == "default"
        command = compile_command(stage.preset, file)
        if is_plain:
            # Most mutants die here, so this is what has to be fast.
            command = [*unoptimised(file), "-include", f"{SCRATCH}/unmutated/{file}.headers.h"]
        built = compile_with(command, stage.preset, file, source, folder)
        if built is None:
            return None
        for program in stage.programs:
            linked = built.with_name(program.name)
            if run(program.link(file, built, linked), cwd) != 0:
                raise SystemExit(
                    f"mutants: {program.name} of {stage.preset} does not link; build it first"
                )
            code = run([str(linked), *program.arguments], cwd, is_plain, HANG_SECONDS)
            if code != 0:
                return f"{program.name} ({'hangs' if code is None else code})"
        return ""

    def judge(self, mutant: Mutant) -> tuple[str, str]:
        """(killed | survived | none, what did it or why there is none)."""
        file = Path(mutant.file).stem
        source = mutant.apply((ROOT / mutant.file).read_bytes())
        folder = SCRATCH / threading.current_thread().name
        plain, *others = self.stages
        failing = self.fails(plain, file, source, folder)
        if failing is None:
            return "none", "does not compile"
        if failing:
            return "killed", failing
        built = compile_with(compile_command("default", file), "default", file, source, folder)
        if built is not None and built.read_bytes() == self.unmutated[file]:
            return "none", "same object as unmutated"
        for stage in others:
            failing = self.fails(stage, file, source, folder)
            if failing:
                return "killed", failing
        return "survived", ""


def key_of(mutant: Mutant) -> tuple[str, str, str, str, int]:
    line = (ROOT / mutant.file).read_text().splitlines()[mutant.line - 1].strip()
    return (mutant.file, mutant.function, line, mutant.edit, mutant.nth)


def explanations() -> dict[tuple[str, str, str, str, int], str]:
    entries = tomllib.loads(SURVIVORS.read_text()).get("survivor", [])
    return {
        (e["file"], e["function"], e["line"], e["edit"], e.get("nth", 1)): e["why"] for e in entries
    }


def entry_text(mutant: Mutant) -> str:
    """A survivor as survivors.toml wants it, for its reader to complete."""
    names = ("file", "function", "line", "edit")
    values = [
        f"{name} = {json.dumps(value)}" for name, value in zip(names, key_of(mutant), strict=False)
    ]
    nth = [f"nth = {mutant.nth}"] if mutant.nth > 1 else []
    return "\n".join(["[[survivor]]", *values, *nth, 'why = ""', ""])


def all_mutants(files: list[str]) -> Iterator[Mutant]:
    for file in files:
        arguments = clang_arguments(compile_command("default", file))
        yield from generate(ROOT, f"src/{file}.cpp", arguments)


def remembered() -> dict[str, str]:
    """Verdicts of earlier runs by what identifies an edit, for --again."""
    verdicts: dict[str, str] = json.loads(VERDICTS.read_text()) if VERDICTS.exists() else {}
    return verdicts


def identity(mutant: Mutant) -> str:
    return json.dumps(key_of(mutant))


def conclude(verdicts: list[tuple[Mutant, str]], is_whole: bool) -> int:
    """Prints the survivors and, last, the score; 0 when it is enough and every survivor is explained."""
    known = explanations()
    survivors = [mutant for mutant, verdict in verdicts if verdict == "survived"]
    killed = sum(verdict == "killed" for _, verdict in verdicts)
    unexplained = [mutant for mutant in survivors if not known.get(key_of(mutant))]
    stale = set(known) - {key_of(mutant) for mutant in survivors} if is_whole else set()
    for mutant in survivors:
        why = known.get(key_of(mutant), "") or "NOT EXPLAINED"
        print(f"survived {mutant.file}:{mutant.line}: {mutant.edit}\n    {why}")
    if unexplained:
        print("\nTo tests/mutants/survivors.toml, when no test can tell the difference:\n")
        print("\n".join(entry_text(mutant) for mutant in unexplained))
    for key in sorted(stale):
        print(f"explained, but not surviving: {key[0]} {key[1]}: {key[3]}")
    percent = 100 * killed / max(1, killed + len(survivors))
    print(f"{killed} killed, {len(survivors)} survived ({percent:.1f} %)")
    return 1 if unexplained or stale or not killed or percent < LEAST_PERCENT else 0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="mutants", allow_abbrev=False)
    parser.add_argument("files", nargs="*", help=f"of: {', '.join(FILES)}; all without any")
    parser.add_argument("--list", action="store_true", help="print the edits and stop")
    parser.add_argument("--again", action="store_true", help="judge only what survived last time")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args(arguments)
    unknown = set(options.files) - set(FILES)
    if unknown:
        parser.error(f"unknown file {sorted(unknown)[0]!r}; allowed: {', '.join(FILES)}")
    files = options.files or list(FILES)
    mutants = list(all_mutants(files))
    if options.list:
        for mutant in mutants:
            print(f"{mutant.file}:{mutant.line}: {mutant.edit}")
        return 0

    known = remembered() if options.again else {}
    started = time.monotonic()
    judge = Judge(stages())
    for file in files:
        judge.prepare(file)

    def verdict_of(mutant: Mutant) -> tuple[str, str]:
        kept = known.get(identity(mutant), "survived")
        return (kept, "as before") if kept != "survived" else judge.judge(mutant)

    verdicts = []
    with ThreadPoolExecutor(options.jobs, thread_name_prefix="job") as pool:
        for mutant, (verdict, why) in zip(mutants, pool.map(verdict_of, mutants), strict=True):
            verdicts.append((mutant, verdict))
            print(f"{verdict:<9}{mutant.file}:{mutant.line}: {mutant.edit}  [{why}]", flush=True)
    VERDICTS.write_text(json.dumps({identity(m): v for m, v in verdicts}, indent=0))
    none = sum(verdict == "none" for _, verdict in verdicts)
    print(
        f"\n{len(mutants)} edits in {time.monotonic() - started:.0f} s, {none} of them no mutants"
    )
    return conclude(verdicts, is_whole=not options.files)


if __name__ == "__main__":
    sys.exit(main())
