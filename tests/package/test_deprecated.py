"""Names of 0.1.0 stay importable, warn, and forward; where Torch-TensorRT fails it is clear how."""

from __future__ import annotations

import pytest

PACKAGE = "torch_tensorrt_executorch_runtime"
NAMES = ["load", "Program", "get_runtime", "activate", "BACKEND_NAME", "DelegateCompatibilityError"]

LOADER = """
class Program:
    method_names = ("forward",)
    def run(self, inputs, method="forward"): return inputs
    def forward(self, *inputs): return inputs

def load(file_path="", extra_files=None, *, format=None, **kwargs):
    assert (file_path, format) == ("model.pte", "executorch")
    return Program()
"""
CALLS_BACK = """
def load(file_path="", extra_files=None, *, format=None, **kwargs):
    from torch_tensorrt_executorch_runtime.runtime import load
    return load(file_path)
"""
LOAD = "torch_tensorrt_executorch_runtime.load('model.pte')"


def torch_tensorrt(environment, code: str, version: str = "2.15.0"):
    folder = environment.site / "torch_tensorrt"
    folder.mkdir()
    (folder / "__init__.py").write_text(f"__version__ = {version!r}\n{code}")
    return environment


@pytest.mark.parametrize("module", [PACKAGE, f"{PACKAGE}.runtime"])
def test_every_name_is_there_and_warns(environment, module):
    code = f"""
import importlib, warnings
module = importlib.import_module({module!r})
for name in {NAMES!r}:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        getattr(module, name)
    (warning,) = caught
    assert warning.category is DeprecationWarning, name
    assert f"{{module.__name__}}.{{name}} is deprecated since 0.2.0; use " in str(warning.message)
    assert warning.filename == "<string>", warning.filename
"""
    done = environment.load(code)
    assert (done.code, done.err) == (0, "")


def test_they_can_be_imported_by_name(environment):
    done = environment.run("-W", "error", "-c", f"from {PACKAGE} import load")
    assert "DeprecationWarning" in done.err
    done = environment.run(
        "-c", f"from {PACKAGE}.runtime import Program, load; print(load.__name__)"
    )
    assert (done.code, done.out.strip()) == (0, "load")


def test_importing_the_package_warns_of_nothing(environment):
    done = environment.run("-W", "error", "-c", f"import {PACKAGE}, {PACKAGE}.runtime")
    assert (done.code, done.err) == (0, "")


def test_an_unknown_name_is_an_attribute_error(environment):
    done = environment.load("torch_tensorrt_executorch_runtime.lode")
    assert (
        "AttributeError: module 'torch_tensorrt_executorch_runtime' has no attribute 'lode'"
        in done.err
    )


def test_the_values(environment):
    code = f"""
assert torch_tensorrt_executorch_runtime.BACKEND_NAME == "TensorRTBackend"
from {PACKAGE}.errors import DelegateLoadError
assert torch_tensorrt_executorch_runtime.DelegateCompatibilityError is DelegateLoadError
assert issubclass(DelegateLoadError, ImportError)
"""
    assert environment.load(code).code == 0


def test_load_forwards(environment):
    torch_tensorrt(environment, LOADER)
    done = environment.load(
        f"program = {LOAD}\nprint(type(program).__module__, "
        "isinstance(program, torch_tensorrt_executorch_runtime.Program))"
    )
    assert done.out.split() == ["torch_tensorrt", "True"], done


def test_torch_tensorrt_is_imported_only_then(environment):
    torch_tensorrt(environment, LOADER)
    done = environment.load(
        f"import sys\nassert 'torch_tensorrt' not in sys.modules\n{LOAD}\n"
        "assert 'torch_tensorrt' in sys.modules"
    )
    assert done.code == 0, done


def test_torch_tensorrt_absent(environment):
    done = environment.load(LOAD)
    assert "ImportError: load() forwards to Torch-TensorRT, which is not installed" in done.err
    assert "pip install torch-tensorrt" in done.err and "--upgrade" not in done.err


@pytest.mark.parametrize(
    "code",
    [
        "",
        "def load(file_path='', extra_files=None, **kwargs): raise AssertionError('called')",
        CALLS_BACK,
    ],
    ids=["no load", "no format", "calls back"],
)
def test_torch_tensorrt_too_old(environment, code):
    done = torch_tensorrt(environment, code, "2.14.0").load(LOAD)
    assert "ImportError: Torch-TensorRT 2.14.0 is too old" in done.err, done.err
    assert "pip install --upgrade torch-tensorrt" in done.err
    assert "RecursionError" not in done.err


def test_torch_tensorrt_that_forwards_here_itself(environment):
    """2.14's own load() with format="executorch" comes to this package first."""
    torch_tensorrt(environment, CALLS_BACK, "2.14.0")
    done = environment.load(
        "import torch_tensorrt\ntorch_tensorrt.load('model.pte', format='executorch')"
    )
    assert "ImportError: Torch-TensorRT 2.14.0 is too old" in done.err


@pytest.mark.parametrize(
    "broken", ["import no_such_module", "raise ImportError('libnvinfer is unhappy')"]
)
def test_a_broken_torch_tensorrt_is_shown_as_itself(environment, broken):
    done = torch_tensorrt(environment, broken).load(LOAD)
    assert "too old" not in done.err and "not installed" not in done.err
    assert "no_such_module" in done.err or "libnvinfer is unhappy" in done.err


def test_an_error_inside_load_is_shown_as_itself_and_forgotten(environment):
    torch_tensorrt(environment, LOADER.replace("return Program()", "raise ValueError('bad file')"))
    code = f"""
for _ in range(2):
    try:
        {LOAD}
    except ValueError as error:
        print(error)
"""
    assert environment.load(code).out.split("\n")[:2] == ["bad file", "bad file"]
