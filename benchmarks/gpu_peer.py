"""This delegate and the predecessor in turns on a GPU, from a bundle: microseconds per execute of whole programs.

Standard library only. Usage: gpu_peer.py BUNDLE PEER OUTPUT.json, where PEER holds the predecessor's runner, its
libextension_cuda.so and the programs of benchmarks/programs.py.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

FEW, MANY, ROUNDS = 50, 4050, 5


def seconds(command: list[str], environment: dict[str, str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, env=environment, check=True, capture_output=True)
    return time.perf_counter() - started


def main(bundle: Path, peer: Path, output: Path) -> None:
    cuda = os.environ.get("CUDA_LIBRARY_PATH", "/usr/local/cuda/lib64")
    environment = dict(os.environ, LD_LIBRARY_PATH=f"{bundle / 'lib'}:{cuda}:{peer}")
    rows = []
    for program in sorted(peer.glob("sum_*.pte")):
        commands = {
            "ours": lambda runs, p=program: [
                str(bundle / "bin" / "trtet"),
                "run",
                str(p),
                "--runs",
                str(runs),
            ],
            "peer": lambda runs, p=program: [
                str(peer / "example_executorch_runner"),
                f"--model_path={p}",
                f"--num_runs={runs}",
            ],
        }
        samples: dict[str, list[float]] = {"ours": [], "peer": []}
        for number in range(ROUNDS):
            for who in ("ours", "peer") if number % 2 == 0 else ("peer", "ours"):
                low = seconds(commands[who](FEW), environment)
                high = seconds(commands[who](MANY), environment)
                samples[who].append((high - low) / (MANY - FEW) * 1e6)
        ours, theirs = (statistics.median(samples[who]) for who in ("ours", "peer"))
        rows.append(
            {
                "name": f"execute {program.stem}",
                "ours": ours,
                "peer": theirs,
                "limit": None,
                "unit": "us",
                "ratio": ours / theirs,
            }
        )
        print(
            f"{program.stem:<16} ours {ours:8.2f} us  peer {theirs:8.2f} us  ratio {ours / theirs:.2f}",
            flush=True,
        )
    output.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    main(*(Path(argument).resolve() for argument in sys.argv[1:]))
