#!/usr/bin/env bash
# From PostgreSQL 18 on an extension may be installed apart from the server, in a folder of its own that
# extension_control_path and dynamic_library_path name: then its model is found there too.
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

start_server
if (( $(sql "SELECT current_setting('server_version_num')::int / 10000") < 18 )); then
  echo "THIS POSTGRESQL KNOWS NO FOLDER FOR EXTENSIONS BUT ITS OWN: what is installed apart is tried from PostgreSQL 18 on"
  check "an older server has no such setting" '' "$(sql "SELECT current_setting('extension_control_path', true)")"
  checked
  exit
fi
share=$("$PG_BIN/pg_config" --sharedir)
apart=$SCRATCH_DIR/apart
mkdir -p "$apart/lib" "$apart/share/extension" "$apart/share/memory_search/models" "$apart/lib/memory_search/models"
cp "$("$PG_BIN/pg_config" --pkglibdir)/memory_search.so" "$apart/lib/"
cp "$share"/extension/memory_search* "$apart/share/extension/"
# The server's own folder has the model of the same name: these are only here.
cp -r "$share/memory_search/models/wordllama" "$apart/share/memory_search/models/beside"
cp -r "$share/memory_search/models/wordllama" "$apart/lib/memory_search/models/below"
chmod -R a+rX "$SCRATCH_DIR" "$apart"
sql "ALTER SYSTEM SET extension_control_path = '$apart/share:\$system'"
sql "ALTER SYSTEM SET dynamic_library_path = '$apart/lib:\$libdir'"
sql "SELECT pg_reload_conf()" >/dev/null
create_extension
check "the library that is used is the one apart" "$apart/lib/memory_search.so" "$(sql "LOAD 'memory_search';
  SELECT DISTINCT regexp_substr(line, '/.*memory_search.so') FROM regexp_split_to_table(pg_read_file('/proc/self/maps'), E'\n') line
  WHERE line LIKE '%memory_search.so%'")"
for model in wordllama beside below; do
  check "the model $model is found" 256 "$(sql "SET memory_search.model = '$model'; SELECT vector_dims(memory_embed('a kite'))")"
done
check "one that is nowhere is missed, with all the folders where it was looked for" 3 \
  "$(psql -X -q -At -c "SET memory_search.model = 'nowhere'" -c "SELECT memory_embed('a kite')" 2>&1 | grep -o '/memory_search/models/nowhere"' | wc -l)"
checked
