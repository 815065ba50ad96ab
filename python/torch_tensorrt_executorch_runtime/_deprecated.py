"""What version 0.1.0 offered, on top of ExecuTorch's own runtime."""

from __future__ import annotations

import importlib.util
import inspect
import threading
import warnings
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from ._record import installed_version
from ._registration import BACKEND_NAME
from .errors import DelegateLoadError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from os import PathLike
    from types import ModuleType

_REPLACEMENTS = {
    "BACKEND_NAME": 'the text "TensorRTBackend"',
    "DelegateCompatibilityError": "torch_tensorrt_executorch_runtime.errors.DelegateLoadError",
    "Program": "executorch.runtime.Program",
    "activate": "import torch_tensorrt_executorch_runtime",
    "get_runtime": "executorch.runtime.Runtime.get()",
    "load": 'torch_tensorrt.load(path, format="executorch")',
}

_forwarding = threading.local()


@runtime_checkable
class Program(Protocol):
    """What ``load`` returns: tensors in, tensors out, on the CPU."""

    @property
    def method_names(self) -> Collection[str]: ...

    def run(self, inputs: Sequence[Any], method: str = "forward") -> Sequence[Any]: ...

    def forward(self, *inputs: Any) -> Sequence[Any]: ...


def activate() -> ModuleType:
    """ExecuTorch's native module. Importing the package has registered the delegate with it already."""
    from importlib import import_module

    return import_module("executorch.extension.pybindings.portable_lib")


def get_runtime() -> Any:
    """ExecuTorch's runtime, which has the delegate."""
    from executorch.runtime import Runtime

    return Runtime.get()


def load(path: str | PathLike[str]) -> Program:
    """``torch_tensorrt.load(path, format="executorch")``.

    Raises ImportError when Torch-TensorRT is absent or too old for it; one that fails to import raises its own error.
    """
    if importlib.util.find_spec("torch_tensorrt") is None:
        raise ImportError(
            "load() forwards to Torch-TensorRT, which is not installed. Install it with: "
            "python -m pip install torch-tensorrt",
            name="torch_tensorrt",
        )
    import torch_tensorrt

    version = (
        getattr(torch_tensorrt, "__version__", None)
        or installed_version("torch-tensorrt")
        or "unknown"
    )
    forward = getattr(torch_tensorrt, "load", None)
    # 2.14 has the argument and comes back here with it, so it is too old as well.
    is_called_back = getattr(_forwarding, "active", False)
    if forward is None or "format" not in inspect.signature(forward).parameters or is_called_back:
        raise ImportError(
            f"Torch-TensorRT {version} is too old to load ExecuTorch programs by itself. Upgrade "
            "it with: "
            "python -m pip install --upgrade torch-tensorrt",
            name="torch_tensorrt",
        )
    _forwarding.active = True
    try:
        program: Program = forward(path, format="executorch")
    finally:
        _forwarding.active = False
    return program


_NAMES: dict[str, Any] = {
    "BACKEND_NAME": BACKEND_NAME,
    "DelegateCompatibilityError": DelegateLoadError,
    "Program": Program,
    "activate": activate,
    "get_runtime": get_runtime,
    "load": load,
}


def lookup(module: str, name: str) -> Any:
    """A deprecated name for a module's ``__getattr__``, with its warning at the line that asked for it."""
    if name not in _NAMES:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    warnings.warn(
        f"{module}.{name} is deprecated since 0.2.0; use {_REPLACEMENTS[name]}",
        DeprecationWarning,
        stacklevel=3,
    )
    return _NAMES[name]
