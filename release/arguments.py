"""A strict argument parser: whole names only, each at most once, every error names its argument."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from .refusal import Refusal


class Once(argparse.Action):
    """Stores a value or a constant; a second occurrence is an error, not an override."""

    def __init__(self, *args: Any, value: object = None, **kwargs: Any) -> None:
        self.value = value
        if value is not None:
            kwargs["nargs"] = 0
        super().__init__(*args, **kwargs)

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        given: set[str] = namespace.__dict__.setdefault("given", set())
        if self.dest in given:
            raise argparse.ArgumentError(self, "given more than once; give it once")
        given.add(self.dest)
        setattr(namespace, self.dest, values if self.value is None else self.value)


class Parser(argparse.ArgumentParser):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{**kwargs, "allow_abbrev": False})

    def value(self, name: str, help_text: str, **kwargs: Any) -> None:
        self.add_argument(name, action=Once, help=help_text, **kwargs)

    def flag(self, name: str, help_text: str) -> None:
        self.add_argument(name, action=Once, value=True, default=False, help=help_text)

    def switch(self, name: str, help_text: str) -> None:
        """--name and --no-name; None when neither is given."""
        dest = name.lstrip("-").replace("-", "_")
        self.add_argument(name, action=Once, value=True, dest=dest, help=help_text)
        off = f"--no-{name.lstrip('-')}"
        self.add_argument(off, action=Once, value=False, dest=dest, help=f"the opposite of {name}")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        # Before argparse's own order of complaints, in which a missing argument hides a wrong one.
        words = sys.argv[1:] if args is None else list(args)
        if self._subparsers is None:
            for word in words:
                if word.startswith("--") and word.split("=")[0] not in self._option_string_actions:
                    self.error(f"argument {word.split('=')[0]}: unknown; --help lists them all")
        return super().parse_known_args(words, namespace)

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {message}\n")


def read_text(path: str, subject: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Refusal(subject, f"{path} cannot be read: {error}", "a text file") from error
