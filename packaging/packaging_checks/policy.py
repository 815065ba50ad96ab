"""What may be shipped, as data. Checks read it and hold no names or numbers of their own."""

from __future__ import annotations

from dataclasses import dataclass

PACKAGE = "torch_tensorrt_executorch_runtime"
DISTRIBUTION = "torch-tensorrt-executorch-runtime"
LIBRARY = "libexecutorch_backend_tensorrt.so"
CMAKE_PACKAGE = "executorch_backend_tensorrt"
BACKEND_NAME = "TensorRTBackend"
RECORD_FILE = f"{PACKAGE}/build_record.json"


@dataclass(frozen=True)
class LibraryPolicy:
    """Rules for the shared library."""

    name: str
    size_budget_bytes: int
    needed_allowed: frozenset[str]
    needed_required: frozenset[str]
    needed_forbidden_prefixes: tuple[str, ...]  # named on their own: the most likely accident
    run_path_required: tuple[str, ...]  # one of cudart_run_paths comes on top
    run_path_allowed: frozenset[str]
    imports_required: dict[str, str]  # mangled name -> what a person calls it
    # Required where ExecuTorch has no caller-stream guard of its own, allowed where it has one.
    exports: frozenset[str]
    caller_stream_libraries: frozenset[str]
    private_runtime_markers: tuple[bytes, ...]


@dataclass(frozen=True)
class WheelPolicy:
    """Rules for the wheel around it."""

    distribution: str
    size_budget_bytes: int
    python_tag: str
    abi_tag: str
    files: frozenset[str]  # beside the .dist-info folder
    dist_info_files: frozenset[str]


_SITE = "$ORIGIN/../.."  # from <site-packages>/<package>/lib

LIBRARY_POLICY = LibraryPolicy(
    name=LIBRARY,
    size_budget_bytes=100_000,
    needed_allowed=frozenset(
        {
            "libexecutorch.so",
            "libexecutorch_extension_cuda.so",
            "libextension_cuda.so",
            "libexecutorch_threadpool.so",
            "libnvinfer.so.10",
            "libnvinfer.so.11",
            "libcudart.so.12",
            "libcudart.so.13",
            "libstdc++.so.6",
            "libgcc_s.so.1",
            "libm.so.6",
            "libc.so.6",
            "libpthread.so.0",
            "libdl.so.2",
            "librt.so.1",
            "ld-linux-x86-64.so.2",
            "ld-linux-aarch64.so.1",
        }
    ),
    needed_required=frozenset({"libexecutorch.so", "libstdc++.so.6", "libgcc_s.so.1", "libc.so.6"}),
    needed_forbidden_prefixes=("libtorch", "libc10", "libshm", "libtorch_tensorrt", "libtorchtrt"),
    run_path_required=(f"{_SITE}/executorch/lib", f"{_SITE}/tensorrt_libs"),
    run_path_allowed=frozenset({"$ORIGIN"}),
    imports_required={
        "_ZN10executorch7runtime16register_backendERKNS0_7BackendE": (
            "executorch::runtime::register_backend"
        )
    },
    exports=frozenset(
        {
            "_ZN10executorch9extension4cuda15getCallerStreamEv",
            "_ZN10executorch9extension4cuda17CallerStreamGuardC1EP11CUstream_st",
            "_ZN10executorch9extension4cuda17CallerStreamGuardC2EP11CUstream_st",
            "_ZN10executorch9extension4cuda17CallerStreamGuardD1Ev",
            "_ZN10executorch9extension4cuda17CallerStreamGuardD2Ev",
        }
    ),
    caller_stream_libraries=frozenset({"libexecutorch_extension_cuda.so", "libextension_cuda.so"}),
    # A line of libsupc++'s terminate handler: only a static copy of the C++ runtime brings it
    # along.
    private_runtime_markers=(b"terminate called after throwing an instance of",),
)

_PYTHON_FILES = (
    "__init__.py",
    "__main__.py",
    "_deprecated.py",
    "_libraries.py",
    "_loading.py",
    "_record.py",
    "_registration.py",
    "_report.py",
    "build_record.json",
    "errors.py",
    "py.typed",
    "runtime.py",
)
_CMAKE_FILES = (
    f"lib/{LIBRARY}",
    f"lib/cmake/{CMAKE_PACKAGE}/{CMAKE_PACKAGE}-config.cmake",
    f"lib/cmake/{CMAKE_PACKAGE}/{CMAKE_PACKAGE}-config-version.cmake",
    f"include/{CMAKE_PACKAGE}/caller_stream.h",
    f"include/{CMAKE_PACKAGE}/options.h",
)

WHEEL_POLICY = WheelPolicy(
    distribution=DISTRIBUTION,
    size_budget_bytes=100_000,
    python_tag="py3",
    abi_tag="none",
    files=frozenset(f"{PACKAGE}/{name}" for name in (*_PYTHON_FILES, *_CMAKE_FILES)),
    dist_info_files=frozenset(
        {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"}
    ),
)
