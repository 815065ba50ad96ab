"""Loads a program and runs it once. Usage: inference.py MODEL.pte INPUT.npy..."""

from __future__ import annotations

import sys

import numpy
import torch
import torch_tensorrt_executorch_runtime  # noqa: F401  registers TensorRTBackend
from executorch.runtime import Runtime


def main(model: str, *inputs: str) -> None:
    method = Runtime.get().load_program(model).load_method("forward")
    tensors = [torch.from_numpy(numpy.load(path)) for path in inputs]
    for index, output in enumerate(method.execute(tensors)):
        print(f"output {index}: {tuple(output.shape)} {output.flatten()[:4].tolist()}")


if __name__ == "__main__":
    main(*sys.argv[1:])
