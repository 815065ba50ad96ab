"""Options of one export."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trtet_export.errors import ExportError

if TYPE_CHECKING:
    from executorch.exir.backend.partitioner import Partitioner

# A value passes when |got - want| <= tolerance * max(1, |want|), as in `trtet run --tolerance`.
DEFAULT_TOLERANCE = 1e-5

# TensorRT documents this alignment for every address; planned so, buffers are bound in place.
TENSORRT_ALIGNMENT_BYTES = 256


@dataclass(frozen=True)
class ExportOptions:
    """How a program is lowered.

    builder: "standin" (plans for the TensorRT stand-in) or "torch-tensorrt" (real engines).
    device: "cuda:N" marks the delegate's inputs and outputs as memory of that GPU, so that
        ExecuTorch places copies around it; None leaves them in host memory.
    delegate_modules: dotted prefixes of sub-modules to delegate; empty means all of them.
    other_partitioners: take what this delegate leaves, e.g. XNNPACK's.
    alignment_bytes: alignment of planned memory, a power of two from 16.
    """

    builder: str = "standin"
    device: str | None = "cuda:0"
    delegate_modules: tuple[str, ...] = ()
    other_partitioners: Sequence[Partitioner] = ()
    alignment_bytes: int = TENSORRT_ALIGNMENT_BYTES

    def __post_init__(self) -> None:
        if self.device is not None and not re.fullmatch(r"cuda:(0|[1-9][0-9]{0,4})", self.device):
            raise ExportError(
                f"device: got {self.device!r}; wanted 'cuda:N' with a decimal index, "
                "or None for programs that keep their tensors in host memory"
            )
        alignment = self.alignment_bytes
        if alignment < 16 or alignment & (alignment - 1):
            raise ExportError(
                f"alignment_bytes: got {alignment}; wanted a power of two from 16 up "
                f"({TENSORRT_ALIGNMENT_BYTES} binds buffers in place)"
            )

    @property
    def device_id(self) -> int:
        """The GPU the engines are for; 0 when the program is not tagged."""
        return int(self.device.split(":")[1]) if self.device else 0
