"""PEP 517 backend: scikit-build-core, then the true platform tag, then every guard; a finding stops the build.

Own settings (``--config-settings``): ``index`` (pytorch | pypi), ``platform-tag`` (computed when absent),
``cuda-row`` (refuses an environment of another row). TRTET_WHEEL_INDEX, TRTET_PLATFORM_TAG and TRTET_CUDA_ROW mean
the same.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from packaging_checks.installed import read_installed
from packaging_checks.recipe import ROW_VARIABLE
from scikit_build_core import build as skbuild
from wheel_finish import finish, log, refuse
from wheel_requirements import INDEX_VARIABLE, ROOT, BuildRefused, build_requirements, pair_here

Settings = dict[str, Any]

_TAG_VARIABLE = "TRTET_PLATFORM_TAG"
_OWN_SETTINGS = {"index": INDEX_VARIABLE, "platform-tag": _TAG_VARIABLE, "cuda-row": ROW_VARIABLE}
_RECORD = ROOT / "build" / "wheel-record" / "build_record.json"


def get_requires_for_build_wheel(config_settings: Settings | None = None) -> list[str]:
    """ExecuTorch and the CUDA runtime come from the environment; only where there are none are they asked for."""
    with _settings(config_settings) as passed:
        _log_path()
        return [
            *skbuild.get_requires_for_build_wheel(passed),
            *build_requirements(read_installed()),
        ]


def get_requires_for_build_editable(config_settings: Settings | None = None) -> list[str]:
    with _settings(config_settings) as passed:
        return [
            *skbuild.get_requires_for_build_editable(passed),
            *build_requirements(read_installed()),
        ]


def get_requires_for_build_sdist(config_settings: Settings | None = None) -> list[str]:
    # The metadata of a source distribution names the pairing too, so it needs the same environment.
    with _settings(config_settings) as passed:
        return [
            *skbuild.get_requires_for_build_sdist(passed),
            *build_requirements(read_installed()),
        ]


def prepare_metadata_for_build_wheel(
    directory: str, config_settings: Settings | None = None
) -> str:
    with _settings(config_settings) as passed:
        return skbuild.prepare_metadata_for_build_wheel(directory, passed)


def prepare_metadata_for_build_editable(
    directory: str, config_settings: Settings | None = None
) -> str:
    with _settings(config_settings) as passed:
        return skbuild.prepare_metadata_for_build_editable(directory, passed)


def build_sdist(directory: str, config_settings: Settings | None = None) -> str:
    with _settings(config_settings) as passed:
        return skbuild.build_sdist(directory, passed)


def build_editable(
    directory: str, config_settings: Settings | None = None, metadata_directory: str | None = None
) -> str:
    with _settings(config_settings) as passed:
        return skbuild.build_editable(directory, _with_pairing(passed), metadata_directory)


def build_wheel(
    directory: str, config_settings: Settings | None = None, metadata_directory: str | None = None
) -> str:
    """The wheel's file name. Exits with every finding printed when a guard refuses it; nothing is left then."""
    with _settings(config_settings) as passed, tempfile.TemporaryDirectory() as scratch:
        built = Path(scratch) / skbuild.build_wheel(scratch, _with_pairing(passed), None)
        return finish(built, Path(directory), os.environ.get(_TAG_VARIABLE))


@contextlib.contextmanager
def _settings(config_settings: Settings | None) -> Iterator[Settings]:
    """Our own settings become variables, for the metadata provider too; the rest is scikit-build-core's."""
    passed = dict(config_settings or {})
    values = {var: str(passed.pop(key)) for key, var in _OWN_SETTINGS.items() if key in passed}
    values.setdefault("SOURCE_DATE_EPOCH", os.environ.get("SOURCE_DATE_EPOCH", "315619200"))
    before = {variable: os.environ.get(variable) for variable in values}
    os.environ.update(values)
    try:
        yield passed
    except BuildRefused as error:
        refuse(str(error))
    finally:
        for variable, value in before.items():
            os.environ.pop(variable, None)
            if value is not None:
                os.environ[variable] = value


def _with_pairing(passed: Settings) -> Settings:
    """Writes the build record and points CMake at the very ExecuTorch whose version was recorded."""
    pairing, installed = pair_here(), read_installed()
    for note in pairing.notes:
        log(f"note: {note}")
    log(f"requires: {', '.join(pairing.requirements)} (row {pairing.row}, for {pairing.index})")
    version = (ROOT / "version.txt").read_text().strip()
    _RECORD.parent.mkdir(parents=True, exist_ok=True)
    _RECORD.write_text(json.dumps(pairing.record(version), indent=2) + "\n")
    assert installed.executorch_folder is not None
    site = installed.executorch_folder.parent
    defines = {
        "cmake.define.executorch_DIR": str(installed.executorch_folder / "share" / "cmake"),
        "cmake.define.EXECUTORCH_BACKEND_TENSORRT_BUILD_RECORD": str(_RECORD),
    }
    cudart_root = site / Path(pairing.cuda.cudart_folder).parent
    if cudart_root.is_dir():
        defines["cmake.define.CUDA_RUNTIME_ROOT"] = str(cudart_root)
    return {**defines, **passed}


def _log_path() -> None:
    found = read_installed()
    log(f"building against ExecuTorch {found.executorch_build_version or 'to be installed'}")
