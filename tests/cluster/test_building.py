"""A build of a memory index reports its progress, and sorts within maintenance_work_mem."""

import re
import threading

import pytest

from harness.access import Questions
from harness.server import Server, Servers

ENTRIES = 30000
DIMENSIONS = 1536
# The sorted rows have 190 MB. Memory also holds the documents of a segment, embeddings that become codes together, and
# the session's own data.
MOST_MB = 160
PHASES = ["initializing", "scanning table", "sorting rows", "writing segments"]


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    server = servers.start("autovacuum = off", "maintenance_work_mem = '8MB'", "max_wal_size = '4GB'")
    server.create_extension()
    server.run(f"SELECT memory_create_store('s', {DIMENSIONS})")
    return server


def private_mb(questions: Questions, pid: int) -> float:
    status = questions.value(f"SELECT pg_read_file('/proc/{pid}/status')")
    return int(re.search(r"RssAnon:\s+(\d+)", status)[1]) / 1024


def test_a_build_reports_its_progress_and_keeps_to_its_memory(server: Server, say):
    create = server.value("SELECT pg_get_indexdef('s.entries_memory'::regclass)")
    server.run(f"""
        DROP INDEX s.entries_memory;
        CREATE TABLE directions AS
          SELECT i, (SELECT array_agg(sin(i * n)) FROM generate_series(1, {DIMENSIONS}) n) AS direction
          FROM generate_series(1, 50) i;
        INSERT INTO s.entries (memory_id, raw_entry, embedding)
          SELECT 'm', 'entry ' || n, direction::vector
          FROM generate_series(1, {ENTRIES}) n JOIN directions ON i = 1 + n % 50""")
    phases, totals, done = [], set(), []
    with server.session() as builder, server.session() as other:
        pid = builder.value("SELECT pg_backend_pid()")
        before = most = private_mb(other, pid)
        building = threading.Thread(target=builder.run, args=[create])
        building.start()
        while building.is_alive():
            most = max(most, private_mb(other, pid))
            for phase, total, written in other.rows("""
                    SELECT phase, tuples_total, tuples_done FROM pg_stat_progress_create_index
                    WHERE relid = 's.entries'::regclass"""):
                phase = phase.removeprefix("building index: ")
                if phase not in phases:
                    phases.append(phase)
                if phase == "writing segments":
                    totals.add(total)
                    done.append(written)
        building.join()
    say(f"  {most - before:.0f} MB; {', '.join(phases)}")
    assert phases == [phase for phase in PHASES if phase in phases], "phases come one after the other"
    assert {"scanning table", "writing segments"} <= set(phases), "the long phases are seen"
    assert totals == {ENTRIES}, "a build knows how many rows it writes"
    assert done == sorted(done) and done[-1] > ENTRIES // 2, "rows that are written are counted"
    assert most - before <= MOST_MB, "MB of memory that a build takes"
    found = server.value("SELECT memory_search('m', 'entry', store => 's') ->> 'count'")
    assert found == "5", "the index that was built is searched"
