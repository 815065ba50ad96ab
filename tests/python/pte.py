"""What a `.pte` file holds, read with ExecuTorch's own schema."""

from __future__ import annotations

from dataclasses import dataclass

from executorch.exir._serialize._program import deserialize_pte_binary
from executorch.exir.schema import (
    DelegateCall,
    ExecutionPlan,
    KernelCall,
    Tensor,
)
from trtet_export.blob import Metadata, read_blob


@dataclass(frozen=True)
class Delegate:
    """One delegated part."""

    plan: bytes
    metadata: Metadata
    compile_specs: dict[str, bytes]


@dataclass(frozen=True)
class Program:
    """The method `forward`."""

    method: ExecutionPlan
    blobs: list[bytes]

    @property
    def delegates(self) -> list[Delegate]:
        found = []
        for delegate in self.method.delegates:
            if delegate.id == "TensorRTBackend":
                plan, metadata = read_blob(self.blobs[delegate.processed.index])
                specs = {spec.key: bytes(spec.value) for spec in delegate.compile_specs}
                found.append(Delegate(plan, metadata, specs))
        return found

    @property
    def backends(self) -> list[str]:
        return [delegate.id for delegate in self.method.delegates]

    @property
    def operators(self) -> list[str]:
        """Operators the program itself runs, in order; delegate calls as 'delegate'."""
        names = [f"{op.name}.{op.overload}" for op in self.method.operators]
        calls = [
            instruction.instr_args
            for chain in self.method.chains
            for instruction in chain.instructions
        ]
        return [
            names[call.op_index] if isinstance(call, KernelCall) else "delegate"
            for call in calls
            if isinstance(call, (KernelCall, DelegateCall))
        ]

    @property
    def tensors(self) -> list[Tensor]:
        return [value.val for value in self.method.values if isinstance(value.val, Tensor)]


def read(pte: bytes) -> Program:
    """The only method of a file."""
    file = deserialize_pte_binary(pte)
    (method,) = file.program.execution_plan
    blobs = [bytes(blob.data) for blob in file.program.backend_delegate_data]
    return Program(method, blobs)
