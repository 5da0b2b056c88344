"""A search keeps no more pages pinned than one backend's share, also if it reads the indexes of many partitions."""

import json

import pytest

from harness.server import Server

PARTITIONS = 64
MEMORIES = 150


@pytest.fixture(scope="module")
def server(servers) -> Server:
    server = servers.start("shared_buffers = '4MB'", "max_connections = 40", "max_locks_per_transaction = 1000")
    server.create_extension()
    server.run(f"SELECT memory_create_store('parts', 8, partitions => {PARTITIONS})")
    for first in range(0, MEMORIES, 10):
        server.run(f"""
            INSERT INTO parts.entries (memory_id, raw_entry, embedding)
            SELECT 'm' || m, 'Note ' || n || ' of a hotel and tea ' || n % 7 || repeat(' word' || n, 20),
              (SELECT array_agg(sin(n * k + m)::real) FROM generate_series(1, 8) k)::halfvec
            FROM generate_series({first}, {first + 9}) m, generate_series(1, 90) n""")
    server.run("VACUUM parts.entries")
    return server


def test_a_search_over_all_memories_does_not_run_out_of_buffers(server: Server):
    memories = "{" + ",".join(f"m{number}" for number in range(MEMORIES)) + "}"
    answer = json.loads(server.value(f"""
        SELECT memory_search('{memories}'::text[], 'a hotel with tea', embedding => '[1,0,1,0,1,0,1,0]', store => 'parts',
          options => '{{"diagnostics": true}}')"""))
    assert answer["count"] == 5, "the best of all are found"
    paths = {read["path"] for read in answer["diagnostics"]["reads"] if read["relation"] == "entries"}
    assert paths == {"memory index"}, "by the indexes of the partitions"
