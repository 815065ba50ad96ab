"""Programs that the export tests name on the command line, as MODULE:FUNCTION."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.export import Dim, ExportedProgram, export


class _Linear(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x: Tensor) -> Tensor:
        return torch.tanh(self.layer(x))


class _Undelegable(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.expm1(x)


class _Nonzero(nn.Module):
    """Part of it has an output whose size depends on data."""

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return x + 1, torch.nonzero(x)


class _Double(nn.Module):
    """Part of it is float64, which TensorRT has no type for."""

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return x + 1, x.double() * 2


class _CountedBatch(nn.Module):
    """Uses the batch's size as a number, once with an operator that stays outside."""

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return x.double().view(x.shape[0] * 2, 4), x + 1


class _Reshaped(nn.Module):
    """Uses the batch's size as a number, inside the delegated part only."""

    def forward(self, x: Tensor) -> Tensor:
        return (x + 1).view(x.shape[0] * 2, 4)


class _ReturnedConstant(nn.Module):
    """A constant that a delegated operator and the program's output both read."""

    scale: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("scale", torch.full((2, 3), 2.0))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return torch.relu(x) * self.scale, self.scale


class _InPlaceInput(nn.Module):
    """Writes one of its inputs."""

    def forward(self, cache: Tensor, x: Tensor) -> Tensor:
        cache.add_(x)
        return cache * 2


class _Average(nn.Module):
    """Writes a buffer that it reads through another operator first."""

    average: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("average", torch.zeros(2, 3))

    def forward(self, x: Tensor) -> Tensor:
        self.average.copy_((self.average + x) * 0.5)
        return self.average * 2


def _export(module: nn.Module, *inputs: Tensor, **dynamic: dict[int, Dim]) -> ExportedProgram:
    torch.manual_seed(0)
    return export(module.eval(), inputs, dynamic_shapes=dynamic or None)


def linear() -> ExportedProgram:
    torch.manual_seed(0)
    return _export(_Linear(), torch.randn(2, 8))


def undelegable() -> ExportedProgram:
    return _export(_Undelegable(), torch.ones(2))


def nonzero() -> ExportedProgram:
    return _export(_Nonzero(), torch.tensor([1.0, 0.0, 2.0]))


def double() -> ExportedProgram:
    return _export(_Double(), torch.ones(2, 3))


def unbounded() -> ExportedProgram:
    return _export(_Linear(), torch.ones(2, 8), x={0: Dim("batch")})


def counted_batch() -> ExportedProgram:
    return _export(_CountedBatch(), torch.ones(2, 8), x={0: Dim("batch", min=1, max=4)})


def reshaped() -> ExportedProgram:
    return _export(_Reshaped(), torch.ones(2, 8), x={0: Dim("batch", min=1, max=4)})


def returned_constant() -> ExportedProgram:
    return _export(_ReturnedConstant(), torch.ones(2, 3))


def in_place_input() -> ExportedProgram:
    return _export(_InPlaceInput(), torch.ones(2, 3), torch.ones(2, 3))


def average() -> ExportedProgram:
    return _export(_Average(), torch.ones(2, 3))


def not_a_program() -> str:
    return "nothing"
