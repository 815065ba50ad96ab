"""Applies each recorded mutation in a scratch copy and runs the tests that should notice.

Killed: a named test that passes without the edit fails with it. Survived: all pass. Broken: the text is not there
exactly once, the tests fail unmutated, or no test ran. A mutant that does not compile is broken too: it proves
nothing about the tests. Skipped: a named test skips itself on this machine.

What was found is kept in build/mutations/results.json; a later run tries again only entries that are new or edited,
and those whose source or tests changed.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import json
import queue
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

from tests.mutations.entries import Broken, Mutation, mutated, problems, read_mutations
from tests.mutations.tree import NO_TESTS_RAN, TIMED_OUT, Tree, needs_build

ROOT = Path(__file__).resolve().parent.parent.parent
SCRATCH = ROOT / "build" / "mutations"


class Results:
    """What earlier runs found, by name, with what it was found for."""

    def __init__(self, path: Path, is_fresh: bool) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._is_fresh = is_fresh
        self._found: dict[str, dict] = json.loads(path.read_text()) if path.exists() else {}

    def verdict(self, mutation: Mutation, key: str) -> str:
        found = {} if self._is_fresh else self._found.get(mutation.name, {})
        return found["verdict"] if found.get("key") == key else ""

    def verdict_of(self, mutation: Mutation) -> str:
        found: str = self._found[mutation.name]["verdict"]
        return found

    def add(self, mutation: Mutation, key: str, verdict: str, why: str, seconds: float) -> None:
        with self._lock:
            self._found[mutation.name] = {
                # What proves nothing is tried again in any case.
                "key": key if verdict in ("killed", "survived") else "",
                "verdict": verdict,
                "why": why,
                "seconds": round(seconds, 1),
                "when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            }
            beside = self._path.with_suffix(".new")
            beside.write_text(json.dumps(self._found, indent=1) + "\n")
            beside.replace(self._path)
            text = why if verdict != "killed" else mutation.guards
            print(f"{verdict:<9} {mutation.name:<40} {seconds:>5.1f} s  {text}", flush=True)


class CannotRun(Exception):
    """A named test skips itself on this machine."""


class Baselines:
    """How the named tests end without any mutation; each runs once."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        self._problems: dict[str, Broken | CannotRun] = {}
        self._lock = threading.Lock()

    def check(self, tree: Tree, mutation: Mutation) -> dict[str, float]:
        """Seconds that each test takes, in an unmutated tree. Raises Broken or CannotRun for one that does not pass."""
        for spec in mutation.tests:
            with self._lock:
                is_known = spec in self._seconds
            if not is_known:
                self._run(tree, mutation, spec)
            if spec in self._problems:
                raise self._problems[spec]
        return {spec: self._seconds[spec] for spec in mutation.tests}

    def _run(self, tree: Tree, mutation: Mutation, spec: str) -> None:
        built = tree.build_for(mutation.file, mutation.tests)
        done = tree.test(spec) if built.code == 0 else built
        with self._lock:
            if built.code != 0:
                why = last_line(built.output, "error:")
                self._problems[spec] = Broken(f"does not build without the mutation either: {why}")
            elif done.code == NO_TESTS_RAN:
                self._problems[spec] = Broken(f"{spec} ran no test")
            elif done.code != 0:
                mark = "***" if spec.startswith("ctest:") else ""
                why = last_line(done.output, mark)
                self._problems[spec] = Broken(f"{spec} fails unmutated: {why}")
            elif _is_skipped(done.output):
                self._problems[spec] = CannotRun(f"{spec} cannot run here and says why")
            self._seconds[spec] = done.seconds


def _is_skipped(output: str) -> bool:
    """Whether nothing passed, in the words of pytest or ctest."""
    lines = output.strip().splitlines()
    by_pytest = bool(lines) and " skipped" in lines[-1] and " passed" not in lines[-1]
    return by_pytest or ("***Skipped" in output and " Passed " not in output)


def judge(tree: Tree, mutation: Mutation, baselines: Baselines) -> tuple[str, str]:
    """Returns (killed | survived | broken | skipped, one line of explanation)."""
    target = tree.root / mutation.file
    text = target.read_text() if target.is_file() else ""
    try:
        edited = mutated(mutation, text)
        seconds = baselines.check(tree, mutation)
        target.write_text(edited)
        built = tree.build_for(mutation.file, mutation.tests)
        if built.code != 0:
            raise Broken("does not build: " + last_line(built.output, "error:"))
        for spec in mutation.tests:
            # A mutant that hangs is noticed too. Tests in Python may have a wheel to build first.
            least = 60 if spec.startswith("ctest:") else 600
            done = tree.test(spec, timeout=least + 10 * seconds[spec])
            if done.code == NO_TESTS_RAN:
                raise Broken(f"{spec} ran no test")
            if done.code != 0:
                return "killed", spec if done.code != TIMED_OUT else f"{spec} did not end"
        return "survived", f"{', '.join(mutation.tests)} passed"
    except (Broken, CannotRun) as error:
        return "broken" if isinstance(error, Broken) else "skipped", str(error)
    finally:
        if text:
            target.write_text(text)


def last_line(output: str, mark: str = "") -> str:
    marked = [line for line in output.splitlines() if mark in line]
    return (marked or output.splitlines() or [""])[0 if mark else -1].strip()[:200]


def key_of(tree: Tree, mutation: Mutation) -> str:
    try:
        inputs = tree.digest(mutation.file, mutation.tests)
    except OSError:
        inputs = ""
    edit = (mutation.file, mutation.find, mutation.replace, mutation.tests)
    return hashlib.sha256(json.dumps([edit, inputs]).encode()).hexdigest()


def by_file(mutations: Iterable[Mutation]) -> list[list[Mutation]]:
    """Mutations of one file follow each other, so that it is compiled once for each and no more."""
    groups: dict[str, list[Mutation]] = defaultdict(list)
    for mutation in mutations:
        groups[mutation.file].append(mutation)
    return sorted(groups.values(), key=len, reverse=True)


def prepare(tree: Tree, mutations: list[Mutation]) -> None:
    tree.refresh()
    specs = {spec for mutation in mutations for spec in mutation.tests}
    if needs_build(specs):
        done = tree.build(specs)
        if done.code != 0:
            print(done.output[-3000:])
            raise SystemExit("mutations: the unmutated copy does not build")


def work(tree: Tree, groups: queue.SimpleQueue, baselines: Baselines, results: Results) -> None:
    while True:
        try:
            group = groups.get_nowait()
        except queue.Empty:
            return
        for mutation in group:
            key = key_of(tree, mutation)
            started = time.monotonic()
            verdict, why = judge(tree, mutation, baselines)
            results.add(mutation, key, verdict, why, time.monotonic() - started)


def run_all(chosen: list[Mutation], jobs: int, is_fresh: bool) -> Counter[str]:
    SCRATCH.mkdir(parents=True, exist_ok=True)
    with (SCRATCH / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise SystemExit(f"mutations: another run uses {SCRATCH}; let it end first") from None
        first = Tree(ROOT, SCRATCH / "tree-1")
        prepare(first, chosen)
        results = Results(SCRATCH / "results.json", is_fresh)
        keys = {mutation.name: key_of(first, mutation) for mutation in chosen}
        todo = [m for m in chosen if not results.verdict(m, keys[m.name])]
        if len(todo) < len(chosen):
            print(f"{len(chosen) - len(todo)} of {len(chosen)} are known from earlier runs")
        groups: queue.SimpleQueue[list[Mutation]] = queue.SimpleQueue()
        listed = by_file(todo)
        for group in listed:
            groups.put(group)
        trees = [first]
        for number in range(2, min(jobs, len(listed)) + 1):
            trees.append(Tree(ROOT, SCRATCH / f"tree-{number}"))
            prepare(trees[-1], todo)
        baselines = Baselines()
        threads = [
            threading.Thread(target=work, args=(tree, groups, baselines, results), daemon=True)
            for tree in trees
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return Counter(results.verdict_of(mutation) for mutation in chosen)


def check(mutations: list[Mutation]) -> int:
    tree = Tree(ROOT, ROOT)
    found = list(problems(ROOT, mutations, tree.known_ctests()))
    for problem in found:
        print(problem)
    print(f"{len(mutations)} entries, {len(found)} problems")
    return 1 if found else 0


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="mutations", description=__doc__, allow_abbrev=False)
    parser.add_argument("names", nargs="*", help="only these mutations")
    parser.add_argument("--list", action="store_true", help="print the recorded mutations and stop")
    parser.add_argument("--check", action="store_true", help="see that every entry fits; run none")
    parser.add_argument("--file", help="only mutations of this source file")
    parser.add_argument("--jobs", type=int, default=1, help="scratch copies to use at once")
    parser.add_argument("--fresh", action="store_true", help="forget what earlier runs found")
    options = parser.parse_args(arguments)
    mutations = read_mutations(ROOT / "tests" / "mutations")
    unknown = set(options.names) - {m.name for m in mutations}
    if unknown:
        parser.error(f"unknown mutation {sorted(unknown)[0]!r}; see --list")
    options.chosen = [
        m
        for m in mutations
        if (not options.names or m.name in options.names) and options.file in (None, m.file)
    ]
    if not options.chosen:
        parser.error("no mutation chosen")
    return options


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    if options.list:
        for mutation in options.chosen:
            print(f"{mutation.name:<40} {mutation.guards}")
        return 0
    if options.check:
        return check(options.chosen)
    counts = run_all(options.chosen, options.jobs, options.fresh)
    if counts["skipped"]:
        print(f"{counts['skipped']} skipped: their tests cannot run on this machine")
    if counts["broken"]:
        print(f"{counts['broken']} broken entries: repair them, they prove nothing")
    print(f"{counts['killed']} killed, {counts['survived']} survived")
    return 1 if counts["survived"] or counts["broken"] else 0


if __name__ == "__main__":
    sys.exit(main())
