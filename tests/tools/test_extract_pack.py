"""trtet extract and trtet pack, against Torch-TensorRT's own serialization."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import Trtet
from .programs import add_plan
from .pte import blob, metadata

Programs = Callable[[str], Path]


def pack(trtet: Trtet, folder: Path, description: Any, engine: bytes = b"engine bytes") -> Any:
    text = description if isinstance(description, str) else json.dumps(description)
    (folder / "d.json").write_text(text)
    (folder / "e.plan").write_bytes(engine)
    arguments = [
        "--engine",
        folder / "e.plan",
        "--description",
        folder / "d.json",
        "--output",
        folder / "out.blob",
    ]
    return trtet("pack", *arguments)


def test_extract_gives_the_engine_the_metadata_and_the_blob(
    trtet: Trtet, programs: Programs, tmp_path: Path
) -> None:
    files = {what: tmp_path / what for what in ("engine", "metadata", "blob")}
    done = trtet(
        "extract",
        programs("add"),
        *(part for what, file in files.items() for part in (f"--{what}", file)),
    )
    assert done.returncode == 0, done.stderr
    assert files["engine"].read_bytes() == add_plan().write()
    assert json.loads(files["metadata"].read_text()) == metadata(add_plan())
    assert files["blob"].read_bytes() == blob(add_plan().write(), metadata(add_plan()))
    report = trtet.json("extract", programs("add"), "--engine", files["engine"])
    assert report["written"] == {
        "engine": {"file": str(files["engine"]), "size_bytes": len(add_plan().write())}
    }


def test_extract_from_a_blob(trtet: Trtet, tmp_path: Path) -> None:
    (tmp_path / "a.blob").write_bytes(blob(add_plan().write(), metadata(add_plan())))
    assert trtet("extract", tmp_path / "a.blob", "--engine", tmp_path / "e").returncode == 0
    assert (tmp_path / "e").read_bytes() == add_plan().write()


def test_extract_asks_which_of_several(trtet: Trtet, programs: Programs, tmp_path: Path) -> None:
    model = programs("two_methods")
    asked = trtet("extract", model, "--engine", tmp_path / "e")
    assert asked.returncode == 2
    assert "--delegate" in asked.stderr
    assert "first: delegate 0" in asked.stderr
    assert not (tmp_path / "e").exists()
    assert trtet("extract", model, "--engine", tmp_path / "e", "--delegate", 1).returncode == 0
    assert b'"second"' in (tmp_path / "e").read_bytes()
    assert trtet("extract", model, "--engine", tmp_path / "f", "--method", "first").returncode == 0
    assert b'"first"' in (tmp_path / "f").read_bytes()
    beyond = trtet("extract", model, "--engine", tmp_path / "g", "--delegate", 2)
    assert beyond.returncode == 2
    assert "there are 2" in beyond.stderr
    wrong = trtet("extract", model, "--engine", tmp_path / "g", "--method", "third")
    assert wrong.returncode == 2
    assert "'third'" in wrong.stderr


def test_extract_from_a_program_without_the_delegate(
    trtet: Trtet, programs: Programs, tmp_path: Path
) -> None:
    done = trtet("extract", programs("without_delegate"), "--engine", tmp_path / "e")
    assert done.returncode == 1
    assert "no delegate of TensorRTBackend" in done.stderr


def test_extract_from_damage(trtet: Trtet, programs: Programs, tmp_path: Path) -> None:
    whole = programs("add").read_bytes()
    (tmp_path / "cut.pte").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "cut.blob").write_bytes(blob(add_plan().write(), metadata(add_plan()))[:300])
    (tmp_path / "text").write_text("hello")
    (tmp_path / "odd.blob").write_bytes(blob(b"e" * 16, b'{"device_id": -1}'))
    for file in ("cut.pte", "cut.blob", "text", "odd.blob"):
        done = trtet("extract", tmp_path / file, "--metadata", tmp_path / "m")
        assert done.returncode == 1, file
        assert not (tmp_path / "m").exists()


def test_an_output_that_cannot_be_written_leaves_nothing(
    trtet: Trtet, programs: Programs, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    done = trtet("extract", programs("add"), "--engine", tmp_path / "folder")
    assert done.returncode == 1
    assert list(tmp_path.iterdir()) == [tmp_path / "folder"]


def test_what_extract_writes_pack_takes(trtet: Trtet, programs: Programs, tmp_path: Path) -> None:
    for name in ("add", "decoder"):
        trtet(
            "extract",
            programs(name),
            "--engine",
            tmp_path / "e",
            "--metadata",
            tmp_path / "m",
            "--blob",
            tmp_path / "b",
        )
        done = trtet(
            "pack",
            "--engine",
            tmp_path / "e",
            "--description",
            tmp_path / "m",
            "--output",
            tmp_path / "again",
        )
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "again").read_bytes() == (tmp_path / "b").read_bytes()


CONTENTS: dict[str, dict[str, Any]] = {
    "plain": {"io_bindings": [{"name": "x", "is_input": True}, {"name": "y", "is_input": False}]},
    "everything": {
        "io_bindings": [
            {"name": "x", "dtype": "float32", "shape": [2, -1], "is_input": True},
            {"name": "kv", "dtype": "float16", "shape": [], "is_input": True},
            {
                "name": "kv_out",
                "dtype": "float16",
                "shape": [9223372036854775807],
                "is_input": False,
            },
        ],
        "aliased_io": [{"output": "kv_out", "input": "kv", "kind": "user"}],
        "hardware_compatible": True,
        "device_id": 3,
        "serialized_metadata": 'a "quoted" \\ text\n\t with device_id: 7 and \u0000 \u001f \u007f',
        "target_platform": "linux_x86_64",
    },
    "not ascii": {
        "io_bindings": [{"name": "größe \u4e2d \U0001f600 \u2028", "is_input": True}],
        "target_platform": "é",
    },
    "names from the engine": {},
}


@pytest.mark.parametrize("name", CONTENTS)
@pytest.mark.parametrize("engine", [b"e", b"0123456789abcdef", bytes(range(256)) * 5])
def test_the_same_bytes_as_torch_tensorrt(
    trtet: Trtet, tmp_path: Path, serialization: Any, name: str, engine: bytes
) -> None:
    content = CONTENTS[name]
    done = pack(trtet, tmp_path, content, engine)
    assert done.returncode == 0, done.stderr
    bindings = [
        serialization.TensorRTIOBinding(**binding) for binding in content.get("io_bindings", [])
    ]
    aliases = {a["output"]: (a["input"], a["kind"]) for a in content.get("aliased_io", [])}
    rest = {
        key: value for key, value in content.items() if key not in ("io_bindings", "aliased_io")
    }
    document = serialization.TensorRTBlobMetadata(io_bindings=bindings, aliased_io=aliases, **rest)
    assert (tmp_path / "out.blob").read_bytes() == serialization.serialize_engine(engine, document)


@pytest.mark.parametrize("name", CONTENTS)
def test_torch_tensorrt_reads_what_pack_writes(
    trtet: Trtet, tmp_path: Path, serialization: Any, name: str
) -> None:
    assert pack(trtet, tmp_path, CONTENTS[name]).returncode == 0
    engine, read = serialization.deserialize_engine((tmp_path / "out.blob").read_bytes())
    assert engine == b"engine bytes"
    assert [b.name for b in read.io_bindings] == [
        b["name"] for b in CONTENTS[name].get("io_bindings", [])
    ]
    assert read.serialized_metadata == CONTENTS[name].get("serialized_metadata", "")


@pytest.mark.parametrize(
    ("description", "word"),
    [
        ("", "JSON"),
        ("[]", "refuse"),
        ("{", "JSON"),
        ({"io_binding": []}, "'io_binding' is unknown"),
        ({"io_bindings": [{"name": "x"}]}, "is_input"),
        ({"io_bindings": [{"name": "x", "is_input": True, "dtyp": ""}]}, "'dtyp'"),
        ({"device_id": -1}, "device_id"),
        ({"aliased_io": [{"output": "y", "input": "x", "kind": "z"}]}, "kind"),
        ({"aliased_io": [{"output": "y", "input": "x", "knd": "user"}]}, "'knd'"),
        (
            {
                "io_bindings": [{"name": "x", "is_input": True}],
                "aliased_io": [{"output": "y", "input": "x"}],
            },
            "aliased_io[0]",
        ),
    ],
)
def test_pack_refuses_what_the_delegate_would(
    trtet: Trtet, tmp_path: Path, description: Any, word: str
) -> None:
    done = pack(trtet, tmp_path, description)
    assert done.returncode == 1
    assert word in done.stderr
    assert "d.json" in done.stderr
    assert not (tmp_path / "out.blob").exists()


def test_pack_refuses_an_empty_engine(trtet: Trtet, tmp_path: Path) -> None:
    done = pack(trtet, tmp_path, {}, b"")
    assert done.returncode == 1
    assert "0 bytes" in done.stderr


def test_pack_replaces_a_blob_whole_or_not_at_all(trtet: Trtet, tmp_path: Path) -> None:
    assert pack(trtet, tmp_path, CONTENTS["plain"]).returncode == 0
    before = (tmp_path / "out.blob").read_bytes()
    assert pack(trtet, tmp_path, {"device_id": -1}).returncode == 1
    assert (tmp_path / "out.blob").read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["d.json", "e.plan", "out.blob"]


def test_pack_says_what_it_wrote(trtet: Trtet, tmp_path: Path) -> None:
    assert "TR02, " in pack(trtet, tmp_path, CONTENTS["everything"]).stdout
    files = [
        "--engine",
        tmp_path / "e.plan",
        "--description",
        tmp_path / "d.json",
        "--output",
        tmp_path / "out.blob",
    ]
    report = trtet.json("pack", *files)
    assert (report["magic"], report["bindings"], report["aliases"]) == ("TR02", 3, 1)
    assert report["size_bytes"] == (tmp_path / "out.blob").stat().st_size
