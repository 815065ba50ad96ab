"""The rules of docs/architecture.md about what may include what, read from the compiler's own dependency output."""

from __future__ import annotations

import functools
import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "default"

# Stages in the order of the data, each with its helpers; one includes only its own, earlier ones and base/.
STAGES = [
    {"blob"},
    {"metadata", "metadata_handler"},
    {"load_options"},
    {"engine", "bindings", "activation", "plan_tag"},
    {"shapes", "arguments", "profiles", "stream_work"},
    {"placement", "staging"},
    {"launch", "graph_cache", "profiling"},
    {"backend", "device_allocator"},
]
# Beside the way: known to no stage by more than its own interface.
BESIDE = {"caller_stream"}

# folder -> folders of this repository whose headers it may include (its own always).
FOLDERS = {
    "tensorrt_interface": set(),
    "src": {"include", "tensorrt_interface"},
    "standins": {"tensorrt_interface"},
    "tools": {"include", "src", "tensorrt_interface"},
    "benchmarks": {"include", "src", "tensorrt_interface", "standins", "tools", "tests"},
    "tests": {"include", "src", "tensorrt_interface", "standins", "tools"},
}


def compile_commands() -> list[dict]:
    path = BUILD / "compile_commands.json"
    if not path.exists():
        pytest.fail(f"{path} is missing; run make build")
    return json.loads(path.read_text())


@functools.cache
def ninja_deps() -> dict[str, list[Path]]:
    """output -> what the preprocessor really opened for it."""
    listing = subprocess.run(
        ["ninja", "-C", str(BUILD), "-t", "deps"], capture_output=True, text=True, check=True
    ).stdout
    found: dict[str, list[Path]] = {}
    for paragraph in listing.split("\n\n"):
        head, *lines = paragraph.splitlines() or [""]
        # Absolute lines stay as they are.
        found[head.partition(":")[0]] = [BUILD / line.strip() for line in lines]
    return found


def opened_files(command: dict) -> list[Path]:
    # CMake 4 writes the output's whole path, ninja knows it by its path inside the build tree.
    output = os.path.relpath(BUILD / command["output"], BUILD)
    assert ninja_deps().get(output), f"ninja knows nothing of {output}; run make build"
    return ninja_deps()[output]


def included_files(command: dict) -> set[Path]:
    """Those of them that are this repository's."""
    inside = {path.resolve() for path in opened_files(command) if ROOT in path.resolve().parents}
    return {path for path in inside if BUILD not in path.parents and ".venv" not in path.parts}


@pytest.fixture(scope="module")
def includes() -> dict[Path, set[Path]]:
    found = {}
    for command in compile_commands():
        source = Path(command["file"]).resolve()
        if ROOT in source.parents and BUILD not in source.parents:
            found[source.relative_to(ROOT)] = {p.relative_to(ROOT) for p in included_files(command)}
    assert found, "no translation unit of this repository was compiled"
    return found


def test_folders_include_only_what_the_architecture_allows(includes):
    wrong = [
        f"{source} includes {header}"
        for source, headers in includes.items()
        for header in headers
        if header.parts[0] not in FOLDERS.get(source.parts[0], set()) | {source.parts[0]}
    ]
    assert not wrong, "\n".join(sorted(wrong))


def test_every_compiled_folder_is_in_the_table(includes):
    assert {source.parts[0] for source in includes} <= set(FOLDERS)


def test_a_stage_includes_only_earlier_stages(includes):
    def stage_of(path: Path) -> int:
        """-1 for what every stage may include."""
        return next(
            (
                i
                for i, stage in enumerate(STAGES)
                if path.parent == Path("src") and path.stem in stage
            ),
            -1,
        )

    wrong = [
        f"{source} includes {header}"
        for source, headers in includes.items()
        for header in headers
        if source.parent == Path("src") and stage_of(header) > stage_of(source)
    ]
    assert not wrong, "\n".join(sorted(wrong))


def test_every_file_of_the_delegate_belongs_to_a_stage():
    known = set().union(*STAGES) | BESIDE
    unknown = [
        p for p in (ROOT / "src").glob("*") if p.suffix in (".h", ".cpp") and p.stem not in known
    ]
    assert not unknown, unknown


def test_base_includes_no_stage(includes):
    wrong = [
        f"{source} includes {header}"
        for source, headers in includes.items()
        if source.parts[:2] == ("src", "base")
        for header in headers
        if header.parts[0] == "src" and header.parts[1] != "base"
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("stage", "forbidden"),
    [
        ("blob", ("cuda_runtime_api.h", "NvInferRuntime.h", "rapidjson")),
        ("metadata", ("cuda_runtime_api.h", "NvInferRuntime.h")),
    ],
)
def test_early_stages_know_no_vendor(stage, forbidden):
    command = next(c for c in compile_commands() if c["file"].endswith(f"/src/{stage}.cpp"))
    opened = [str(path) for path in opened_files(command)]
    assert any(path.endswith(f"{stage}.cpp") for path in opened)
    assert not [path for path in opened if any(f"/{name}" in path for name in forbidden)]


def test_every_folder_of_tests_is_run_by_a_lane():
    from tests.run_lanes import lanes

    run = {folder for lane in lanes().values() for folder in lane["pytest"]}
    with_python = {f"tests/{p.parent.name}" for p in (ROOT / "tests").glob("*/test_*.py")}
    assert with_python <= run


# Built only with TRTET_BUILD_GPU_STANDIN.
NEEDS_NVCC = {ROOT / "tests" / "standins" / "nvinfer" / "real_cuda.cpp"}


def test_every_folder_of_cpp_tests_is_built():
    sources = {Path(c["file"]).resolve() for c in compile_commands()}
    unbuilt = [
        p
        for p in (ROOT / "tests").glob("*/**/*.cpp")
        if p.resolve() not in sources and "consumer" not in p.parts and p not in NEEDS_NVCC
    ]
    assert not unbuilt, unbuilt
