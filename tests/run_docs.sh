#!/usr/bin/env bash
# The examples of README.md and of the pages below docs/, run as they stand on a throwaway server: what a
# page shows is what a reader gets.
#   MEMORY_SEARCH_INSTALLED=1   the extension is installed already: neither set up nor build
# The last line says how many examples passed.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
prepare_extension
start_server
export PYTHONDONTWRITEBYTECODE=1
python3 "$MEMORY_SEARCH_REPO/tests/docs/check_examples.py" "$@"
