"""Tiny libraries, good or wrong in one respect, compiled where the tests run."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

from packaging_checks.policy import BACKEND_NAME, LIBRARY
from packaging_checks.rows import CUDA_MAJORS

__all__ = ["GOOD", "LibrarySpec", "build_library", "replace"]

_SOURCE = """
#include <string>

namespace executorch { namespace runtime {
struct Backend { const char* name; void* implementation; };
int register_backend(const Backend& backend);
int runtime_init();
@REGISTER@
}}

extern "C" void* createInferRuntime_INTERNAL(void*, int);
extern "C" int cudaGetDeviceCount(int*);
extern "C" int future_function();
extern "C" int c10_function();

namespace {
volatile int cleaned = 0;
const executorch::runtime::Backend backend = {"@NAME@", nullptr};
const char* volatile volatile_name = "@NAME@";
struct Cleanup { ~Cleanup() { cleaned = cleaned + 1; } };

// A destructor behind a call that may throw: the library then needs the unwinder.
int enter(int count) {
  Cleanup cleanup;
  std::string text(static_cast<std::size_t>(count), 'x');
  @EXTRA@
  executorch::runtime::runtime_init();
  return createInferRuntime_INTERNAL(nullptr, cudaGetDeviceCount(&count)) != nullptr && text.empty()
      && backend.name[0] == volatile_name[0];
}
const int registered = @CALL@;
}

#define EXPORT __attribute__((visibility("@VISIBILITY@")))
using cudaStream_t = struct CUstream_st*;
namespace executorch { namespace extension { namespace cuda {
struct Choice { cudaStream_t stream; int is_set; };
EXPORT Choice getCallerStream() { return {nullptr, enter(registered)}; }
class EXPORT CallerStreamGuard {
 public:
  explicit CallerStreamGuard(cudaStream_t stream);
  ~CallerStreamGuard();
};
CallerStreamGuard::CallerStreamGuard(cudaStream_t) {}
CallerStreamGuard::~CallerStreamGuard() {}
}}}
extern "C" {
@EXPORTS@
}
"""


@dataclass(frozen=True)
class LibrarySpec:
    """One library; the defaults describe one that every guard passes."""

    name: str = LIBRARY
    cuda_major: int = 13
    backend_name: str = BACKEND_NAME
    visibility: str = "default"
    extra_export: str = ""
    defines_register_backend: bool = False
    calls_register_backend: bool = True
    symbol_version: str = ""  # a version node no system has, as GLIBC_9.9
    needs_torch: bool = False
    without: str = ""  # a library that is left out of the link
    static_runtime: bool = False
    run_path: str | None = None  # None: the right one
    old_tag: bool = False
    padding_bytes: int = 0
    stripped: bool = True

    @property
    def right_run_path(self) -> str:
        folder = CUDA_MAJORS[self.cuda_major].cudart_folder
        parts = ("executorch/lib", "tensorrt_libs", folder)
        return ":".join(f"$ORIGIN/../../{part}" for part in parts)


GOOD = LibrarySpec()


def build_library(spec: LibrarySpec, folder: Path) -> Path:
    """Compiles ``spec`` in ``folder``; the libraries it needs are stubs that lie beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    needed, calls = _needed_stubs(spec, folder)
    source = folder / "library.cpp"
    source.write_text(_source(spec, calls))
    output = folder / spec.name
    _run(
        "c++",
        "-shared",
        "-fPIC",
        "-O1",
        "-fvisibility=hidden",
        f"-Wl,-soname,{spec.name}",
        *_flags(spec),
        "-o",
        output,
        source,
        f"-L{folder}",
        *[f"-l:{name}" for name in needed if name != spec.without],
    )
    return output


def _needed_stubs(spec: LibrarySpec, folder: Path) -> tuple[list[str], str]:
    """Names of the libraries to link, and C++ that calls those which the source does not."""
    cudart = f"libcudart.so.{spec.cuda_major}"
    # The same mangled names as ExecuTorch's: return types are no part of them.
    _stub(
        folder,
        "libexecutorch.so",
        "namespace executorch { namespace runtime { struct Backend; "
        "int register_backend(const Backend&) { return 0; } int runtime_init() { return 0; } }}",
        language="c++",
    )
    _stub(
        folder,
        "libnvinfer.so.11",
        "void* createInferRuntime_INTERNAL(void* a, int b) { return a; }",
    )
    _stub(folder, cudart, "int cudaGetDeviceCount(int* n) { return *n; }")
    needed = ["libexecutorch.so", "libnvinfer.so.11", cudart]
    calls = ""
    if spec.symbol_version:
        # Under a soname that every library may need, so that only the version is wrong.
        _stub(
            folder,
            "libm.so.6",
            "int future_function(void) { return 1; }",
            version=spec.symbol_version,
        )
        needed.append("libm.so.6")
        calls += "count += future_function();"
    if spec.needs_torch:
        _stub(folder, "libc10.so", "int c10_function(void) { return 1; }")
        needed.append("libc10.so")
        calls += "count += c10_function();"
    return needed, calls


def _flags(spec: LibrarySpec) -> list[str]:
    flags = ["-Wl,--disable-new-dtags" if spec.old_tag else "-Wl,--enable-new-dtags"]
    run_path = spec.right_run_path if spec.run_path is None else spec.run_path
    if run_path:
        flags.append(f"-Wl,-rpath,{run_path}")
    if spec.static_runtime:
        flags += ["-static-libstdc++", "-static-libgcc", "-Wl,--exclude-libs,ALL"]
    if spec.stripped:
        flags.append("-s")
    return flags


def _source(spec: LibrarySpec, extra: str) -> str:
    define = "int register_backend(const Backend& b) { return b.name != nullptr; }"
    text = _SOURCE
    padding = (
        f"EXPORT_PADDING char padding[{spec.padding_bytes}] = {{1}};" if spec.padding_bytes else ""
    )
    replacements = {
        "@REGISTER@": define if spec.defines_register_backend else "",
        "@EXTRA@": extra,
        "@CALL@": "executorch::runtime::register_backend(backend)"
        if spec.calls_register_backend
        else "1",
        "@NAME@": spec.backend_name,
        "@VISIBILITY@": spec.visibility,
        "@EXPORTS@": f'__attribute__((visibility("default"))) void {spec.extra_export}() {{}}'
        if spec.extra_export
        else "",
    }
    for mark, value in replacements.items():
        text = text.replace(mark, value)
    return text + padding.replace("EXPORT_PADDING", "__attribute__((used)) static")


def _stub(folder: Path, name: str, code: str, language: str = "c", version: str = "") -> None:
    source = folder / f"{name}.{'cpp' if language == 'c++' else 'c'}"
    source.write_text(code)
    flags = []
    if version:
        script = folder / f"{name}.map"
        script.write_text(f"{version} {{ global: *; }};\n")
        flags.append(f"-Wl,--version-script={script}")
    _run(
        "c++" if language == "c++" else "cc",
        "-shared",
        "-fPIC",
        "-nostdlib",
        f"-Wl,-soname,{name}",
        *flags,
        "-o",
        folder / name,
        source,
    )


def _run(*command: object) -> None:
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stderr}"
