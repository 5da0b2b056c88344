"""A store that 0.1.0 made goes on working on this version, and what it lacks memory_doctor names with the statements
that bring it up to date: after them it is, column by column and index by index, what memory_create_store() makes."""

import re

import pytest

from harness import cluster
from harness.server import Server, Servers

NAMED = "FROM memory_doctor('memory') WHERE status <> 'ok' AND name <> 'statistics'"
BOTH = ("fresh", "memory")


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    """Store "memory" is one of 0.1.0."""
    server = servers.start()
    server.create_extension()
    server.run("SELECT memory_create_store('fresh')")
    server.psql_file(cluster.REPOSITORY / "tests/upgrade/store_0.1.0.sql")
    return server


def fill(server: Server, store: str) -> int:
    added = server.value(f"""
        SELECT count(memory_add('m', 'note ' || n || (ARRAY[' of a hotel by the sea', ' of the train'])[1 + n % 2],
          metadata => CASE WHEN n = 7 THEN '{{"gardener": true}}'::jsonb END,
          entry_id => lpad(n::text, 32, '0')::uuid, context => CASE WHEN n % 10 = 0 THEN 'part ' || n END,
          creation_time => timestamptz '2025-01-01Z' + n * interval '1 hour', store => '{store}'))
        FROM generate_series(1, 50) n""")
    server.run(f"""
        SELECT memory_put_context('m', 'put by itself', creation_time => '2025-01-01T05:00Z', store => '{store}')""")
    return added


def documents(server: Server, store: str) -> list[str]:
    found = server.column(f"""
        SELECT memory_search('m', query, 10, 3, options => '{{"asOf": "2025-06-01T00:00:00Z"}}', store => '{store}')
        FROM unnest(ARRAY['a hotel', 'train 31', 'part 20', '']) query""")
    return [re.sub(r'("contextId": ")[0-9a-f-]*', r"\1", document) for document in found]


def without_scores(documents: list[str]) -> list[str]:
    """Metadata's keys are no words of an older store: its entries are shorter, which moves BM25 a little."""
    return [re.sub(r'"(score|relevance)": [0-9.e-]+', r'"\1": 0', document) for document in documents]


def contexts(server: Server, store: str) -> list[str]:
    """The latest one, and those that are shown beside it."""
    return server.column(f"""
        WITH s AS MATERIALIZED (SELECT memory_search('m', '', 0, 3, store => '{store}') AS r)
        SELECT r->>'latestContext' FROM s
        UNION ALL SELECT x->>'context' FROM s, jsonb_array_elements(r->'contexts') x""")


def found_by_key(server: Server, store: str) -> str:
    return server.value(f"""
        SELECT memory_search('m', 'gardener', options => '{{"strategy": "keyword", "fallback": false}}',
          store => '{store}')->>'count'""")


def definition(server: Server, store: str) -> list[str]:
    """A store's columns, indexes and constraints."""
    columns = server.rows(f"""
        SELECT a.attrelid::regclass::text, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
          a.attgenerated, CASE a.attname WHEN 'search_vector' THEN '' ELSE pg_get_expr(d.adbin, d.adrelid) END
        FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        WHERE a.attrelid IN ('{store}.entries'::regclass, '{store}.contexts'::regclass,
          '{store}.entry_access'::regclass) AND a.attnum > 0 AND NOT a.attisdropped
        ORDER BY 1, 2""")
    indexes = server.rows(f"SELECT indexdef FROM pg_indexes WHERE schemaname = '{store}' ORDER BY 1")
    constraints = server.rows(f"""
        SELECT conrelid::regclass::text, contype, pg_get_constraintdef(oid) FROM pg_constraint
        WHERE connamespace = '{store}'::regnamespace AND contype <> 'n' ORDER BY 1, 2, 3""")
    return [str(row).replace(f"{store}.", "store.") for row in columns + indexes + constraints]


def test_a_store_of_0_1_0_works_and_becomes_like_a_fresh_one(server: Server):
    assert fill(server, "memory") == 50, "the store of 0.1.0 takes 50 entries"
    assert fill(server, "fresh") == 50, "and so does a fresh one"
    both = [without_scores(documents(server, store)) for store in BOTH]
    assert both[0] == both[1], "both give the same documents, but for scores"
    by_key = [found_by_key(server, store) for store in BOTH]
    assert by_key == ["1", "0"], "a key of metadata is a word in the fresh one, not in the older"
    named = server.column(f"SELECT name {NAMED}")
    lacks = [
        "index of searches",
        "contexts of entries",
        "sessions and keys",
        "validity and time to live",
        "feedback",
        "words of metadata",
        "index of missing embeddings",
    ]
    assert named == lacks, "memory_doctor names what the older store lacks"
    for store in BOTH:
        server.run(f"SELECT memory_delete('m', ARRAY[lpad('50', 32, '0')::uuid], store => '{store}')")
    latest = [contexts(server, store)[0] for store in BOTH]
    assert latest == ["part 40", "part 50"], "a context outlives its entry in the older store, not in the fresh one"

    fixes = "SELECT fix FROM memory_doctor('memory') WHERE fix IS NOT NULL AND name <> 'statistics'"
    server.psql(stdin="\n".join(server.column(fixes)))

    named = server.column(f"SELECT name {NAMED}")
    assert named == [], "after the statements it gives, it has nothing to name"
    expected = definition(server, "fresh")
    assert definition(server, "memory") == expected, "the older store is defined as a fresh one is"
    for relation in ("entries", "contexts"):
        words = [
            server.column(f"SELECT search_vector FROM {store}.{relation} ORDER BY memory_id, creation_time, search_vector")
            for store in BOTH
        ]
        assert words[0] == words[1] and any(words[0]), f"its expression makes the words of {relation} as the function"
    known = server.row("SELECT count(entry_id), count(*) - count(entry_id) FROM memory.contexts")
    assert known == (5, 1), "its contexts know their entries, and one that was put by itself knows none"
    assert contexts(server, "memory") == contexts(server, "fresh"), "a context is deleted with its entry"
    assert found_by_key(server, "memory") == "1", "a key of metadata is a word"
    assert documents(server, "memory") == documents(server, "fresh"), "both give the same documents again"
    path = server.value("""
        SELECT memory_search('m', 'train', store => 'memory', options => '{"diagnostics": true}')
          #>> '{diagnostics,reads,0,path}'""")
    assert path == "memory index", "it is read by its memory index"
