#!/usr/bin/env bash
# pytest with psycopg 3, as the tests in tests/cluster need it: pytest.sh [pytest's arguments]
# The first time it is installed into an environment of its own in the dev folder; nothing else needs it.
set -euo pipefail
# shellcheck source=pgrx-config/paths.sh
. "$(dirname "${BASH_SOURCE[0]}")/paths.sh"

environment=$MEMORY_SEARCH_DEV/pytest
requirements() {
  local wheel words
  for wheel in "${PYTEST_WHEELS[@]}"; do
    read -r -d '' -a words <<< "$wheel" || true
    printf '%s' "${words[0]}"; printf ' --hash=sha256:%s' "${words[@]:1}"; echo
  done
}

make_dev_folder
exec 9> "$MEMORY_SEARCH_DEV/.lock" # two runs at a time would tread on each other
flock 9
if [[ ! -e $environment/requirements.txt ]] || ! requirements | cmp -s - "$environment/requirements.txt"; then
  python3 -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))' \
    || die "the cluster tests need Python 3.10 or newer with its venv module (Debian: python3-venv)"
  say "fetching pytest and psycopg"
  rm -rf "$environment"
  python3 -m venv "$environment"
  requirements > "$environment/requirements.new"
  "$environment/bin/python" -m pip install -q --disable-pip-version-check --no-deps --only-binary=:all: \
    --require-hashes -r "$environment/requirements.new"
  # The list takes its name only when all of it is there.
  mv "$environment/requirements.new" "$environment/requirements.txt"
fi
exec 9>&-

# pytest writes nothing into the repository.
export PYTHONDONTWRITEBYTECODE=1
exec "$environment/bin/python" -m pytest -c "$MEMORY_SEARCH_REPO/tests/cluster/pytest.ini" \
  --rootdir="$MEMORY_SEARCH_REPO/tests/cluster" "$@"
