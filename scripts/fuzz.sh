#!/usr/bin/env bash
# Runs each fuzz target for a number of seconds; a crash, a hang, a leak or too much memory ends with 1.
# New inputs that reach new code stay in build/fuzz-corpus; what was found goes to build/fuzz-findings.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
[[ $seconds =~ ^[1-9][0-9]*$ ]] || { echo "fuzz: SECONDS must be a positive integer, not '$seconds'" >&2; exit 2; }
command -v clang++ >/dev/null || { echo "fuzz: clang++ not found; install it: apt-get install clang libclang-rt-dev" >&2; exit 1; }
export PATH="$PWD/.venv/bin:$PATH"
[ -f build/fuzz/build.ninja ] || cmake --preset fuzz >/dev/null
cmake --build --preset fuzz
status=0
for target in build/fuzz/fuzz/fuzz_*; do
  name=${target##*/fuzz_}
  mkdir -p "build/fuzz-corpus/$name" "build/fuzz-findings/$name"
  log=build/fuzz-findings/$name.log
  if "$target" "build/fuzz-corpus/$name" "tests/fuzz/corpus/$name" -max_total_time="$seconds" -timeout=5 \
    -rss_limit_mb=1024 -max_len=65536 -print_final_stats=1 -artifact_prefix="build/fuzz-findings/$name/" >"$log" 2>&1; then
    verdict=ok
  else
    verdict="FAILED, see $log" status=1
  fi
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  coverage=$(grep -oE 'cov: [0-9]+' "$log" | tail -1) || true
  echo "fuzz $name: ${executions:-0} executions, ${coverage:-no coverage}, $verdict"
done
exit $status
