"""Importing the package in fresh environments: it loads, or says what is wrong and the command that helps."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from environments import make_environment

REGISTERED = """
from torch_tensorrt_executorch_runtime import _libraries
print(_libraries.is_registered('TensorRTBackend'))
"""
MAPPED = """
import os
paths = {line.split(maxsplit=5)[5].strip() for line in open('/proc/self/maps') if '.so' in line}
print(sorted(p for p in paths if os.path.basename(p) == %r))
"""


def c_library(path: Path, code: str, soname: str) -> Path:
    source = path.with_suffix(".c")
    path.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(code)
    subprocess.run(
        ["cc", "-shared", "-fPIC", f"-Wl,-soname,{soname}", "-o", path, source], check=True
    )
    return path


def tensorrt_that_says(version: int, path: Path) -> Path:
    code = f"""
    int getInferLibVersion(void) {{ return {version}; }}
    int getInferLibMajorVersion(void) {{ return {version} / 10000; }}
    int getInferLibMinorVersion(void) {{ return {version} / 100 % 100; }}
    int getInferLibPatchVersion(void) {{ return {version} % 100; }}
    int getInferLibBuildVersion(void) {{ return 7; }}
    void* createInferRuntime_INTERNAL(void* logger, int v) {{ return 0; }}
    """
    return c_library(path, code, "libnvinfer.so.11")


def test_it_registers(environment):
    done = environment.load(REGISTERED)
    assert (done.code, done.out.strip(), done.err) == (0, "True", "")


def test_it_imports_neither_torch_nor_heavy_modules(environment):
    done = environment.load(
        "import sys; print(sorted({'torch', 'dataclasses', 'importlib.metadata'} & "
        "set(sys.modules)))"
    )
    assert done.out.strip() == "[]", done


def test_twice_and_in_a_subprocess(environment):
    again = (
        "import importlib, subprocess, sys\n"
        "importlib.reload(torch_tensorrt_executorch_runtime)\n"
        "sys.exit(subprocess.run([sys.executable, '-c', 'import "
        "torch_tensorrt_executorch_runtime']).returncode)"
    )
    done = environment.load(again)
    assert (done.code, done.err) == (0, "")


def test_under_importtime(environment):
    done = environment.run("-X", "importtime", "-c", "import torch_tensorrt_executorch_runtime")
    assert done.code == 0
    assert "torch_tensorrt_executorch_runtime._registration" in done.err


def test_spaces_in_the_path(tmp_path, wheel, parts):
    spaced = make_environment(tmp_path / "with some spaces").unpack([wheel, *parts.all()])
    assert spaced.load(REGISTERED).out.strip() == "True"
    error = spaced.remove("torch", "torch-*").load()
    assert f"'{spaced.python}' -m pip install" in error.command


# What is taken away or exchanged, what the error names, and what must be true afterwards.
MISSING = {
    "executorch": (
        ["executorch*"],
        ["ExecuTorch is not installed", "built for 1.5.1+cpu"],
        "executorch==1.5.1",
    ),
    "torch": (["torch", "torch-*"], ["PyTorch is not installed", "tested with 2."], "torch==2."),
    "tensorrt": (
        ["tensorrt_*"],
        ["libnvinfer.so.11", "tensorrt-cu13 is not installed", "11.4.0.106"],
        "tensorrt-cu13==11.4.0.106",
    ),
    "cuda_runtime": (
        ["nvidia*"],
        ["libcudart.so.13", "nvidia-cuda-runtime is not installed", "13.0.96"],
        "nvidia-cuda-runtime==13.0.96",
    ),
}


@pytest.mark.parametrize("part", MISSING)
def test_a_missing_part_is_named_and_its_command_works(tmp_path, wheel, parts, part):
    environment = make_environment(tmp_path / "venv", with_pip=True).unpack([wheel, *parts.all()])
    patterns, texts, requirement = MISSING[part]
    done = environment.remove(*patterns).load()
    assert done.code == 1
    assert "errors.PartMissingError" in done.err
    for text in texts:
        assert text in done.err, done.err
    assert requirement in done.command
    assert run_command(environment, done.command, parts).code == 0
    assert environment.load(REGISTERED).out.strip() == "True"


def run_command(environment, command: str, parts):
    return environment.run(
        "-c",
        f"import subprocess, sys; sys.exit(subprocess.call({command!r}, shell=True))",
        variables={**parts.pip_variables, "PATH": "/usr/bin:/bin"},
    )


def other_executorch(parts):
    return [parts.executorch("1.5.0", "1.5.0+cpu")], ["executorch*"]


def other_flavour(parts):
    return [parts.executorch("1.5.1", "1.5.1+cu130")], ["executorch*"]


def other_tensorrt(parts):
    return parts.tensorrt("10.13.3.9", "libnvinfer.so.10"), ["tensorrt_*"]


def other_cudart(parts):
    return [parts.cudart("12.9.79", "nvidia/cuda_runtime/lib/libcudart.so.12")], ["nvidia*"]


@pytest.mark.parametrize(
    ("exchange", "part", "texts"),
    [
        (
            other_executorch,
            "executorch",
            ["ExecuTorch 1.5.0+cpu is installed", "built for 1.5.1+cpu"],
        ),
        # pip finds executorch==1.5.1 satisfied, so only a forced reinstallation helps.
        (
            other_flavour,
            "executorch",
            ["ExecuTorch 1.5.1+cu130 is installed", "built for 1.5.1+cpu"],
        ),
        (
            other_tensorrt,
            "tensorrt",
            ["tensorrt-cu13 10.13.3.9 is installed", "tensorrt-cu13 11.4.0.106"],
        ),
        (other_cudart, "cuda_runtime", ["nvidia-cuda-runtime 12.9.79 is installed", "13.0.96"]),
    ],
)
def test_a_mismatched_part_is_named_and_its_command_works(
    tmp_path, wheel, parts, exchange, part, texts
):
    environment = make_environment(tmp_path / "venv", with_pip=True).unpack([wheel, *parts.all()])
    wrong, patterns = exchange(parts.elsewhere())
    environment.remove(*patterns).unpack(wrong)
    done = environment.load()
    assert "errors.PartMismatchError" in done.err
    for text in texts:
        assert text in done.err, done.err
    assert str(environment.python) in done.command
    fixed = run_command(environment, done.command, parts)
    assert fixed.code == 0, fixed
    assert environment.load(REGISTERED).out.strip() == "True"


def test_the_error_carries_its_parts_as_attributes(environment, parts):
    environment.remove("executorch*").unpack([parts.elsewhere().executorch("1.5.0", "1.5.0+cpu")])
    code = """
try:
    import torch_tensorrt_executorch_runtime
except ImportError as error:
    from torch_tensorrt_executorch_runtime.errors import DelegateLoadError
    assert isinstance(error, DelegateLoadError)
    print(error.part, error.recorded, error.installed, error.path, bool(error.command))
"""
    done = environment.run("-c", code)
    assert done.out.split()[:3] == ["executorch", "1.5.1+cpu", "1.5.0+cpu"], done
    assert done.out.split()[3:] == [str(environment.site / "executorch"), "True"]


def test_a_tensorrt_of_another_major_behind_the_right_name(environment, tmp_path):
    liar = tensorrt_that_says(120100, tmp_path / "other" / "libnvinfer.so.11")
    done = environment.load(variables={"LD_LIBRARY_PATH": str(liar.parent)})
    assert "errors.PartMismatchError" in done.err
    assert f"TensorRT 12.1.0.7 is loaded from {liar}" in done.err
    assert "tensorrt-cu13 11.4.0.106, another major version" in done.err


def test_a_tensorrt_of_another_minor_is_a_warning(environment, tmp_path):
    library = tensorrt_that_says(110200, tmp_path / "other" / "libnvinfer.so.11")
    done = environment.load(REGISTERED, variables={"LD_LIBRARY_PATH": str(library.parent)})
    assert (done.code, done.out.strip()) == (0, "True")
    assert f"VersionWarning: TensorRT 11.2.0.7 is loaded from {library}" in done.err


def test_a_cuda_runtime_of_another_minor_is_a_warning(environment, parts):
    """The stand-in says 13.0; the record is edited, since nothing else says otherwise."""
    record = environment.site / "torch_tensorrt_executorch_runtime" / "build_record.json"
    record.write_text(record.read_text().replace('"version": "13.0.', '"version": "13.2.'))
    done = environment.load()
    assert "VersionWarning: the CUDA runtime 13.0 is loaded from" in done.err
    record.write_text(record.read_text().replace('"version": "13.2.', '"version": "12.2.'))
    assert "another major version" in environment.load().err


def test_a_library_that_pip_lost(environment):
    done = environment.remove("tensorrt_libs/libnvinfer.so.11").load()
    assert (
        "libnvinfer.so.11 (TensorRT) is missing though tensorrt-cu13 11.4.0.106 is installed"
        in done.err
    )
    assert "--force-reinstall" in done.command


def test_an_executorch_without_its_library(environment):
    done = environment.remove("executorch/lib/libexecutorch.so").load()
    assert "libexecutorch.so is missing from" in done.err
    assert "--force-reinstall" in done.command


def test_a_package_without_its_library(environment):
    done = environment.remove("torch_tensorrt_executorch_runtime/lib/*.so").load()
    assert "libexecutorch_backend_tensorrt.so is missing" in done.err


def test_a_library_that_does_not_load_shows_the_loaders_words(environment):
    library = environment.site / "tensorrt_libs" / "libnvinfer.so.11"
    library.write_bytes(b"no library")
    done = environment.load()
    assert "does not load" in done.err and "libnvinfer.so.11" in done.err
    assert "Traceback" in done.err and "executorch_backend_tensorrt" in done.err


def test_a_delegate_that_registers_nothing(environment):
    """As one that is bound to another ExecuTorch: the copies in the process are named."""
    folder = environment.site / "torch_tensorrt_executorch_runtime" / "lib"
    name = "libexecutorch_backend_tensorrt.so"
    c_library(folder / name, "int nothing;", name)
    done = environment.load()
    assert "ExecuTorch has no backend TensorRTBackend: 1 ExecuTorch libraries" in done.err
    assert str(environment.site / "executorch" / "lib" / "libexecutorch.so") in done.err
    assert done.command.endswith("-m torch_tensorrt_executorch_runtime")


@pytest.mark.parametrize("ours_first", [True, False])
def test_two_site_folders(tmp_path, wheel, parts, ours_first):
    """User site beside system site: no run path leads from the one to the other."""
    environment = make_environment(tmp_path / "venv")
    second = tmp_path / "second site"
    here, there = ([wheel], parts.all()) if ours_first else (parts.all(), [wheel])
    environment.unpack(here).unpack(there, second)
    (environment.site / "second.pth").write_text(f"{second}\n")
    assert environment.load(REGISTERED).out.strip() == "True"


def test_user_site_beside_system_site(tmp_path, wheel, parts):
    system = make_environment(tmp_path / "venv").unpack(parts.all())
    config = system.folder / "pyvenv.cfg"
    config.write_text(config.read_text().replace("packages = false", "packages = true"))
    minor = system.site.parent.name
    system.unpack([wheel], tmp_path / "user" / "lib" / minor / "site-packages")
    done = system.load(
        REGISTERED + "\nprint(torch_tensorrt_executorch_runtime.__file__)",
        variables={"PYTHONUSERBASE": str(tmp_path / "user")},
    )
    assert done.out.split()[0] == "True", done
    assert str(tmp_path / "user") in done.out


@pytest.mark.parametrize(
    "path", ["nvidia/cuda_runtime/lib/libcudart.so.13", "nvidia/cu13_next/lib64/libcudart.so.13"]
)
def test_another_layout_of_the_cuda_wheels(environment, parts, path):
    environment.remove("nvidia*").unpack([parts.elsewhere().cudart(path=path)])
    done = environment.load(REGISTERED + (MAPPED % "libcudart.so.13"))
    assert done.out.split("\n")[0] == "True", done
    assert str(environment.site / path) in done.out


@pytest.mark.parametrize("soname", ["libcudart.so.13", "libnvinfer.so.11"])
@pytest.mark.parametrize("in_one_site", [True, False])
def test_never_a_second_copy(tmp_path, wheel, parts, soname, in_one_site):
    """A library that is in the process already stays the only one of its name."""
    environment = make_environment(tmp_path / "venv")
    environment.unpack([wheel, parts.executorch(), parts.torch()])
    site = environment.site if in_one_site else tmp_path / "second"
    environment.unpack([*parts.tensorrt(), parts.cudart()], site)
    (environment.site / "second.pth").write_text(f"{site}\n")
    other = tmp_path / "own" / soname
    other.parent.mkdir()
    other.write_bytes((parts.standins / soname).read_bytes())
    cudart = site / "nvidia/cu13/lib/libcudart.so.13"
    needed = [str(cudart)] if soname != cudart.name else []
    code = (
        f"import ctypes\nfor path in {[*needed, str(other)]!r}: ctypes.CDLL(path)\n"
        "import torch_tensorrt_executorch_runtime\n" + MAPPED % soname
    )
    done = environment.run("-c", code)
    assert done.out.strip() == repr([str(other)]), done


def test_executorch_is_the_one_beside_its_python(tmp_path, wheel, parts):
    """Two ExecuTorch libraries are in reach; the run path's is not the one that Python imports."""
    environment = make_environment(tmp_path / "venv").unpack([wheel, *parts.all()])
    first = tmp_path / "first"
    environment.unpack([parts.executorch()], first)
    code = f"import sys\nsys.path.insert(0, {str(first)!r})\n"
    code += "import torch_tensorrt_executorch_runtime\n"
    done = environment.run("-c", code + MAPPED % "libexecutorch.so")
    assert done.out.strip() == repr([str(first / "executorch" / "lib" / "libexecutorch.so")]), done
