#!/usr/bin/env bash
# Every tier, in the order of what they cost. Stops at the first failure; the last line says how many
# tests passed in all. Servers are stopped however it ends: each tier's script sees to its own.
set -euo pipefail
# shellcheck source=pgrx-config/paths.sh
. "$(dirname "${BASH_SOURCE[0]}")/../pgrx-config/paths.sh"
tests=$MEMORY_SEARCH_REPO/tests
output=$(mktemp)
trap 'rm -f "$output"' EXIT
total=0 summary=()

# Runs a tier. One that counts ends with "N passed, 0 failed"; less than that is a failure.
tier() { # NAME counts|steps COMMAND...
  local name=$1 kind=$2 began=$SECONDS count=''
  shift 2
  printf '\n=== %s ===\n' "$name"
  "$@" 2>&1 | tee "$output" || { printf '\n=== %s FAILED after %d s ===\n' "$name" "$(( SECONDS - began ))" >&2; exit 1; }
  if [[ $kind == counts ]]; then
    count=$(sed -nE '$s/^([1-9][0-9]*) passed, 0 failed$/\1/p' "$output")
    [[ -n $count ]] || { printf '\n=== %s FAILED: it did not say how many tests passed ===\n' "$name" >&2; exit 1; }
    total=$(( total + count ))
  fi
  mapfile -t -O "${#summary[@]}" summary < <(grep '^\*\*\* NOT run' "$output" || true)
  summary+=("$(printf '%-10s %4d s%s' "$name" "$(( SECONDS - began ))" "${count:+  $count passed}")")
}

# What runs on 17 is not here for its time: tests/run_pg.sh 17, before a release. That it compiles is.
compile_for_17() {
  cd "$MEMORY_SEARCH_REPO" && PGRX_PG_CONFIG_PATH=$PG17_CONFIG \
    cargo clippy --workspace --all-targets --no-default-features --features memory_search/pg17 -- -D warnings
}

tier set-up steps "$MEMORY_SEARCH_REPO/pgrx-config/setup.sh" --for-tests
tier lint steps "$MEMORY_SEARCH_REPO/pgrx-config/lint.sh"
tier compile-17 steps compile_for_17
tier core counts "$tests/run_core.sh"
tier install steps env PG_CONFIG="${PG_CONFIG:-$PG18_CONFIG}" "$MEMORY_SEARCH_REPO/pgrx-config/install.sh"
tier install-script steps "$MEMORY_SEARCH_REPO/pgrx-config/install_script.sh" --check
export MEMORY_SEARCH_INSTALLED=1
tier pgspot steps "$MEMORY_SEARCH_REPO/pgrx-config/pgspot.sh" --installed
tier sql counts "$tests/run_sql.sh"
tier isolation counts "$tests/run_isolation.sh"
tier isolation-4 counts env PARTITIONS=4 "$tests/run_isolation.sh"
tier docs counts "$tests/run_docs.sh"
tier python counts "$tests/run_python.sh"
tier typescript counts "$tests/run_typescript.sh"
tier reference counts "$tests/run_reference.sh"
tier install-16 steps "$tests/run_pg.sh" 16 install # before cluster, which upgrades from it
tier cluster counts "$tests/run_cluster.sh"
tier mcp counts "$tests/run_mcp.sh"
tier fuzz counts "$tests/run_fuzz.sh"
tier sql-16 counts "$tests/run_pg.sh" 16 sql
tier cluster-16 counts "$tests/run_pg.sh" 16 cluster
tier fuzz-16 counts "$tests/run_pg.sh" 16 fuzz
if [[ -x $MEMORY_SEARCH_REPO/benches/run_eval.sh ]]; then
  tier eval steps "$MEMORY_SEARCH_REPO/benches/run_eval.sh" smoke
  if grep -q '^not run:' "$output"; then summary+=("           *** the evaluation was NOT run: there is no evaluation data"); fi
fi

printf '\n'
printf '%s\n' "${summary[@]}"
echo "$total passed, 0 failed"
