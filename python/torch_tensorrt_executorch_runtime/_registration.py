"""Loads the delegate into the ExecuTorch of this process, and compares what was found with what it
was built for.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import sys
import warnings

from . import _libraries
from ._record import BuildRecord, Part, package_file, read_record
from .errors import DelegateLoadError, PartMismatchError, PartMissingError, VersionWarning

BACKEND_NAME = "TensorRTBackend"
LIBRARY = "libexecutorch_backend_tensorrt.so"

_TITLES = {
    "executorch": "ExecuTorch",
    "tensorrt": "TensorRT",
    "cuda_runtime": "the CUDA runtime",
    "torch": "PyTorch",
}


def register() -> None:
    """Loads the delegate once. Raises DelegateLoadError; touches no GPU."""
    record = read_record()
    folder = check_executorch(record)
    check_torch(record)
    if _libraries.loaded(LIBRARY) is None:
        # ExecuTorch's Python binds to the copy beside itself; the delegate's run path may see
        # another one.
        if _libraries.loaded(_libraries.EXECUTORCH) is None:
            _libraries.load(os.path.join(folder, "lib", _libraries.EXECUTORCH))
        _load_delegate(record)
    for finding in loaded_mismatches(record):
        if isinstance(finding, DelegateLoadError):
            raise finding
        warnings.warn(finding, stacklevel=3)
    if _libraries.is_registered(BACKEND_NAME) is False:
        raise _not_registered()


def check_executorch(record: BuildRecord) -> str:
    """ExecuTorch's folder. Raises when it is absent or not the very build that was compiled
    against.
    """
    try:
        from executorch import version
    except ImportError as error:
        if error.name not in ("executorch", "executorch.version"):
            raise
        raise PartMissingError(
            "ExecuTorch is not installed; this delegate was built for "
            f"{record.executorch_build_version}.",
            part="executorch",
            recorded=record.executorch_build_version,
            command=record.executorch.command(),
        ) from None
    installed, file = version.__version__, version.__file__ or ""
    folder = os.path.dirname(file)
    if installed != record.executorch_build_version:
        raise PartMismatchError(
            f"ExecuTorch {installed} is installed ({folder}); this delegate was built for "
            f"{record.executorch_build_version}, and the two share C++ types.",
            part="executorch",
            recorded=record.executorch_build_version,
            installed=installed,
            path=folder,
            command=record.executorch.command(
                reinstall=_public(installed) == _public(record.executorch.version)
            ),
        )
    if not os.path.isfile(os.path.join(folder, "lib", _libraries.EXECUTORCH)):
        raise PartMissingError(
            f"{_libraries.EXECUTORCH} is missing from {folder}/lib; ExecuTorch {installed} is "
            "damaged.",
            part="executorch",
            recorded=record.executorch_build_version,
            installed=installed,
            path=folder,
            command=record.executorch.command(reinstall=True),
        )
    return folder


def check_torch(record: BuildRecord) -> None:
    """ExecuTorch's Python imports torch and declares it nowhere. Looked for, not imported."""
    if "torch" in sys.modules or importlib.util.find_spec("torch") is not None:
        return
    tested = f"; this delegate was tested with {record.torch_tested}" if record.torch_tested else ""
    raise PartMissingError(
        f"PyTorch is not installed, and ExecuTorch's Python runtime needs it{tested}.",
        part="torch",
        recorded=record.torch_tested,
        command=record.torch.command(),
    )


def _load_delegate(record: BuildRecord) -> None:
    path = package_file("lib", LIBRARY)
    missing: list[str] = []
    while True:
        try:
            _libraries.load(path)
            return
        except OSError as error:
            text = str(error)
        match = re.match(r"(\S+): cannot open shared object file", text)
        soname = match[1] if match else None
        part = next((p for p in (record.tensorrt, record.cuda_runtime) if p.soname == soname), None)
        if part is None or soname is None or soname in missing:
            raise _unloadable(record, path, text)
        missing.append(soname)
        _preload(part, soname)


def _preload(part: Part, soname: str) -> None:
    """The loader then finds the soname in the process and searches no further."""
    problem = None
    for candidate in _libraries.find_installed(soname, part.distribution):
        try:
            _libraries.load(candidate)
            return
        except OSError as error:
            problem = str(error)
    installed = installed_version(part.distribution)
    title = _TITLES[part.name]
    recorded = f"this delegate was built for {part.distribution} {part.version}"
    if problem is not None:
        raise PartMismatchError(
            f"{soname} ({title}) was found and does not load: {problem}; {recorded}.",
            part=part.name,
            recorded=part.version,
            installed=installed,
            command=part.command(reinstall=True),
        )
    if installed is None:
        raise PartMissingError(
            f"{soname} ({title}) is missing: {part.distribution} is not installed; {recorded}.",
            part=part.name,
            recorded=part.version,
            command=part.command(),
        )
    if installed.split(".")[0] != part.version.split(".")[0]:
        raise PartMismatchError(
            f"{soname} ({title}) is missing: {part.distribution} {installed} is installed; "
            f"{recorded}.",
            part=part.name,
            recorded=part.version,
            installed=installed,
            command=part.command(),
        )
    raise PartMissingError(
        f"{soname} ({title}) is missing though {part.distribution} {installed} is installed; "
        f"{recorded}.",
        part=part.name,
        recorded=part.version,
        installed=installed,
        command=_reinstall_with_parts(part),
    )


def _reinstall_with_parts(part: Part) -> str:
    """The distribution that holds the file may be a part of the one required, so its parts come
    along.
    """
    return part.command().replace(" install ", " install --force-reinstall ", 1)


def loaded_mismatches(record: BuildRecord) -> list[DelegateLoadError | VersionWarning]:
    """TensorRT and the CUDA runtime really loaded, against those built for; asked of the libraries
    themselves.
    """
    askers = (
        (record.tensorrt, _libraries.tensorrt_version, "getInferLibVersion"),
        (record.cuda_runtime, _libraries.cuda_runtime_version, "cudaRuntimeGetVersion"),
    )
    found: list[DelegateLoadError | VersionWarning] = []
    for part, ask, symbol in askers:
        library = _libraries.loaded(part.soname or "")
        version = ask(library) if library is not None else None
        if library is None or version is None:
            continue
        built = tuple(int(number) for number in part.version.split(".") if number.isdigit())
        seen = ".".join(map(str, version))
        path = _libraries.path_of(library, symbol)
        text = (
            f"{_TITLES[part.name]} {seen} is loaded from {path}; this delegate was built for "
            f"{part.distribution} {part.version}"
        )
        if version[0] != built[0]:
            found.append(
                PartMismatchError(
                    f"{text}, another major version.",
                    part=part.name,
                    recorded=part.version,
                    installed=seen,
                    path=path,
                    command=part.command(reinstall=True),
                )
            )
        elif version[:2] != built[:2]:
            found.append(
                VersionWarning(
                    f"{text}. Same major version, so it may work; engines may be refused."
                )
            )
    return found


def installed_version(distribution: str) -> str | None:
    from importlib import metadata

    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def _unloadable(record: BuildRecord, path: str, text: str) -> DelegateLoadError:
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


def _not_registered() -> DelegateLoadError:
    copies = _libraries.mapped_paths(_libraries.EXECUTORCH)
    return DelegateLoadError(
        f"The delegate is loaded, and ExecuTorch has no backend {BACKEND_NAME}: "
        f"{len(copies)} ExecuTorch libraries are in this process ({', '.join(copies)}).",
        part="executorch",
        path=copies[0] if copies else None,
        command=f"{shlex.quote(sys.executable)} -m {__package__}",
    )


def _public(version: str) -> str:
    return version.partition("+")[0]
