"""Build recipes in documentation: expanded as a shell would, then read.

A recipe is a fenced block whose info string is ``bash recipe``; a ``.sh`` file is one as a whole.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .findings import Finding
from .rows import distribution_major, label_major

NAME = "recipe"
ROW_VARIABLE = "TRTET_CUDA_ROW"

_FENCE = re.compile(r"^```bash recipe\n(.*?)^```", re.MULTILINE | re.DOTALL)
_VARIABLE = re.compile(r"\$(?:\{(\w+)(?::-([^}]*))?\}|(\w+))")
_ASSIGNMENT = re.compile(r"(?:export\s+)?([A-Za-z_]\w*)=(.*)")
_ROW = re.compile(r"\bcu\d{3}\b")
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==(\d+)")


@dataclass(frozen=True)
class Recipe:
    """An expanded recipe: its commands, one a line, and the variables it sets."""

    subject: str
    commands: tuple[str, ...]
    variables: dict[str, str]


def read_recipes(path: Path) -> list[Recipe]:
    """The recipes in a Markdown or shell file, expanded."""
    text = path.read_text()
    if path.suffix == ".sh":
        return [expand(path.name, text)]
    return [
        expand(f"{path.name} line {text[: match.start()].count(chr(10)) + 1}", match[1])
        for match in _FENCE.finditer(text)
    ]


def expand(subject: str, text: str) -> Recipe:
    """Variables set by the recipe are put in; what it does not set stays as it is written."""
    variables: dict[str, str] = {}
    commands: list[str] = []
    for line in text.replace("\\\n", " ").splitlines():
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        expanded = _expand_line(stripped, variables)
        assignment = _ASSIGNMENT.fullmatch(expanded)
        if assignment:
            variables[assignment[1]] = "".join(shlex.split(assignment[2], comments=True))
        commands.append(expanded)
    return Recipe(subject, tuple(commands), variables)


def _expand_line(line: str, variables: dict[str, str]) -> str:
    """Single quotes keep their text, as in a shell."""

    def value(match: re.Match[str]) -> str:
        name = match[1] or match[3]
        return variables.get(name, match[2] if match[2] is not None else match[0])

    parts = re.split(r"('[^']*')", line)
    return "".join(p if p.startswith("'") else _VARIABLE.sub(value, p) for p in parts)


def check_recipe(recipe: Recipe) -> Iterator[Finding]:
    """Nothing left to expand, and one CUDA row all along."""
    for command in recipe.commands:
        for left in re.findall(r"\$\S+", re.sub(r"'[^']*'", "", command)):
            yield Finding(
                NAME,
                recipe.subject,
                f"leaves {left} unexpanded in: {command}",
                "whoever follows the recipe gets an empty text in its place",
                "set the variable in the recipe, or write its value",
            )
    row = recipe.variables.get(ROW_VARIABLE)
    major = label_major(row) if row else None
    if row is None or major is None:
        yield Finding(
            NAME,
            recipe.subject,
            f"sets {ROW_VARIABLE} to {row or 'nothing'}",
            "the build compares the row it finds with the row that was meant",
            f"export {ROW_VARIABLE}=cuNNN first",
        )
        return
    for command in recipe.commands:
        yield from _other_rows(recipe, command, row, major)


def _other_rows(recipe: Recipe, command: str, row: str, major: int) -> Iterator[Finding]:
    seen = [other for other in _ROW.findall(command) if other != row]
    for word in shlex.split(command, comments=True):
        pin = _PIN.match(word)
        of_name = distribution_major(re.split(r"[=<>~!\[;]", word)[0])
        if (of_name is not None and of_name != major) or (
            of_name is not None and pin and pin[1].startswith("nvidia-") and int(pin[2]) != major
        ):
            seen.append(word)
    for other in seen:
        yield Finding(
            NAME,
            recipe.subject,
            f"exports {ROW_VARIABLE}={row} and uses {other} in: {command}",
            "the wheel would be labelled with one CUDA row and built against another",
            f"write the row once, as ${{{ROW_VARIABLE}}}, and use the variable everywhere",
        )
