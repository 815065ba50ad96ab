"""What may be shipped, as data. Checks read it and hold no names or numbers of their own."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .rows import CUDA_MAJORS

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
    needed_prefixes: tuple[str, ...]  # each must begin one needed library
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
    """Rules for the wheel around it. ``checks`` are the guards that have something to say of it."""

    distribution: str
    size_budget_bytes: int
    python_tag: str
    abi_tag: str
    files: frozenset[str]  # beside the .dist-info folder
    dist_info_files: frozenset[str]
    checks: frozenset[str]
    requires_exactly: str | None = None  # the one requirement, on this wheel's own version


_SITE = "$ORIGIN/../.."  # from <site-packages>/<package>/lib
_RUNTIMES = frozenset({"libstdc++.so.6", "libgcc_s.so.1", "libc.so.6"})
_LOADER = frozenset(
    {
        "libm.so.6",
        "libpthread.so.0",
        "libdl.so.2",
        "librt.so.1",
        "ld-linux-x86-64.so.2",
        "ld-linux-aarch64.so.1",
    }
)
_TORCH = ("libtorch", "libc10", "libshm", "libtorch_tensorrt", "libtorchtrt")
# libsupc++'s terminate handler says it: only a static copy of the C++ runtime brings it along.
_SUPCXX = (b"terminate called after throwing an instance of",)

LIBRARY_POLICY = LibraryPolicy(
    name=LIBRARY,
    size_budget_bytes=100_000,
    needed_allowed=_RUNTIMES
    | _LOADER
    | frozenset(
        {
            "libexecutorch.so",
            "libexecutorch_extension_cuda.so",
            "libextension_cuda.so",
            "libexecutorch_threadpool.so",
            "libnvinfer.so.10",
            "libnvinfer.so.11",
            "libcudart.so.12",
            "libcudart.so.13",
        }
    ),
    needed_required=_RUNTIMES,
    needed_prefixes=("libexecutorch.so", "libnvinfer.so.", "libcudart.so."),
    needed_forbidden_prefixes=_TORCH,
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
    private_runtime_markers=_SUPCXX,
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

# Guards that hold for any binary in any wheel.
_FILE_CHECKS = frozenset(
    {"contents", "tag", "symbol-versions", "private-runtime", "run-path", "needed-libraries"}
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
    checks=_FILE_CHECKS
    | frozenset({"metadata", "cuda-row", "registration", "visibility", "backend-name"}),
)

# The command-line tool opens CUDA, TensorRT and the delegate by name; it links ExecuTorch only.
TOOL = "trtet"
TOOL_POLICY = replace(
    LIBRARY_POLICY,
    name=TOOL,
    size_budget_bytes=1_500_000,
    needed_allowed=_RUNTIMES
    | _LOADER
    | frozenset(
        {
            "libexecutorch.so",
            "libexecutorch_backend_xnnpack.so",
            "libexecutorch_etdump.so",
            "libexecutorch_kernels_optimized.so",
            "libexecutorch_kernels_quantized.so",
            "libexecutorch_threadpool.so",
        }
    ),
    needed_prefixes=("libexecutorch.so", "libexecutorch_kernels_optimized.so"),
    run_path_required=(
        f"{_SITE}/executorch/lib",
        f"{_SITE}/{PACKAGE}/lib",
        f"{_SITE}/tensorrt_libs",
    ),
    run_path_allowed=frozenset({f"{_SITE}/{c.cudart_folder}" for c in CUDA_MAJORS.values()}),
    imports_required={},
)
TOOL_WHEEL_POLICY = WheelPolicy(
    distribution=TOOL,
    size_budget_bytes=700_000,
    python_tag="py3",
    abi_tag="none",
    files=frozenset({"trtet/__init__.py", "trtet/bin/trtet"}),
    dist_info_files=frozenset({"METADATA", "RECORD", "WHEEL", "entry_points.txt"}),
    checks=_FILE_CHECKS | frozenset({"tool-metadata"}),
    requires_exactly=DISTRIBUTION,
)
POLICIES = {
    DISTRIBUTION: (LIBRARY_POLICY, WHEEL_POLICY),
    TOOL: (TOOL_POLICY, TOOL_WHEEL_POLICY),
}
