#!/usr/bin/env bash
# Builds the fuzz targets with clang and runs them for a number of seconds in all, as many at once as there are cores.
# A crash, a hang, a leak or too much memory ends with 1. Usage: scripts/fuzz.sh [SECONDS [TARGET...]]
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
[[ $seconds =~ ^[1-9][0-9]*$ ]] || { echo "fuzz: SECONDS must be a positive integer, not '$seconds'" >&2; exit 2; }
command -v clang++ >/dev/null || { echo "fuzz: clang++ not found; install it: apt-get install clang libclang-rt-dev" >&2; exit 1; }
scripts/build.sh fuzz
exec .venv/bin/python -m tests.fuzz.run --seconds "$seconds" "${@:2}"
