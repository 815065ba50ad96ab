"""Shared libraries of this process: which are loaded, from where, and which version they say they are."""

from __future__ import annotations

import ctypes
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

EXECUTORCH = "libexecutorch.so"

# Folders in site-packages that hold the libraries, beside those that a RECORD file may name.
_KNOWN_FOLDERS = (
    "tensorrt_libs",
    "nvidia/cu13/lib",
    "nvidia/cu12/lib",
    "nvidia/cuda_runtime/lib",
)


class _SymbolInfo(ctypes.Structure):
    _fields_ = [
        ("file_name", ctypes.c_char_p),
        ("file_base", ctypes.c_void_p),
        ("symbol_name", ctypes.c_char_p),
        ("symbol_address", ctypes.c_void_p),
    ]


def load(path: str) -> ctypes.CDLL:
    """dlopen; OSError with the loader's own text when it fails."""
    return ctypes.CDLL(path, mode=os.RTLD_NOW | os.RTLD_LOCAL)


def loaded(soname: str) -> ctypes.CDLL | None:
    """The library of that soname that is in the process already; never loads one."""
    try:
        return ctypes.CDLL(soname, mode=os.RTLD_NOW | os.RTLD_NOLOAD)
    except OSError:
        return None


def path_of(library: ctypes.CDLL, symbol: str) -> str | None:
    """The file that ``symbol`` of ``library`` comes from."""
    try:
        address = ctypes.cast(getattr(library, symbol), ctypes.c_void_p)
        dladdr = ctypes.CDLL(None).dladdr
    except AttributeError:
        return None
    info = _SymbolInfo()
    dladdr.argtypes = (ctypes.c_void_p, ctypes.POINTER(_SymbolInfo))
    if not dladdr(address, ctypes.byref(info)) or not info.file_name:
        return None
    return os.path.realpath(os.fsdecode(info.file_name))


def tensorrt_version(library: ctypes.CDLL) -> tuple[int, ...] | None:
    """Major, minor, patch as the loaded library says, and its build number where it tells."""
    try:
        number = int(library.getInferLibVersion())
    except AttributeError:
        return None
    version = (number // 10000, number // 100 % 100, number % 100)
    try:
        return (*version, int(library.getInferLibBuildVersion()))
    except AttributeError:
        return version


def cuda_runtime_version(library: ctypes.CDLL) -> tuple[int, ...] | None:
    """Major and minor as the loaded library says; touches no driver."""
    number = ctypes.c_int()
    try:
        if library.cudaRuntimeGetVersion(ctypes.byref(number)) != 0:
            return None
    except AttributeError:
        return None
    return (number.value // 1000, number.value % 1000 // 10)


def is_registered(backend: str) -> bool | None:
    """Whether the ExecuTorch in this process knows ``backend``; None when it cannot be asked."""
    library = loaded(EXECUTORCH)
    if library is None:
        return False
    try:
        find = library._ZN10executorch7runtime17get_backend_classEPKc
    except AttributeError:
        return None
    find.restype = ctypes.c_void_p
    find.argtypes = (ctypes.c_char_p,)
    return bool(find(backend.encode()))


def mapped_paths(name: str) -> list[str]:
    """Every file called ``name`` that is mapped into this process; two mean two copies."""
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as file:
        fields = (line.rstrip("\n").split(maxsplit=5) for line in file)
        paths = {parts[5] for parts in fields if len(parts) == 6 and parts[5].startswith("/")}
    return sorted(path for path in paths if os.path.basename(path) == name)


def find_installed(soname: str, distribution: str) -> Iterator[str]:
    """Files called ``soname``: those of ``distribution`` and its parts, then known folders on the import path."""
    seen: set[str] = set()
    for path in [*_in_distributions(soname, distribution), *_in_known_folders(soname)]:
        real = os.path.realpath(path)
        if real not in seen and os.path.isfile(path):
            seen.add(real)
            yield path


def _in_distributions(soname: str, distribution: str) -> Iterator[str]:
    from importlib import metadata

    prefix = distribution.replace("_", "-").lower()
    for found in metadata.distributions():
        name = (found.metadata["Name"] or "").replace("_", "-").lower()
        # tensorrt-cu13 keeps its libraries in tensorrt-cu13-libs.
        if name == prefix or name.startswith(f"{prefix}-"):
            for file in found.files or ():
                if file.name == soname:
                    yield str(found.locate_file(file))


def _in_known_folders(soname: str) -> Iterable[str]:
    return (
        os.path.join(root, folder, soname) for root in sys.path if root for folder in _KNOWN_FOLDERS
    )
