"""What is installed where the wheel is built; the one source of every version the wheel pins."""

from __future__ import annotations

import re
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from packaging.utils import canonicalize_name

from .rows import CUDA_MAJORS, CudaMajor


@dataclass(frozen=True)
class Installed:
    """Versions found; None for a distribution that is not there.

    ``executorch_build_version`` comes from ExecuTorch's own version file and keeps the label (``1.5.1+cpu``)
    that its metadata may lack. ``executorch_platform_tags`` are those of the wheel it was installed from.
    """

    executorch_version: str | None
    executorch_build_version: str | None
    executorch_platform_tags: tuple[str, ...]
    executorch_folder: Path | None
    cuda: CudaMajor | None
    cudart_version: str | None
    tensorrt_version: str | None
    torch_version: str | None


def search_path() -> list[str]:
    """Import path, then the environment that pip's build isolation hides from it but runs in."""
    paths = [*sys.path, sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    return list(dict.fromkeys(path for path in paths if path))


def read_installed(path: Sequence[str] | None = None) -> Installed:
    """Versions of the distributions on ``path`` (default: ``search_path()``), first one wins as on import."""
    found: dict[str, metadata.Distribution] = {}
    for distribution in metadata.distributions(path=list(path or search_path())):
        found.setdefault(canonicalize_name(distribution.metadata["Name"] or ""), distribution)

    def version(name: str) -> str | None:
        return found[name].version if name in found else None

    cuda = next(
        (
            c
            for c in reversed(CUDA_MAJORS.values())
            if _is_of_major(version(c.cudart_distribution), c)
        ),
        None,
    )
    executorch = found.get("executorch")
    folder = Path(str(executorch.locate_file("executorch"))) if executorch else None
    return Installed(
        executorch_version=version("executorch"),
        executorch_build_version=_build_version(folder),
        executorch_platform_tags=_platform_tags(executorch),
        executorch_folder=folder,
        cuda=cuda,
        cudart_version=version(cuda.cudart_distribution) if cuda else None,
        tensorrt_version=version(cuda.tensorrt_distribution) if cuda else None,
        torch_version=version("torch"),
    )


def _is_of_major(version: str | None, cuda: CudaMajor) -> bool:
    return version is not None and version.split(".")[0] == str(cuda.major)


def _build_version(folder: Path | None) -> str | None:
    """Read, not imported: importing would take whatever ExecuTorch is first on this process's path."""
    file = folder / "version.py" if folder else None
    if file is None or not file.is_file():
        return None
    match = re.search(
        r"""^__version__(?::\s*\w+)?\s*=\s*["']([^"']+)["']""", file.read_text(), re.MULTILINE
    )
    return match[1] if match else None


def _platform_tags(distribution: metadata.Distribution | None) -> tuple[str, ...]:
    text = distribution.read_text("WHEEL") if distribution else None
    tags = re.findall(r"^Tag:\s*(\S+)", text or "", re.MULTILINE)
    return tuple(sorted({tag.split("-", 2)[2] for tag in tags}))
