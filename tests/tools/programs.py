"""The programs that the tests and the captures in the docs run."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from .pte import Delegate, Method, Plan, Tensor, blob, metadata, write


def _delegated(
    plan: Plan,
    tensors: list[Tensor],
    specs: dict[str, bytes] | None = None,
    inputs: int | None = None,
) -> Method:
    """One part that is the whole method: its arguments are the method's inputs, then outputs."""
    names = [tensor.name for tensor in tensors]
    count = inputs if inputs is not None else sum(t.is_input for t in plan.tensors)
    return Method(
        tensors=tensors,
        inputs=names[:count],
        outputs=names[count:],
        delegates=[Delegate(blob(plan.write(), metadata(plan)), names, specs or {})],
    )


def add_plan(dtype: str = "float32", shape: tuple[int, ...] = (2, 3)) -> Plan:
    plan = (
        Plan(name="add")
        .input("x", dtype, shape)
        .input("y", dtype, shape)
        .output("sum", dtype, shape)
    )
    return plan.node("add", ["x", "y"], "sum")


def add(path: Path, dtype: str = "float32", inline: bool = False) -> Path:
    """sum = x + y, in the caller's memory and a planned output on the host."""
    tensors = [
        Tensor("x", dtype, (2, 3)),
        Tensor("y", dtype, (2, 3)),
        Tensor("sum", dtype, (2, 3), memory=1),
    ]
    return write(path, _delegated(add_plan(dtype), tensors), inline=inline)


def add_unplanned(path: Path) -> Path:
    """The same with an output in the caller's memory too, so all I/O can live on the device."""
    tensors = [Tensor(name, "float32", (2, 3)) for name in ("x", "y", "sum")]
    return write(path, _delegated(add_plan(), tensors))


def add_on_device(path: Path) -> Path:
    """The same with a device-tagged output, planned in GPU memory and given as it is."""
    tensors = [
        Tensor("x", "float32", (2, 3)),
        Tensor("y", "float32", (2, 3)),
        Tensor("sum", "float32", (2, 3), memory=1, device="cuda:0"),
    ]
    return write(path, _delegated(add_plan(), tensors, {"target_device": b"cuda:0"}))


def two_outputs(path: Path) -> Path:
    plan = Plan(name="two").input("x", "float32", (4,))
    plan.output("next", "float32", (4,)).output("negative", "float32", (4,))
    plan.node("increment", ["x"], "next", [1]).node("negate", ["x"], "negative")
    tensors = [
        Tensor("x", "float32", (4,)),
        *(Tensor(n, "float32", (4,), memory=1) for n in ("next", "negative")),
    ]
    return write(path, _delegated(plan, tensors))


def dynamic(path: Path) -> Path:
    """x + 1 with a batch of 1 to 8."""
    plan = Plan(name="dynamic").input("x", "float32", (-1, 4)).output("y", "float32", (-1, 4))
    plan.node("increment", ["x"], "y", [1]).profile({"x": ((1, 4), (4, 4), (8, 4))})
    tensors = [
        Tensor("x", "float32", (8, 4), dynamism="DYNAMIC_BOUND"),
        Tensor("y", "float32", (8, 4), memory=1, dynamism="DYNAMIC_BOUND"),
    ]
    return write(path, _delegated(plan, tensors))


def decoder(path: Path, persists: bool = True, is_planned: bool = False) -> Path:
    """logits = sum over a cache in which `step` was written at `position`.

    With persists=False the written cache goes to memory of its own; the caller's stays as it was.
    With is_planned=True the cache is no input but a buffer of the program, in planned GPU memory.
    """
    cache = (8, 4)
    plan = Plan(name="decoder").input("step", "float32", (1, 4)).input("position", "int64", (1,))
    plan.input("cache", "float32", cache).output("logits", "float32", (4,))
    if persists:
        plan.alias("cache_out", "cache", "float32", cache)
    else:
        plan.output("cache_out", "float32", cache)
    plan.node("kv_update", ["cache", "step", "position"], "cache_out", [0])
    plan.node("sum", ["cache_out"], "logits", [0])
    tensors = [
        Tensor("step", "float32", (1, 4)),
        Tensor("position", "int64", (1,)),
        Tensor("cache", "float32", cache, memory=2 if is_planned else None, device="cuda:0"),
        Tensor("logits", "float32", (4,), memory=1),
        Tensor("cache_out", "float32", cache, memory=2, device="cuda:0"),
    ]
    method = _delegated(plan, tensors)
    if is_planned:
        method.inputs, method.outputs = ["step", "position"], ["logits"]
    return write(path, method)


def nan_decoder(path: Path) -> Path:
    """Logits that are always NaN, whatever the cache holds."""
    nan = b"\x00\x00\xc0\x7f" * 4
    plan = Plan(name="nan").input("step", "float32", (4,)).input("position", "int64", (1,))
    plan.output("logits", "float32", (4,)).output("where", "int64", (1,)).constant(
        "nan", "float32", (4,), nan
    )
    plan.node("add", ["step", "nan"], "logits").node("identity", ["position"], "where")
    tensors = [
        Tensor("step", "float32", (4,)),
        Tensor("position", "int64", (1,)),
        Tensor("logits", "float32", (4,), memory=1),
        Tensor("where", "int64", (1,), memory=1),
    ]
    return write(path, _delegated(plan, tensors))


def two_methods(path: Path) -> Path:
    """Methods `first` and `second`, neither called forward."""
    methods = []
    for name, count in (("first", 1), ("second", 2)):
        plan = (
            Plan(name=name)
            .input("x", "float32", (2,))
            .output("y", "float32", (2,))
            .increments("x", "y", count)
        )
        method = _delegated(
            plan, [Tensor("x", "float32", (2,)), Tensor("y", "float32", (2,), memory=1)]
        )
        method.name = name
        methods.append(method)
    return write(path, *methods)


def slow(path: Path) -> Path:
    """Twenty products of 1024 x 1024 matrices, one after another: many seconds on the stand-in."""
    shape = (1024, 1024)
    plan = Plan(name="slow").input("x", "float32", shape).output("y", "float32", shape)
    last = "x"
    for i in range(20):
        following = "y" if i == 19 else f"product{i}"
        plan.node("matmul", [last, "x"], following)
        last = following
    return write(
        path,
        _delegated(plan, [Tensor("x", "float32", shape), Tensor("y", "float32", shape, memory=1)]),
    )


def without_delegate(path: Path) -> Path:
    """Gives its input back; no part of it is delegated."""
    return write(path, Method([Tensor("x", "float32", (2, 3), memory=1)], ["x"], ["x"]))


def passthrough(path: Path) -> Path:
    """Gives its input back, in the memory of the caller."""
    return write(path, Method([Tensor("x", "float32", (2, 3))], ["x"], ["x"]))


def other_version(path: Path) -> Path:
    """An engine of TensorRT 12."""
    plan = add_plan()
    plan.version = (12, 0, 0, 1)
    tensors = [
        Tensor("x", "float32", (2, 3)),
        Tensor("y", "float32", (2, 3)),
        Tensor("sum", "float32", (2, 3), memory=1),
    ]
    return write(path, _delegated(plan, tensors))


ALL: dict[str, Callable[[Path], Path]] = {
    "add": add,
    "add_half": lambda path: add(path, "float16"),
    "add_int64": lambda path: add(path, "int64"),
    "add_inline": lambda path: add(path, inline=True),
    "add_unplanned": add_unplanned,
    "add_on_device": add_on_device,
    "two_outputs": two_outputs,
    "dynamic": dynamic,
    "decoder": decoder,
    "decoder_forgetful": lambda path: decoder(path, persists=False),
    "decoder_planned": lambda path: decoder(path, is_planned=True),
    "nan_decoder": nan_decoder,
    "two_methods": two_methods,
    "without_delegate": without_delegate,
    "passthrough": passthrough,
    "other_version": other_version,
}


def write_all(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in ALL.items():
        make(folder / f"{name}.pte")


if __name__ == "__main__":
    write_all(Path(sys.argv[1]))
