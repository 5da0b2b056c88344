"""A deleted memory that is restored, and entries that statistics do not know yet: no plan compares each row of the
memory with each row of the call."""

import re

import pytest

from harness.server import Server, Servers

ENTRIES = 3000


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    """A store whose statistics know all entries and none as deleted, and one that had a single entry when it was
    analysed."""
    server = servers.start(
        "autovacuum = off",
        "shared_preload_libraries = 'auto_explain'",
        "auto_explain.log_nested_statements = on",
        "auto_explain.log_analyze = on",
        "auto_explain.log_timing = off",
    )
    server.create_extension()
    server.run("SELECT memory_create_store(store, 8) FROM unnest(ARRAY['known', 'grown']) store")
    for store, first in [("known", ENTRIES), ("grown", 1)]:
        columns = "memory_id, entry_id, raw_entry"
        insert = f"INSERT INTO {store}.entries ({columns}) SELECT 'm', md5(n::text)::uuid, 'fact ' || n"
        server.run(f"{insert} FROM generate_series(1, {first}) n")
        server.run(f"ANALYZE {store}.entries")
        server.run(f"{insert} FROM generate_series({first} + 1, {ENTRIES}) n")
    return server


@pytest.mark.parametrize("store", ["known", "grown"])
def test_rows_are_not_compared_with_each_row_of_the_call(server: Server, store: str):
    ids = f"ARRAY(SELECT md5(n::text)::uuid FROM generate_series(1, {ENTRIES}) n)"
    with server.by(settings={"auto_explain.log_min_duration": "0"}).session() as session:
        for call in [
            f"memory_delete('m', whole_memory => true, store => '{store}')",
            f"memory_restore('m', whole_memory => true, store => '{store}')",
            f"memory_delete('m', {ids}, store => '{store}')",
            f"memory_restore('m', {ids}, store => '{store}')",
        ]:
            assert int(session.value(f"SELECT {call}")) == ENTRIES, f"{call} changes all entries"
    plans = [plan for plan in server.log.split(" plan:") if f"UPDATE {store}.entries" in plan]
    assert len(plans) == 4, "the plans of the four changes are in the log"
    dropped = [int(rows) for plan in plans for rows in re.findall(r"Rows Removed by (?:Join )?Filter: (\d+)", plan)]
    assert max(dropped, default=0) < ENTRIES // 10, "no row is taken together with others to be dropped"
