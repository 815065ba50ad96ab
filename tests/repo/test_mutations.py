"""Recorded mutations fit the tree, and the reader of them notices those that do not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.mutations.entries import Broken, Mutation, mutated, problems, read_mutations
from tests.mutations.tree import Tree

ROOT = Path(__file__).resolve().parents[2]
ENTRY = Mutation(
    name="example",
    guards="an example",
    file="a.cpp",
    find="  if (a == b) {\n    return f(a, b);",
    replace="  if (a == b) {\n    return f(b, a);",
    tests=("pytest:tests/repo/test_mutations.py::test_every_entry_fits",),
)
TEXT = "void g() {\n  if (a == b) {\n    return f(a, b);\n  }\n}\n"


def test_every_entry_fits() -> None:
    names = Tree(ROOT, ROOT).known_ctests()
    found = list(problems(ROOT, read_mutations(ROOT / "tests" / "mutations"), names))
    assert not found, "\n".join(found)
    if names is None:
        pytest.skip("the C++ tests are not all built, so what ctest: names was not looked for")


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        TEXT.replace("{\n    return", "{ return"),
        TEXT.replace("f(a, b)", "f(\n        a,\n        b)"),
        TEXT.replace("  ", "    "),
    ],
)
def test_formatting_of_cpp_does_not_matter(text: str) -> None:
    assert "".join(mutated(ENTRY, text).split()) == "".join(TEXT.split()).replace("(a,b)", "(b,a)")


@pytest.mark.parametrize(
    ("entry", "text", "why"),
    [
        (ENTRY, TEXT + TEXT, "occurs 2 times"),
        (ENTRY, TEXT.replace("a == b", "a != b"), "occurs 0 times"),
        (ENTRY, TEXT.replace("return f", "returnf"), "occurs 0 times"),
        (replace(ENTRY, replace=ENTRY.find.replace("\n", " ")), TEXT, "changes nothing"),
        (replace(ENTRY, file="a.py", find="x  = 1"), "x = 1\n", "occurs 0 times"),
        (replace(ENTRY, file="a.py", find="x = 1", replace="x ="), "x = 1\n", "no Python"),
    ],
)
def test_an_edit_that_does_not_fit(entry: Mutation, text: str, why: str) -> None:
    with pytest.raises(Broken, match=why):
        mutated(entry, text)


@pytest.mark.parametrize(
    ("tests", "why"),
    [
        (("pytest:tests/repo/test_nothing.py",), "test_nothing.py does not exist"),
        (("pytest:tests/repo/test_mutations.py::test_gone",), "has no test_gone"),
        (("pytest:tests/repo/test_mutations.py::test_every_entry_fits[case]",), ""),
        (("ctest:^unit\\..*Blob",), ""),
        (("ctest:^unit\\..*Engine",), "no CTest test matches"),
        (("make:test",), "must begin with ctest: or pytest:"),
    ],
)
def test_a_test_that_is_not_there(tests: tuple[str, ...], why: str) -> None:
    entry = replace(ENTRY, file="version.txt", find="\n", replace="1\n", tests=tests)
    found = list(problems(ROOT, [entry], ["unit.Blob"]))
    assert [why in problem for problem in found] == ([True] if why else [])


def test_a_file_that_is_not_there() -> None:
    (found,) = problems(ROOT, [replace(ENTRY, file="src/gone.cpp")], None)
    assert "src/gone.cpp does not exist" in found
