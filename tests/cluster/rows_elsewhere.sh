#!/usr/bin/env bash
# A store whose rows lie elsewhere than in its own tables: in partitions, in tables that inherit, in shards beside an
# empty table as a worker of Citus has them, on another server behind postgres_fdw. It gives the bytes that a plain
# store with the same rows gives, shows nobody more than the store's own tables would, and locks few relations. Also
# what a standby says of a store whose rows are not there at all, because its tables are unlogged.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
support=$MEMORY_SEARCH_REPO/tests/cluster/support/rows_elsewhere

# With this a commit that asks for remote_apply waits until the standby at the end has it. No other commit waits.
start_server "synchronous_standby_names = '*'"
create_extension
files=$SCRATCH_DIR/answers
mkdir "$files"

script() { psql -X -q -At -v ON_ERROR_STOP=1 -f "${support}_$1.sql" "${@:2}" >/dev/null; }
# What SQL says, or the error that it gives: that stands in the place of an answer, for a check to show.
said() { psql -X -q -At -v ON_ERROR_STOP=1 -c "$1" "${@:2}" 2>&1 || true; }
# The SQLSTATE of its error.
state() { { psql -X -q -At -v ON_ERROR_STOP=1 -v VERBOSITY=sqlstate -c "$1" >/dev/null; } 2>&1 || true; }

# Where the second file first differs from the first: the line's beginning, and both from shortly before the place.
difference() { # FILE FILE
  awk -v other="$2" '
    function shown(line) { return substr(line, place > 60 ? place - 60 : 1, 200) }
    {
      if ((getline got < other) <= 0) got = "(nothing)"
      if (got != $0) {
        place = 1
        while (substr(got, place, 1) == substr($0, place, 1)) place++
        printf "line %d (%s) differs at its byte %d\n  %s\n  %s\n", NR, substr($0, 1, index($0, ": ")), place,
          shown($0), shown(got)
        exit
      }
    }
    END { if (NR == 0) print "nothing to compare with" }' "$1"
  if (( $(wc -l < "$1") < $(wc -l < "$2") )); then echo "more than was expected"; fi
}
# Keeps what a store says (answers, explanations), under the name of that store or another.
keep() { # STORE [KIND [NAME]]
  sql "SELECT elsewhere.${2:-answers}('$1')" > "$files/${2:-answers}.${3:-$1}"
}
# That a store says what was kept.
same() { # WHAT STORE [KIND [NAME]]
  said "SELECT elsewhere.${3:-answers}('$2')" > "$files/got"
  check "$1: the same bytes" '' "$(difference "$files/${3:-answers}.${4:-plain}" "$files/got")"
}
serializable() { PGOPTIONS='-c default_transaction_isolation=serializable' "$@"; }

# What all others are compared with.
script stores
keep plain
keep plain explanations
keep template answers
kept=$files/answers.plain
check "300 answers of the plain store" 300 "$(wc -l < "$kept")"
check "most of them with entries" yes "$(if (( $(grep -c '"rawEntry"' "$kept") > 200 )); then echo yes; fi)"
check "many with contexts" yes "$(if (( $(grep -c '"contextId"' "$kept") > 100 )); then echo yes; fi)"
check "some with long entries" yes "$(if (( $(grep -c 'word27of17 ' "$kept") > 20 )); then echo yes; fi)"
check "a large memory is read by index pages, distances are computed afterwards" "index pages t" "$(sql "
  SELECT concat_ws(' ', r ->> 'path', (r ->> 'distances')::int > 0)
  FROM jsonb_path_query_first(memory_search('large', 'a quiet hotel', store => 'plain',
    options => '{\"diagnostics\": true}'), '\$.diagnostics.reads[0]') r")"
sql "SELECT memory_create_store('reordered')" >/dev/null
sql "SELECT elsewhere.fill('reordered')" >/dev/null
same "a plain store whose rows lie in another order" reordered

echo "Partitions"
script partitioned -v store=parts8 -v parts=8 -v scan=parents
script partitioned -v store=parts64 -v parts=64 -v scan=parents
check "the partitions hold the rows, their table none" "1440 0" "$(sql "SELECT count(*) FROM parts8.entries") $(
  sql "SELECT count(*) FROM ONLY parts8.entries")"
same "8 partitions" parts8
same "8 partitions, other functions" parts8 explanations
same "64 partitions" parts64
script uneven
same "partitions of partitions, and such as were tables before" uneven
serializable same "8 partitions, serializable" parts8
PGOPTIONS='-c plan_cache_mode=force_generic_plan' same "8 partitions, generic plans" parts8

# What a session knows of partitions holds only as long as they are as they were.
part=$(sql "SELECT DISTINCT c.relname FROM parts8.entries e JOIN pg_class c ON c.oid = e.tableoid
  WHERE e.memory_id = 'm1'")
bound=$(sql "SELECT pg_get_expr(relpartbound, oid) FROM pg_class WHERE oid = 'parts8.$part'::regclass")
index=$(sql "SELECT h.inhrelid::regclass FROM pg_inherits h JOIN pg_index i ON i.indexrelid = h.inhrelid
  WHERE h.inhparent = 'parts8.entries_scan'::regclass AND i.indrelid = 'parts8.$part'::regclass")
ask="SELECT memory_search('m1', 'tea in the garden', 10, store => 'parts8',
  options => '{\"asOf\": \"2025-06-01T00:00:00Z\"}')"
before=$(said "$ask")
check "an entry of m1 is found" yes "$(if [[ $before == *rawEntry* ]]; then echo yes; fi)"
check "in one session: as before when an index of its partition was made again" "$before"$'\n'"$before" \
  "$(said "$ask" -c "REINDEX INDEX CONCURRENTLY $index" -c "$ask")"
# References to a table keep its partitions.
check "in one session: nothing without its partition, with it again as before" "$before"$'\n0\n'"$before" \
  "$(said "$ask" -c "BEGIN" -c "DO 'BEGIN PERFORM elsewhere.drop_references(''parts8''); END'" \
    -c "ALTER TABLE parts8.entries DETACH PARTITION parts8.$part" \
    -c "SELECT memory_search('m1', 'tea', store => 'parts8') -> 'count'" \
    -c "ALTER TABLE parts8.entries ATTACH PARTITION parts8.$part $bound" -c "$ask" -c "ROLLBACK")"

# A search that locked a relation a partition would fill the server's table of locks.
locks() { psql -X -q -At -v ON_ERROR_STOP=1 -v store="$1" -f "${support}_locks.sql" 2>&1 || true; }
locks parts8 > "$files/locks.8"
locks parts64 > "$files/locks.64"
check "the locks of 10 ways of asking" 10 "$(grep -cE '\|[0-9]+$' "$files/locks.64" || true)"
while IFS='|' read -r way count; do
  check_at_most "relations locked, 64 partitions, $way" 39 "$count"
done < "$files/locks.64"
check "as many with 8 partitions as with 64" '' "$(diff "$files/locks.8" "$files/locks.64" || true)"

echo "Indexes of searches on the partitions alone"
script partitioned -v store=apart -v parts=4 -v scan=partitions
check "partitions have them, their table has not" "r 8" "$(sql "
  SELECT string_agg(DISTINCT t.relkind::text, ''), count(*)
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
  WHERE c.relnamespace = 'apart'::regnamespace AND c.relname LIKE 'entries_scan%'" -F ' ')"
same "before memory_doctor is asked" apart
fix="SELECT COALESCE(fix, '') FROM memory_doctor('apart') WHERE name = 'index of searches'"
proposed=$(sql "$fix")
check "what memory_doctor proposes can be run" '' "$(said 'SET client_min_messages = warning' -c "$proposed")"
check "then it proposes nothing more" '' "$(said "$fix")"
same "after what memory_doctor proposed" apart
same "the same, other functions" apart explanations

echo "Tables that inherit"
script inherited
check "of what is too long for the index all is in the table that inherits" "0 t" "$(sql "
  SELECT concat_ws(' ', count(*) FILTER (WHERE tableoid = 'parent.entries'::regclass), count(*) > 80)
  FROM parent.entries WHERE length(search_vector) > 300")"
for strategy in keyword semantic hybrid recent; do
  check "a memory in a table that inherits, $strategy: the long entry and the short one" 2 "$(said "
    SELECT memory_search('child', 'zither', store => 'parent',
      options => '{\"strategy\": \"$strategy\", \"fallback\": false}') -> 'count'")"
done
same "half of the rows in tables that inherit" parent
same "the same, other functions" parent explanations

echo "Row-level security on tables that have partitions"
sql "CREATE ROLE elsewhere_reader"
sql "GRANT USAGE ON SCHEMA elsewhere TO elsewhere_reader"
sql "GRANT SELECT ON ALL TABLES IN SCHEMA elsewhere TO elsewhere_reader"
secured() { sql "SET client_min_messages = warning; SELECT memory_enable_row_security('$1')" >/dev/null; }
for store in plain parts8; do
  sql "SELECT memory_grant('$store', 'elsewhere_reader')" >/dev/null
  secured "$store"
done
# Runs a command as the reader, for a user.
as_reader() { PGOPTIONS="-c role=elsewhere_reader -c memory_search.user_id=$1" "${@:2}"; }
check "the reader may not read a partition" "ERROR:  42501" "$(as_reader u1 state "SELECT count(*) FROM parts8.$part")"
# What the reader gets of the partitioned store, compared with what the reader gets of the plain one.
same_for_reader() { # WHAT USER
  as_reader "$2" keep plain answers reader
  as_reader "$2" same "$1" parts8 answers reader
  as_reader "$2" keep plain explanations reader
  as_reader "$2" same "$1, other functions" parts8 explanations reader
}
# Whose entries the reader finds in a store.
users() { # STORE USER
  as_reader "$2" said "SELECT elsewhere.answers('$1')" > "$files/got"
  grep -oE '"userId": ("[^"]*"|null)|ERROR: .*' "$files/got" | sort -u | xargs || true
}
for user in u0 u1 u2; do
  same_for_reader "the rows of $user" "$user"
  check "no entry but those of $user" "userId: $user" "$(users parts8 "$user")"
done
same_for_reader "without a user" ''
check "without a user no entry" '' "$(users parts8 '')"
sql "GRANT SELECT ON ALL TABLES IN SCHEMA parts8 TO elsewhere_reader"
same_for_reader "the rows of u1, to a reader who may read partitions" u1
# Policies that the extension did not write; those of a partition say nothing to who reads the whole table.
for store in plain parts8; do
  while read -r table condition; do
    sql "DROP POLICY memory_search_user ON $store.$table; CREATE POLICY few ON $store.$table USING ($condition)"
  done <<'POLICIES'
entries importance < 60 AND tags && '{t1,t2}'
contexts user_id <> 'u2'
entry_access access_count < 5
POLICIES
done
same_for_reader "policies of another kind" u1
sql "CREATE POLICY everything ON parts8.$part USING (true); ALTER TABLE parts8.$part ENABLE ROW LEVEL SECURITY"
same_for_reader "the same, and one of a partition that lets everything through" u1
sql "DROP POLICY everything ON parts8.$part"
for table in entries contexts entry_access; do
  for store in plain parts8; do sql "ALTER TABLE $store.$table DISABLE ROW LEVEL SECURITY"; done
done
as_reader u1 same "no policy, but a partition that lets nothing through" parts8
# By privileges on columns the reader may read no row as a whole.
for store in plain parts8; do
  columns=$(sql "SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute
    WHERE attrelid = '$store.entries'::regclass AND attnum > 0 AND NOT attisdropped")
  sql "REVOKE ALL ON $store.entries FROM elsewhere_reader"
  sql "GRANT SELECT ($columns) ON $store.entries TO elsewhere_reader"
done
as_reader u1 same "privileges on columns" parts8
sql "REVOKE ALL ($columns) ON parts8.entries FROM elsewhere_reader"
check "who may read the partitions alone may not search" "ERROR:  42501" \
  "$(as_reader u1 state "SELECT memory_search('m1', 'tea', store => 'parts8')")"

echo "Shards beside empty tables"
script shards
of_shards=$(sql "SELECT string_agg(format('SELECT FROM sharded.%I', shard_name), ' UNION ALL ') FROM elsewhere.shards
  WHERE name = 'entries'")
check "the store's own table is empty, the shards are not" "0 1440" \
  "$(sql "SELECT count(*) FROM sharded.entries") $(sql "SELECT count(*) FROM ($of_shards) s")"
check "memories are in more than one shard" t "$(sql "SELECT count(DISTINCT get_shard_id_for_distribution_column(
  'sharded.entries'::regclass, memory)) > 1 FROM elsewhere.memories")"
same "shards" sharded
same "shards, other functions" sharded explanations
same "a plain store of the same database" plain
serializable same "shards, serializable" sharded
# What a table held before its rows were sent to shards stays in it for a while.
sql "SELECT elsewhere.copy_rows(name, format('sharded.%I', name), 'r.memory_id <> ''m2''')
  FROM elsewhere.tables() name" >/dev/null
sql "UPDATE sharded.entries SET raw_entry = 'stale tea', summary = NULL"
sql "UPDATE sharded.contexts SET context = 'stale'; UPDATE sharded.entry_access SET access_count = 1000000"
same "rows that were left in the store's own tables are not read" sharded
same "the same, other functions" sharded explanations
sql "TRUNCATE sharded.entries, sharded.contexts, sharded.entry_access"
# A copy of a shard on another server does not take it away from this one.
sql "INSERT INTO pg_dist_placement SELECT placementid + 1000, shardid, shardstate, shardlength, 8
  FROM pg_dist_placement"
same "shards with a copy on another server" sharded
sql "DELETE FROM pg_dist_placement WHERE groupid = 8"
# Of a shard on another server the store's own table is asked by SQL, which Citus leads there. Without Citus it is
# empty: the answers are those of a store that never had a row.
ask="SELECT memory_search('m1', 'tea', 10, store => 'sharded') -> 'count'"
move() { sql "SELECT count(*) FROM elsewhere.memories, elsewhere.place(memory, $1)" >/dev/null; }
check "in one session: a shard that is moved away and back" $'10\n0\n10' \
  "$(said "$ask" -c "DO 'BEGIN PERFORM elsewhere.place(''m1'', 8); END'" -c "$ask" \
    -c "DO 'BEGIN PERFORM elsewhere.place(''m1'', 7); END'" -c "$ask")"
move 8
same "shards that are all on another server" sharded answers template
check "no index pages are read then" no "$(said "
  SELECT CASE WHEN string_agg(path::text, ' ') LIKE '%pages%' THEN 'pages' ELSE 'no' END
  FROM jsonb_path_query(memory_search('m1', 'tea', store => 'sharded', options => '{\"diagnostics\": true}'),
    '\$.diagnostics.reads[*].path') path")"
# Rows that SQL finds by the store's own tables and that are not in their pages, as those of another server are.
sql "SELECT elsewhere.drop_references('sharded')" >/dev/null
for table in entries contexts entry_access; do
  sql "CREATE TABLE sharded.${table}_there () INHERITS (sharded.$table)"
  sql "SELECT elsewhere.copy_rows('$table', 'sharded.${table}_there')" >/dev/null
done
same "shards on another server, by what SQL gives of it" sharded
same "the same, other functions" sharded explanations
sql "DROP TABLE sharded.entries_there, sharded.contexts_there, sharded.entry_access_there"
move 7
same "shards that are back" sharded

# What a role may see is said by the store's own tables. A shard that says something else is not read in their place.
sql "GRANT USAGE ON SCHEMA sharded TO elsewhere_reader"
sql "GRANT SELECT ON sharded.entries, sharded.contexts, sharded.entry_access TO elsewhere_reader"
entries_shown() { # USER
  as_reader "$1" said "SELECT elsewhere.answers('sharded')" > "$files/got"
  grep -c '"rawEntry"' "$files/got" || true
}
check "nothing to a reader who may not read shards" 0 "$(entries_shown u1)"
sql "GRANT SELECT ON ALL TABLES IN SCHEMA sharded TO elsewhere_reader"
as_reader u1 same "shards, to a reader who may read them too" sharded
sql "REVOKE SELECT ON sharded.entries FROM elsewhere_reader"
check "who may read the shards alone may not search" "ERROR:  42501" \
  "$(as_reader u1 state "SELECT memory_search('m1', 'tea', store => 'sharded')")"
sql "GRANT SELECT ON sharded.entries TO elsewhere_reader"
secured sharded
check "under policies that shards lack nothing of the shards" 0 "$(entries_shown u1)"
check "nor without a user" 0 "$(entries_shown '')"
same "shards, to the owner, whom policies do not bind" sharded
# With policies on the shards too it is the user's rows or none, and never more.
nothing_of_others() { # WHAT
  check "$1: nobody else's entries" '' "$(users sharded u1 | sed -E 's/^userId: u1$//')"
  check "$1: without a user no entry" 0 "$(entries_shown '')"
  check "$1: nor a context" 0 "$(grep -cE '"contextId"|"latestContext": "[^"]' "$files/got" || true)"
}
each_shard() { sql "$(sql "SELECT string_agg(replace('$1', 'SHARD', format('sharded.%I', shard_name)), '; ')
  FROM elsewhere.shards")"; }
sql "$(sql "SELECT elsewhere.policies_of_shards()")"
nothing_of_others "the store's policies on shards"
each_shard 'DROP POLICY memory_search_user ON SHARD; CREATE POLICY everything ON SHARD USING (true)'
nothing_of_others "policies of shards that let everything through"
each_shard 'DROP POLICY everything ON SHARD'
check "under policies of shards that let nothing through nothing" 0 "$(entries_shown u1)"

echo "Behind postgres_fdw"
if [[ $(sql "SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'") == 1 ]]; then
  sql "CREATE EXTENSION postgres_fdw"
  # What the other server is known to have can be left to it: distances too, with pgvector.
  for known in '' ", extensions 'vector'"; do
    sql "CREATE SERVER itself FOREIGN DATA WRAPPER postgres_fdw
      OPTIONS (host '$PGHOST', port '$PGPORT', dbname '$PGDATABASE'$known)"
    sql "CREATE USER MAPPING FOR postgres SERVER itself OPTIONS (user '$PGUSER', password_required 'false')"
    sql "CREATE SCHEMA far; IMPORT FOREIGN SCHEMA plain FROM SERVER itself INTO far"
    same "a store behind postgres_fdw${known:+ that has pgvector on the other side}" far
    same "the same, other functions" far explanations
    sql "SET client_min_messages = warning; DROP SCHEMA far CASCADE; DROP SERVER itself CASCADE"
  done
else
  echo "  NOT CHECKED: THIS BUILD OF POSTGRESQL HAS NO POSTGRES_FDW"
fi

echo "Entries of the same place in the order"
# As numbers of several servers may be, each of which begins anew. Among entries of one instant the order then says
# nothing, and whatever takes its place may not be where rows lie. (An update leaves them in the order that they have.)
for store in plain reordered parts8 parts64; do sql "UPDATE $store.entries SET entry_order = 1"; done
cp "$kept" "$files/before"
keep plain
keep plain explanations
check "the order says something in these memories: without it other answers" differ \
  "$(if cmp -s "$files/before" "$kept"; then echo same; else echo differ; fi)"
serializable same "no order: a plain store, serializable" plain
same "no order: a plain store whose rows lie in another order" reordered
same "no order: 8 partitions" parts8
same "no order: 8 partitions, other functions" parts8 explanations
same "no order: 64 partitions" parts64

echo "Unlogged tables on a standby"
# Their rows are in no log, so a standby has the tables and nothing in them. Tables that refer to others change first.
on_primary() { sql "$1"; }
unlogged() { for table in entry_access contexts entries; do on_primary "ALTER TABLE $1.$table SET UNLOGGED"; done; }
logged() { for table in entries contexts entry_access; do on_primary "ALTER TABLE $1.$table SET LOGGED"; done; }
unlogged reordered
same "an unlogged store on its own server" reordered
sql "SELECT elsewhere.drop_references('parts8')" >/dev/null
sql "$(sql "SELECT string_agg(format('ALTER TABLE %s SET UNLOGGED', oid::regclass), '; ') FROM pg_class
  WHERE relnamespace = 'parts8'::regnamespace AND relkind = 'r'")"
same "a store of unlogged partitions on its own server" parts8

primary_dir=$SCRATCH_DIR primary_host=$PGHOST
standby_dir=$(mktemp -d /tmp/memory_search-scratch-XXXXXX)
SCRATCH_DIRS+=("$standby_dir") # so that it is stopped and removed with the primary
if (( EUID == 0 )); then chown "$(server_user)" "$standby_dir"; fi
as_server_user "$PG_BIN/pg_basebackup" -h "$PGHOST" -p "$PGPORT" -U "$PGUSER" -D "$standby_dir/data" -R -c fast
cluster_start "$standby_dir" scratch
PGHOST=$(< "$standby_dir/socket_folder")
check "the copy is in recovery" t "$(sql 'SELECT pg_is_in_recovery()')"
# The time limit is for a standby that does not follow; its log says why.
on_primary() {
  PGOPTIONS='-c synchronous_commit=remote_apply' timeout 60 \
    psql -X -q -At -v ON_ERROR_STOP=1 -h "$primary_host" -c "$1" \
    || { tail -n 5 "$standby_dir/log" >&2; die "not done on the primary and the standby: $1"; }
}
same "a plain store on the standby" plain
# Where no rows are, a search says that it is not possible (0A000), or not now (55000), not that a file is missing.
refusal() { sed -E 's/(0A000|55000)$/0A000 or 55000/'; }
refused() { # STORE
  local way message
  for way in hybrid keyword semantic recent 'with tags'; do
    check "$1 on the standby, $way" "ERROR:  0A000 or 55000" "$(state "
      SELECT memory_search('large', 'tea', options => options, filters => filters, store => '$1')
      FROM elsewhere.ways WHERE name = '$way'" | refusal)"
  done
  message=$(said "SELECT memory_search('large', 'tea', store => '$1')")
  check "$1 on the standby: it says why" yes "$(if [[ $message =~ unlogged|recovery|standby ]]; then echo yes; fi)"
}
refused reordered
refused parts8
# A session that searched while the tables were logged knows of the change, both ways.
coproc STANDBY { exec psql -X -q -At -v VERBOSITY=sqlstate 2>&1; }
exec {to_session}>&"${STANDBY[1]}" {from_session}<&"${STANDBY[0]}"
in_session() {
  local line
  printf '%s\n;\n\\echo end of answer\n' "$1" >&"$to_session"
  while IFS= read -r -t 60 -u "$from_session" line && [[ $line != 'end of answer' ]]; do printf '%s\n' "$line"; done
}
ask="SELECT memory_search('large', 'tea', 10, store => 'plain') -> 'count'"
check "an open session on the standby finds" 10 "$(in_session "$ask")"
unlogged plain
check "when the tables became unlogged it is refused" "ERROR:  0A000 or 55000" "$(in_session "$ask" | refusal)"
refused plain
logged plain
check "logged again, it finds" 10 "$(in_session "$ask")"
same "the same store on the standby" plain
exec {to_session}>&- {from_session}<&-
# A standby that is promoted has the unlogged tables, without rows: an answer, and no error any more.
cluster_stop "$primary_dir" immediate
as_server_user "$PG_BIN/pg_ctl" -D "$standby_dir/data" -w -t 60 -s promote
same "promoted: an unlogged store" reordered answers template
same "promoted: a store of unlogged partitions" parts8 answers template
same "promoted: a plain store" plain
checked
