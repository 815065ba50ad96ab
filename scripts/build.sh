#!/usr/bin/env bash
# Configures and builds one preset; the default one is linked under the stable names in build/.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-default}
export PATH="$PWD/.venv/bin:$PATH"
[ -f "build/$preset/build.ninja" ] || cmake --preset "$preset" >"/dev/null"
cmake --build --preset "$preset"
[ "$preset" = default ] || exit 0
for name in trtet libexecutorch_backend_tensorrt.so standins programs; do
  [ -e "build/default/$name" ] && ln -sfn "default/$name" "build/$name"
done
exit 0
