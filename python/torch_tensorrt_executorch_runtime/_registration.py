"""Loads the delegate into the ExecuTorch of this process, and compares what was found with what it was built for."""

from __future__ import annotations

import importlib.util
import os
import shlex
import sys
import warnings

from . import _libraries
from ._loading import LIBRARY, TITLES, load_delegate
from ._record import BuildRecord, read_record
from .errors import DelegateLoadError, PartMismatchError, PartMissingError, VersionWarning

BACKEND_NAME = "TensorRTBackend"


def register() -> None:
    """Loads the delegate once. Raises DelegateLoadError; touches no GPU."""
    record = read_record()
    folder = check_executorch(record)
    check_torch(record)
    if _libraries.loaded(LIBRARY) is None:
        # ExecuTorch's Python binds to the copy beside itself; the delegate's run path may see another one.
        if _libraries.loaded(_libraries.EXECUTORCH) is None:
            _libraries.load(os.path.join(folder, "lib", _libraries.EXECUTORCH))
        load_delegate(record)
    for finding in loaded_mismatches(record):
        if isinstance(finding, DelegateLoadError):
            raise finding
        warnings.warn(finding, stacklevel=3)
    if _libraries.is_registered(BACKEND_NAME) is False:
        raise _not_registered()


def check_executorch(record: BuildRecord) -> str:
    """ExecuTorch's folder. Raises when it is absent or not the very build that was compiled against."""
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


def loaded_mismatches(record: BuildRecord) -> list[DelegateLoadError | VersionWarning]:
    """TensorRT and the CUDA runtime really loaded, against those built for; asked of the libraries themselves."""
    askers = (
        (record.tensorrt, _libraries.tensorrt_version, "getInferLibVersion"),
        (record.cuda_runtime, _libraries.cuda_runtime_version, "cudaRuntimeGetVersion"),
    )
    found: list[DelegateLoadError | VersionWarning] = []
    for part, ask, symbol in askers:
        library = _libraries.loaded(part.soname)
        version = ask(library) if library is not None else None
        if library is None or version is None:
            continue
        built = tuple(int(number) for number in part.version.split(".") if number.isdigit())
        seen = ".".join(map(str, version))
        path = _libraries.path_of(library, symbol)
        text = (
            f"{TITLES[part.name]} {seen} is loaded from {path}; this delegate was built for "
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
