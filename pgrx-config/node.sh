#!/usr/bin/env bash
# Node for the TypeScript client and for drivers of JavaScript: the machine's own, or else the one of a wheel, unpacked
# in the dev folder without root. Prints the folder of node and npm, for PATH. Quick when it is there.
set -euo pipefail
# shellcheck source=pgrx-config/paths.sh
. "$(dirname "${BASH_SOURCE[0]}")/paths.sh"

major() { sed -nE 's/^v([0-9]+)\..*/\1/p'; }
if installed=$(command -v node) && command -v npm >/dev/null && (( $(node --version | major) >= NODE_MINIMUM )); then
  # npm beside it may be another folder's, but both are on PATH already.
  dirname "$installed"
  exit
fi

folder=$MEMORY_SEARCH_DEV/node
make_dev_folder
exec 9> "$MEMORY_SEARCH_DEV/.lock" # two runs at a time would tread on each other
flock 9
if [[ ! -e $folder/.version || $(< "$folder/.version") != "$NODE_WHEEL" ]]; then
  new=$MEMORY_SEARCH_DEV/downloads/node
  rm -rf "$new"
  mkdir -p "$new"
  { printf '%s' "$NODE_WHEEL"; printf ' --hash=sha256:%s' "${NODE_WHEEL_HASHES[@]}"; echo; } > "$new/requirement.txt"
  if [[ ! -x $MEMORY_SEARCH_DEV/venv/bin/python ]]; then python3 -m venv "$MEMORY_SEARCH_DEV/venv" >&2; fi
  say "fetching $NODE_WHEEL" >&2
  "$MEMORY_SEARCH_DEV/venv/bin/python" -m pip download -q --disable-pip-version-check --no-deps --only-binary=:all: \
    --require-hashes -d "$new" -r "$new/requirement.txt" >&2
  "$MEMORY_SEARCH_DEV/venv/bin/python" -m zipfile -e "$new"/*.whl "$new/unpacked"
  # Python's zipfile forgets what is executable, and wheels have no links: npm's own start is one.
  chmod +x "$new/unpacked/$NODE_WHEEL_PREFIX/bin/node" "$new/unpacked/$NODE_WHEEL_PREFIX/lib/node_modules/npm/bin/npm-cli.js"
  ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$new/unpacked/$NODE_WHEEL_PREFIX/bin/npm"
  "$new/unpacked/$NODE_WHEEL_PREFIX/bin/node" --version >/dev/null || die "the fetched node does not run here: $NODE_WHEEL"
  rm -rf "$folder"
  mv "$new/unpacked/$NODE_WHEEL_PREFIX" "$folder"
  # This is the last step, so an interrupted download starts again.
  echo "$NODE_WHEEL" > "$folder/.version"
  rm -rf "$new"
fi
echo "$folder/bin"
