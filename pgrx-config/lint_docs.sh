#!/usr/bin/env bash
# Markdown: its form, the width of prose, relative links and their anchors (.rumdl.toml has the rules), and
# whether docs/SUMMARY.md names every page of docs and every page that one of these links to; whether the configurations
# of coding agents can be read; plain English (tests/docs/check_wording.py has the rules, and the pages that keep them).
#   lint_docs.sh          says what is wrong
#   lint_docs.sh --fix    corrects what the linter can: width and blank lines above all
set -euo pipefail
# shellcheck source=pgrx-config/paths.sh
. "$(dirname "${BASH_SOURCE[0]}")/paths.sh"

case ${1:-} in
  '') command=check ;;
  --fix) command=fmt ;;
  *) die "usage: lint_docs.sh [--fix]" ;;
esac

venv=$MEMORY_SEARCH_DEV/rumdl
if [[ ! -e $venv/.version || $(< "$venv/.version") != "$RUMDL" ]]; then
  say "fetching $RUMDL"
  make_dev_folder
  rm -rf "$venv"
  python3 -m venv "$venv"
  { printf '%s' "$RUMDL"; printf ' --hash=sha256:%s' "${RUMDL_HASHES[@]}"; echo; } > "$venv/requirements.txt"
  "$venv/bin/python" -m pip install -q --disable-pip-version-check --no-deps --only-binary=:all: --require-hashes \
    -r "$venv/requirements.txt"
  echo "$RUMDL" > "$venv/.version"
fi

cd "$MEMORY_SEARCH_REPO"
say "rumdl"
"$venv/bin/rumdl" "$command" --config .rumdl.toml --no-cache .
say "links of the site"
export PYTHONDONTWRITEBYTECODE=1
python3 -m unittest discover -q -s tests/docs
python3 tests/docs/check_summary.py
python3 tests/docs/check_coding_agents.py
say "plain English"
python3 tests/docs/check_wording.py
