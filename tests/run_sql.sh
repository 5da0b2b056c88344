#!/usr/bin/env bash
# The tests in SQL, of the behaviour that users see, on a throwaway server. Arguments and environment are the same as of
# run_regress.sh.
exec "$(dirname "${BASH_SOURCE[0]}")/run_regress.sh" sql "$@"
