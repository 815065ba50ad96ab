"""PEP 517 backend: scikit-build-core, then the lowest platform tag that is true of the executable."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from auditwheel.wheeltools import InWheelCtx, add_platforms
from scikit_build_core import build as skbuild

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "packaging"))

from packaging_checks.elf_facts import read_elf  # noqa: E402
from packaging_checks.platform_tags import lowest_true_tag  # noqa: E402

EXECUTABLE = "trtet/bin/trtet"

get_requires_for_build_wheel = skbuild.get_requires_for_build_wheel
prepare_metadata_for_build_wheel = skbuild.prepare_metadata_for_build_wheel


def build_wheel(
    directory: str, config_settings: dict[str, Any] | None = None, metadata_directory: str | None = None
) -> str:
    """The wheel's file name. Raises SystemExit when the executable is not in it."""
    os.environ.setdefault("SOURCE_DATE_EPOCH", "315619200")
    with tempfile.TemporaryDirectory() as scratch:
        built = Path(scratch) / skbuild.build_wheel(scratch, _settings(config_settings), None)
        with zipfile.ZipFile(built) as archive:
            if EXECUTABLE not in archive.namelist():
                raise SystemExit(f"{built.name} holds no {EXECUTABLE}; check the install rules of the component tools")
            facts = read_elf(EXECUTABLE, archive.read(EXECUTABLE))
        folder = Path(scratch) / "tagged"
        folder.mkdir()
        with InWheelCtx(built, folder / built.name) as context:
            tag, claimed = lowest_true_tag(facts), built.stem.rsplit("-", 1)[1]
            tagged = Path(add_platforms(context, [tag], {claimed} - {tag}))
        shutil.copyfile(tagged, Path(directory) / tagged.name)
        return tagged.name


def _settings(given: dict[str, Any] | None) -> dict[str, Any]:
    """Points CMake at the ExecuTorch and the CUDA runtime of this environment."""
    settings = dict(given or {})
    for module, define, place in (
        ("executorch", "executorch_DIR", "share/cmake"),
        ("nvidia.cu13", "CUDA_RUNTIME_ROOT", "."),
    ):
        try:
            spec = importlib.util.find_spec(module)
        except ModuleNotFoundError:
            spec = None
        if spec is not None and spec.submodule_search_locations:
            folder = Path(next(iter(spec.submodule_search_locations)))
            settings.setdefault(f"cmake.define.{define}", str(folder / place))
    return settings
