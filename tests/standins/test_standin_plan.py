"""The Python writer of stand-in plans makes the bytes of the C++ one."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from standin_plan import Plan, PlanError

ROOT = Path(__file__).resolve().parents[2]


def golden_plan() -> Plan:
    """The plan of plan_test.cpp."""
    plan = Plan(
        name='gölden "plan"',
        version=(11, 1, 2, 3),
        activation_bytes=1000,
        weights_bytes=7,
        streamable_weights_bytes=4096,
        padding_bytes=5,
        launches_per_node=True,
        enqueue="faults",
    )
    plan.input("x", "float32", (-1, 4)).input("cache", "bfloat16", (2, 3))
    plan.input("extents", "int64", (2,)).output("y", "float32", (-1, 4))
    plan.alias("cache_out", "cache", "bfloat16", (2, 3))
    plan.constant("one", "float32", (1,), struct.pack("<f", 1.0))
    plan.constant("four", "int4", (3,), b"\x12\x03")
    plan.node("add", ["x", "one"], "sum").node("increment", ["sum"], "y", [-2])
    plan.node("identity", ["cache"], "cache_out")
    plan.profile({"x": ((1, 4), (2, 4), (8, 4))}, {"extents": ((1, 1), (2, 2), (3, 3))})
    plan.profile({"x": ((9, 4), (9, 4), (16, 4))})
    plan.tensor("extents").shape_tensor = True
    plan.tensor("y").format = 2
    return plan.model("<net/>", b"weights")


def test_has_the_golden_bytes() -> None:
    golden = (Path(__file__).parent / "nvinfer" / "golden.plan").read_bytes()
    assert golden_plan().write() == golden


def test_increments_are_a_chain() -> None:
    plan = Plan().input("x", "float32", (2,)).output("y", "float32", (2,)).increments("x", "y", 3)
    data = plan.write()
    length = struct.unpack_from("<I", data, 28)[0]
    nodes = json.loads(data[32 : 32 + length])["nodes"]
    assert [(node["inputs"], node["output"]) for node in nodes] == [
        (["x"], "y.1"),
        (["y.1"], "y.2"),
        (["y.2"], "y"),
    ]


def identity(*shape: int) -> Plan:
    plan = Plan().input("x", "float32", shape).output("y", "float32", shape)
    return plan.node("identity", ["x"], "y")


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: identity(-1), "dynamic"),
        (lambda: identity(*[1] * 9), "rank is above 8"),
        (lambda: identity(2).profile({"x": ((1,), (2,), (2,))}), "dimension 0"),
        (lambda: identity(-1).profile({"x": ((3,), (2,), (4,))}), "min<=opt<=max"),
        (lambda: identity(-1).profile({"x": ((1, 1),) * 3}), "rank differs"),
        (lambda: identity(-1).profile({}), "a profile leaves it out"),
        (lambda: identity(2).profile({"z": ((1,), (1,), (1,))}), "no input has that name"),
        (lambda: identity(2).node("relu", ["q"], "r"), "reads 'q'"),
        (lambda: identity(2).node("relu", ["x"], "y"), "is there twice"),
        (lambda: identity(2).output("w", "float32", (2,)), "no node makes it"),
        (lambda: identity(2).alias("w", "q", "float32", (2,)), "which is no input"),
        (lambda: identity(2).alias("w", "x", "float16", (2,)), "differs from its aliased"),
        (lambda: identity(2).constant("c", "float32", (2,), b"four"), "has 4 bytes"),
        (lambda: identity(2).constant("c", "decimal", (2,), b"four"), "'decimal' is unknown"),
    ],
)
def test_refuses_parts_that_do_not_fit(build: Callable[[], Plan], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        build().write()
