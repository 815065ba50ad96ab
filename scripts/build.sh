#!/usr/bin/env bash
# Configures and builds one preset, whole or some targets; the default one is linked under the stable names in build/.
# Usage: scripts/build.sh [PRESET [TARGET...]]
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-default}
targets=()
[ $# -gt 1 ] && targets=(--target "${@:2}")
export PATH="$PWD/.venv/bin:$PATH"
if [ ! -f "build/$preset/build.ninja" ]; then
  launcher=()
  command -v ccache >/dev/null && launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  cmake --preset "$preset" "${launcher[@]}" >/dev/null
fi
cmake --build --preset "$preset" "${targets[@]}"
[ "$preset" = default ] || exit 0
for name in trtet libexecutorch_backend_tensorrt.so standins programs; do
  if [ -e "build/default/$name" ]; then ln -sfn "default/$name" "build/$name"; fi
done
