"""Samples of a few operators each; their plans are the stand-in's own and need no OpenVINO."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.export import Dim

from programs.definition import Case, Definition, random

_EXACT = 0.0
_MAX_BATCH = 8
_NO_COPY_BACK = "its runner has no aten::copy_, which writes the buffer back"


class AddOne(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x + 1


class Add(nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return x + y


class Multiply(nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return x * y


class Relu(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x)


class MatMul(nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return x @ y


class SumAndProduct(nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return x + y, x * y


class RunningTotal(nn.Module):
    """Adds its input to a total that the caller's memory keeps from call to call."""

    total: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("total", torch.zeros(2, 3))

    def forward(self, x: Tensor) -> Tensor:
        self.total.add_(x)
        return self.total * 2.0


def _cases(*shapes: tuple[int, ...], rounded: bool = False) -> list[Case]:
    """Random values, and the ones that the predecessor's runner always feeds."""
    values = [random(*shape, seed=i) for i, shape in enumerate(shapes)]
    if rounded:
        # Small integers: sums of products are exact in any order.
        values = [value.mul(4).round() for value in values]
    return [
        Case("random", tuple(values)),
        Case("ones", tuple(torch.ones(shape) for shape in shapes)),
    ]


def _simple(
    name: str, about: str, module: type[nn.Module], cases: Sequence[Case]
) -> list[Definition]:
    """The same graph with CUDA-tagged tensors, and with host memory throughout."""
    return [
        Definition(name, f"{about}, CUDA-tagged", module, cases, tolerance=_EXACT),
        Definition(
            f"{name}_host", f"{about}, host memory", module, cases, device=None, tolerance=_EXACT
        ),
    ]


def samples() -> list[Definition]:
    """All samples, in the order they are listed to people."""
    batch = Dim("batch", min=1, max=_MAX_BATCH)
    pair = ((2, 3), (2, 3))
    return [
        *_simple("add_one", "x + 1", AddOne, _cases((2, 3))),
        *_simple("add", "x + y", Add, _cases(*pair)),
        *_simple("multiply", "x * y", Multiply, _cases(*pair)),
        *_simple("relu", "relu(x)", Relu, _cases((4, 5))),
        *_simple("matmul", "x @ y", MatMul, _cases((2, 3), (3, 4), rounded=True)),
        Definition(
            "dynamic_batch",
            f"x + y with a batch of 1 to {_MAX_BATCH}",
            Add,
            [
                Case("batch_3", (random(3, 4), random(3, 4, seed=1))),
                Case("batch_1", (random(1, 4), random(1, 4, seed=1))),
                Case("ones", (torch.ones(_MAX_BATCH, 4), torch.ones(_MAX_BATCH, 4))),
            ],
            dynamic_shapes={"x": {0: batch}, "y": {0: batch}},
            tolerance=_EXACT,
        ),
        Definition(
            "sum_and_product", "two outputs", SumAndProduct, _cases(*pair), tolerance=_EXACT
        ),
        Definition(
            "running_total",
            "a buffer updated in place (aliased)",
            RunningTotal,
            [
                Case("first", (torch.ones(2, 3),)),
                Case("second", (torch.full((2, 3), 2.0),), continues=True),
                Case("third", (torch.full((2, 3), 3.0),), continues=True),
            ],
            tolerance=_EXACT,
            peer=_NO_COPY_BACK,
        ),
    ]
