"""The rows and pages that a search reads (unlike its time, they are the same on every machine) at three sizes of
memory, in a store with ten times as many other entries. A change that makes a search read more fails here."""

import re

import pytest

from harness import topics
from harness.server import Server, Servers

# Memories of 100, 3,000 and 20,000 entries, scattered among those of 2,000 others.
MEMORY = """CASE WHEN n % 1000 = 0 THEN 'small' WHEN n % 33 = 0 THEN 'medium' WHEN n % 5 = 0 THEN 'large'
    ELSE 'm' || n % 1999 END"""
# For a memory and a strategy: the path, the rows, and the greatest number of pages.
MOST = [
    ("small", "hybrid", "memory index", 100, 200),
    ("small", "keyword", "memory index", 100, 120),
    ("small", "recent", "newest", 5, 80),
    ("medium", "hybrid", "memory index", 3027, 1000),
    ("medium", "keyword", "memory index", 3027, 430),
    ("medium", "recent", "newest", 5, 80),
    ("large", "hybrid", "memory index", 19297, 1900),
    ("large", "keyword", "memory index", 19297, 1300),
    ("large", "recent", "newest", 5, 80),
]


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    server = servers.start("shared_buffers = '512MB'", "autovacuum = off")
    server.create_extension()
    server.run("SELECT memory_create_store('s', 256)")
    rows = topics.rows(100000, memory=MEMORY, topics=200, turn=33)
    server.run(f"INSERT INTO s.entries ({topics.COLUMNS}) {rows}")
    server.run("""
        INSERT INTO s.contexts (memory_id, context, creation_time, embedding)
        SELECT memory_id, 'context ' || g, timestamptz '2025-01-01Z' + g * interval '1 day',
          (SELECT array_agg(sin(g * d)::real) FROM generate_series(1, 256) d)
        FROM unnest(ARRAY['small', 'medium', 'large']) memory_id, generate_series(1, 20) g""")
    server.run("CHECKPOINT")
    for table in ("entries", "contexts", "entry_access"):
        server.run(f"VACUUM ANALYZE s.{table}")
    return server


@pytest.mark.parametrize(("memory", "strategy", "way", "rows", "most_pages"), MOST)
def test_a_search_reads_so_many_rows_and_pages(
    server: Server, memory: str, strategy: str, way: str, rows: int, most_pages: int
):
    search = f"""
        memory_search('{memory}', 'w2 w40 w300', 5, store => 's', embedding => {topics.DIRECTION.format(i=7)},
          options => '{{"strategy": "{strategy}", "asOf": "2026-01-01T00:00:00Z", "diagnostics": true}}')"""
    with server.session() as session:
        # The first search of a session reads catalogs and plans, too.
        read = session.row(f"""
            SELECT r->>'path', (r->>'rows')::int
            FROM jsonb_path_query_first({search}, '$.diagnostics.reads[0]') r""")
        plan = session.column(f"EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF) SELECT {search}")
    assert read == (way, rows), f"{memory}, {strategy}: the way and the rows"
    pages = re.search(r"Buffers: shared hit=(\d+)", "\n".join(plan))
    assert pages and int(pages[1]) <= most_pages, f"{memory}, {strategy}: pages"
