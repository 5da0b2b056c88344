"""The cost of row-level security in a search of a memory of 20,000 entries: at most 50 pages. By meaning, by words and
by both the same statements give the same rows, the index is read in the same way, and the answers are the same bytes.
These are counts, which unlike times are the same on every machine."""

from typing import Any, NamedTuple

import pytest

from harness import topics
from harness.server import Server, Servers


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    """Two stores with the same rows, five memories of 20,000 entries each; one store is under a policy."""
    server = servers.start(
        "shared_buffers = '512MB'",
        "autovacuum = off",
        "shared_preload_libraries = 'pg_stat_statements'",
        "pg_stat_statements.track = 'all'",
    )
    server.create_extension()
    rows = topics.rows(100000, memory="'m' || n % 5", topics=200, turn=5)
    copied = f"{topics.COLUMNS}, user_id"
    server.run(f"""
        SELECT memory_create_store('open', 256), memory_create_store('closed', 256);
        INSERT INTO open.entries ({copied})
          SELECT {topics.COLUMNS}, 'u' || substr(memory_id, 2) FROM ({rows}) r;
        INSERT INTO closed.entries ({copied}) SELECT {copied} FROM open.entries ORDER BY entry_order;
        CREATE ROLE app;
        SELECT memory_grant('open', 'app'), memory_grant('closed', 'app');
        SELECT memory_enable_row_security('closed');
        CREATE EXTENSION pg_stat_statements;
        GRANT pg_read_all_stats TO app;
        GRANT EXECUTE ON FUNCTION pg_stat_statements_reset TO app""")
    # Commits have to be on disk before VACUUM can mark its rows as visible to all.
    for store in ("open", "closed"):
        server.run("CHECKPOINT")
        server.run(f"VACUUM ANALYZE {store}.entries")
    return server


class Cost(NamedTuple):
    """Counts of eleven searches: their answers and the hash of these; for each search the path and the rows of its
    pass, its statements, the rows that these give, and all its pages."""

    answers: int
    hash: str
    path: str
    rows: int
    statements: Any
    rows_given: Any
    pages: int


def cost(server: Server, store: str, strategy: str) -> Cost:
    searches = topics.eleven_searches(store, strategy, diagnostics=True)
    with server.session() as session:
        session.run("SET ROLE app; SET memory_search.user_id = 'u3'")
        # The first time a session reads catalogs and plans.
        session.run(searches)
        session.run("SELECT pg_stat_statements_reset()")
        answers = session.row(f"""WITH answers AS MATERIALIZED ({searches})
            SELECT count(DISTINCT answer - 'diagnostics'), md5(string_agg((answer - 'diagnostics')::text, ' ')),
              string_agg(DISTINCT read->>'path', ', '), round(sum((read->>'rows')::int) / 11)
            FROM answers, jsonb_array_elements(answer #> '{{diagnostics,reads}}') read""")
        counts = session.row("""
            SELECT trim_scale(round(sum(calls) FILTER (WHERE NOT toplevel) / 11, 1)),
              trim_scale(round(sum(rows) FILTER (WHERE NOT toplevel) / 11, 1)),
              round(sum(shared_blks_hit + shared_blks_read) FILTER (WHERE query LIKE 'WITH answers %') / 11)
            FROM pg_stat_statements""")
    return Cost(*answers, *counts)


@pytest.mark.parametrize("strategy", ["hybrid", "keyword", "semantic"])
def test_a_policy_does_not_change_the_reads_of_a_search(server: Server, strategy: str, say):
    plain, under_policy = cost(server, "open", strategy), cost(server, "closed", strategy)
    assert plain.answers == 11, f"{strategy}: eleven questions have eleven answers"
    assert under_policy.hash == plain.hash, f"{strategy}: the same bytes with and without the policy"
    # The policy that memory_enable_row_security() makes is applied where the index is read.
    for one in (plain, under_policy):
        read = (one.path, one.rows)
        assert read == ("memory index", 20000), f"{strategy}: 20,000 rows by the index, with and without the policy"
    statements = (plain.statements, plain.rows_given)
    assert (under_policy.statements, under_policy.rows_given) == statements, f"{strategy}: the same statements and rows"
    say(f"  {strategy}: {statements[0]} statements, {plain.pages} pages, under the policy {under_policy.pages}")
    # The reads of roles and policies take a few pages of catalogs, and planning takes a few dozen pages with a policy
    # or without. A plan that applied the policy row by row to the table would read thousands.
    assert under_policy.pages <= plain.pages + 50, f"{strategy}: pages under the policy"


def test_the_policy_is_in_force(server: Server):
    found = server.value("""
        SET ROLE app;
        SET memory_search.user_id = 'u1';
        SELECT memory_search('m3', 'w1', store => 'closed')->>'count'""")
    assert found == "0", "another user finds nothing"
