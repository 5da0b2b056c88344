#!/usr/bin/env bash
# Encodings: clients that are not UTF-8, bytes that are none, databases that are not UTF-8.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

start_server
create_extension
sql "SELECT memory_create_store('s', 4)" >/dev/null
sql "SELECT memory_add('m', 'a café in Málaga', entry_id => '00000000-0000-0000-0000-000000000001', store => 's')" >/dev/null
sql "SELECT memory_add('jp', '記憶 of a café', context => '記憶', store => 's')" >/dev/null

# A LATIN1 client: its é is one byte, on the way in and out.
session=$(printf '%s\n' "SELECT memory_search('m', 'caf"$'\xe9'"', store => 's')->'entries'->0->>'rawEntry';" "SELECT memory_add('m2', 'caf"$'\xe9'" au lait', store => 's') IS NOT NULL;" |
  PGCLIENTENCODING=LATIN1 psql -X -q -At -v ON_ERROR_STOP=1)
check "a LATIN1 client finds and reads its own letters" $'a caf\xe9 in M\xe1laga\nt' "$session"
check "and what it stores is UTF-8" "café au lait" "$(sql "SELECT raw_entry FROM s.entries WHERE memory_id = 'm2'")"

# Every statement of one session, SQLSTATE of those that fail: an error costs its statement only.
in_session() { psql -X -q -At -v VERBOSITY=sqlstate 2>&1; }
got=$(printf '%s\n' "SELECT memory_search('jp', 'cafe', store => 's');" "SELECT memory_search('m', 'caf"$'\xe9'"', store => 's')->'count';" | PGCLIENTENCODING=LATIN1 in_session)
check "a result that LATIN1 cannot show is 22P05, and the session goes on" $'ERROR:  22P05\n1' "$got"
got=$(printf '%s\n' "SELECT memory_search('m', 'caf"$'\xe9'"', store => 's');" "SELECT memory_search('m', E'caf\\xe9', store => 's');" "SELECT memory_add('m', E'\\xc3\\x28', store => 's');" \
  "SELECT memory_search(E'\\xed\\xa0\\x80', '', store => 's');" "SELECT memory_search('{\"memoryId\": \"m\", \"query\": \"\\ud800\"}');" "SELECT memory_search('{\"memoryId\": \"m\", \"query\": \"\\u0000\"}');" "SELECT memory_search('m', 'café', store => 's')->'count';" | PGCLIENTENCODING=UTF8 in_session)
check "bytes that are no UTF-8 are 22021, such escapes 22P02 and 22P05, and the session goes on" $'ERROR:  22021\nERROR:  22021\nERROR:  22021\nERROR:  22021\nERROR:  22P02\nERROR:  22P05\n1' "$got"
# SQL_ASCII: the client promises nothing, so the server checks its bytes all the same.
got=$(printf '%s\n' "SELECT memory_search('m', 'caf"$'\xe9'"', store => 's');" "SELECT memory_search('m', 'café', store => 's')->'count';" | PGCLIENTENCODING=SQL_ASCII in_session)
check "a client of SQL_ASCII: 22021 for bytes that are no UTF-8" $'ERROR:  22021\n1' "$got"
check "3 entries are stored, none of the refused ones" 3 "$(sql "SELECT count(*) FROM s.entries")"

# Databases of another encoding are refused, with a way out, and are left as they were.
for encoding in LATIN1 SQL_ASCII EUC_JP; do
  database=other_${encoding,,}
  sql "CREATE DATABASE $database ENCODING '$encoding' LOCALE 'C' TEMPLATE template0" -d postgres
  sql "CREATE EXTENSION vector" -d "$database"
  got=$(psql -X -q -At -v VERBOSITY=sqlstate -d "$database" -c 'CREATE EXTENSION memory_search' 2>&1 || true)
  check "CREATE EXTENSION in a database of $encoding is 0A000" "ERROR:  0A000" "$got"
  check "nothing of it is left in the database of $encoding" 0 "$(sql "SELECT count(*) FROM pg_proc WHERE proname LIKE 'memory\_%'" -d "$database")"
done
message=$(psql -X -q -At -d other_latin1 -c 'CREATE EXTENSION memory_search' 2>&1 || true)
check "the message names the encoding that is needed and the one that is there" yes "$(if [[ $message == *UTF8*LATIN1*HINT* ]]; then echo yes; else echo "$message"; fi)"
checked
