"""The CMake package, consumed by a project outside the tree against the installed wheel."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from environments import (
    PACKAGE,
    Done,
    Environment,
    cmake,
    make_environment,
    run,
    with_executorch,
)

CONSUMER = Path(__file__).parent / "consumer"
PROGRAMS = [
    "app_default",
    "app_no_as_needed",
    "app_as_needed",
    "app_gc_sections",
    "app_lto",
    "app_through_public",
    "app_through_private",
    "folder/app_in_folder",
]


@pytest.fixture
def broken(moved, tmp_path):
    """A copy of the moved environment, that a test may damage."""
    shutil.copytree(moved.folder, tmp_path / "venv", symlinks=True)
    return Environment(tmp_path / "venv")


def configure(
    environment: Environment, build: Path, *options: str, generator: str = "Ninja"
) -> Done:
    package = environment.site / PACKAGE / "lib" / "cmake" / "executorch_backend_tensorrt"
    prefix = f"-DCMAKE_PREFIX_PATH={environment.site};{package}"
    return cmake("-S", CONSUMER, "-B", build, "-G", generator, prefix, *options)


@pytest.mark.parametrize("generator", ["Ninja", "Unix Makefiles"])
def test_a_consumer_builds_and_runs(moved, tmp_path, generator):
    configured = configure(moved, tmp_path, generator=generator)
    assert configured.code == 0, configured
    built = cmake("--build", tmp_path, "--verbose")
    assert built.code == 0, built.out[-3000:] + built.err[-3000:]
    assert "not found (try using -rpath" not in built.out + built.err
    results = {program: run(tmp_path / program).out.strip() for program in PROGRAMS}
    assert results == dict.fromkeys(PROGRAMS, "registered")


def test_linking_needs_neither_cuda_nor_tensorrt(tmp_path, wheel, parts):
    """Installed with --no-deps beside ExecuTorch: the rest is needed on the machine that runs it."""
    environment = make_environment(tmp_path / "venv").unpack([wheel, parts.executorch()])
    with_executorch(environment)
    build = tmp_path / "build"
    configured = configure(environment, build, "-DCMAKE_EXE_LINKER_FLAGS=-Wl,--fatal-warnings")
    assert configured.code == 0, configured
    built = cmake("--build", build, "--target", *PROGRAMS[:-1], "app_in_folder")
    assert built.code == 0, built.out[-3000:] + built.err[-3000:]
    # The needs are still recorded, so the loader asks for them by name where they are missing.
    assert "libexecutorch_backend_tensorrt.so" in needed(build / "app_default")


def needed(program: Path) -> list[str]:
    from packaging_checks.elf_facts import read_elf

    return list(read_elf(program.name, program.read_bytes()).needed)


def test_an_installed_application_finds_its_libraries(broken, tmp_path):
    """In the environment's bin and in a package of the same site-packages, by origin alone."""
    build = tmp_path / "build"
    assert configure(broken, build).code == 0
    assert cmake("--build", build, "--target", "app_default").code == 0
    for prefix in (broken.folder, broken.site / "my_app"):
        done = cmake("-DCMAKE_INSTALL_PREFIX=" + str(prefix), "-P", build / "cmake_install.cmake")
        assert done.code == 0, done
    shutil.rmtree(build)
    away = tmp_path / "away"
    shutil.move(broken.folder, away)
    programs = [path for path in away.rglob("app_default") if path.is_file()]
    assert len(programs) == 2
    for program in programs:
        assert run(program).out.strip() == "registered", program


# As scikit-build-core asks: it loads the entry point for its folder.
ASK = """
from importlib import metadata, resources
(found,) = metadata.entry_points(group="cmake.prefix")
print(resources.files(found.load()))
"""


@pytest.mark.parametrize("lacks", ["", "tensorrt_libs", "nvidia"])
def test_a_build_learns_the_folder_whatever_else_is_missing(broken, lacks):
    if lacks:
        broken.remove(lacks)
    done = broken.run("-c", ASK)
    folder = Path(done.out.strip() or "nowhere") / "lib" / "cmake" / "executorch_backend_tensorrt"
    assert folder.is_dir(), done
    # Only the question is answered: a program that needs the delegate hears of what is missing.
    assert broken.load().code == (1 if lacks else 0)
    done = broken.run(
        "-c",
        ASK + "from torch_tensorrt_executorch_runtime import _libraries\n"
        "print(_libraries.loaded('libexecutorch_backend_tensorrt.so'))",
    )
    assert done.out.splitlines()[-1] == "None", done


def test_the_folder_that_the_package_prints_is_enough(moved, tmp_path):
    printed = moved.run("-m", PACKAGE, "--cmake-dir").out.strip()
    assert Path(printed).is_dir()
    for option in (
        f"-DCMAKE_PREFIX_PATH={printed};{moved.site}",
        f"-Dexecutorch_backend_tensorrt_DIR={printed}",
    ):
        extra = [] if "PREFIX" in option else [f"-DCMAKE_PREFIX_PATH={moved.site}"]
        done = cmake(
            "-S",
            CONSUMER,
            "-B",
            tmp_path / option[2:30].replace("=", ""),
            "-G",
            "Ninja",
            option,
            *extra,
        )
        assert done.code == 0, done


def test_executorch_beside_it_is_found_by_itself(moved, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.28)\nproject(p CXX)\n"
        "find_package(executorch_backend_tensorrt REQUIRED)\n"
        "get_target_property(where executorch::runtime IMPORTED_LOCATION)\n"
        'message(STATUS "runtime ${where} for ${EXECUTORCH_BACKEND_TENSORRT_BUILT_FOR}, '
        'version ${executorch_backend_tensorrt_VERSION}")\n'
    )
    printed = moved.run("-m", PACKAGE, "--cmake-dir").out.strip()
    done = cmake(
        "-S", tmp_path, "-B", tmp_path / "b", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={printed}"
    )
    assert f"runtime {moved.site}/executorch" in done.out.replace("share/cmake/../../", ""), done
    assert "for 1.5.1+cpu, version 0.2.0" in done.out


def test_a_decoy_does_not_satisfy_it(broken, tmp_path):
    library = broken.site / PACKAGE / "lib" / "libexecutorch_backend_tensorrt.so"
    for place in (
        broken.site / PACKAGE,
        broken.site,
        broken.site / "executorch" / "lib",
        library.parent / "cmake",
    ):
        shutil.copy(library, place)
    assert configure(broken, tmp_path / "own").code == 0
    library.unlink()
    done = configure(broken, tmp_path / "decoy")
    assert done.code != 0
    flat = " ".join(done.err.split())
    assert f"{library} is missing, and no other copy will do" in flat
    assert "--force-reinstall --no-deps torch-tensorrt-executorch-runtime" in flat


def test_another_executorch_is_refused_with_both_versions(broken, tmp_path):
    version = "executorch-config-version.cmake"
    for file in (broken.site / "executorch").rglob(version):
        file.write_text(file.read_text().replace('"1.5.1+cpu"', '"1.5.1+cu130"'))
    done = configure(broken, tmp_path / "build")
    assert done.code != 0
    flat = " ".join(done.err.split())
    assert "it was built for ExecuTorch 1.5.1+cpu" in flat
    assert "is 1.5.1+cu130" in flat


def test_no_executorch(broken, tmp_path):
    shutil.rmtree(broken.site / "executorch")
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.28)\nproject(p CXX)\n"
        "find_package(executorch_backend_tensorrt)\n"
        'message(STATUS "found: ${executorch_backend_tensorrt_FOUND}")\n'
        "find_package(executorch_backend_tensorrt REQUIRED)\n"
    )
    printed = broken.site / PACKAGE / "lib" / "cmake" / "executorch_backend_tensorrt"
    done = cmake(
        "-S", tmp_path, "-B", tmp_path / "b", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={printed}"
    )
    assert "found: 0" in done.out  # an optional search gets its answer
    assert done.code != 0
    assert "ExecuTorch 1.5.1+cpu is needed and no ExecuTorch was found" in " ".join(
        done.err.split()
    )


@pytest.mark.parametrize(("wanted", "code"), [("0.2", 0), ("0.3", 1), ("1.0", 1)])
def test_a_version_can_be_asked_for(moved, tmp_path, wanted, code):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.28)\nproject(p CXX)\n"
        f"find_package(executorch_backend_tensorrt {wanted} REQUIRED)\n"
    )
    printed = moved.site / PACKAGE / "lib" / "cmake" / "executorch_backend_tensorrt"
    done = cmake(
        "-S", tmp_path, "-B", tmp_path / "b", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={printed}"
    )
    assert (done.code != 0) == bool(code), done


def test_no_path_of_the_build_machine_is_inside(wheel, tmp_path):
    import zipfile

    from conftest import ROOT

    places = {str(ROOT), str(Path(sys.prefix).resolve()), str(Path.home()), "/tmp/"}
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            data = archive.read(name)
            for place in places - {"/", "/root"}:
                assert place.encode() not in data, (name, place)


def old_cmake(version: str) -> Path:
    """An older CMake from the package index, kept in .cache/."""
    from conftest import ROOT

    folder = ROOT / ".cache" / f"cmake-{version}"
    program = folder / "cmake" / "data" / "bin" / "cmake"
    if not program.exists():
        command = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "-q",
            "--target",
            folder,
            f"cmake=={version}.*",
        ]
        done = subprocess.run(
            [str(c) for c in command], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            pytest.skip(
                f"CMake {version} is not to be had here: {done.stderr.strip().splitlines()[-1]}"
            )
    os.chmod(program, 0o755)
    return program


@pytest.mark.parametrize(("version", "works"), [("3.28", True), ("3.27", False)])
def test_the_oldest_cmake(moved, tmp_path, version, works):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(p CXX)\n"
        "find_package(executorch_backend_tensorrt REQUIRED)\n"
        f"add_executable(app {CONSUMER}/main.cpp)\n"
        "target_link_libraries(app PRIVATE executorch::runtime executorch::backend_tensorrt)\n"
    )
    printed = moved.site / PACKAGE / "lib" / "cmake" / "executorch_backend_tensorrt"
    program, variables = (
        old_cmake(version),
        {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"},
    )
    done = run(
        program,
        "-S",
        tmp_path,
        "-B",
        tmp_path / "b",
        "-G",
        "Ninja",
        f"-DCMAKE_PREFIX_PATH={printed}",
        variables=variables,
    )
    if not works:
        assert done.code != 0
        assert f"CMake is {version}" in done.err and "needs 3.28 or newer" in " ".join(
            done.err.split()
        )
        return
    assert done.code == 0, done
    built = run(program, "--build", tmp_path / "b", variables=variables)
    assert built.code == 0, built
    assert run(tmp_path / "b" / "app").out.strip() == "registered"
