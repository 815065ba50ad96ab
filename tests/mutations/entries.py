"""What is recorded in tests/mutations/*.toml, and whether it still fits the tree.

    [[mutation]]
    name = "wait-removed"            # unique
    guards = "execute always waits"  # the behaviour, one line
    file = "src/launch.cpp"          # path from the root of the repository
    find = "..."                     # text that occurs exactly once in the file
    replace = "..."
    tests = ["ctest:<regex>", "pytest:<path>[::node]"]

In C and C++ any run of white space, and a line break between two tokens, counts as equal, so that the formatter
breaks no entry.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FREE_FORM = (".c", ".cpp", ".cu", ".def", ".h")
_TOKEN = re.compile(r"\s+|\w+|[^\w\s]")


class Broken(Exception):
    """An entry that proves nothing; the text says why."""


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


def mutated(mutation: Mutation, text: str) -> str:
    """The file's text with the edit in it. Raises Broken where the edit does not fit exactly once."""
    find, replace = mutation.find, mutation.replace
    count = text.count(find)
    if count == 1:
        edited = text.replace(find, replace)
    elif count == 0 and mutation.file.endswith(FREE_FORM):
        places = list(re.finditer(_free_form(find), text))
        count = len(places)
        if count == 1:
            start, end = places[0].span()
            edited = text[:start] + replace.strip() + text[end:]
    if count != 1:
        raise Broken(f"the text to find occurs {count} times in {mutation.file}, must be once")
    if "".join(edited.split()) == "".join(text.split()):
        raise Broken("the edit changes nothing")
    if mutation.file.endswith(".py"):
        try:
            ast.parse(edited)
        except SyntaxError as error:
            raise Broken(f"the edited {mutation.file} is no Python: {error}") from None
    return edited


def _free_form(find: str) -> str:
    """A pattern for the tokens of `find`; white space is needed only where it parts two words."""
    pattern, before, is_apart = "", "", False
    for token in _TOKEN.findall(find.strip()):
        if token.isspace():
            is_apart = True
            continue
        if before:
            are_words = bool(re.match(r"\w", before[-1])) and bool(re.match(r"\w", token))
            pattern += r"\s+" if is_apart and are_words else r"\s*"
        pattern += re.escape(token)
        before, is_apart = token, False
    return pattern


def problems(root: Path, mutations: list[Mutation], ctests: list[str] | None) -> Iterator[str]:
    """Everything wrong with entries that can be seen without running them.

    ctests: the names of every CTest test, or None where they are not known.
    """
    for mutation in mutations:
        try:
            mutated(mutation, _text(root, mutation.file))
        except Broken as error:
            yield f"{mutation.name}: {error}"
        for spec in mutation.tests:
            reason = _missing_test(root, spec, ctests)
            if reason:
                yield f"{mutation.name}: {reason}"


def _text(root: Path, file: str) -> str:
    path = root / file
    if not path.is_file():
        raise Broken(f"{file} does not exist")
    return path.read_text()


def _missing_test(root: Path, spec: str, ctests: list[str] | None) -> str:
    kind, _, what = spec.partition(":")
    if kind == "ctest":
        if ctests is None or any(re.search(what, name) for name in ctests):
            return ""
        return f"no CTest test matches {what!r}"
    if kind != "pytest":
        return f"test {spec!r} must begin with ctest: or pytest:"
    path, *nodes = what.split("::")
    if not (root / path).exists():
        return f"{path} does not exist"
    if nodes:
        tree = ast.parse((root / path).read_text())
        names = {
            node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)
        }
        missing = [node for node in nodes if node.partition("[")[0] not in names]
        if missing:
            return f"{path} has no {missing[0]}"
    return ""
