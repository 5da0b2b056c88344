"""Searches beside a session that writes all the time, while autovacuum works."""

import subprocess
import tempfile
import time

from psql import rows, value
from searching import Asked, summary
from session import Session, say

_SECONDS = 120
# Adds, touches what was added before, corrects and deletes, each in a transaction of its own.
_WRITER = """
DO $$
DECLARE
  until timestamptz := clock_timestamp() + interval '{seconds} seconds';
  vector real[] := memory_embed('what the writer adds')::real[];
  memory text; added uuid; n int := 0;
BEGIN
  WHILE clock_timestamp() < until LOOP
    memory := 'memory ' || floor(random() * {memories});
    added := memory_add(memory, 'The writer added this as number ' || n || ' to ' || memory, embedding => vector, store => 'many');
    COMMIT;
    IF n % 4 = 0 THEN PERFORM memory_touch(memory, ARRAY[added], store => 'many'); COMMIT; END IF;
    IF n % 8 = 0 THEN
      PERFORM memory_update(memory, added, raw_entry => 'The writer changed number ' || n, embedding => vector, store => 'many');
      COMMIT;
    END IF;
    IF n % 16 = 0 THEN PERFORM memory_delete(memory, ARRAY[added], store => 'many'); COMMIT; END IF;
    n := n + 1;
  END LOOP;
  RAISE NOTICE 'added %', n;
END $$;
"""
_VACUUMS = (
    "SELECT coalesce(sum(autovacuum_count), 0), coalesce(sum(n_dead_tup), 0) FROM pg_stat_user_tables WHERE schemaname = 'many';"
)


def measure(memories):
    """p50 and p99 of searches, and what was written meanwhile."""
    say(f"searching while a session writes, {_SECONDS} seconds")
    before, (vacuums, _) = value("SELECT pg_current_wal_insert_lsn();"), rows(_VACUUMS)[0]
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as script, Session("scratch") as session:
        script.write(_WRITER.format(seconds=_SECONDS, memories=memories))
        script.flush()
        asked = Asked(session, memories)
        writer = subprocess.Popen(
            ["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", script.name],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        times, until = [], time.monotonic() + _SECONDS
        while time.monotonic() < until:
            times.append(session.timed(asked.statement()))
        _, said = writer.communicate()
    if writer.returncode:
        raise SystemExit(said)
    added = int(said.rsplit("added ", 1)[1].split()[0])
    # The statistics of a session that ended come a moment later.
    time.sleep(2)
    after, dead = rows(_VACUUMS)[0]
    wal = float(value(f"SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '{before}');"))
    return {
        "seconds": _SECONDS,
        "added_per_s": added / _SECONDS,
        "vacuums": int(after) - int(vacuums),
        "dead": int(dead),
        "wal_bytes": wal / added,
        **summary(times),
    }
