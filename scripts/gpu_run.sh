#!/usr/bin/env bash
# Runs a bundle on a GPU: contract tests, sample programs, benchmarks. Usage: run [output folder]
set -uo pipefail
cd "$(dirname "$0")" || exit 1
out=${1:-.}
# The CUDA runtime of the machine's toolkit, or of pip's wheel, whichever the loader finds.
export LD_LIBRARY_PATH="$PWD/lib:${CUDA_LIBRARY_PATH:-/usr/local/cuda/lib64}"
failed=0
{
  echo "date: $(date -u +%F)"
  nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | sed 's/^/gpu: /'
} | tee "$out/machine.txt"
python3 run_contract.py bin/contract_* --jobs 8 2>&1 | tee "$out/contract.txt"
[ "${PIPESTATUS[0]}" -eq 0 ] || failed=1
for name in execute_overhead graph_replay threads staging; do
  if timeout 300 "benchmarks/$name" >"$out/$name.json" 2>"$out/$name.err"; then
    echo "$name: done"
  else
    echo "$name: FAILED: $(head -c 300 "$out/$name.err")"; failed=1
  fi
done
exit "$failed"
