"""TensorRT delegate for ExecuTorch. Importing this package registers ``TensorRTBackend``; nothing else to call.

    import torch_tensorrt_executorch_runtime  # noqa: F401
    from executorch.runtime import Runtime

    program = Runtime.get().load_program("model.pte")

Importing raises ``errors.DelegateLoadError`` when a part is missing or is not the one built for. The order with
``executorch.runtime`` does not matter. ``python -m torch_tensorrt_executorch_runtime`` prints a report.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._deprecated import Program as Program
    from ._deprecated import activate as activate
    from ._deprecated import get_runtime as get_runtime
    from ._deprecated import load as load
    from ._registration import BACKEND_NAME as BACKEND_NAME
    from .errors import DelegateLoadError as DelegateCompatibilityError  # noqa: F401


def _is_report() -> bool:
    """``python -m`` of this package: the report has to run just when loading fails."""
    is_module_run = sys.argv[:1] == ["-m"]
    return is_module_run and any(argument.endswith(__name__) for argument in sys.orig_argv)


def _is_cmake_lookup() -> bool:
    """scikit-build-core loads our entry point to learn a folder, where a build may have no TensorRT."""
    frame = sys._getframe().f_back
    while frame is not None:
        if frame.f_code.co_name == "load":
            loaded: Any = frame.f_locals.get("self")
            if type(loaded).__name__ == "EntryPoint" and loaded.group == "cmake.prefix":
                return True
        frame = frame.f_back
    return False


def __getattr__(name: str) -> Any:
    # Private names first: they are submodules on their way in, and nothing deprecated.
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ._deprecated import lookup

    return lookup(__name__, name)


if not (_is_report() or _is_cmake_lookup()):
    from ._registration import register

    register()
    del register
