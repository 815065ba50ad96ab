"""serialization.py of torch-tensorrt as an independent writer and reader of blobs."""

from __future__ import annotations

from types import ModuleType

from hypothesis import given, settings
from hypothesis import strategies as st
from trtet_export.blob import Alias, Binding, Metadata, read_blob, write_blob

NAMES = st.text(
    st.characters(exclude_characters="\0", exclude_categories=("Cs",)), min_size=1, max_size=20
)
DTYPES = st.sampled_from(["", "float32", "int64", "bool"])
SHAPES = st.lists(st.integers(-1, 2**40), max_size=8).map(tuple)


@st.composite
def metadata(draw: st.DrawFn) -> Metadata:
    names = draw(st.lists(NAMES, min_size=1, max_size=6, unique=True))
    split = draw(st.integers(0, len(names)))
    inputs, outputs = names[:split], names[split:]
    bindings = tuple(
        Binding(name, is_input, draw(DTYPES), draw(SHAPES))
        for group, is_input in ((inputs, True), (outputs, False))
        for name in group
    )
    aliases = tuple(
        Alias(
            output,
            draw(st.sampled_from(inputs)),
            draw(st.sampled_from(["user", "kv_cache_update"])),
        )
        for output in (outputs if inputs else [])
        if draw(st.booleans())
    )
    return Metadata(
        bindings,
        aliases,
        draw(st.booleans()),
        draw(st.integers(0, 2**31 - 1)),
        draw(st.text(st.characters(exclude_categories=("Cs",)), max_size=30)),
        draw(st.sampled_from(["", "linux_x86_64"])),
    )


def theirs(module: ModuleType, ours: Metadata) -> object:
    return module.TensorRTBlobMetadata(
        io_bindings=[
            module.TensorRTIOBinding(b.name, b.dtype, list(b.shape), b.is_input)
            for b in ours.io_bindings
        ],
        aliased_io={a.output: (a.input, a.kind) for a in ours.aliased_io},
        hardware_compatible=ours.hardware_compatible,
        device_id=ours.device_id,
        serialized_metadata=ours.serialized_metadata,
        target_platform=ours.target_platform,
    )


@settings(max_examples=200, deadline=None)
@given(content=metadata(), plan=st.binary(min_size=1, max_size=100))
def test_both_write_the_same_bytes_and_read_each_others(
    serialization: ModuleType, content: Metadata, plan: bytes
) -> None:
    other = theirs(serialization, content)
    blob = write_blob(plan, content)
    assert blob == serialization.serialize_engine(plan, other)
    assert read_blob(blob) == (plan, content)
    assert serialization.deserialize_engine(blob) == (plan, other)


EXAMPLE = Metadata(
    io_bindings=(
        Binding("tokens", True, "int64", (1, -1)),
        Binding("keys", True, "float32", (1, 2, 16, 16)),
        Binding("logits", False, "float32", (1, -1, 64)),
        Binding('new "keys"', False, "float32", (1, 2, 16, 16)),
    ),
    aliased_io=(Alias('new "keys"', "keys"),),
    hardware_compatible=True,
    device_id=1,
    serialized_metadata='{"device_id":7,"name":"\\u00e9"}',
    target_platform="linux_x86_64",
)
