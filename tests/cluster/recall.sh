#!/usr/bin/env bash
# Recall of searches by meaning, by distribution and dimensions: what they find beside ORDER BY <=>, in memories of 5,000
# entries, on every path. Half of the questions are the vectors of entries themselves, half are new ones.
# 0.1.0, which took for the nearest what the signs of embeddings promised, found 0.09 to 0.4 of the ten nearest where no
# element was negative, and 0.6 at a mean cosine of 0.8; an entry's own vector often did not find it.
#   FULL=1   every distribution at every number of dimensions
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
support=$(cd "$(dirname "${BASH_SOURCE[0]}")/support" && pwd)

vectors() { PYTHONDONTWRITEBYTECODE=1 python3 "$support/recall.py" "$@"; }
mapfile -t all < <(vectors distributions)
# Below 128 dimensions all distances are computed, and what is stored outside the row is the same at 768 as at 1,536.
some=('non-negative' 'mean cosine 0.8' 'small wide clusters' 'rank 20, off centre')

start_server "shared_buffers = '512MB'" 'autovacuum = off' 'jit = off' 'max_parallel_workers_per_gather = 0' "max_wal_size = '4GB'"
create_extension
psql -X -q -o /dev/null -v ON_ERROR_STOP=1 -f "$support/recall.sql"

cases=0
for dimensions in 64 128 256 768 1536; do
  distributions=("${some[@]}")
  if [[ -n ${FULL:-} || $dimensions == 128 || $dimensions == 768 ]]; then distributions=("${all[@]}"); fi
  cases=$(( cases + ${#distributions[@]} ))
  say "$dimensions dimensions: ${#distributions[@]} distributions"
  sql "SELECT memory_create_store('d$dimensions', $dimensions)"
  vectors entries "$dimensions" "${distributions[@]}" \
    | sql "COPY d$dimensions.entries (memory_id, entry_id, raw_entry, creation_time, embedding) FROM STDIN (FORMAT binary)"
  vectors questions "$dimensions" "${distributions[@]}" | sql "COPY recall.questions FROM STDIN (FORMAT binary)"
  say loaded
  sql "VACUUM ANALYZE d$dimensions.entries"
  sql "SELECT recall.by_sql($dimensions)"
  say exact
  sql "SELECT recall.by_search($dimensions, 'pages')"
  say pages
  PGOPTIONS='-c default_transaction_isolation=serializable' sql "SELECT recall.by_search($dimensions, 'index')"
  say index
  sql "SELECT recall.by_search($dimensions, 'table')"
  say table
done
psql -X -c 'SELECT * FROM recall.cases ORDER BY dimensions, distribution'
