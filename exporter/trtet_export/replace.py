"""Writing a file beside its target and moving it into place only when it has proved itself."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from trtet_export.errors import ExportError


@contextlib.contextmanager
def candidate(target: Path, content: bytes) -> Iterator[Path]:
    """Yields a file with the content in the target's folder; leaving normally replaces the target.

    Leaving by any exception removes the file and leaves the target as it was, byte for byte.
    """
    if target.is_dir():
        raise ExportError(f"{target}: is a folder; wanted the path of a file to write")
    if not target.parent.is_dir():
        raise ExportError(f"{target.parent}: no such folder; create it or choose another")
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".tmp")
    except OSError as error:
        raise ExportError(f"{target.parent}: cannot be written to: {error.strerror}") from error
    path = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        path.chmod(_mode_for(target))
        yield path
        path.replace(target)
    finally:
        path.unlink(missing_ok=True)


def _mode_for(target: Path) -> int:
    """The old file's mode, or what open() would have given a new one; mkstemp's is 0600."""
    if target.exists():
        return target.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
