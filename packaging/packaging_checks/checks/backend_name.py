"""The library registers under the very name that exporters write into programs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..findings import Finding
from ..policy import BACKEND_NAME, PACKAGE
from ..subject import Subject

NAME = "backend-name"


def check(subject: Subject) -> Iterator[Finding]:
    if subject.library is not None:
        wanted = BACKEND_NAME.encode()
        spellings = set(re.findall(rb"(?i)(?<!\w)tensor_?rt_?backend(?=\0)", subject.library.image))
        if wanted not in spellings:
            seen = ", ".join(sorted(s.decode() for s in spellings)) or "nothing like it"
            yield _finding(subject.library.name, f"holds {seen}, not {BACKEND_NAME}")
    if subject.wheel is not None:
        for file, name in _python_names(subject.wheel.sources):
            if name != BACKEND_NAME:
                yield _finding(file, f"says {name!r}, not {BACKEND_NAME!r}")


def _finding(subject: str, what: str) -> Finding:
    return Finding(
        NAME,
        subject,
        what,
        "a program names its backend by text: with another spelling no program finds it",
        f"spell it {BACKEND_NAME}, as the exporter does",
    )


def _python_names(sources: dict[str, str]) -> Iterator[tuple[str, str]]:
    for file, text in sources.items():
        if not file.startswith(f"{PACKAGE}/"):
            continue
        for node in ast.walk(ast.parse(text)):
            names = _assigned(node)
            value = getattr(node, "value", None)
            if (
                "BACKEND_NAME" in names
                and isinstance(value, ast.Constant)
                and isinstance(value.value, str)
            ):
                yield file, value.value


def _assigned(node: ast.AST) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else []
    targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
    return [target.id for target in targets if isinstance(target, ast.Name)]
