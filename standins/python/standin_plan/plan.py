"""A plan as its author sees it, and its bytes. What the fields mean is said in standins/plan.h."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

from standin_plan.check import check, complete_profiles
from standin_plan.parts import DTYPES, Constant, Node, PlanError, Profile, Range, Shape, Tensor

__all__ = ["DTYPES", "Plan", "PlanError", "Profile", "Tensor", "serialization_tag"]

_TAG = 0x74727466
_ALIGNMENT = 64
_HEADER = struct.Struct("<IIIIQ4BI")


@dataclass
class Plan:
    """Describes an engine and writes it; methods give the plan back, so that calls can be chained."""

    name: str = "standin"
    version: tuple[int, int, int, int] = (11, 4, 0, 106)
    weights_bytes: int = 0
    streamable_weights_bytes: int = 0
    activation_bytes: int = 0
    padding_bytes: int = 0
    refuses_capture: bool = False
    launches_per_node: bool = False
    enqueue: str = "ok"
    load_refusal: str = ""
    tensors: list[Tensor] = field(default_factory=list)
    profiles: list[Profile] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    constants: list[Constant] = field(default_factory=list)
    openvino: tuple[bytes, bytes] | None = None

    def input(self, name: str, dtype: str, shape: Shape) -> Plan:
        self.tensors.append(Tensor(name, True, dtype, tuple(shape)))
        return self

    def output(self, name: str, dtype: str, shape: Shape) -> Plan:
        self.tensors.append(Tensor(name, False, dtype, tuple(shape)))
        return self

    def alias(self, name: str, aliased_input: str, dtype: str, shape: Shape) -> Plan:
        """An output that shares the memory of an input."""
        self.tensors.append(Tensor(name, False, dtype, tuple(shape), alias=aliased_input))
        return self

    def constant(self, name: str, dtype: str, shape: Shape, data: bytes) -> Plan:
        self.constants.append(Constant(name, dtype, tuple(shape), bytes(data)))
        return self

    def node(
        self, op: str, inputs: Sequence[str], output: str, attributes: Sequence[int] = ()
    ) -> Plan:
        self.nodes.append(Node(op, list(inputs), output, list(attributes)))
        return self

    def increments(self, source: str, target: str, count: int) -> Plan:
        """`count` nodes x -> x + 1, one after another."""
        last = source
        for index in range(1, count + 1):
            following = target if index == count else f"{target}.{index}"
            self.node("increment", [last], following, [1])
            last = following
        return self

    def profile(
        self, shapes: Mapping[str, Range], values: Mapping[str, Range] | None = None
    ) -> Plan:
        self.profiles.append(Profile(dict(shapes), dict(values or {})))
        return self

    def model(self, xml: bytes | str, weights: bytes) -> Plan:
        """An OpenVINO IR in the nodes' place; its inputs and outputs are the plan's, in order."""
        self.openvino = (xml.encode() if isinstance(xml, str) else bytes(xml), bytes(weights))
        return self

    def tensor(self, name: str) -> Tensor:
        for candidate in self.tensors:
            if candidate.name == name:
                return candidate
        raise PlanError(f"plan: no tensor is named {name!r}")

    def write(self) -> bytes:
        """The plan's bytes. Raises PlanError when its parts do not fit each other."""
        profiles = complete_profiles(self.tensors, self.profiles)
        check(self.tensors, self.constants, self.nodes, self.openvino is not None)
        pieces = [constant.data for constant in self.constants] + list(self.openvino or ())
        text = _dump(self._describe(profiles, _place(pieces))).encode()
        plan = bytearray(_HEADER.size) + text
        for piece in pieces:
            _pad(plan)
            plan += piece
        _pad(plan)
        plan += bytes(self.padding_bytes)
        tag = serialization_tag(self.version)
        _HEADER.pack_into(plan, 0, _TAG, 0, tag, 0, len(plan), *self.version, len(text))
        return bytes(plan)

    def _describe(self, profiles: list[Profile], offsets: list[int]) -> dict[str, object]:
        model = None
        if self.openvino is not None:
            xml_offset, weights_offset = offsets[len(self.constants) :]
            model = {
                "xml_offset": xml_offset,
                "xml_bytes": len(self.openvino[0]),
                "weights_offset": weights_offset,
                "weights_bytes": len(self.openvino[1]),
            }
        return {
            "name": self.name,
            "weights_bytes": self.weights_bytes,
            "streamable_weights_bytes": self.streamable_weights_bytes,
            "activation_bytes": self.activation_bytes,
            "padding_bytes": self.padding_bytes,
            "refuses_capture": self.refuses_capture,
            "launches_per_node": self.launches_per_node,
            "enqueue": self.enqueue,
            "load_refusal": self.load_refusal,
            "tensors": [tensor.describe() for tensor in self.tensors],
            "profiles": [
                {"shapes": _ranges(profile.shapes), "values": _ranges(profile.values)}
                for profile in profiles
            ],
            "nodes": [asdict(node) for node in self.nodes],
            "constants": [
                constant.describe() | {"offset": offset}
                for constant, offset in zip(
                    self.constants, offsets[: len(self.constants)], strict=True
                )
            ],
            "openvino": model,
        }


def serialization_tag(version: Sequence[int]) -> int:
    """What a library of that version writes at byte 8 and accepts there."""
    return 10 * version[0] + version[1] + 130


def _dump(description: dict[str, object]) -> str:
    return json.dumps(description, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _ranges(ranges: Mapping[str, Range]) -> dict[str, dict[str, list[int]]]:
    return {
        name: {"min": list(low), "opt": list(best), "max": list(high)}
        for name, (low, best, high) in ranges.items()
    }


def _pad(plan: bytearray) -> None:
    plan += bytes(-len(plan) % _ALIGNMENT)


def _place(pieces: list[bytes]) -> list[int]:
    offsets, end = [], 0
    for piece in pieces:
        offset = end + -end % _ALIGNMENT
        offsets.append(offset)
        end = offset + len(piece)
    return offsets
