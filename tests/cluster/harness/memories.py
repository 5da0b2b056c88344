"""A store whose memories change all the time, and a comparison of its memory index with the rows."""

from __future__ import annotations

from .access import Session
from .server import Server

MEMORIES = 4
# A role with privileges on all columns but not on the table. So its searches read the rows, not the index.
READER_OF_ROWS = "reader_of_rows"


def create(server: Server) -> None:
    """The store "s", of 8 dimensions, with a role for which the rows themselves are read."""
    server.create_extension()
    server.run(f"""
        SELECT memory_create_store('s', 8);
        CREATE SEQUENCE s.numbers;
        CREATE ROLE {READER_OF_ROWS};
        GRANT USAGE ON SCHEMA s TO {READER_OF_ROWS};
        GRANT SELECT ON s.contexts, s.entry_access TO {READER_OF_ROWS}""")
    columns = server.value("""
        SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute
        WHERE attrelid = 's.entries'::regclass AND attnum > 0 AND NOT attisdropped""")
    server.run(f"GRANT SELECT ({columns}) ON s.entries TO {READER_OF_ROWS}")


def insert(memory: int, rows: int) -> str:
    """A statement that adds rows to a memory."""
    return f"""
        INSERT INTO s.entries (memory_id, raw_entry, tags, metadata, creation_time, embedding)
        SELECT 'm{memory}', 'w' || n % 7 || ' w' || n % 101 || ' w' || n, ARRAY['t' || n % 3],
          jsonb_build_object('n', n % 5), timestamptz '2025-01-01Z' + n * interval '1 minute',
          (SELECT array_agg(sin(n * g * 0.7)::real ORDER BY g) FROM generate_series(1, 8) g)
        FROM (SELECT nextval('s.numbers') AS n FROM generate_series(1, {rows})) numbers"""


def change(memory: int, n: int) -> str:
    """A statement that changes or deletes some rows of a memory."""
    some = f"memory_id = 'm{memory}' AND abs(hashtext(entry_id::text)) % 23 = {n % 23}"
    return [
        f"DELETE FROM s.entries WHERE {some}",
        f"UPDATE s.entries SET importance = {n % 101} WHERE {some}",
        f"UPDATE s.entries SET raw_entry = raw_entry || ' changed{n}' WHERE {some}",
    ][n % 3]


def search(n: int) -> str:
    filters = ["{}", '{"tags": ["t1"]}', '{"metadata": {"n": 3}}', '{"minImportance": 60}'][n % 4]
    strategy = ["hybrid", "keyword", "semantic"][n % 3]
    return f"""memory_search('m{n % MEMORIES}', 'w{n % 7} w{n % 101}', 10, store => 's', filters => '{filters}',
        embedding => (SELECT array_agg(cos({n} * g)::real ORDER BY g) FROM generate_series(1, 8) g),
        options => '{{"strategy": "{strategy}", "fallback": false, "asOf": "2027-01-01T00:00:00Z"}}')"""


def paths(session: Session) -> set[str]:
    """The ways in which the session reads entries."""
    return set(
        session.column("""
            SELECT read->>'path' FROM memory_search('m1', 'w1', store => 's', options => '{"diagnostics": true}') answer,
              jsonb_array_elements(answer->'diagnostics'->'reads') read WHERE read->>'relation' = 'entries'""")
    )


def same_answers(session: Session, count: int, seed: int = 0) -> int:
    """The number of searches of one snapshot that gave entries, by the index the same bytes as by the rows."""
    found = 0
    session.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
    for n in range(seed, seed + count):
        session.run("RESET ROLE")
        by_index = session.value(f"SELECT {search(n)}::text")
        session.run(f"SET LOCAL ROLE {READER_OF_ROWS}")
        by_rows = session.value(f"SELECT {search(n)}::text")
        assert by_index == by_rows, f"search {n}: the same bytes by the index as by the rows"
        found += '"count": 0' not in by_index
    session.run("COMMIT")
    return found
