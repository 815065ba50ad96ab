#!/usr/bin/env bash
# Set-up of a checkout: system packages, .venv with locked wheels. Repeated runs cost a stamp check.
# Usage: scripts/setup.sh core|full
set -euo pipefail
cd "$(dirname "$0")/.."

profile=${1:-full}
case $profile in core | full) ;; *) echo "setup: profile '$profile' is unknown; allowed: core, full" >&2 && exit 2 ;; esac

python=${PYTHON:-python3}
command -v "$python" >/dev/null || { echo "setup: $python not found; install it: apt-get install python3 python3-venv" >&2; exit 1; }
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
  { echo "setup: $("$python" --version) is too old; Python 3.10 or newer is needed (set PYTHON=python3.x)" >&2; exit 1; }

install_system_packages() {
  local missing=() name
  while read -r name; do
    dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing+=("$name")
  done <requirements/apt.txt
  [ ${#missing[@]} -eq 0 ] && return
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      { echo "setup: as root, run: apt-get install ${missing[*]}" >&2; exit 1; }
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update -qq
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# One stamp per profile holds the hash of what it installed; full covers core.
is_current() {
  local stamp=.venv/.installed-$1
  [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$(wanted_hash "$1")" ]
}
wanted_hash() { cat requirements/apt.txt "requirements/$1.txt" | sha256sum | cut -d' ' -f1; }

if is_current full || { [ "$profile" = core ] && is_current core; }; then exit 0; fi

if command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; then
  install_system_packages
else
  echo "setup: not a Debian or Ubuntu system; provide these yourself: $(tr '\n' ' ' <requirements/apt.txt)" >&2
fi
[ -x .venv/bin/python ] || "$python" -m venv .venv
ln -sfn "$(cd .venv && echo lib/python3.*/site-packages)" .venv/site-packages
echo "setup: installing locked wheels ($profile); the first time takes a few minutes" >&2
no_deps=()
[ "$profile" = core ] && no_deps=(--no-deps)
.venv/bin/python -m pip install --quiet --disable-pip-version-check "${no_deps[@]}" -r "requirements/$profile.txt"
wanted_hash "$profile" >".venv/.installed-$profile"
