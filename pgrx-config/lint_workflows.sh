#!/usr/bin/env bash
# The workflows and forms in .github: by actionlint, by rules of ours, and by a dry run of every step
# (packaging/workflows), so that what a workflow names is there: lint_workflows.sh
set -euo pipefail
# shellcheck source=pgrx-config/paths.sh
. "$(dirname "${BASH_SOURCE[0]}")/paths.sh"

venv=$MEMORY_SEARCH_DEV/actionlint
requirements=$(printf '%s' "$ACTIONLINT"; printf ' --hash=sha256:%s' "${ACTIONLINT_HASHES[@]}"; echo
  printf '%s' "$YAML_PARSER"; printf ' --hash=sha256:%s' "${YAML_PARSER_HASHES[@]}")
if [[ ! -e $venv/requirements.txt || $(< "$venv/requirements.txt") != "$requirements" ]]; then
  say "fetching $ACTIONLINT and $YAML_PARSER"
  make_dev_folder
  rm -rf "$venv"
  python3 -m venv "$venv"
  echo "$requirements" > "$venv/requirements.new"
  "$venv/bin/python" -m pip install -q --disable-pip-version-check --no-deps --only-binary=:all: --require-hashes \
    -r "$venv/requirements.new"
  # The list takes its name only when all of it is there.
  mv "$venv/requirements.new" "$venv/requirements.txt"
fi

cd "$MEMORY_SEARCH_REPO"
say "actionlint"
# Files by name: without one it looks for a folder .git, which a copy of the tree lacks. It uses shellcheck if it can.
"$venv/bin/actionlint" .github/workflows/*.y*ml
say "workflows, dry"
PYTHONDONTWRITEBYTECODE=1 "$venv/bin/python" -m unittest discover -q -s packaging/workflows
