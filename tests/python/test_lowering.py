"""What the exporter delegates, what it leaves, and what it writes into the blob."""

from __future__ import annotations

import pytest
import torch
from trtet_export import ExportError, ExportOptions, NothingDelegated, UnsupportedBuilder
from trtet_export.blob import Alias
from trtet_export.export import lower

from programs.definition import Definition
from programs.networks import networks
from programs.samples import samples
from programs.write import export, options
from tests.python import pte, sources


def definition(name: str) -> Definition:
    return next(d for d in samples() + networks() if d.name == name)


def lowered(name: str) -> pte.Program:
    wanted = definition(name)
    return pte.read(lower(export(wanted), options(wanted)).pte)


def test_an_operator_the_builder_lacks_is_partitioned_around() -> None:
    wanted = definition("two_parts")
    result = lower(export(wanted), options(wanted))
    program = pte.read(result.pte)
    assert result.left_out == {"aten.expm1.default": "the builder 'standin' lacks it"}
    assert program.backends == ["TensorRTBackend", "TensorRTBackend"]
    assert [op for op in program.operators if "et_copy" not in op] == [
        "delegate",
        "aten::expm1.out",
        "delegate",
    ]


def test_a_program_with_nothing_to_delegate_is_rejected() -> None:
    with pytest.raises(NothingDelegated, match=r"aten\.expm1\.default: the builder"):
        lower(sources.undelegable())


@pytest.mark.parametrize(
    ("program", "operator", "reason"),
    [
        (sources.nonzero, "aten.nonzero.default", "its output's size depends on data"),
        (sources.double, "aten.mul.Tensor", "torch.float64 has no TensorRT type"),
        (
            sources.returned_constant,
            "aten.mul.Tensor",
            "it shares a constant with what is not delegated",
        ),
        (
            sources.counted_batch,
            "aten.sym_size.int",
            "a size crosses into or out of the delegated part",
        ),
    ],
)
def test_what_a_plan_cannot_hold_stays_outside(program, operator, reason) -> None:  # type: ignore[no-untyped-def]
    result = lower(program())
    assert result.left_out[operator] == reason
    assert pte.read(result.pte).backends == ["TensorRTBackend"] * result.part_count


def test_arithmetic_on_sizes_goes_with_its_part() -> None:
    result = lower(sources.reshaped())
    assert result.left_out == {}
    assert [op for op in pte.read(result.pte).operators if "et_copy" not in op] == ["delegate"]


def test_tagged_programs_copy_at_the_delegates_boundary() -> None:
    program = lowered("add")
    assert program.operators == [
        "et_copy::_h2d_copy.out",
        "et_copy::_h2d_copy.out",
        "delegate",
        "et_copy::_d2h_copy.out",
    ]
    (delegate,) = program.delegates
    assert delegate.compile_specs == {"target_device": b"cuda:0"}


def test_untagged_programs_copy_nothing() -> None:
    program = lowered("add_host")
    assert program.operators == ["delegate"]
    (delegate,) = program.delegates
    assert delegate.compile_specs == {}


def test_the_device_reaches_blob_and_compile_spec() -> None:
    (delegate,) = pte.read(lower(sources.linear(), ExportOptions(device="cuda:3")).pte).delegates
    assert delegate.metadata.device_id == 3
    assert delegate.compile_specs["target_device"] == b"cuda:3"


def test_bindings_are_in_argument_order_with_types_and_shapes() -> None:
    (delegate,) = lowered("masked_pooling").delegates
    assert [(b.dtype, b.shape, b.is_input) for b in delegate.metadata.io_bindings] == [
        ("float32", (2, 5, 8), True),
        ("bool", (2, 5), True),
        ("float32", (2, 8), False),
        ("bool", (2, 5), False),
    ]


def test_a_dynamic_batch_of_one_is_in_the_profile() -> None:
    (delegate,) = lowered("dynamic_batch").delegates
    assert delegate.metadata.io_bindings[0].shape == (-1, 4)
    assert b'"min":[1,4]' in delegate.plan
    assert b'"max":[8,4]' in delegate.plan


def test_written_buffers_are_aliases() -> None:
    (delegate,) = lowered("decoder").delegates
    aliases = delegate.metadata.aliased_io
    assert [alias.kind for alias in aliases] == ["kv_cache_update"] * 4
    assert [alias.input for alias in aliases] == [
        f"b_blocks_{block}_attention_{cache}" for block in (0, 1) for cache in ("keys", "values")
    ]


def test_a_buffer_written_indirectly_is_not_frozen_into_the_plan() -> None:
    (delegate,) = pte.read(lower(sources.average()).pte).delegates
    assert [b.name for b in delegate.metadata.io_bindings if b.is_input] == ["b_average", "x"]
    assert [alias.input for alias in delegate.metadata.aliased_io] == ["b_average"]


def test_a_written_input_is_a_user_alias() -> None:
    (delegate,) = pte.read(lower(sources.in_place_input()).pte).delegates
    (alias,) = delegate.metadata.aliased_io
    assert (alias.input, alias.kind) == ("cache", "user")
    assert isinstance(alias, Alias)


def test_host_programs_have_no_aliases() -> None:
    """An aliased input must be bound in place, which host memory never is."""
    (delegate,) = pte.read(
        lower(sources.in_place_input(), ExportOptions(device=None)).pte
    ).delegates
    assert delegate.metadata.aliased_io == ()


@pytest.mark.parametrize("alignment", [16, 256])
def test_planned_memory_is_aligned(alignment: int) -> None:
    pte_bytes = lower(sources.linear(), ExportOptions(alignment_bytes=alignment)).pte
    offsets = [
        t.allocation_info.memory_offset_low
        for t in pte.read(pte_bytes).tensors
        if t.allocation_info is not None
    ]
    assert offsets
    assert all(offset % alignment == 0 for offset in offsets)


def test_the_default_alignment_binds_in_place() -> None:
    assert ExportOptions().alignment_bytes == 256


def test_only_the_chosen_modules_are_delegated() -> None:
    program = lowered("mlp_split")
    assert sorted(program.backends) == ["TensorRTBackend", "XnnpackBackend"]


def test_a_batch_without_a_bound_is_rejected() -> None:
    with pytest.raises(ExportError, match=r"x, dimension 0: s\d+ has no upper bound"):
        lower(sources.unbounded())


@pytest.mark.parametrize("device", ["cuda", "cuda:-1", "cuda:01", "gpu:0", "cuda:0 ", ""])
def test_a_malformed_device_is_refused(device: str) -> None:
    with pytest.raises(ExportError, match="wanted 'cuda:N'"):
        ExportOptions(device=device)


@pytest.mark.parametrize("alignment", [0, 8, 24, -256])
def test_a_malformed_alignment_is_refused(alignment: int) -> None:
    with pytest.raises(ExportError, match="power of two"):
        ExportOptions(alignment_bytes=alignment)


def test_an_unknown_builder_is_refused() -> None:
    with pytest.raises(UnsupportedBuilder, match="got 'x'"):
        lower(sources.linear(), ExportOptions(builder="x"))


def test_the_real_builder_says_what_it_misses() -> None:
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU; the refusal is for machines without")
    with pytest.raises(UnsupportedBuilder, match="PyTorch sees no usable GPU"):
        lower(sources.linear(), ExportOptions(builder="torch-tensorrt"))


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (ExportOptions("torch-tensorrt", device=None), "give a device"),
        (ExportOptions("torch-tensorrt", delegate_modules=("a",)), "leave out delegate_modules"),
    ],
)
def test_the_real_builder_refuses_what_it_cannot_do(options: ExportOptions, complaint: str) -> None:
    with pytest.raises(ExportError, match=complaint):
        lower(sources.linear(), options)
