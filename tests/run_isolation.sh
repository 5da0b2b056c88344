#!/usr/bin/env bash
# The effects of concurrent sessions on each other, at every isolation level. Arguments and environment are the same as
# of run_regress.sh.
exec "$(dirname "${BASH_SOURCE[0]}")/run_regress.sh" isolation "$@"
