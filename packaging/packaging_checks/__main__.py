"""Checks wheels, libraries and build recipes, and prints every finding.

Exit code: 0 nothing found, 1 findings, 2 a file that cannot be read or a wrong argument.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .checks import checks_of, run_checks
from .elf_facts import UnreadableFile
from .findings import Finding
from .installed import read_installed
from .recipe import check_recipe, read_recipes
from .rendering import as_json, as_text, dump
from .subject import Subject, read_subject


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="packaging_checks", description=__doc__, allow_abbrev=False
    )
    parser.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help=".whl, .so, or .md/.sh recipe"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON list, for machines")
    parser.add_argument(
        "--installed",
        action="store_true",
        help="compare a wheel's pins with what is installed here",
    )
    options = parser.parse_args(arguments)
    installed = read_installed() if options.installed else None
    texts: list[str] = []
    results: list[dict[str, Any]] = []
    worst = 0
    for path in options.files:
        try:
            subject, findings = _examine(path, installed)
        except (UnreadableFile, OSError) as error:
            print(f"packaging_checks: {error}", file=sys.stderr)
            worst = 2
            continue
        worst = max(worst, 1 if findings else 0)
        texts.append(
            as_text(subject, findings, 1 if subject.library is None else len(checks_of(subject)))
        )
        results.append(as_json(subject, findings))
    print(dump(results) if options.json else "\n".join(texts))
    return worst


def _examine(path: Path, installed: Any) -> tuple[Subject, list[Finding]]:
    if path.suffix not in (".md", ".sh"):
        subject = read_subject(path, installed)
        return subject, run_checks(subject)
    recipes = read_recipes(path)
    if not recipes:
        raise UnreadableFile(f"{path.name}: holds no fenced block marked 'bash recipe'")
    return Subject(path.name), [f for recipe in recipes for f in check_recipe(recipe)]


if __name__ == "__main__":
    sys.exit(main())
