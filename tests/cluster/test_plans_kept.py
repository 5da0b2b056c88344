"""The cost of a search of a small memory apart from reading its rows. An ordinary search runs no statement. For other
searches, the server does not plan a statement again after a session has run it a few times. Contexts are not searched
if there is only one. The texts are read from few pages."""

import json

import pytest

from harness import topics
from harness.server import Server, Servers

# Searches that the memory index and the rows answer alone.
BY_SIGNALS = ("hybrid", "semantic", "keyword")
# Searches that need statements: the newest, and whether corrections are present.
BY_STATEMENTS = ({"strategy": "recent"}, *({"strategy": name, "includeSuperseded": True} for name in BY_SIGNALS))
# The server plans a statement five times before it may keep a plan.
ROUNDS_BEFORE = 6


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    """A store of memories of 100 entries; m3 has one context, m4 has two, m5 has none."""
    server = servers.start(
        "autovacuum = off",
        "shared_preload_libraries = 'pg_stat_statements'",
        "pg_stat_statements.track = 'all'",
        "pg_stat_statements.track_planning = on",
    )
    server.create_extension()
    rows = topics.rows(2000, memory="'m' || n % 20", topics=50, turn=20)
    server.run(f"""
        CREATE EXTENSION pg_stat_statements;
        SELECT memory_create_store('s', 256);
        INSERT INTO s.entries ({topics.COLUMNS}) {rows};
        INSERT INTO s.contexts (memory_id, context, creation_time) VALUES
          ('m3', 'w2 alone', '2025-01-01Z'), ('m4', 'w2 older', '2025-01-01Z'), ('m4', 'w3 newer', '2025-01-02Z')""")
    server.run("CHECKPOINT")
    for table in ("entries", "contexts", "entry_access"):
        server.run(f"VACUUM ANALYZE s.{table}")
    return server


def statements(server: Server, options: dict) -> tuple[int, str | None]:
    """The number of statements that eleven searches run in a session that has run them before, and how many of them are
    planned."""
    # The searches return five entries: for ten entries, the number that the server assumes for a list of unknown
    # length, it keeps a plan anyway.
    searches = f"""
        SELECT memory_search('m3', 'w' || 1 + i || ' w' || i * 37, 5, store => 's',
          embedding => {topics.DIRECTION.format(i="i")}, options => '{json.dumps(options)}')
        FROM generate_series(1, 11) i"""
    with server.session() as session:
        for _ in range(ROUNDS_BEFORE):
            session.run(searches)
        session.run("SELECT pg_stat_statements_reset()")
        session.run(searches)
        return session.row("""
            SELECT coalesce(sum(calls), 0)::int, string_agg(query, E'\\n' ORDER BY query) FILTER (WHERE plans > 0)
            FROM pg_stat_statements WHERE NOT toplevel""")


@pytest.mark.parametrize("strategy", BY_SIGNALS)
def test_a_search_runs_no_statement(server: Server, strategy: str):
    calls, _ = statements(server, {"strategy": strategy})
    assert calls == 0, f"{strategy}: what the searches run"


@pytest.mark.parametrize("options", BY_STATEMENTS, ids=str)
def test_no_statement_of_a_search_is_planned_again(server: Server, options: dict):
    calls, planned = statements(server, options)
    assert calls >= 11, f"{options}: statements of the searches are counted"
    assert planned is None, f"{options}: none of them is planned"


READ = [("m3", ["entries"]), ("m4", ["entries", "contexts"]), ("m5", ["entries"])]


@pytest.mark.parametrize(("memory", "relations"), READ)
def test_contexts_are_searched_where_there_are_two(server: Server, memory: str, relations: list[str]):
    answer = json.loads(
        server.value(f"""
            SELECT memory_search('{memory}', 'w2', store => 's',
              options => '{{"strategy": "keyword", "diagnostics": true}}')""")
    )
    assert [read["relation"] for read in answer["diagnostics"]["reads"]] == relations, f"{memory}: what is read"


def test_texts_of_five_entries_are_read_from_few_pages(server: Server):
    search = "memory_search('m3', 'w2 w40 w300', 5, store => 's', options => '{\"strategy\": \"keyword\"}')"
    with server.session() as session:
        # The first searches of a session read catalogs and plans, too.
        for _ in range(ROUNDS_BEFORE):
            found = json.loads(session.value(f"SELECT {search}"))
        explain = "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF, FORMAT JSON)"
        plan = json.loads(session.value(f"{explain} SELECT {search}"))
    assert found["count"] == 5, "five entries are found"
    # About 10 of the memory index, 45 of the rows of candidates, the rest of contexts and access counts.
    assert plan[0]["Plan"]["Shared Hit Blocks"] <= 80, "pages of the search"
