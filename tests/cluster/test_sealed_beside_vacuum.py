"""Tails are sealed while VACUUM works, also if it is slow. This matters because a search reads a tail record by
record."""

from harness.server import Server

# VACUUM sleeps after so many pages, so that it takes seconds.
SLOW = "SET vacuum_cost_delay = '40ms'; SET vacuum_cost_limit = 200"


def test_the_tail_of_a_busy_memory_stays_short_beside_a_vacuum_of_its_index(server: Server):
    server.run("""
        CREATE TABLE notes (memory_id text, words tsvector, no int);
        ALTER TABLE notes SET (autovacuum_enabled = off);
        INSERT INTO notes SELECT 'm' || n % 6000, to_tsvector('simple', 'word ' || n), n FROM generate_series(1, 60000) n;
        INSERT INTO notes SELECT 'busy', to_tsvector('simple', 'word ' || n), n FROM generate_series(1, 100) n;
        CREATE INDEX notes_memory ON notes USING memory_search (memory_id, words) INCLUDE (no);
        DELETE FROM notes WHERE no % 3 = 0""")
    with server.session() as vacuum:
        vacuum.run(SLOW)
        under_way = vacuum.start("VACUUM (INDEX_CLEANUP on, PARALLEL 0) notes")
        server.until(
            "SELECT EXISTS (SELECT FROM pg_stat_progress_vacuum WHERE phase = 'vacuuming indexes')",
            "VACUUM has come to the index",
        )
        for first in range(1, 5000, 500):
            server.run(f"""INSERT INTO notes SELECT 'busy', to_tsvector('simple', 'word ' || n), 1
                FROM generate_series({first}, {first + 499}) n""")
        phase = server.value("SELECT phase FROM pg_stat_progress_vacuum")
        assert phase == "vacuuming indexes", "VACUUM is at the index all the while"
        assert under_way.end(180).error is None, "VACUUM comes to its end"
    facts = dict(server.rows("SELECT name, value FROM memory_index_check('notes_memory')"))
    left = server.value("SELECT count(*) FROM notes")
    assert facts["rows compared"] == left, "the index holds the rows that are left"
    assert facts["documents of rows that are gone"] == 0, "and none that VACUUM removed"
    assert facts["documents in segments"] > 3000, "most of the busy memory's rows are sealed"
