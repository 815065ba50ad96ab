"""serialization.py of torch-tensorrt as an independent writer and reader of blobs."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from standin_plan import Plan
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


@pytest.fixture
def trtet(build_folder: Path) -> Path:
    return build_folder / "trtet"


def run(command: list[object], code: int = 0) -> str:
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def sample_plan() -> bytes:
    plan = Plan()
    plan.input("tokens", "int64", (1, -1)).input("keys", "float32", (1, 2, 16, 16))
    plan.output("logits", "float32", (1, -1, 64))
    plan.alias('new "keys"', "keys", "float32", (1, 2, 16, 16))
    plan.node("cast", ["tokens"], "logits", [0]).node("increment", ["keys"], 'new "keys"', [1])
    plan.profile({"tokens": ((1, 1), (1, 8), (1, 8))})
    return plan.write()


def test_trtet_packs_the_bytes_that_serialization_writes(
    serialization: ModuleType, trtet: Path, tmp_path: Path
) -> None:
    plan = sample_plan()
    other = theirs(serialization, EXAMPLE)
    (tmp_path / "plan").write_bytes(plan)
    (tmp_path / "description.json").write_bytes(other.to_json())
    paths = {name: tmp_path / name for name in ("plan", "description.json", "blob")}
    description = ["--description", paths["description.json"]]
    run([trtet, "pack", "--engine", paths["plan"], *description, "--output", paths["blob"]])
    assert paths["blob"].read_bytes() == serialization.serialize_engine(plan, other)


def test_trtet_extracts_what_serialization_wrote(
    serialization: ModuleType, trtet: Path, tmp_path: Path
) -> None:
    plan = sample_plan()
    blob = serialization.serialize_engine(plan, theirs(serialization, EXAMPLE))
    (tmp_path / "blob").write_bytes(blob)
    files = ["--engine", tmp_path / "plan", "--metadata", tmp_path / "metadata.json"]
    run([trtet, "extract", tmp_path / "blob", *files])
    assert (tmp_path / "plan").read_bytes() == plan
    metadata = (tmp_path / "metadata.json").read_bytes()
    assert serialization.TensorRTBlobMetadata.from_json(metadata) == theirs(serialization, EXAMPLE)


def test_trtet_finds_no_fault_with_what_serialization_wrote(
    serialization: ModuleType, trtet: Path, tmp_path: Path
) -> None:
    blob = serialization.serialize_engine(sample_plan(), theirs(serialization, EXAMPLE))
    (tmp_path / "blob").write_bytes(blob)
    report = json.loads(run([trtet, "inspect", tmp_path / "blob", "--json"]))
    assert report["problems"] == []
    (tmp_path / "blob").write_bytes(b"TR03" + blob[4:])
    report = json.loads(run([trtet, "inspect", tmp_path / "blob", "--json"], code=1))
    assert report["problems"]
