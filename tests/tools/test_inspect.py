"""trtet inspect: agrees with independent readers, reports everything, survives anything."""

from __future__ import annotations

import json
import random
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import EXECUTABLE, Trtet
from .programs import ALL, add_plan
from .pte import Delegate, Method, Tensor, blob, metadata, write

Programs = Callable[[str], Path]
SOUND = sorted(set(ALL) - {"other_version"})


def problems(report: dict[str, Any]) -> list[str]:
    return [f"{problem['where']}: {problem['what']}" for problem in report["problems"]]


def program_with(
    path: Path, data: bytes, specs: Any = (), arguments: tuple[str, ...] = ("x", "y", "sum")
) -> Path:
    tensors = [
        Tensor("x", "float32", (2, 3)),
        Tensor("y", "float32", (2, 3)),
        Tensor("sum", "float32", (2, 3), memory=1),
    ]
    return write(path, Method(tensors, ["x", "y"], ["sum"], [Delegate(data, arguments, specs)]))


@pytest.mark.parametrize("name", SOUND)
def test_sound_programs_have_no_problems(trtet: Trtet, programs: Programs, name: str) -> None:
    assert problems(trtet.json("inspect", programs(name))) == []
    assert "no problems found" in trtet("inspect", programs(name)).stdout


def test_everything_about_a_program(trtet: Trtet, programs: Programs) -> None:
    report = trtet.json("inspect", programs("decoder"))
    assert report["kind"] == "program"
    (method,) = report["methods"]
    assert [(v["name"], v["dtype"], v["shape"], v["device"]) for v in method["inputs"]] == [
        ("step", "float32", [1, 4], "cpu"),
        ("position", "int64", [1], "cpu"),
        ("cache", "float32", [8, 4], "cuda:0"),
    ]
    assert [v["name"] for v in method["outputs"]] == ["logits", "cache_out"]
    assert method["memory"] == [
        {"size_bytes": 16, "device": "cpu"},
        {"size_bytes": 128, "device": "cuda:0"},
    ]
    assert method["instructions"] == 1
    (delegate,) = method["delegates"]
    assert delegate["backend"] == "TensorRTBackend"
    assert delegate["call_arguments"] == [[0, 1, 2, 3, 4]]
    held = delegate["blob"]
    assert held["magic"] == "TR02"
    assert [b["name"] for b in held["bindings"]] == [
        "step",
        "position",
        "cache",
        "logits",
        "cache_out",
    ]
    assert held["bindings"][0] == {
        "name": "step",
        "dtype": "float32",
        "shape": [1, 4],
        "is_input": True,
    }
    assert held["aliases"] == [{"output": "cache_out", "input": "cache", "kind": "kv_cache_update"}]
    assert (held["device_id"], held["target_platform"]) == (0, "linux_x86_64")
    assert held["engine"]["tensorrt_version"] == "11.4.0.106"
    text = trtet("inspect", programs("decoder")).stdout
    for part in (
        "TensorRT 11.4.0.106",
        "cache_out in cache",
        "128 B",
        "cuda:0",
        "linux_x86_64",
        "int64[1]",
    ):
        assert part in text


def test_it_needs_no_library_of_tensorrt_or_cuda(
    trtet: Trtet, programs: Programs, tmp_path: Path
) -> None:
    """It links ExecuTorch only, and opens nothing else: the others are broken here."""
    needed = subprocess.run(
        ["readelf", "-d", EXECUTABLE], capture_output=True, text=True, check=True
    ).stdout
    for name in ("libnvinfer", "libcudart", "libcuda.so", "libexecutorch_backend_tensorrt"):
        assert f"[{name}" not in needed
    for name in ("libnvinfer.so.11", "libcudart.so.13", "libexecutorch_backend_tensorrt.so"):
        (tmp_path / name).write_text("broken on purpose")
    env = {"LD_LIBRARY_PATH": str(tmp_path)}
    assert trtet("inspect", programs("add"), env=env).returncode == 0
    assert trtet("extract", programs("add"), "--engine", tmp_path / "e", env=env).returncode == 0
    assert trtet("run", programs("add"), env=env).returncode == 1


@pytest.mark.parametrize("name", SOUND)
def test_agrees_with_executorchs_own_reader(trtet: Trtet, programs: Programs, name: str) -> None:
    pytest.importorskip(
        "torch", reason="ExecuTorch's Python reader needs PyTorch: pip install torch"
    )
    from executorch.exir._serialize._program import deserialize_pte_binary

    read = deserialize_pte_binary(programs(name).read_bytes())
    program = getattr(read, "program", read)
    report = trtet.json("inspect", programs(name))
    assert [m["name"] for m in report["methods"]] == [plan.name for plan in program.execution_plan]
    for method, plan in zip(report["methods"], program.execution_plan, strict=True):
        for key, indices in (("inputs", plan.inputs), ("outputs", plan.outputs)):
            assert [v["value"] for v in method[key]] == list(indices)
            for shown in method[key]:
                tensor = plan.values[shown["value"]].val
                assert shown["shape"] == list(tensor.sizes)
                assert shown["planned"] == (tensor.allocation_info is not None)
                extra = tensor.extra_tensor_info
                assert shown["name"] == (extra.fully_qualified_name or "")
        assert [m["size_bytes"] for m in method["memory"]] == list(plan.non_const_buffer_sizes[1:])
        assert [d["backend"] for d in method["delegates"]] == [d.id for d in plan.delegates]
        for shown, delegate in zip(method["delegates"], plan.delegates, strict=True):
            data = program.backend_delegate_data[delegate.processed.index].data
            assert shown["data_bytes"] == len(data)
            assert shown["compile_specs"] == [
                {"key": spec.key, "value": bytes(spec.value).decode()}
                for spec in delegate.compile_specs
            ]
        calls = [
            i.instr_args
            for c in plan.chains
            for i in c.instructions
            if hasattr(i.instr_args, "delegate_index")
        ]
        assert [list(call.args) for call in calls] == [
            c for d in method["delegates"] for c in d["call_arguments"]
        ]


@pytest.mark.parametrize("name", SOUND)
def test_agrees_with_torch_tensorrts_reader(
    trtet: Trtet, programs: Programs, tmp_path: Path, serialization: Any, name: str
) -> None:
    report = trtet.json("inspect", programs(name))
    for method in report["methods"]:
        for i, delegate in enumerate(
            d for d in method["delegates"] if d["backend"] == "TensorRTBackend"
        ):
            file = tmp_path / f"{i}.blob"
            trtet(
                "extract",
                programs(name),
                "--method",
                method["name"],
                "--delegate",
                i,
                "--blob",
                file,
            )
            engine, read = serialization.deserialize_engine(file.read_bytes())
            shown = delegate["blob"]
            assert shown["engine"]["size_bytes"] == len(engine)
            assert [
                (b["name"], b["dtype"], b["shape"], b["is_input"]) for b in shown["bindings"]
            ] == [(b.name, b.dtype, b.shape, b.is_input) for b in read.io_bindings]
            assert {
                a["output"]: (a["input"], a["kind"]) for a in shown["aliases"]
            } == read.aliased_io
            assert shown["device_id"] == read.device_id
            assert shown["hardware_compatible"] == read.hardware_compatible
            assert shown["target_platform"] == read.target_platform


def test_every_problem_is_reported_at_once(trtet: Trtet, tmp_path: Path) -> None:
    plan = add_plan()
    plan.version = (10, 3, 0, 26)
    document = metadata(plan, device_id=4294967299)
    document["io_bindings"] += [
        {"nome": "a", "is_input": True},
        {"name": "b"},
        {"name": "x", "is_input": True},
        {"name": "c", "is_input": 1},
    ]
    document["aliased_io"] = [
        {"output": "sum", "input": "x", "kind": "magic"},
        {"output": "nothing", "input": "x"},
        {"output": "sum", "input": "y"},
        {"output": "sum", "input": "x"},
    ]
    specs = [("target_device", b"moon"), ("weight_streaming_budget", b"-1")]
    model = program_with(tmp_path / "bad.pte", blob(plan.write(), document), specs)
    found = problems(trtet.json("inspect", model, code=1))
    for part in (
        "device_id",
        "io_bindings[3]",
        "io_bindings[4]",
        "two inputs",
        "io_bindings[6]",
        "kind of aliased_io[0]",
        "aliased_io[1]",
        "in aliased_io twice",
        "target_device",
        "weight_streaming_budget",
        "TensorRT 10.3",
    ):
        assert any(part in problem for problem in found), (part, found)
    assert all(problem.startswith("forward: delegate 0: ") for problem in found)
    assert len(found) == len(set(found))
    text = trtet("inspect", model).stdout
    assert f"{len(found)} problems" in text


def test_a_refused_binding_is_not_blamed_a_second_time(trtet: Trtet, tmp_path: Path) -> None:
    """The alias that names it is sound."""
    document = metadata(add_plan())
    del document["io_bindings"][2]["is_input"]
    document["aliased_io"] = [{"output": "sum", "input": "x", "kind": "user"}]
    model = program_with(tmp_path / "bad.pte", blob(add_plan().write(), document))
    (problem,) = problems(trtet.json("inspect", model, code=1))
    assert "io_bindings[2]" in problem


def test_every_fault_of_a_header(trtet: Trtet, tmp_path: Path) -> None:
    data = bytearray(blob(add_plan().write(), metadata(add_plan())))
    data[0:4] = b"TRXX"
    data[4:8] = struct.pack("<I", 31)
    data[12:16] = struct.pack("<I", 401)
    data[16:24] = struct.pack("<Q", 0)
    model = program_with(tmp_path / "bad.pte", bytes(data))
    found = problems(trtet.json("inspect", model, code=1))
    for part in ("TR01 or TR02", "inside the 32-byte header", "multiple of 16", "no engine"):
        assert any(part in problem for problem in found), (part, found)


@pytest.mark.parametrize(
    ("field", "value", "word"),
    [
        (slice(4, 8), struct.pack("<I", 31), "metadata offset 31"),
        (slice(8, 12), struct.pack("<I", 2**32 - 1), "4294967295"),
        (slice(16, 24), struct.pack("<Q", 2**64 - 1), str(2**64 - 1)),
        (slice(16, 24), bytes(8), "no engine"),
        (slice(0, 4), b"TR03", "54 52 30 33"),
    ],
)
def test_one_fault_is_one_problem(
    trtet: Trtet, tmp_path: Path, field: slice, value: bytes, word: str
) -> None:
    data = bytearray(blob(add_plan().write(), metadata(add_plan())))
    data[field] = value
    (tmp_path / "one.blob").write_bytes(data)
    (problem,) = problems(trtet.json("inspect", tmp_path / "one.blob", code=1))
    assert word in problem


def test_a_call_with_too_few_arguments(trtet: Trtet, tmp_path: Path) -> None:
    data = blob(add_plan().write(), metadata(add_plan()))
    model = program_with(tmp_path / "bad.pte", data, arguments=("x", "sum"))
    (problem,) = problems(trtet.json("inspect", model, code=1))
    assert "2 arguments" in problem
    assert "3 bindings" in problem


def test_specs_that_disagree_with_the_metadata(trtet: Trtet, tmp_path: Path) -> None:
    data = blob(add_plan().write(), metadata(add_plan(), device_id=1))
    model = program_with(tmp_path / "bad.pte", data, {"target_device": b"cuda:0"})
    (problem,) = problems(trtet.json("inspect", model, code=1))
    assert "GPU 0" in problem
    assert "GPU 1" in problem


def test_an_engine_that_is_no_plan(trtet: Trtet, tmp_path: Path) -> None:
    model = program_with(
        tmp_path / "bad.pte", blob(b"hello, I am not a plan at all, sorry", metadata(add_plan()))
    )
    (problem,) = problems(trtet.json("inspect", model, code=1))
    assert "does not begin like a TensorRT plan" in problem


def test_blobs_and_plans_by_themselves(trtet: Trtet, tmp_path: Path) -> None:
    (tmp_path / "a.blob").write_bytes(blob(add_plan().write(), metadata(add_plan())))
    report = trtet.json("inspect", tmp_path / "a.blob")
    assert report["kind"] == "blob"
    assert [b["name"] for b in report["blob"]["bindings"]] == ["x", "y", "sum"]
    (tmp_path / "a.plan").write_bytes(add_plan().write())
    report = trtet.json("inspect", tmp_path / "a.plan")
    assert (report["kind"], report["engine"]["tensorrt_version"]) == ("plan", "11.4.0.106")
    for file in ("a.blob", "a.plan"):
        assert "11.4.0.106" in trtet("inspect", tmp_path / file).stdout


@pytest.mark.parametrize(
    "content", [b"", b"x", b"hello world, this is text", bytes(100), b"\xff" * 4096]
)
def test_something_else_altogether(trtet: Trtet, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)
    report = trtet.json("inspect", tmp_path / "file", code=1)
    assert report["kind"] == "unknown"
    assert len(report["problems"]) == 1
    assert trtet("inspect", tmp_path / "file").returncode == 1


def test_names_cannot_write_to_the_terminal(trtet: Trtet, tmp_path: Path) -> None:
    document = metadata(add_plan())
    document["io_bindings"][0]["name"] = "\x1b]0;owned\x07\x9b31m" + "n" * 300
    (tmp_path / "a.blob").write_bytes(blob(add_plan().write(), document))
    for arguments in ([], ["--json"]):
        out = trtet("inspect", tmp_path / "a.blob", *arguments).stdout
        assert not any(c in out for c in "\x1b\x07\x9b")
        assert "owned" in out


def test_every_truncation_of_a_program(trtet: Trtet, programs: Programs, tmp_path: Path) -> None:
    whole = programs("decoder").read_bytes()
    lengths = sorted({*range(0, 200, 7), *range(200, len(whole), 61), len(whole) - 1})
    for length in lengths:
        (tmp_path / "cut.pte").write_bytes(whole[:length])
        done = trtet("inspect", tmp_path / "cut.pte")
        assert done.returncode in (0, 1), (length, done.returncode, done.stderr)


def test_damaged_bytes_never_crash_it(trtet: Trtet, programs: Programs, tmp_path: Path) -> None:
    """A taste in the ordinary tests; the fuzzer goes further."""
    chance = random.Random(1)
    whole = programs("decoder").read_bytes()
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(chance.randrange(1, 8)):
            at = chance.randrange(len(data))
            data[at] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
        (tmp_path / "bad.pte").write_bytes(data)
        done = trtet("inspect", tmp_path / "bad.pte", "--json", timeout=30)
        assert done.returncode in (0, 1), (done.returncode, done.stderr)
        json.loads(done.stdout)


def test_a_huge_metadata_costs_no_minutes(trtet: Trtet, tmp_path: Path) -> None:
    """10,000 bindings, the last of them wrong, and nesting without end."""
    document = metadata(add_plan())
    document["io_bindings"] = [{"name": f"t{i}", "is_input": True} for i in range(10000)] + [
        {"name": "no direction"}
    ]
    (tmp_path / "many.blob").write_bytes(blob(add_plan().write(), document))
    found = problems(trtet.json("inspect", tmp_path / "many.blob", code=1, timeout=60))
    assert any("io_bindings[10000]" in problem for problem in found)
    (tmp_path / "deep.blob").write_bytes(
        blob(add_plan().write(), b'{"a":' + b"[" * 200000 + b"]" * 200000 + b"}")
    )
    (problem,) = problems(trtet.json("inspect", tmp_path / "deep.blob", code=1, timeout=60))
    assert "nested deeper" in problem


def test_parts_shared_without_end(trtet: Trtet, tmp_path: Path) -> None:
    """Delegates by the thousand, all with one blob: memory and time stay bounded."""
    data = blob(add_plan().write(), metadata(add_plan(), device_id=-1))
    tensors = [
        Tensor("x", "float32", (2, 3)),
        Tensor("y", "float32", (2, 3)),
        Tensor("sum", "float32", (2, 3), memory=1),
    ]
    parts = [Delegate(data, ("x", "y", "sum"))] * 300
    model = write(tmp_path / "many.pte", Method(tensors, ["x", "y"], ["sum"], parts))
    report = trtet.json("inspect", model, code=1, timeout=60)
    assert len([p for p in problems(report) if "device_id" in p]) == 300
