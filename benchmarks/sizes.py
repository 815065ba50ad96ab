"""What is installed: files of the wheel on disk, and the wheel itself."""

from __future__ import annotations

import zipfile
from pathlib import Path

from benchmarks import peer
from benchmarks.built_wheel import built_wheel
from benchmarks.rows import Row


def unpacked_bytes(wheel: Path) -> int:
    with zipfile.ZipFile(wheel) as archive:
        return sum(entry.file_size for entry in archive.infolist())


def folder_bytes(folder: Path) -> int:
    return sum(
        path.stat().st_size
        for path in folder.rglob("*")
        if path.is_file() and path.name != ".complete"
    )


def rows() -> list[Row]:
    wheel = built_wheel()
    if wheel is None:
        raise peer.Unavailable("no wheel in dist/; run make wheel")
    theirs = folder_bytes(peer.wheel_folder(peer.RUNTIME_WHEEL))
    return [
        Row("installed size", unpacked_bytes(wheel) / 1e3, "kB", peer=theirs / 1e3),
        Row("wheel", wheel.stat().st_size / 1e3, "kB"),
    ]
