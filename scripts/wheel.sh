#!/usr/bin/env bash
# Builds the wheels into dist/, against the ExecuTorch in .venv; the build's guards print sizes and refuse bad ones.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/.venv/bin:$PATH"
mkdir -p dist
# An old wheel must not pass for the one that a guard has just refused.
rm -f dist/torch_tensorrt_executorch_runtime-*.whl
log=build/wheel.log
mkdir -p build
if ! python -m pip wheel --disable-pip-version-check --no-build-isolation --no-deps --wheel-dir dist --verbose . >"$log" 2>&1; then
  tail -n 60 "$log" >&2
  echo "wheel: not built; the whole log is in $log" >&2
  exit 1
fi
grep -F 'wheel_backend:' -A 40 "$log" | sed -n 's/^ *//; /wheel_backend: /p; / checks, /p'
ls dist/*.whl
