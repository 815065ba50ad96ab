"""The real executable on the stand-ins, and the programs it runs."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.support import wheels

from .programs import write_all

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("TRTET_BUILD_DIR", ROOT / "build" / "default"))
EXECUTABLE = BUILD / "trtet"


class Trtet:
    """Runs the built executable; arguments may be paths or numbers."""

    def __call__(
        self,
        *arguments: object,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        timeout: float = 120,
        **options: Any,
    ) -> subprocess.CompletedProcess[str]:
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        return subprocess.run(
            self.command(*arguments),
            env=self.environment(env),
            cwd=cwd,
            text=True,
            timeout=timeout,
            **options,
        )

    def command(self, *arguments: object) -> list[str]:
        return [str(EXECUTABLE), *map(str, arguments)]

    def environment(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        # What a caller's shell says about libraries and colours is not part of a test.
        kept = {
            k: v
            for k, v in os.environ.items()
            if k not in ("LD_LIBRARY_PATH", "LD_PRELOAD", "NO_COLOR")
        }
        return {**kept, **(extra or {})}

    def json(self, *arguments: object, code: int = 0, **options: Any) -> dict[str, Any]:
        done = self(*arguments, "--json", **options)
        assert done.returncode == code, done.stderr
        document = json.loads(done.stdout)
        assert isinstance(document, dict)
        return document


@pytest.fixture(scope="session")
def trtet() -> Trtet:
    assert EXECUTABLE.exists(), f"{EXECUTABLE} is missing; run make build"
    return Trtet()


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    folder = tmp_path_factory.mktemp("programs")
    write_all(folder)

    def find(name: str) -> Path:
        path = folder / f"{name}.pte"
        assert path.exists(), name
        return path

    return find


@pytest.fixture(scope="session")
def serialization() -> ModuleType:
    return wheels.serialization()
