"""Names of version 0.1.0. Each warns when it is used and says what to use instead."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._deprecated import Program as Program
    from ._deprecated import activate as activate
    from ._deprecated import get_runtime as get_runtime
    from ._deprecated import load as load
    from ._registration import BACKEND_NAME as BACKEND_NAME
    from .errors import DelegateLoadError as DelegateCompatibilityError  # noqa: F401


def __getattr__(name: str) -> Any:
    # Private names first: they are submodules on their way in, and nothing deprecated.
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ._deprecated import lookup

    return lookup(__name__, name)
