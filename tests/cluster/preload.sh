#!/usr/bin/env bash
# The model's cost for each session, with and without shared_preload_libraries: the pages that its first call touches,
# which unlike its time are the same on every machine, and private memory.
#   BY_THE_CLOCK=1   judges milliseconds of the first call, too: for a machine that does nothing else
set -euo pipefail
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

# Milliseconds of a new session's first memory_embed: the best of five sessions, for other programs run here too.
first_call() {
  local _ all=
  for _ in 1 2 3 4 5; do
    all+=$(psql -X -q -At -v ON_ERROR_STOP=1 -c "DO \$\$
      DECLARE began timestamptz := clock_timestamp();
      BEGIN
        PERFORM memory_embed('a small hotel near the beach');
        RAISE WARNING 'took % ms', round((extract(epoch FROM clock_timestamp() - began) * 1000)::numeric, 2);
      END \$\$" 2>&1 | sed -nE 's/.*took ([0-9.]+) ms.*/\1/p')$'\n'
  done
  (( $(grep -c . <<< "$all") == 5 )) || die "a session did not say how long its first call took"
  sort -n <<< "$all" | grep . | head -n 1
}
first_call_in_ms() { # WHERE MOST
  local took
  took=$(first_call)
  if [[ -z ${BY_THE_CLOCK:-} ]]; then echo "  $1: first call in ms: $took"; return; fi
  check_at_most "$1: first call in ms" "$2" "$took"
}
# Kilobytes of private memory of a session. Dirty pages alone: the clean ones are the model's file, which all
# sessions share.
private_memory="SELECT (regexp_match(pg_read_file('/proc/self/smaps_rollup'), 'Private_Dirty: +(\d+) kB'))[1]::bigint"
# Pages that a process touched for the first time, its own and shared ones: what loads a model touches all of it.
touched_pages="SELECT split_part(pg_read_file('/proc/self/stat'), ' ', 10)"
# How much one of these grows in a new session by a statement.
growth() { # NUMBER STATEMENT
  local before after
  { read -r before; read -r; read -r after; } < <(psql -X -q -At -v ON_ERROR_STOP=1 -c "$1" -c "$2" -c "$1")
  [[ -n $before && -n $after ]] || die "the session did not say how much memory it has"
  echo $(( after - before ))
}
one="SELECT vector_dims(memory_embed('a small hotel near the beach'))"
many="SELECT count(memory_embed('text number ' || n)) FROM generate_series(1, 2000) n"

start_server
create_extension
first_call_in_ms "without preload" 150
touched=$(growth "$touched_pages" "$one")
check_at_most "without preload: pages touched by one call" 12000 "$touched"
check_at_most "without preload: private memory in kB after one call" 30720 "$(growth "$private_memory" "$one")"
check_at_most "without preload: private memory in kB after 2,000 calls" 36864 "$(growth "$private_memory" "$many")"
plain=$(sql "SELECT md5(memory_embed('a small hotel near the beach')::text)")
check_logs
scratch_stop

start_server "shared_preload_libraries = 'memory_search'"
create_extension
check "the library is loaded before any call" wordllama "$(sql 'SHOW memory_search.model')"
first_call_in_ms "with preload" 5
check_at_most "with preload: pages touched by one call, a tenth of $touched" "$(( touched / 10 ))" \
  "$(growth "$touched_pages" "$one")"
check_at_most "with preload: private memory in kB after one call" 4096 "$(growth "$private_memory" "$one")"
check_at_most "with preload: private memory in kB after 2,000 calls" 8192 "$(growth "$private_memory" "$many")"
check "the same embedding with and without preload" "$plain" "$(sql "SELECT md5(memory_embed('a small hotel near the beach')::text)")"
# Forked sessions share what was loaded, and changing the model in one says nothing to another.
sql "$FILL_STORE" >/dev/null
for _ in 1 2 3; do check "10 documents from a new session" 10 "$(sql "$SEARCH_STORE" | wc -l)"; done
check "a session without a model searches by words, the next has it again" "{keyword} {hybrid}" "$(for model in '' wordllama; do
  PGOPTIONS="-c memory_search.model=$model" sql "SELECT array_agg(DISTINCT e->>'strategy') FROM jsonb_array_elements(memory_search('m', 'tea', store => 's')->'entries') e"; done | tr '\n' ' ' | sed 's/ $//')"
checked
