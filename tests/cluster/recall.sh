#!/usr/bin/env bash
# Recall of searches by meaning: of the ten nearest by ORDER BY <=>, how many a search gives, in memories of 5,000
# entries of many distributions and numbers of dimensions, on every path. Of 20 questions half are vectors of entries.
# 0.1.0, which took the signs of embeddings at their word, gave 0.09 to 0.4 where no element is negative and 0.6 at a
# mean cosine of 0.8, and an entry's own vector often did not find it. Now a search computes more distances, or all,
# where signs say too little: that it notices is what is tested here.
#   FULL=1   every distribution at every number of dimensions, which takes four times as long
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
support=$(cd "$(dirname "${BASH_SOURCE[0]}")/support" && pwd)
LEAST_RECALL=0.98

vectors() { PYTHONDONTWRITEBYTECODE=1 python3 "$support/recall.py" "$@"; }

# At 128 and 768 dimensions all plain ones. What is nasty was made to be so at 768 and more.
mapfile -t plain < <(vectors distributions plain)
mapfile -t nasty < <(vectors distributions nasty)
distributions_at() { # DIMENSIONS, into "distributions"
  distributions=('non-negative' 'mean cosine 0.8' 'small wide clusters' 'low rank')
  case ${FULL:+full}$1 in
    128) distributions=("${plain[@]}") ;;
    full* | 768) distributions=("${plain[@]}" "${nasty[@]}") ;;
    1536) distributions+=('heavy clusters' '10 hidden') ;;
  esac
}

start_server "shared_buffers = '512MB'" "max_wal_size = '4GB'" 'autovacuum = off'
create_extension
psql -X -q -o /dev/null -v ON_ERROR_STOP=1 -f "$support/recall.sql"

load() { # DIMENSIONS DISTRIBUTIONS...
  vectors entries "$@" \
    | sql "COPY d$1.entries (memory_id, entry_id, raw_entry, creation_time, embedding) FROM STDIN (FORMAT binary)"
  vectors questions "$@" | sql "COPY recall.questions FROM STDIN (FORMAT binary)"
}
cases=0 loads=()
for dimensions in 64 128 256 768 1536; do
  distributions_at "$dimensions"
  cases=$(( cases + ${#distributions[@]} ))
  sql "SELECT memory_create_store('d$dimensions', $dimensions)" >/dev/null
  # Making them takes longer than anything else, and one processor each.
  load "$dimensions" "${distributions[@]}" & loads+=($!)
done
for pid in "${loads[@]}"; do wait "$pid" || die "the vectors could not be loaded"; done
say "$cases memories of 5,000 entries are there"

for dimensions in 64 128 256 768 1536; do
  sql "VACUUM ANALYZE d$dimensions.entries"
  sql "SELECT recall.by_sql($dimensions)" >/dev/null
  sql "SELECT recall.by_search($dimensions, 'pages')" >/dev/null
  # No pages are read in a serializable transaction, but a query that the index serves.
  PGOPTIONS='-c default_transaction_isolation=serializable' \
    sql "SELECT recall.by_search($dimensions, 'index')" >/dev/null
  sql "SELECT recall.by_search($dimensions, 'table')" >/dev/null
  say "searched $dimensions dimensions"
done

echo "  Dimensions, distribution; recall by index pages, by the executor's index and by the table; of the searches by"
echo "  pages how many read the table too, and the distances that one computed:"
sql "
  SELECT format('  %s  %s %s %s %s %s %s', lpad(dimensions::text, 4), rpad(distribution, 22),
    to_char(p.recall, '0.000'), to_char(i.recall, '0.000'), to_char(t.recall, '0.000'),
    lpad(p.read_again || '/20', 7), to_char(p.distances, '9,990'))
  FROM recall.cases p JOIN recall.cases i USING (distribution, dimensions)
  JOIN recall.cases t USING (distribution, dimensions)
  WHERE p.way = 'pages' AND i.way = 'index' AND t.way = 'table'
  ORDER BY dimensions, distribution"

check "on each way every memory was asked 20 questions" "index $cases, pages $cases, table $cases" "$(sql "
  SELECT string_agg(way || ' ' || memories, ', ' ORDER BY way)
  FROM (SELECT way, count(*) AS memories FROM recall.cases WHERE questions = 20 GROUP BY way) w")"
check "each way was read as it should be" '64 {table}, 128 {index,table}, 128 {index pages,table}, 128 {table}' "$(sql "
  SELECT string_agg(read, ', ' ORDER BY dimensions, way) FROM (
    SELECT least(dimensions, 128) AS dimensions, CASE dimensions WHEN 64 THEN '' ELSE way END AS way,
      concat(least(dimensions, 128), ' {', string_agg(DISTINCT path, ','), '}') AS read
    FROM recall.found, unnest(paths) path GROUP BY 1, 2) r")"
check "every search gave ten entries" '' "$(sql "
  SELECT DISTINCT format('%s of %s dimensions, %s: %s', distribution, dimensions, way, given)
  FROM recall.found WHERE given <> 10")"
check "recall by the table is 1" '' \
  "$(sql "SELECT said FROM recall.cases WHERE way = 'table' AND recall <> 1 ORDER BY recall")"
for way in pages index; do
  check "recall by $way is $LEAST_RECALL or more" '' \
    "$(sql "SELECT said FROM recall.cases WHERE way = '$way' AND recall < $LEAST_RECALL ORDER BY recall")"
done
check "the executor's index gives the same bytes as its pages" $(( 20 * cases )) "$(sql "
  SELECT count(*) FROM recall.found p JOIN recall.found i USING (distribution, dimensions, n, answer)
  WHERE p.way = 'pages' AND i.way = 'index'")"
check "memory_search_entries gives the same entries as memory_search" $(( 20 * cases )) \
  "$(sql "SELECT count(*) FROM recall.found WHERE agrees")"
# With others that are as near, one of these may come first.
check "an entry's own vector finds it first" '' "$(sql "
  SELECT format('%s of %s dimensions, %s: entry %s', distribution, dimensions, way, n)
  FROM recall.found JOIN recall.exact USING (distribution, dimensions, n)
  WHERE n <= 5000
    AND NOT (first = recall.entry_id(n) OR twins > 1 AND recall.is_within(first_distance, own)) IS TRUE")"

# Signs were enough, more distances were needed, and all were: nothing is tested where it is always the same.
by_pages() { sql "SELECT count(*) FROM recall.found WHERE way = 'pages' AND $1"; }
at_once="at_first <= CASE WHEN dimensions < 256 THEN 1500 ELSE 750 END + 256"
check_at_least "entries' vectors without a twin" $(( 9 * cases )) \
  "$(sql "SELECT count(*) FROM recall.exact WHERE twins = 1")"
check_at_least "searches that the first distances answered" 150 "$(by_pages "cardinality(paths) = 1 AND $at_once")"
check_at_least "searches that computed more distances" 10 "$(by_pages "cardinality(paths) = 1 AND NOT $at_once")"
check_at_least "searches that read the table too" 500 "$(by_pages "cardinality(paths) = 2")"
# The same questions by the estimate alone: what this test would say of it.
for distribution in 'non-negative' 'mean cosine 0.8'; do
  check_at_most "$distribution: recall among the 500 of 5,000 entries whose signs promise most" 0.75 \
    "$(sql "SELECT round(recall.by_signs('$distribution', 128, 500)::numeric, 3)")"
done

sql "SELECT memory_create_store('s', 256)" >/dev/null
sql "INSERT INTO s.entries (memory_id, entry_id, raw_entry, embedding)
  SELECT memory_id, entry_id, raw_entry, embedding FROM d256.entries WHERE memory_id = 'non-negative'"
IFS='|' read -r status detail \
  <<< "$(sql "SELECT status, detail FROM memory_doctor('s') WHERE name = 'recall of searches'")"
check "memory_doctor finds nothing wrong with the recall of searches: $detail" ok "$status"
check_at_least "and the recall that it measures" "$LEAST_RECALL" "${detail%% *}"
checked
