"""What this wheel was built for, as the build recorded it."""

from __future__ import annotations

import json
import os
import shlex
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FILE_NAME = "build_record.json"


class Part:
    """One part the delegate was built against: its distribution, version, soname and install command."""

    def __init__(self, name: str, data: dict[str, Any]) -> None:
        self.name = name
        self.distribution: str = data["distribution"]
        self.version: str = data["version"]
        self.soname: str = data.get("soname", "")
        self.folder: str = data.get("folder", "")  # of its library, in site-packages
        self.requirement: str = data["requirement"]
        self.install_arguments: list[str] = data.get("install_arguments", [])

    def command(self, *, reinstall: bool = False, with_dependencies: bool = False) -> str:
        """A shell command for this interpreter.

        ``reinstall`` for a wrong build whose version satisfies pip; it leaves what that build
        depends on alone.
        """
        extra = ["--force-reinstall"] if reinstall else []
        extra += ["--no-deps"] if reinstall and not with_dependencies else []
        # "==" admits every label of a version and pip takes the highest; "===" admits this one.
        requirement = self.requirement.replace("==", "===") if reinstall else self.requirement
        words = [sys.executable, "-m", "pip", "install", *extra, requirement]
        words += self.install_arguments
        return " ".join(shlex.quote(word) for word in words)


class BuildRecord:
    """Versions and names recorded at build time. Immutable by convention; read once per process."""

    def __init__(self, path: str) -> None:
        with open(path, encoding="utf-8") as file:
            self.data: dict[str, Any] = json.load(file)
        self.path = path
        self.version: str = self.data["version"]
        self.cuda_row: str = self.data["cuda"]["row"]
        self.executorch_build_version: str = self.data["executorch"]["build_version"]
        self.torch_tested: str | None = self.data["torch"]["tested"]
        self.executorch = Part("executorch", self.data["executorch"])
        self.tensorrt = Part("tensorrt", self.data["tensorrt"])
        self.cuda_runtime = Part("cuda_runtime", self.data["cuda_runtime"])
        self.torch = Part("torch", {"version": self.torch_tested or "", **self.data["torch"]})


def package_file(*parts: str) -> str:
    """A file of this package; an editable install spreads the package over two folders.

    Returns where it should be when it is nowhere.
    """
    folders = list(sys.modules[__package__ or __name__.rpartition(".")[0]].__path__)
    candidates = [os.path.join(folder, *parts) for folder in folders]
    return next((path for path in candidates if os.path.exists(path)), candidates[0])


def read_record() -> BuildRecord:
    """The record of the installed wheel."""
    return BuildRecord(package_file(FILE_NAME))


def installed_version(distribution: str) -> str | None:
    from importlib import metadata

    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None
