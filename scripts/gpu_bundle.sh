#!/usr/bin/env bash
# Packs what a GPU machine without a toolchain needs to run the gpu lane and the benchmarks: build/gpu-bundle.
# There: build/gpu-bundle/run [output folder]
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/default bundle=build/gpu-bundle
[ -e "$build/standins-gpu/libnvinfer.so.11" ] ||
  { echo "gpu_bundle: $build/standins-gpu/libnvinfer.so.11 is missing; configure with -DTRTET_BUILD_GPU_STANDIN=ON" >&2; exit 1; }
rm -rf "$bundle"
mkdir -p "$bundle/bin" "$bundle/lib" "$bundle/benchmarks"
cp -L "$build"/libexecutorch_backend_tensorrt.so "$build"/standins-gpu/*.so* "$bundle/lib/"
cp -L .venv/site-packages/executorch/lib/libexecutorch*.so "$bundle/lib/"
cp "$build/trtet" "$build"/tests/contract_* "$bundle/bin/"
cp "$build"/benchmarks/{execute_overhead,staging,graph_replay,threads,load_memory} "$bundle/benchmarks/"
cp -rL "$build/programs" "$bundle/programs"
cp tests/gpu/run_contract.py scripts/gpu_run.sh "$bundle/"
find "$bundle/bin" "$bundle/benchmarks" "$bundle/lib" -type f -exec strip --strip-debug {} + 2>/dev/null || true
mv "$bundle/gpu_run.sh" "$bundle/run"
du -sh "$bundle"
