"""For each corrected entry, counts, lists and searches look its correction up in a few pages, with statistics and
without. They never read the whole memory for each corrected entry."""

import json

import pytest

from harness.server import Server, Servers

ENTRIES = 3000
# An entry needs at most two look-ups, each of a few pages of an index and one of the table. Reading all entries for
# each corrected one (a third of them) would take forty pages for each row.
PAGES_OF_A_ROW = 8
STORES = ("own", "adopted", "adopted_texts")


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    """Each store has one memory: a third of its entries is corrected, by entries of which half have expired."""
    server = servers.start("shared_buffers = '256MB'", "autovacuum = off")
    server.create_extension()
    columns = "memory_id, entry_id, raw_entry, expires_at, superseded_by, superseded_time"
    mapped = json.dumps({name: name for name in columns.split(", ")})
    server.run(f"""
        CREATE TABLE facts AS
          SELECT 'm' AS memory_id, md5(n::text)::uuid AS entry_id, 'fact ' || n || repeat(' word', 20) AS raw_entry,
            CASE WHEN n % 6 = 2 THEN timestamptz '2024-01-01Z' END AS expires_at,
            CASE WHEN n % 3 = 1 THEN md5((n + 1)::text)::uuid END AS superseded_by,
            CASE WHEN n % 3 = 1 THEN timestamptz '2023-01-01Z' END AS superseded_time
          FROM generate_series(1, {ENTRIES}) n;
        CREATE UNIQUE INDEX ON facts (memory_id, entry_id);
        CREATE TABLE texts AS SELECT memory_id, 'id ' || entry_id AS entry_id, raw_entry, expires_at,
            'id ' || superseded_by AS superseded_by, superseded_time FROM facts;
        CREATE UNIQUE INDEX ON texts (memory_id, entry_id);
        SELECT memory_create_store('own', 8);
        INSERT INTO own.entries ({columns}) SELECT * FROM facts;
        SELECT memory_adopt_table('adopted', 'facts', '{mapped}');
        SELECT memory_adopt_table('adopted_texts', 'texts', '{mapped}')""")
    return server


def check_pages(server: Server, say, state: str) -> None:
    """Runs each call on each store."""
    with server.session() as session:
        for store in STORES:
            for name, query, answer in [
                ("count", f"SELECT memory_count('m', store => '{store}')", ENTRIES // 2 + ENTRIES // 6),
                ("stats", f"SELECT visible FROM memory_stats('{store}')", ENTRIES // 2 + ENTRIES // 6),
                ("memories", f"SELECT entries FROM memory_list_memories(store => '{store}')", ENTRIES * 2 // 3),
                ("search", f"SELECT count(*) FROM memory_search_entries('m', 'fact', 7, store => '{store}')", 7),
            ]:
                assert int(session.value(query)) == answer, f"{store}, {name}, {state}"
                explain = "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF, FORMAT JSON)"
                plan = json.loads(session.value(f"{explain} {query}"))[0]["Plan"]
                pages = plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
                say(f"  {store}, {name}, {state}: {pages} pages")
                # memory_stats reads three times: visible entries, corrected entries, entries without an embedding.
                most = ENTRIES * PAGES_OF_A_ROW * (3 if name == "stats" else 1)
                assert pages <= most, f"{store}, {name}, {state}: {pages} pages for {ENTRIES} rows"


def test_corrections_are_looked_up_with_statistics_and_without(server: Server, say):
    check_pages(server, say, "without statistics")
    server.run("VACUUM ANALYZE")
    check_pages(server, say, "with right statistics")
