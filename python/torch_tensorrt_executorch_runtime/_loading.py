"""Brings the delegate into the process, and the libraries it needs from wherever pip put them."""

from __future__ import annotations

import os
import shlex
import sys

from . import _libraries
from ._record import BuildRecord, Part, installed_version, package_file
from .errors import DelegateLoadError, PartMismatchError, PartMissingError

LIBRARY = "libexecutorch_backend_tensorrt.so"

TITLES = {
    "executorch": "ExecuTorch",
    "tensorrt": "TensorRT",
    "cuda_runtime": "the CUDA runtime",
    "torch": "PyTorch",
}


def load_delegate(record: BuildRecord) -> None:
    """Loads the delegate. Raises DelegateLoadError when it, or a library it needs, does not load.

    What the process has already comes first, then LD_LIBRARY_PATH, the delegate's own
    site-packages, other folders of the import path, and the system's libraries last.
    """
    path = package_file("lib", LIBRARY)
    site = os.path.dirname(os.path.dirname(os.path.dirname(path)))
    # TensorRT may need the CUDA runtime itself, so that comes first.
    for part in (record.cuda_runtime, record.tensorrt):
        if not _is_in_reach(part, site):
            _preload(part)
    try:
        _libraries.load(path)
    except OSError as error:
        raise _unloadable(record, path, str(error)) from None


def _is_in_reach(part: Part, site: str) -> bool:
    """Whether the loader finds it by itself where it should: loaded, or on one of its two paths."""
    folders = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    folders = [folder for folder in folders if folder] + [os.path.join(site, part.folder)]
    return _libraries.loaded(part.soname) is not None or any(
        os.path.exists(os.path.join(folder, part.soname)) for folder in folders
    )


def _preload(part: Part) -> None:
    """The loader then finds the soname in the process; where pip has none it may be the system's."""
    problem = None
    for candidate in _libraries.find_installed(part.soname, part.distribution):
        try:
            _libraries.load(candidate)
            return
        except OSError as error:
            problem = error
    if problem is not None:
        raise PartMismatchError(
            f"{part.soname} ({TITLES[part.name]}) was found and does not load: {problem}; "
            f"{_built_for(part)}.",
            part=part.name,
            recorded=part.version,
            installed=installed_version(part.distribution),
            command=part.command(reinstall=True),
        )


def _missing(part: Part) -> DelegateLoadError:
    installed = installed_version(part.distribution)
    what = f"{part.soname} ({TITLES[part.name]}) is missing"
    if installed is None:
        return PartMissingError(
            f"{what}: {part.distribution} is not installed; {_built_for(part)}.",
            part=part.name,
            recorded=part.version,
            command=part.command(),
        )
    if installed.split(".")[0] != part.version.split(".")[0]:
        return PartMismatchError(
            f"{what}: {part.distribution} {installed} is installed; {_built_for(part)}.",
            part=part.name,
            recorded=part.version,
            installed=installed,
            command=part.command(),
        )
    # The file may belong to a part of the distribution, so what it depends on is reinstalled too.
    return PartMissingError(
        f"{what} though {part.distribution} {installed} is installed; {_built_for(part)}.",
        part=part.name,
        recorded=part.version,
        installed=installed,
        command=part.command(reinstall=True, with_dependencies=True),
    )


def _built_for(part: Part) -> str:
    return f"this delegate was built for {part.distribution} {part.version}"


def _unloadable(record: BuildRecord, path: str, text: str) -> DelegateLoadError:
    """The loader's own words, unless they say that a part is missing."""
    soname = text.partition(": cannot open shared object file")[0]
    for part in (record.tensorrt, record.cuda_runtime):
        if soname == part.soname:
            return _missing(part)
    reinstall = (
        f"{shlex.quote(sys.executable)} -m pip install --force-reinstall --no-deps "
        f"torch-tensorrt-executorch-runtime=={record.version}"
    )
    if not os.path.exists(path):
        return PartMissingError(
            f"{path} is missing: this package was not installed from its wheel.",
            part="delegate",
            recorded=record.version,
            path=path,
            command=reinstall,
        )
    return DelegateLoadError(
        f"{path} does not load: {text}. It was built for ExecuTorch "
        f"{record.executorch_build_version}, "
        f"{record.tensorrt.distribution} {record.tensorrt.version}, "
        f"{record.cuda_runtime.distribution} {record.cuda_runtime.version}.",
        part="delegate",
        recorded=record.version,
        path=path,
        command=f"{shlex.quote(sys.executable)} -m {__package__}",
    )
