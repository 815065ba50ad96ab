"""What a person pastes into a bug report: versions, paths, GPU, registration, verdict. Raises nothing."""

from __future__ import annotations

import ctypes
import platform
import sys
from typing import Any

from . import _libraries, _loading, _registration
from ._record import BuildRecord, installed_version, package_file, read_record
from .errors import DelegateLoadError, VersionWarning

_STAND_IN_MARKS = {"cuda_runtime": "standin_cuda_set", "tensorrt": "standin_tensorrt_set"}


def collect() -> dict[str, Any]:
    """The report as JSON-ready data. ``usable`` is true only when a program could run."""
    problems: list[dict[str, str | None]] = []
    notes: list[str] = []
    report: dict[str, Any] = {
        "usable": False,
        "python": {"version": platform.python_version(), "executable": sys.executable},
        "system": {"platform": platform.platform(), "libc": " ".join(platform.libc_ver())},
        "problems": problems,
        "notes": notes,
    }
    try:
        record = read_record()
    except (OSError, ValueError, KeyError) as error:
        problems.append(_problem("delegate", f"the build record cannot be read: {error}", None))
        return report
    report["recorded"] = record.data
    report["installed"] = _installed(record)
    try:
        _register_quietly(notes)
    except DelegateLoadError as error:
        problems.append(_problem(error.part, str(error).split("\nFix it with:")[0], error.command))
    except Exception as error:  # a report must come out whatever is broken
        problems.append(_problem("delegate", f"{type(error).__name__}: {error}", None))
    _note_torch(record, report["installed"]["torch"], notes)
    report["libraries"] = _loaded(record)
    report["registered"] = _libraries.is_registered(_registration.BACKEND_NAME)
    report["gpu"] = _gpu(record, problems)
    report["stand_ins"] = [
        name for name, part in report["libraries"].items() if part and part.get("stand_in")
    ]
    if report["stand_ins"]:
        notes.append(
            f"stand-ins are in use for: {', '.join(report['stand_ins'])}; no GPU does the work"
        )
    report["usable"] = not problems and report["registered"] is not False
    return report


def _problem(part: str, message: str, command: str | None) -> dict[str, str | None]:
    return {"part": part, "message": message, "command": command}


def _register_quietly(notes: list[str]) -> None:
    import warnings

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", VersionWarning)
        _registration.register()
    notes += [str(w.message) for w in caught if issubclass(w.category, VersionWarning)]


def _installed(record: BuildRecord) -> dict[str, str | None]:
    names = {
        part.name: part.distribution
        for part in (record.executorch, record.tensorrt, record.cuda_runtime, record.torch)
    }
    versions = {name: installed_version(d) for name, d in names.items()}
    try:
        from executorch.version import __version__ as build_version
    except Exception:  # absent or damaged: the problem list says which
        build_version = None
    return {**versions, "executorch_build": build_version}


def _note_torch(record: BuildRecord, installed: str | None, notes: list[str]) -> None:
    """An older PyTorch imports, loads, and fails at the first run with a message that names no version."""
    if installed is None or not record.torch_tested:
        return
    if _minor(installed) != _minor(record.torch_tested):
        age = "older" if _minor(installed) < _minor(record.torch_tested) else "newer"
        notes.append(
            f"PyTorch {installed} is {age} than {record.torch_tested}, which this ExecuTorch was "
            "tested with; "
            "a first run that fails with a message about a tensor points here. Fix it with: "
            f"{record.torch.command()}"
        )


def _minor(version: str) -> tuple[int, ...]:
    return tuple(
        int(part) if part.isdigit() else 0 for part in version.partition("+")[0].split(".")[:2]
    )


def _loaded(record: BuildRecord) -> dict[str, Any]:
    parts: dict[str, Any] = {
        "delegate": _library(_loading.LIBRARY, "", None)
        or {"path": None, "expected": _delegate_path()},
        "executorch": _library(_libraries.EXECUTORCH, "", None),
    }
    askers = {
        "tensorrt": (record.tensorrt.soname, "getInferLibVersion", _libraries.tensorrt_version),
        "cuda_runtime": (
            record.cuda_runtime.soname,
            "cudaRuntimeGetVersion",
            _libraries.cuda_runtime_version,
        ),
    }
    for name, (soname, symbol, ask) in askers.items():
        library = _libraries.loaded(soname or "")
        if library is None:
            parts[name] = None
            continue
        version = ask(library)
        parts[name] = {
            "path": _libraries.path_of(library, symbol),
            "version": ".".join(map(str, version)) if version else None,
            "stand_in": hasattr(library, _STAND_IN_MARKS[name]),
        }
    return parts


def _library(soname: str, symbol: str, version: str | None) -> dict[str, Any] | None:
    paths = _libraries.mapped_paths(soname)
    return {"path": paths[0], "copies": paths} if paths else None


def _delegate_path() -> str:
    return package_file("lib", _loading.LIBRARY)


def _gpu(record: BuildRecord, problems: list[dict[str, str | None]]) -> dict[str, Any]:
    """Asked of the CUDA runtime that is loaded; names come from the driver where there is one."""
    library = _libraries.loaded(record.cuda_runtime.soname)
    if library is None:
        return {"count": 0, "driver": None, "devices": []}
    count, driver = ctypes.c_int(), ctypes.c_int()
    library.cudaDriverGetVersion(ctypes.byref(driver))
    code = library.cudaGetDeviceCount(ctypes.byref(count))
    if code != 0 or count.value == 0:
        library.cudaGetErrorString.restype = ctypes.c_char_p
        reason = library.cudaGetErrorString(code).decode() if code else "the driver reports none"
        problems.append(
            _problem(
                "gpu",
                f"no usable GPU: {reason}. Install NVIDIA's driver for CUDA {record.cuda_row} "
                "and make a GPU visible.",
                "nvidia-smi",
            )
        )
    text = f"{driver.value // 1000}.{driver.value % 1000 // 10}" if driver.value else None
    return {"count": count.value if code == 0 else 0, "driver": text, "devices": _device_names()}


def _device_names() -> list[str]:
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return []
    count = ctypes.c_int()
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return []
    names = []
    for index in range(count.value):
        name = ctypes.create_string_buffer(256)
        if driver.cuDeviceGetName(name, len(name), ctypes.c_int(index)) == 0:
            names.append(name.value.decode(errors="replace"))
    return names


def as_text(report: dict[str, Any]) -> str:
    """The report for people."""
    lines = [f"torch_tensorrt_executorch_runtime on Python {report['python']['version']}"]
    lines += [f"  {report['python']['executable']}", f"  {report['system']['platform']}"]
    if "recorded" in report:
        lines += ["", *_table(report)]
        lines += ["", "libraries in this process"]
        for name, part in report["libraries"].items():
            version = f" {part['version']}" if part and part.get("version") else ""
            lines.append(f"  {name:<13}{(part or {}).get('path') or 'not loaded'}{version}")
        gpu = report["gpu"]
        names = f" ({', '.join(gpu['devices'])})" if gpu["devices"] else ""
        lines += ["", f"GPUs: {gpu['count']}{names}; driver for CUDA {gpu['driver'] or 'none'}"]
        lines.append(
            f"{_registration.BACKEND_NAME} registered: {'yes' if report['registered'] else 'no'}"
        )
    lines += [f"note: {note}" for note in report["notes"]]
    for problem in report["problems"]:
        lines.append(f"problem ({problem['part']}): {problem['message']}")
        if problem["command"]:
            lines.append(f"  try: {problem['command']}")
    lines += ["", f"verdict: {'usable' if report['usable'] else 'not usable'}"]
    return "\n".join(lines)


def _table(report: dict[str, Any]) -> list[str]:
    recorded, installed = report["recorded"], report["installed"]
    rows = [
        ("", "built for", "installed"),
        ("executorch", recorded["executorch"]["build_version"], installed["executorch_build"]),
        ("tensorrt", recorded["tensorrt"]["version"], installed["tensorrt"]),
        ("cuda_runtime", recorded["cuda_runtime"]["version"], installed["cuda_runtime"]),
        ("torch", f"{recorded['torch']['tested'] or '?'} (tested)", installed["torch"]),
    ]
    return [f"  {name:<13}{built:<20}{there or 'not installed'}" for name, built, there in rows]
