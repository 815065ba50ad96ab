"""PEP 517 backend of the tool's wheel: scikit-build-core, then the last steps of every wheel."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scikit_build_core import build as skbuild

ROOT = Path(__file__).resolve().parents[2]
# A backend path may not leave its project, and what all wheels share lies one folder up.
sys.path.insert(0, str(ROOT / "packaging"))

from packaging_checks.installed import read_installed  # noqa: E402
from packaging_checks.policy import DISTRIBUTION  # noqa: E402
from wheel_finish import finish, log, refuse  # noqa: E402
from wheel_requirements import build_requirements  # noqa: E402

Settings = dict[str, Any]


def get_requires_for_build_wheel(config_settings: Settings | None = None) -> list[str]:
    """As for the runtime wheel: the ExecuTorch of the environment, else the pinned one."""
    required = skbuild.get_requires_for_build_wheel(config_settings)
    return [*required, *build_requirements(read_installed())]


def prepare_metadata_for_build_wheel(
    directory: str, config_settings: Settings | None = None
) -> str:
    return skbuild.prepare_metadata_for_build_wheel(directory, config_settings)


def build_wheel(
    directory: str, config_settings: Settings | None = None, metadata_directory: str | None = None
) -> str:
    """The wheel's file name; exits with every finding printed when a guard refuses it."""
    os.environ.setdefault("SOURCE_DATE_EPOCH", "315619200")
    folder = read_installed().executorch_folder
    if folder is None:
        refuse("no ExecuTorch is installed in the build environment")
    with tempfile.TemporaryDirectory() as scratch:
        settings = {**_source(folder), **(config_settings or {})}
        built = Path(scratch) / skbuild.build_wheel(scratch, settings, None)
        return finish(built, Path(directory), os.environ.get("TRTET_PLATFORM_TAG"))


def _source(executorch_folder: Path) -> Settings:
    """Where the executable comes from: the build tree here, if of this ExecuTorch, else the sources."""
    tree = ROOT / "build" / "default"
    cache = tree / "CMakeCache.txt"
    match = (
        re.search(r"^executorch_DIR:PATH=(.+)$", cache.read_text(), re.M)
        if cache.is_file()
        else None
    )
    if match and executorch_folder.resolve() in Path(match[1]).resolve().parents:
        log(f"takes the executable from {tree.relative_to(ROOT)}")
        return {
            "cmake.source-dir": "from_build_tree",
            "cmake.define.TRTET_BUILD_TREE": str(tree),
            "build-dir": "../../build/tool-wheel-from-tree",
        }
    return {"cmake.define.executorch_DIR": str(executorch_folder / "share" / "cmake")}


def build_sdist(directory: str, config_settings: Settings | None = None) -> str:
    refuse("the tool is built from the repository and has no source distribution of its own")


def dynamic_metadata(settings: Mapping[str, Any], project: Mapping[str, Any]) -> dict[str, Any]:
    """scikit-build-core asks for the one requirement: the runtime wheel of this very version."""
    return {"dependencies": [f"{DISTRIBUTION}=={project['version']}"]}
