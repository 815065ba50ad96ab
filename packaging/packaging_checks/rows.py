"""CUDA rows: what one major of CUDA means for names, folders and sonames."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LABEL = re.compile(r"cu(\d{2})(\d)")


@dataclass(frozen=True)
class CudaMajor:
    """Names that change with CUDA's major version, and with nothing else."""

    major: int
    tensorrt_distribution: str
    cudart_distribution: str
    cudart_soname: str
    cudart_folder: str  # in site-packages


CUDA_MAJORS = {
    12: CudaMajor(
        12,
        "tensorrt-cu12",
        "nvidia-cuda-runtime-cu12",
        "libcudart.so.12",
        "nvidia/cuda_runtime/lib",
    ),
    13: CudaMajor(13, "tensorrt-cu13", "nvidia-cuda-runtime", "libcudart.so.13", "nvidia/cu13/lib"),
}


def label_major(label: str) -> int | None:
    """CUDA's major version of a local version label; None for one that names no row (``cpu``, ``custom``).

    The whole label counts: ``cu13x`` begins with the right letters and names no row.
    """
    match = _LABEL.fullmatch(label)
    return int(match[1]) if match else None


def row_name(cuda_version: str) -> str:
    """``13.0.96`` -> ``cu130``."""
    major, minor = cuda_version.split(".")[:2]
    return f"cu{major}{minor}"


def distribution_major(name: str) -> int | None:
    """CUDA's major of a requirement this wheel may have; None for any other name."""
    for cuda in CUDA_MAJORS.values():
        if name in (cuda.tensorrt_distribution, cuda.cudart_distribution):
            return cuda.major
    return None


def soname_major(soname: str) -> int | None:
    """CUDA's major of a needed library; None where the name is not CUDA runtime's."""
    match = re.fullmatch(r"libcudart\.so\.(\d+)", soname)
    return int(match[1]) if match else None
