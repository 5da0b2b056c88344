"""Searches beside a session that writes all the time, while autovacuum works."""

import threading
import time

from psql import rows, value
from searching import Asked, summary
from session import Session, say

_SECONDS = 120
_ADDED_A_STATEMENT = 100
# Adds, touches earlier entries, corrects and deletes, each in a transaction of its own. The statements are short,
# because autovacuum learns of changes only at the end of a transaction.
_WRITER = """
DO $$
DECLARE
  vector real[] := memory_embed('what the writer adds')::real[];
  memory text; added uuid;
BEGIN
  FOR n IN 1 .. {count} LOOP
    memory := 'memory ' || floor(random() * {memories});
    added := memory_add(memory, 'The writer added this as number ' || n || ' to ' || memory, embedding => vector, store => 'many');
    COMMIT;
    IF n % 4 = 0 THEN PERFORM memory_touch(memory, ARRAY[added], store => 'many'); COMMIT; END IF;
    IF n % 8 = 0 THEN
      PERFORM memory_update(memory, added, raw_entry => 'The writer changed number ' || n, embedding => vector, store => 'many');
      COMMIT;
    END IF;
    IF n % 16 = 0 THEN PERFORM memory_delete(memory, ARRAY[added], store => 'many'); COMMIT; END IF;
  END LOOP;
END $$;
"""
_VACUUMS = (
    "SELECT coalesce(sum(autovacuum_count), 0), coalesce(sum(n_dead_tup), 0) FROM pg_stat_user_tables WHERE schemaname = 'many';"
)


def _write(memories, until, added, failures):
    statement = _WRITER.format(count=_ADDED_A_STATEMENT, memories=memories).replace("\n", " ")
    try:
        with Session("scratch") as session:
            while time.monotonic() < until:
                session.rows(statement)
                added[0] += _ADDED_A_STATEMENT
    except Exception as failure:  # of another thread: the caller raises it
        failures.append(failure)


def measure(memories):
    """p50 and p99 of searches, and the number of rows written meanwhile."""
    say(f"searching while a session writes, {_SECONDS} seconds")
    before, (vacuums, _) = value("SELECT pg_current_wal_insert_lsn();"), rows(_VACUUMS)[0]
    until, added, failures = time.monotonic() + _SECONDS, [0], []
    writer = threading.Thread(target=_write, args=(memories, until, added, failures))
    with Session("scratch") as session:
        asked, times = Asked(session, memories), []
        writer.start()
        while time.monotonic() < until:
            times.append(session.timed(asked.statement()))
    writer.join()
    if failures:
        raise failures[0]
    added = added[0]
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
