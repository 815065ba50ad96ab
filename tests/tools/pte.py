"""Small .pte programs for tests, written with ExecuTorch's flatc from its schema, not PyTorch.

Blobs are written here by hand, independently of the project's writers.
"""

from __future__ import annotations

import json
import struct
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "standins" / "python"))

from standin_plan import Plan as Plan  # noqa: E402

BACKEND = "TensorRTBackend"
_SEGMENT_ALIGNMENT = 128
_HEADER = struct.Struct("<4sIQQQ")
_SCALAR_TYPES = {
    "float32": "FLOAT",
    "float16": "HALF",
    "bfloat16": "BFLOAT16",
    "int8": "CHAR",
    "uint8": "BYTE",
    "int32": "INT",
    "int64": "LONG",
    "bool": "BOOL",
}
_BYTES = {
    "float32": 4,
    "float16": 2,
    "bfloat16": 2,
    "int8": 1,
    "uint8": 1,
    "int32": 4,
    "int64": 8,
    "bool": 1,
}


def executorch_folder() -> Path:
    import importlib.util

    spec = importlib.util.find_spec("executorch")
    assert spec is not None, "executorch is not installed in this environment"
    assert spec.submodule_search_locations is not None
    return Path(next(iter(spec.submodule_search_locations)))


@dataclass
class Tensor:
    """A tensor of a method. memory: the planned buffer it lives in (from 1); None: the caller's."""

    name: str
    dtype: str
    shape: Sequence[int]
    memory: int | None = None
    device: str = "cpu"
    dynamism: str = "STATIC"

    def size_bytes(self) -> int:
        count = 1
        for size in self.shape:
            count *= size
        return count * _BYTES[self.dtype]


@dataclass
class Delegate:
    """A delegated part: `arguments` are names of tensors, inputs first."""

    blob: bytes
    arguments: Sequence[str]
    specs: Mapping[str, bytes] | Sequence[tuple[str, bytes]] = field(default_factory=dict)
    backend: str = BACKEND


@dataclass
class Method:
    tensors: Sequence[Tensor]
    inputs: Sequence[str]
    outputs: Sequence[str]
    delegates: Sequence[Delegate] = ()
    name: str = "forward"


def metadata(plan: Plan, **changes: Any) -> dict[str, Any]:
    """What the exporter writes about a plan."""
    document: dict[str, Any] = {
        "io_bindings": [
            {"name": t.name, "dtype": t.dtype, "shape": list(t.shape), "is_input": t.is_input}
            for inputs in (True, False)
            for t in plan.tensors
            if t.is_input is inputs
        ],
        "aliased_io": [
            {"output": t.name, "input": t.alias, "kind": "kv_cache_update"}
            for t in plan.tensors
            if t.alias
        ],
        "hardware_compatible": False,
        "device_id": 0,
        "serialized_metadata": "",
        "target_platform": "linux_x86_64",
    }
    return {**document, **changes}


def blob(engine: bytes, document: dict[str, Any] | bytes) -> bytes:
    """Header, metadata, padding, engine."""
    text = (
        document
        if isinstance(document, bytes)
        else json.dumps(document, separators=(",", ":")).encode()
    )
    has_aliases = not isinstance(document, bytes) and bool(document["aliased_io"])
    offset = -(-(32 + len(text)) // 16) * 16
    header = struct.pack(
        "<4sIIIQQ", b"TR02" if has_aliases else b"TR01", 32, len(text), offset, len(engine), 1
    )
    return header + text + bytes(offset - 32 - len(text)) + engine


def write(path: Path, *methods: Method, inline: bool = False) -> Path:
    """Writes a program, the same bytes for the same input. inline: blobs not in segments."""
    blobs: list[bytes] = []
    plans = [_method(method, blobs, inline) for method in methods]
    # ExecuTorch reads constants from segment 0; an empty list of them still has one entry.
    segments = [bytes(8), *([] if inline else blobs)]
    places, end = [], 0
    for data in segments:
        places.append({"offset": end, "size": len(data)})
        end += -(-len(data) // _SEGMENT_ALIGNMENT) * _SEGMENT_ALIGNMENT
    program = _flatbuffer(
        {
            "version": 0,
            "execution_plan": plans,
            "backend_delegate_data": [{"data": list(data)} for data in blobs] if inline else [],
            "segments": places,
            "constant_segment": {"segment_index": 0, "offsets": [0, 0]},
        }
    )
    path.write_bytes(_with_segments(program, segments))
    return path


def _flatbuffer(document: dict[str, Any]) -> bytes:
    root = executorch_folder()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "program.json"
        source.write_text(json.dumps(document))
        subprocess.run(
            [
                root / "data" / "bin" / "flatc",
                "-b",
                "-o",
                folder,
                root / "schema" / "program.fbs",
                source,
            ],
            check=True,
        )
        return (Path(folder) / "program.pte").read_bytes()


def _with_segments(program: bytes, segments: Sequence[bytes]) -> bytes:
    """The file around a flatbuffer: extended header after its first 8 bytes, segments behind."""
    (root,) = struct.unpack_from("<I", program)
    body = bytes(_pad(bytearray(program[8:])))
    size = 8 + _HEADER.size + len(body)
    data = b"".join(bytes(_pad(bytearray(segment))) for segment in segments)
    base = -(-size // _SEGMENT_ALIGNMENT) * _SEGMENT_ALIGNMENT
    header = _HEADER.pack(b"eh00", _HEADER.size, size, base, len(data))
    return (
        struct.pack("<I", root + _HEADER.size)
        + program[4:8]
        + header
        + body
        + bytes(base - size)
        + data
    )


def _pad(data: bytearray) -> bytearray:
    return data + bytes(-len(data) % _SEGMENT_ALIGNMENT)


def _method(method: Method, blobs: list[bytes], inline: bool) -> dict[str, Any]:
    index = {tensor.name: i for i, tensor in enumerate(method.tensors)}
    buffers: dict[int, int] = {}
    devices: dict[int, str] = {}
    values = []
    for tensor in method.tensors:
        value = _tensor(tensor)
        if tensor.memory is not None:
            offset = -(-buffers.get(tensor.memory, 0) // 256) * 256
            value["allocation_info"] = {"memory_id": tensor.memory, "memory_offset_low": offset}
            buffers[tensor.memory] = offset + tensor.size_bytes()
            devices[tensor.memory] = tensor.device
        values.append({"val_type": "Tensor", "val": value})
    delegates, instructions = [], []
    for i, delegate in enumerate(method.delegates):
        specs = delegate.specs.items() if isinstance(delegate.specs, Mapping) else delegate.specs
        delegates.append(
            {
                "id": delegate.backend,
                "processed": {"location": "INLINE", "index": len(blobs)}
                if inline
                else {"location": "SEGMENT", "index": len(blobs) + 1},
                "compile_specs": [{"key": key, "value": list(value)} for key, value in specs],
            }
        )
        blobs.append(delegate.blob)
        arguments = [index[name] for name in delegate.arguments]
        instructions.append(
            {
                "instr_args_type": "DelegateCall",
                "instr_args": {"delegate_index": i, "args": arguments},
            }
        )
    plan: dict[str, Any] = {
        "name": method.name,
        "container_meta_type": {"encoded_inp_str": "", "encoded_out_str": ""},
        "values": values,
        "inputs": [index[name] for name in method.inputs],
        "outputs": [index[name] for name in method.outputs],
        "chains": [{"inputs": [], "outputs": [], "instructions": instructions}],
        "operators": [],
        "delegates": delegates,
        "non_const_buffer_sizes": [0]
        + [buffers.get(i, 0) for i in range(1, max(buffers, default=0) + 1)],
    }
    if any(device != "cpu" for device in devices.values()):
        plan["non_const_buffer_device"] = [
            {"buffer_idx": i, **_device(device)} for i, device in sorted(devices.items())
        ]
    return plan


def _tensor(tensor: Tensor) -> dict[str, Any]:
    return {
        "scalar_type": _SCALAR_TYPES[tensor.dtype],
        "storage_offset": 0,
        "sizes": list(tensor.shape),
        "dim_order": list(range(len(tensor.shape))),
        "requires_grad": False,
        "data_buffer_idx": 0,
        "layout": 0,
        "shape_dynamism": tensor.dynamism,
        "extra_tensor_info": {"fully_qualified_name": tensor.name, **_device(tensor.device)},
    }


def _device(device: str) -> dict[str, Any]:
    kind, _, number = device.partition(":")
    return {"device_type": kind.upper(), "device_index": int(number or 0)}
