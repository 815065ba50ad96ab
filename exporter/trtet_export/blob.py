"""The blob of one delegated subgraph: a 32-byte header, JSON metadata, padding, the plan.

Standard library only, so that tests and other tools can use it without PyTorch.
"""

from __future__ import annotations

import dataclasses
import json
import struct
from dataclasses import dataclass
from typing import Any

MAGIC_PLAIN = b"TR01"
MAGIC_ALIASED = b"TR02"
ALIAS_KINDS = ("kv_cache_update", "user")

_HEADER = struct.Struct("<4sIIIQ8s")
_RESERVED = b"\x01" + bytes(7)
_ENGINE_ALIGNMENT = 16


class BlobError(ValueError):
    """The bytes are not a blob this project reads; says what was seen and what is allowed."""


@dataclass(frozen=True)
class Binding:
    """One tensor of the engine; inputs in argument order come first, then outputs."""

    name: str
    is_input: bool
    dtype: str = ""
    shape: tuple[int, ...] = ()


@dataclass(frozen=True)
class Alias:
    """An output that is written into an input's memory."""

    output: str
    input: str
    kind: str = "kv_cache_update"


@dataclass(frozen=True)
class Metadata:
    """What the blob says beside the plan; the defaults are those of absent keys."""

    io_bindings: tuple[Binding, ...] = ()
    aliased_io: tuple[Alias, ...] = ()
    hardware_compatible: bool = False
    device_id: int = 0
    serialized_metadata: str = ""
    target_platform: str = ""


def write_blob(plan: bytes, metadata: Metadata) -> bytes:
    """The blob's bytes. Raises BlobError for content that no reader would take."""
    _check(plan, metadata)
    document = _to_json(metadata)
    metadata_end = _HEADER.size + len(document)
    engine_offset = -(-metadata_end // _ENGINE_ALIGNMENT) * _ENGINE_ALIGNMENT
    header = _HEADER.pack(
        MAGIC_ALIASED if metadata.aliased_io else MAGIC_PLAIN,
        _HEADER.size,
        len(document),
        engine_offset,
        len(plan),
        _RESERVED,
    )
    return header + document + bytes(engine_offset - metadata_end) + plan


def read_blob(blob: bytes) -> tuple[bytes, Metadata]:
    """Plan and metadata of a blob. Raises BlobError; never reads outside the bytes given."""
    if len(blob) < _HEADER.size:
        raise BlobError(f"blob: {len(blob)} bytes; a header alone has {_HEADER.size}")
    magic, metadata_offset, metadata_size, engine_offset, engine_size, _ = _HEADER.unpack_from(blob)
    if magic not in (MAGIC_PLAIN, MAGIC_ALIASED):
        raise BlobError(f"magic: got {magic!r}; wanted {MAGIC_PLAIN!r} or {MAGIC_ALIASED!r}")
    if metadata_offset < _HEADER.size:
        raise BlobError(f"metadata offset: got {metadata_offset}; the header ends at 32")
    if engine_offset % _ENGINE_ALIGNMENT:
        raise BlobError(f"engine offset: got {engine_offset}; wanted a multiple of 16")
    if metadata_offset + metadata_size > min(engine_offset, len(blob)):
        raise BlobError(
            f"metadata: ends at {metadata_offset + metadata_size}; "
            f"the engine starts at {engine_offset}, the blob ends at {len(blob)}"
        )
    if engine_size == 0 or engine_offset + engine_size > len(blob):
        raise BlobError(
            f"engine: {engine_size} bytes at {engine_offset}; the blob ends at {len(blob)}"
        )
    document = blob[metadata_offset : metadata_offset + metadata_size]
    return blob[engine_offset : engine_offset + engine_size], _from_json(document)


def _to_json(metadata: Metadata) -> bytes:
    content = {
        "io_bindings": [
            {"name": b.name, "dtype": b.dtype, "shape": list(b.shape), "is_input": b.is_input}
            for b in metadata.io_bindings
        ],
        "aliased_io": [dataclasses.asdict(a) for a in metadata.aliased_io],
        "hardware_compatible": metadata.hardware_compatible,
        "device_id": metadata.device_id,
        "serialized_metadata": metadata.serialized_metadata,
        "target_platform": metadata.target_platform,
    }
    return json.dumps(content, separators=(",", ":")).encode()


def _from_json(document: bytes) -> Metadata:
    try:
        content = json.loads(document.decode("utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise BlobError(f"metadata: not a UTF-8 JSON document: {error}") from error
    if not isinstance(content, dict):
        raise BlobError(f"metadata: got a {type(content).__name__}; wanted a JSON object")
    try:
        metadata = Metadata(
            io_bindings=tuple(_binding(b) for b in content.get("io_bindings", [])),
            aliased_io=tuple(
                Alias(a["output"], a["input"], a.get("kind", "kv_cache_update"))
                for a in content.get("aliased_io", [])
            ),
            **{
                key: content[key]
                for key in (
                    "hardware_compatible",
                    "device_id",
                    "serialized_metadata",
                    "target_platform",
                )
                if key in content
            },
        )
    except (KeyError, TypeError) as error:
        raise BlobError(f"metadata: a key is missing or of the wrong type: {error!r}") from error
    return metadata


def _binding(entry: dict[str, Any]) -> Binding:
    return Binding(
        name=entry["name"],
        is_input=entry["is_input"],
        dtype=entry.get("dtype", ""),
        shape=tuple(entry.get("shape", ())),
    )


def _check(plan: bytes, metadata: Metadata) -> None:
    if not plan:
        raise BlobError("engine: got 0 bytes; a blob needs a plan")
    seen: set[tuple[str, bool]] = set()
    for index, binding in enumerate(metadata.io_bindings):
        if not binding.name or "\0" in binding.name or len(binding.name.encode()) > 4095:
            raise BlobError(f"io_bindings[{index}].name: 1 to 4095 bytes without NUL are allowed")
        if (binding.name, binding.is_input) in seen:
            raise BlobError(f"io_bindings[{index}]: {binding.name!r} is there twice")
        seen.add((binding.name, binding.is_input))
    outputs: set[str] = set()
    for index, alias in enumerate(metadata.aliased_io):
        if alias.kind not in ALIAS_KINDS:
            raise BlobError(f"aliased_io[{index}].kind: got {alias.kind!r}; wanted {ALIAS_KINDS}")
        if (alias.output, False) not in seen or (alias.input, True) not in seen:
            raise BlobError(
                f"aliased_io[{index}]: {alias.output!r} -> {alias.input!r} names no binding"
            )
        if alias.output in outputs:
            raise BlobError(f"aliased_io[{index}]: output {alias.output!r} is aliased twice")
        outputs.add(alias.output)
