"""MobileNetV3-Small after Howard et al., "Searching for MobileNetV3" (2019), table 2."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from programs.definition import random


@dataclass(frozen=True)
class _Row:
    """One bottleneck of the paper's table."""

    kernel: int
    expanded: int
    out: int
    squeezes: bool
    activation: type[nn.Module]
    stride: int


_TABLE = (
    _Row(3, 16, 16, True, nn.ReLU, 2),
    _Row(3, 72, 24, False, nn.ReLU, 2),
    _Row(3, 88, 24, False, nn.ReLU, 1),
    _Row(5, 96, 40, True, nn.Hardswish, 2),
    _Row(5, 240, 40, True, nn.Hardswish, 1),
    _Row(5, 240, 40, True, nn.Hardswish, 1),
    _Row(5, 120, 48, True, nn.Hardswish, 1),
    _Row(5, 144, 48, True, nn.Hardswish, 1),
    _Row(5, 288, 96, True, nn.Hardswish, 2),
    _Row(5, 576, 96, True, nn.Hardswish, 1),
    _Row(5, 576, 96, True, nn.Hardswish, 1),
)
_STEM, _LAST, _FEATURES = 16, 576, 1024


def _convolution(
    inputs: int,
    outputs: int,
    kernel: int,
    activation: type[nn.Module] | None,
    stride: int = 1,
    groups: int = 1,
) -> nn.Sequential:
    layers: list[nn.Module] = [
        nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(outputs),
    ]
    if activation is not None:
        layers.append(activation())
    return nn.Sequential(*layers)


class SqueezeExcite(nn.Module):
    """Scales channels by what their means say."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        squeezed = max(8, (channels // 4 + 4) // 8 * 8)
        self.scale = nn.Sequential(
            nn.AdaptiveAvgPool2d(1),
            nn.Conv2d(channels, squeezed, 1),
            nn.ReLU(),
            nn.Conv2d(squeezed, channels, 1),
            nn.Hardsigmoid(),
        )

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = x * self.scale(x)
        return out


class Bottleneck(nn.Module):
    """Expand, convolve per channel, squeeze-and-excite, project; residual where shapes allow."""

    def __init__(self, inputs: int, row: _Row) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        if row.expanded != inputs:
            layers.append(_convolution(inputs, row.expanded, 1, row.activation))
        layers.append(
            _convolution(
                row.expanded, row.expanded, row.kernel, row.activation, row.stride, row.expanded
            )
        )
        if row.squeezes:
            layers.append(SqueezeExcite(row.expanded))
        layers.append(_convolution(row.expanded, row.out, 1, None))
        self.layers = nn.Sequential(*layers)
        self._has_residual = row.stride == 1 and inputs == row.out

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.layers(x)
        return x + out if self._has_residual else out


class MobileNetV3Small(nn.Module):
    """Images [N, 3, H, W] to scores [N, classes]."""

    def __init__(self, classes: int = 100) -> None:
        super().__init__()
        layers: list[nn.Module] = [_convolution(3, _STEM, 3, nn.Hardswish, stride=2)]
        channels = _STEM
        for row in _TABLE:
            layers.append(Bottleneck(channels, row))
            channels = row.out
        layers.append(_convolution(channels, _LAST, 1, nn.Hardswish))
        self.features = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.classifier = nn.Sequential(
            nn.Linear(_LAST, _FEATURES), nn.Hardswish(), nn.Linear(_FEATURES, classes)
        )

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.classifier(self.features(x))
        return out


def random_mobilenet() -> MobileNetV3Small:
    """Random weights whose norms have seen one batch; else the image's trace dies out."""
    network = MobileNetV3Small().train()
    for module in network.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.momentum = 1.0
    with torch.no_grad():
        network(random(8, 3, 64, 64, seed=1))
    return network.eval()
