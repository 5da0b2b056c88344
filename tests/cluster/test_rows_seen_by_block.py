"""A search counts the rows of all-visible blocks by the visibility map, without a look at each row. The transaction
that deletes a row, on any block, neither finds nor counts it, and does both again after the deletion is rolled back."""

import json

import pytest

from harness.server import Server, Servers

ENTRIES = 6000
SEARCH = """SELECT memory_search('m', '{word}', 1, store => 's',
    options => '{{"strategy": "keyword", "diagnostics": true}}')"""


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    server = servers.start("autovacuum = off")
    server.create_extension()
    server.run("SELECT memory_create_store('s', 4)")
    # In the order of time, and in an order of its own.
    server.run(f"""
        INSERT INTO s.entries (memory_id, raw_entry, creation_time)
        SELECT 'm', 'word w' || n || ' ' || repeat('and so on ', n % 7),
          timestamptz '2025-01-01Z'
            + CASE WHEN n <= {ENTRIES // 2} THEN n ELSE n * 7919 % 10007 + 10007 END * interval '1 second'
        FROM generate_series(1, {ENTRIES}) n""")
    server.run("REINDEX TABLE s.entries")
    server.run("VACUUM s.entries")
    return server


def test_a_row_deleted_from_any_block_is_not_seen(server: Server, say):
    rows = server.rows("""
        SELECT DISTINCT ON (block) block, split_part(raw_entry, ' ', 2)
        FROM (SELECT raw_entry, (ctid::text::point)[0]::int AS block, ctid FROM s.entries) e
        ORDER BY block, ctid DESC""")
    assert len(rows) > 70, "the blocks fill several words of the map"
    visible = server.value("SELECT relallvisible FROM pg_class WHERE oid = 's.entries'::regclass")
    assert visible == len(rows), "everybody sees all of them"

    def asked(word: str, session) -> tuple[bool, int]:
        answer = json.loads(session(SEARCH.format(word=word)))
        # If no entry holds the word, the answer is the newest entry.
        is_found = any(word in entry["rawEntry"].split() for entry in answer["entries"])
        return is_found, answer["diagnostics"]["reads"][0]["rows"]

    with server.session() as session:
        for block, word in rows:
            session.run(f"BEGIN; DELETE FROM s.entries WHERE split_part(raw_entry, ' ', 2) = '{word}'")
            assert asked(word, session.value) == (False, ENTRIES - 1), f"block {block}"
            session.run("ROLLBACK")
            # Other blocks of the same page of places are known together again.
            session.run("VACUUM s.entries")
            assert asked(word, session.value) == (True, ENTRIES), f"block {block}"
    say(f"  {len(rows)} blocks")
