#!/usr/bin/env bash
# Formatting and lints of the whole workspace, as strict as CI: a warning is an error.
#   lint.sh                    all of it
#   lint.sh --cargo [MAJOR]    what compiles: clippy, for PostgreSQL 18 or another
#   lint.sh --text             the rest
set -euo pipefail
# shellcheck source=pgrx-config/paths.sh
. "$(dirname "${BASH_SOURCE[0]}")/paths.sh"
"$MEMORY_SEARCH_REPO/pgrx-config/setup.sh"
cd "$MEMORY_SEARCH_REPO"
part=${1:-} major=${2:-18}
[[ " --cargo --text " == *" ${part:---text} "* && " $SUPPORTED_MAJORS " == *" $major "* ]] || die "usage: lint.sh [--cargo [MAJOR]|--text]"

if [[ $part != --text ]]; then
  server=PG${major}_CONFIG
  say "cargo clippy for PostgreSQL $major"
  # In the profile in which the library is built: bindgen, the macros and the bindings that they make are there already.
  PGRX_PG_CONFIG_PATH=${!server} \
    cargo clippy --release --workspace --all-targets --no-default-features --features "memory_search/pg$major" -- -D warnings
fi
if [[ $part == --cargo ]]; then exit; fi

rust=$(rustc --version | cut -d ' ' -f 2)
[[ $rust == "$LINTS_RUST".* ]] || say "rustc is $rust; CI lints with $LINTS_RUST, so that a warning here may be none there"
say "cargo fmt"
cargo fmt --all --check

if command -v shellcheck >/dev/null; then
  say "shellcheck"
  find . \( -path ./.git -o -path ./target -o -path ./.dev \) -prune -o -name '*.sh' -print0 | xargs -0 shellcheck -x .ci/run
else
  say "shellcheck is not installed: the shell scripts are left unchecked"
fi
"$MEMORY_SEARCH_REPO/pgrx-config/sql_width.sh"
# A Drop calls the server only by unwinding::release: see src/pg/unwinding.rs.
# shellcheck disable=SC2016 # awk's $0
drops=$(find src crates -name '*.rs' -print0 | xargs -0 awk '
  /fn drop\(&mut self\)/ { inside = 1; body = "" }
  inside { body = body $0 }
  inside && /^    }$/ { inside = 0; if (body ~ /pg_sys::/ && body !~ /unwinding::release/) print FILENAME ": " FNR }')
[[ -z $drops ]] || die "a Drop calls the server while an ERROR may be passing; let unwinding::release do it: $drops"
say "licences, sources and duplicates of crates"
python3 -m unittest discover -q -s tests/dependencies
python3 tests/dependencies/check_dependencies.py
say "layers"
python3 -m unittest discover -q -s tests/layers
python3 tests/layers/check_layers.py
say "licences of what is compiled in"
python3 -m unittest discover -q -s packaging/licences
say "versions, and META.json"
python3 -m unittest discover -q -s packaging/release
python3 -m unittest discover -q -s packaging/pgxn
python3 packaging/release/versions.py
python3 packaging/pgxn/check_meta.py
"$MEMORY_SEARCH_REPO/pgrx-config/pgspot.sh"
"$MEMORY_SEARCH_REPO/pgrx-config/lint_docs.sh"
"$MEMORY_SEARCH_REPO/pgrx-config/lint_workflows.sh"
say "lint is clean"
