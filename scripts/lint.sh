#!/usr/bin/env bash
# Runs the linters; all of them, or those named. Ends with 1 when one has something to say.
# Usage: scripts/lint.sh [ruff|mypy|shellcheck|clang-format|clang-tidy]...
# shellcheck disable=SC2329 # functions are called by name at the end
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/.venv/bin:$PATH"

# files PATTERN...: what git tracks of these, and what it would.
files() { git ls-files --cached --others --exclude-standard -- "$@" | while read -r name; do [ -f "$name" ] && echo "$name"; done; }

lint_ruff() { ruff check --quiet . && ruff format --quiet --check .; }
lint_mypy() { mypy --no-error-summary; }
lint_shellcheck() { files '*.sh' .ci/run | xargs shellcheck; }
lint_clang_format() { files '*.cpp' '*.h' '*.cu' | xargs clang-format --dry-run -Werror; }
lint_clang_tidy() {
  local build=build/default
  [ -f "$build/compile_commands.json" ] ||
    { echo "lint: $build/compile_commands.json is missing; run make build" >&2; return 1; }
  local log=build/clang-tidy.log
  if files 'src/*.cpp' | xargs -P "$(nproc)" -n 1 clang-tidy --quiet -p "$build" >"$log" 2>/dev/null; then return 0; fi
  cat "$log"
  return 1
}

[ $# -gt 0 ] || set -- ruff mypy shellcheck clang-format clang-tidy
status=0
for name in "$@"; do
  case $name in
    ruff | mypy | shellcheck | clang-format | clang-tidy) ;;
    *) echo "lint: '$name' is unknown; allowed: ruff, mypy, shellcheck, clang-format, clang-tidy" >&2 && exit 2 ;;
  esac
  command -v "$name" >/dev/null || { echo "lint: $name not found; run make setup" >&2; exit 1; }
  if "lint_${name//-/_}"; then echo "lint $name: clean"; else echo "lint $name: FAILED" >&2; status=1; fi
done
exit $status
