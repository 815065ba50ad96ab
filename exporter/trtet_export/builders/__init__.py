"""What turns a delegated subgraph into a TensorRT plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from torch.fx import Node

    from trtet_export.graph import DelegatedGraph


class Builder(Protocol):
    """A plan builder; one instance serves every subgraph of an export."""

    name: str

    def supports(self, node: Node) -> bool:
        """Whether a call_function node of an edge graph can be part of a plan."""

    def build(self, graph: DelegatedGraph) -> bytes:
        """The plan. Its tensors carry the graph's names. Raises ExportError."""
