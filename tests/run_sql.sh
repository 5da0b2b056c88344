#!/usr/bin/env bash
# The tests in SQL: what users see, on a throwaway server. Arguments and environment as in run_regress.sh.
exec "$(dirname "${BASH_SOURCE[0]}")/run_regress.sh" sql "$@"
