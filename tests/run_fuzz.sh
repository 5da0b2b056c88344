#!/usr/bin/env bash
# Bad input on a throwaway server: run_fuzz.sh [options of fuzz_requests.py, as --count 20000 --seed 7]
#   MEMORY_SEARCH_INSTALLED=1   the extension is installed already: neither set up nor build
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
prepare_extension
start_server
PYTHONDONTWRITEBYTECODE=1 python3 "$MEMORY_SEARCH_REPO/tests/fuzz/fuzz_requests.py" "$@" > "$SCRATCH_DIR/fuzz.out" \
  || { cat "$SCRATCH_DIR/fuzz.out"; tail -n 20 "$SCRATCH_DIR/log" >&2; die "the fuzzer failed"; }
sed '$d' "$SCRATCH_DIR/fuzz.out"
check_logs
tail -n 1 "$SCRATCH_DIR/fuzz.out" | grep -E '^[1-9][0-9]* passed, 0 failed$' || die "the fuzzer did not finish"
