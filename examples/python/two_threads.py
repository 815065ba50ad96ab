"""Two programs at once, one per thread. Usage: two_threads.py FIRST.pte SECOND.pte

A loaded program belongs to one thread at a time, so each thread loads its own.
Inputs are ones of the shapes that the programs name.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import torch
import torch_tensorrt_executorch_runtime  # noqa: F401  registers TensorRTBackend
from executorch.runtime import Runtime

RUNS = 50


def run(model: str) -> list[torch.Tensor]:
    """Loads a program and runs it RUNS times; every answer has to be the first one."""
    method = Runtime.get().load_program(model).load_method("forward")
    metadata = method.metadata
    shapes = [metadata.input_tensor_meta(i).sizes() for i in range(metadata.num_inputs())]
    inputs = [torch.ones(shape) for shape in shapes]
    first = [output.clone() for output in method.execute(inputs)]
    for _ in range(RUNS - 1):
        for got, wanted in zip(method.execute(inputs), first, strict=True):
            assert torch.equal(got, wanted), f"{model}: the answer changed between runs"
    return first


def main(*models: str) -> None:
    with ThreadPoolExecutor(len(models)) as pool:
        for model, outputs in zip(models, pool.map(run, models), strict=True):
            print(f"{model}: {[output.flatten()[:4].tolist() for output in outputs]}")


if __name__ == "__main__":
    main(*sys.argv[1:])
