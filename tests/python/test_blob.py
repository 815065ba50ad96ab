"""The Python reader and writer of blobs refuse what the format does not allow."""

from __future__ import annotations

import json
import struct

import pytest
from trtet_export.blob import Alias, Binding, BlobError, Metadata, read_blob, write_blob

PLAN = b"a plan"
SOUND = Metadata(
    (Binding("x", True, "float32", (2, 3)), Binding("y", False, "float32", (2, 3))),
    (Alias("y", "x", "user"),),
    device_id=3,
)
BLOB = write_blob(PLAN, SOUND)


def with_header(**changed: int | bytes) -> bytes:
    names = (
        "magic",
        "metadata_offset",
        "metadata_size",
        "engine_offset",
        "engine_size",
        "reserved",
    )
    fields = dict(zip(names, struct.unpack_from("<4sIIIQ8s", BLOB), strict=True))
    return struct.pack("<4sIIIQ8s", *{**fields, **changed}.values()) + BLOB[32:]


def test_golden_bytes() -> None:
    document = (
        b'{"io_bindings":[{"name":"x","dtype":"float32","shape":[2,3],"is_input":true},'
        b'{"name":"y","dtype":"float32","shape":[2,3],"is_input":false}],'
        b'"aliased_io":[{"output":"y","input":"x","kind":"user"}],'
        b'"hardware_compatible":false,"device_id":3,"serialized_metadata":"","target_platform":""}'
    )
    engine_offset = (32 + len(document) + 15) // 16 * 16
    header = b"TR02" + struct.pack("<IIIQ", 32, len(document), engine_offset, len(PLAN))
    padding = bytes(engine_offset - 32 - len(document))
    assert header + b"\1" + bytes(7) + document + padding + PLAN == BLOB


def test_without_aliases_the_magic_is_the_older_one() -> None:
    assert write_blob(PLAN, Metadata(SOUND.io_bindings))[:4] == b"TR01"


def test_every_truncation_is_refused() -> None:
    for size in range(len(BLOB)):
        with pytest.raises(BlobError):
            read_blob(BLOB[:size])


@pytest.mark.parametrize(
    ("blob", "complaint"),
    [
        (with_header(magic=b"TR03"), r"magic: got b'TR03'"),
        (with_header(metadata_offset=31), r"metadata offset: got 31"),
        (with_header(engine_offset=8), r"engine offset: got 8; wanted a multiple of 16"),
        (with_header(metadata_size=2**32 - 1), r"metadata: ends at 4294967327"),
        (with_header(engine_size=2**64 - 1), r"engine: 18446744073709551615 bytes"),
        (with_header(engine_size=0), r"engine: 0 bytes"),
        (with_header(reserved=b"anything"), None),
    ],
)
def test_header_rules(blob: bytes, complaint: str | None) -> None:
    if complaint is None:
        assert read_blob(blob) == (PLAN, SOUND)
        return
    with pytest.raises(BlobError, match=complaint):
        read_blob(blob)


@pytest.mark.parametrize(
    "document",
    [
        b"[]",
        b"{",
        b'{"io_bindings":[{"is_input":true}]}',
        b'{"io_bindings":[{"name":"x"}]}',
        b"\xff",
    ],
)
def test_metadata_that_is_none(document: bytes) -> None:
    end = 32 + len(document)
    offset = (end + 15) // 16 * 16
    header = b"TR01" + struct.pack("<IIIQ8s", 32, len(document), offset, 1, b"")
    with pytest.raises(BlobError, match="metadata"):
        read_blob(header + document + bytes(offset - end) + b"p")


def test_unknown_keys_are_skipped_and_absent_ones_default() -> None:
    document = json.dumps({"new": {"device_id": 9}, "io_bindings": []}).encode()
    offset = (32 + len(document) + 15) // 16 * 16
    header = b"TR01" + struct.pack("<IIIQ8s", 32, len(document), offset, 1, b"")
    blob = header + document + bytes(offset - 32 - len(document)) + b"p"
    assert read_blob(blob) == (b"p", Metadata())


@pytest.mark.parametrize(
    ("metadata", "complaint"),
    [
        (Metadata((Binding("", True),)), r"io_bindings\[0\]\.name"),
        (Metadata((Binding("a\0b", True),)), r"io_bindings\[0\]\.name"),
        (Metadata((Binding("é" * 2048, True),)), r"io_bindings\[0\]\.name"),
        (
            Metadata((Binding("x", True), Binding("x", True))),
            r"io_bindings\[1\]: 'x' is there twice",
        ),
        (Metadata(SOUND.io_bindings, (Alias("y", "x", "mine"),)), r"aliased_io\[0\]\.kind"),
        (Metadata(SOUND.io_bindings, (Alias("z", "x"),)), r"names no binding"),
        (Metadata(SOUND.io_bindings, (Alias("y", "z"),)), r"names no binding"),
        (Metadata(SOUND.io_bindings, (Alias("y", "x"), Alias("y", "x"))), r"is aliased twice"),
    ],
)
def test_what_no_reader_takes_is_not_written(metadata: Metadata, complaint: str) -> None:
    with pytest.raises(BlobError, match=complaint):
        write_blob(PLAN, metadata)


def test_an_empty_plan_is_not_written() -> None:
    with pytest.raises(BlobError, match="engine: got 0 bytes"):
        write_blob(b"", SOUND)
