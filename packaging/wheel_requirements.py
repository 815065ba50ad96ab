"""What the wheel asks for, computed from what is installed where it is built; the only source of its pins.

Also a dynamic-metadata provider of scikit-build-core: it fills ``project.dependencies``.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.version import Version
from packaging_checks.installed import Installed, read_installed
from packaging_checks.policy import BACKEND_NAME
from packaging_checks.recipe import ROW_VARIABLE
from packaging_checks.rows import CudaMajor, label_major, row_name

ROOT = Path(__file__).resolve().parent.parent
# The release policy lies beside this folder, which is all that a build backend's path has.
sys.path.append(str(ROOT))
from release import part_install_arguments  # noqa: E402

INDEX_VARIABLE = "TRTET_WHEEL_INDEX"
INDEXES = ("pytorch", "pypi")
TENSORRT_SONAME_MAJOR = 11  # of the interface compiled against, tensorrt_interface/


class BuildRefused(Exception):
    """The wheel cannot be built here; the message says what was seen, what is allowed and the remedy."""


@dataclass(frozen=True)
class Pairing:
    """What one wheel is paired with. ``index`` is where it is meant to go."""

    index: str
    executorch_version: str  # as its metadata says; the label is often missing there
    executorch_build_version: str
    executorch_platform_tags: tuple[str, ...]
    cuda: CudaMajor
    cudart_version: str
    tensorrt_version: str
    torch_tested: str
    row: str
    notes: tuple[str, ...] = ()  # for the build log

    @property
    def executorch_requirement(self) -> str:
        version = Version(self.executorch_version)
        return f"executorch=={version.public if self.index == 'pypi' else version}"

    @property
    def requirements(self) -> list[str]:
        return [
            self.executorch_requirement,
            f"{self.cuda.tensorrt_distribution}=={self.tensorrt_version}",
            f"{self.cuda.cudart_distribution}=={self.cudart_version}",
            "torch",
        ]

    def record(self, version: str) -> dict[str, Any]:
        """The build record that travels in the wheel."""
        executorch, tensorrt, cudart, _ = self.requirements
        arguments = part_install_arguments(executorch.partition("==")[2], self.row)
        return {
            "format": 1,
            "version": version,
            "backend": BACKEND_NAME,
            "index": self.index,
            "cuda": {"row": self.row, "major": self.cuda.major},
            "executorch": {
                "distribution": "executorch",
                "version": self.executorch_version,
                "build_version": self.executorch_build_version,
                "requirement": executorch,
                "platform_tags": list(self.executorch_platform_tags),
                "install_arguments": arguments["executorch"],
            },
            "tensorrt": {
                "distribution": self.cuda.tensorrt_distribution,
                "version": self.tensorrt_version,
                "requirement": tensorrt,
                "soname": f"libnvinfer.so.{TENSORRT_SONAME_MAJOR}",
                "folder": "tensorrt_libs",
                "install_arguments": arguments["tensorrt"],
            },
            "cuda_runtime": {
                "distribution": self.cuda.cudart_distribution,
                "version": self.cudart_version,
                "requirement": cudart,
                "soname": self.cuda.cudart_soname,
                "folder": self.cuda.cudart_folder,
            },
            "torch": {
                "distribution": "torch",
                "tested": self.torch_tested,
                "requirement": f"torch=={Version(self.torch_tested).public}",
                "install_arguments": arguments["torch"],
            },
        }


def pair(installed: Installed, index: str, wanted_row: str | None = None) -> Pairing:
    """The pairing for an environment. Raises BuildRefused when a part is missing or of another CUDA row."""
    pins = json.loads((ROOT / "packaging" / "pins.json").read_text())
    notes: list[str] = []
    if index not in INDEXES:
        raise BuildRefused(f"index is {index!r}; allowed: {', '.join(INDEXES)}")
    if installed.executorch_version is None or installed.executorch_build_version is None:
        raise BuildRefused(
            "no ExecuTorch is installed in the build environment; install the one to pair with, "
            "for example: "
            f"python -m pip install executorch=={executorch_pin()}"
        )
    cuda, cudart_version = installed.cuda, installed.cudart_version
    if cuda is None or cudart_version is None:
        raise BuildRefused(
            "no CUDA runtime is installed in the build environment; install that of the row, for "
            "example: "
            "python -m pip install 'nvidia-cuda-runtime<14'"
        )
    tensorrt_version = installed.tensorrt_version
    if tensorrt_version is None:
        tensorrt_version = str(pins["tensorrt"][str(cuda.major)])
        notes.append(
            f"{cuda.tensorrt_distribution} is not installed here; its pin {tensorrt_version} "
            "comes from "
            "packaging/pins.json"
        )
    torch_tested = installed.torch_version
    if torch_tested is None:
        torch_tested = str(pins["torch"])
        notes.append(
            f"torch is not installed here; {torch_tested} as the tested one comes from "
            "packaging/pins.json"
        )
    label = Version(installed.executorch_build_version).local
    row = label if label and label_major(label) else row_name(cudart_version)
    if wanted_row and wanted_row != row:
        raise BuildRefused(
            f"{ROW_VARIABLE} is {wanted_row}; the environment is of row {row} (ExecuTorch "
            f"{installed.executorch_build_version}, {cuda.cudart_distribution} "
            f"{cudart_version}); install that row"
        )
    return Pairing(
        index,
        installed.executorch_version,
        installed.executorch_build_version,
        installed.executorch_platform_tags,
        cuda,
        cudart_version,
        tensorrt_version,
        torch_tested,
        row,
        tuple(notes),
    )


def pair_here() -> Pairing:
    """The pairing of this environment, as TRTET_WHEEL_INDEX and TRTET_CUDA_ROW ask for it."""
    index = os.environ.get(INDEX_VARIABLE, INDEXES[0])
    return pair(read_installed(), index, os.environ.get(ROW_VARIABLE))


def executorch_pin() -> str:
    """ExecuTorch's version for an environment that has none; the release policy's own file."""
    return str(json.loads((ROOT / "release" / "pin.json").read_text())["version"])


def build_requirements(installed: Installed) -> list[str]:
    """What an isolated build environment must get, because no ExecuTorch or CUDA runtime is visible from it."""
    pins = json.loads((ROOT / "packaging" / "pins.json").read_text())
    missing = []
    if installed.executorch_version is None:
        missing.append(f"executorch=={executorch_pin()}")
    if installed.cudart_version is None:
        missing.append(f"nvidia-cuda-runtime=={pins['cuda_runtime']['13']}")
    return missing


def dynamic_metadata(settings: Mapping[str, Any], project: Mapping[str, Any]) -> dict[str, Any]:
    """scikit-build-core asks for the fields this provider fills."""
    return {"dependencies": pair_here().requirements}


def dynamic_wheel(settings: Mapping[str, Any]) -> dict[str, bool]:
    """A source distribution says that its wheels may ask for something else than it does."""
    return {"dependencies": True}
