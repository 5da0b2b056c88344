#!/usr/bin/env bash
# Runs psql as the tests want its answers: columns side by side without padding, and no count of the rows that are there
# to see. pg_regress puts it before psql.
exec "$@" --no-align --pset=footer=off
