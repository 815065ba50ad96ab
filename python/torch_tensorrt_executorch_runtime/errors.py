"""Why the delegate cannot be used, as types."""

from __future__ import annotations


class DelegateLoadError(ImportError):
    """The delegate cannot be loaded or used here.

    Attributes:
        part: what is missing or wrong: ``executorch``, ``tensorrt``, ``cuda_runtime``, ``torch``
        or ``delegate``.
        recorded: its version when this wheel was built, or None.
        installed: its version found here, or None when there is none.
        path: the file concerned, or None.
        command: one shell command that puts it right, or None.
    """

    def __init__(
        self,
        message: str,
        *,
        part: str,
        recorded: str | None = None,
        installed: str | None = None,
        path: str | None = None,
        command: str | None = None,
    ) -> None:
        super().__init__(f"{message}\nFix it with: {command}" if command else message, path=path)
        self.part = part
        self.recorded = recorded
        self.installed = installed
        self.command = command


class PartMissingError(DelegateLoadError):
    """Something the delegate needs is not installed."""


class PartMismatchError(DelegateLoadError):
    """Something the delegate needs is there in another build or version than the one built for."""


class VersionWarning(UserWarning):
    """A library of another minor version than the one built for is loaded; it may well work."""
