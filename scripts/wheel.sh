#!/usr/bin/env bash
# Builds the wheels into dist/, against the ExecuTorch in .venv; the build's guards print sizes and refuse bad ones.
# Usage: scripts/wheel.sh [runtime|tool]...   (default: both)
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/.venv/bin:$PATH"
mkdir -p dist build

# build NAME PREFIX FOLDER: the wheel of FOLDER, whose file name begins with PREFIX.
build() {
  local log=build/$1-wheel.log
  # An old wheel must not pass for the one that a guard has just refused.
  rm -f dist/"$2"-*.whl
  if ! python -m pip wheel --disable-pip-version-check --no-build-isolation --no-deps --wheel-dir dist --verbose "$3" >"$log" 2>&1; then
    tail -n 60 "$log" >&2
    echo "wheel: $1 not built; the whole log is in $log" >&2
    exit 1
  fi
  sed -n 's/^ *//; /^wheel_backend: /p; / checks\?, /p' "$log"
  ls dist/"$2"-*.whl
}

[ $# -gt 0 ] || set -- runtime tool
for name in "$@"; do
  case $name in
    runtime) build runtime torch_tensorrt_executorch_runtime . ;;
    tool) build tool trtet packaging/tool_wheel ;;
    *) echo "wheel: '$name' is unknown; allowed: runtime, tool" >&2 && exit 2 ;;
  esac
done
