"""Whether a plan's parts fit each other, by the rules of the C++ writer and reader."""

from __future__ import annotations

import math
from collections.abc import Sequence

from standin_plan.parts import DTYPES, Constant, Node, PlanError, Profile, Range, Tensor

_MAX_RANK = 8


def complete_profiles(tensors: Sequence[Tensor], profiles: Sequence[Profile]) -> list[Profile]:
    """The profiles with static inputs added; one is derived when there is none."""
    inputs = [tensor for tensor in tensors if tensor.is_input]
    completed = []
    for profile in profiles or [Profile()]:
        shapes = dict(profile.shapes)
        for tensor in inputs:
            if tensor.name not in shapes:
                if any(extent < 0 for extent in tensor.shape):
                    raise PlanError(f"plan: {tensor.name}: is dynamic and a profile leaves it out")
                shapes[tensor.name] = (tensor.shape, tensor.shape, tensor.shape)
            _check_range(tensor, shapes[tensor.name])
        unknown = shapes.keys() - {tensor.name for tensor in inputs}
        if unknown:
            raise PlanError(f"plan: {min(unknown)}: a profile names it and no input has that name")
        completed.append(Profile(shapes, profile.values))
    return completed


def check(
    tensors: Sequence[Tensor], constants: Sequence[Constant], nodes: Sequence[Node], has_model: bool
) -> None:
    known: set[str] = set()
    for tensor in tensors:
        _check_dtype(tensor.name, tensor.dtype)
        if len(tensor.shape) > _MAX_RANK:
            raise PlanError(f"plan: {tensor.name}: rank is above {_MAX_RANK}")
        if tensor.alias:
            _check_alias(tensors, tensor)
        if tensor.is_input:
            _add(known, tensor.name)
    for constant in constants:
        _check_constant(constant)
        _add(known, constant.name)
    for node in nodes:
        for name in node.inputs:
            if name not in known:
                raise PlanError(f"plan: {node.op}: reads {name!r}, which nothing before it makes")
        _add(known, node.output)
    for tensor in tensors:
        if not has_model and tensor.name not in known:
            raise PlanError(f"plan: {tensor.name}: is an output and no node makes it")


def _check_range(tensor: Tensor, ranges: Range) -> None:
    for bound in ranges:
        if len(bound) != len(tensor.shape):
            raise PlanError(f"plan: {tensor.name}: a profile's rank differs from the tensor's")
    for index, (extent, low, best, high) in enumerate(zip(tensor.shape, *ranges, strict=True)):
        fits = extent < 0 or low == extent == high
        if low < 0 or not low <= best <= high or not fits:
            raise PlanError(
                f"plan: {tensor.name}: dimension {index} of a profile is not min<=opt<=max "
                "within the tensor's shape"
            )


def _check_dtype(name: str, dtype: str) -> None:
    if dtype not in DTYPES:
        raise PlanError(f"plan: {name}: dtype {dtype!r} is unknown; known: {', '.join(DTYPES)}")


def _check_constant(constant: Constant) -> None:
    _check_dtype(constant.name, constant.dtype)
    wanted = -(-math.prod(constant.shape) * DTYPES[constant.dtype] // 8)
    if len(constant.data) != wanted:
        raise PlanError(
            f"plan: {constant.name}: has {len(constant.data)} bytes, its shape needs {wanted}"
        )


def _add(known: set[str], name: str) -> None:
    if name in known:
        raise PlanError(f"plan: {name}: is there twice")
    known.add(name)


def _check_alias(tensors: Sequence[Tensor], output: Tensor) -> None:
    for source in tensors:
        if source.is_input and source.name == output.alias:
            if (source.dtype, source.shape) != (output.dtype, output.shape):
                raise PlanError(
                    f"plan: {output.name}: dtype or shape differs from its aliased input "
                    f"{source.name}"
                )
            return
    raise PlanError(f"plan: {output.name}: aliases {output.alias!r}, which is no input")
