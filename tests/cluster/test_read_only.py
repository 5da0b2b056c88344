"""Every reading function returns the same bytes at every place where PostgreSQL permits a query: in each kind of
read-only transaction, in cursors, functions and views, and under forced parallel query. Writing functions are refused
in read-only transactions."""

import re
from collections.abc import Sequence

import pytest

from harness import stores
from harness.access import Access, Questions
from harness.server import Server, Servers

# One row for each reading function and form of it, as text.
AS_OF = """options => '{"asOf": "2025-06-01T00:00:00Z", "boosts": {"popularity": 0.2}}'"""
FORMS = [
    f"memory_search('m', 'a hotel at the ocean', 10, 3, store => 's', {AS_OF})::text",
    f"""memory_search('m', 'tea', embedding => memory_embed('milk'), filters => '{{"userId": "u1"}}', store => 's',
        {AS_OF})::text""",
    """memory_search('{"memoryId": "m", "query": "peanuts", "store": "s",
        "options": {"asOf": "2025-06-01T00:00:00Z", "strategy": "keyword"}}')::text""",
    f"""string_agg(f::text, '; ' ORDER BY rank)
        FROM memory_search_entries('m', 'hotel tea', 10, store => 's', {AS_OF}) f""",
    f"""string_agg(f::text, '; ' ORDER BY place)
        FROM memory_explain('m', 'hotel tea', 10, store => 's', {AS_OF}) f""",
    f"""string_agg(f::text, '; ')
        FROM memory_explain('m', 'hotel tea', store => 's', {AS_OF}, entry_id => '{stores.entry_id(44)}') f""",
    f"""to_json(memory_build_context('m', 'hotel tea', system_prompt => 'You are kind.', store => 's',
        {AS_OF}))::text""",
    """string_agg(g::text, '; ')
        FROM memory_get('m', ARRAY(SELECT entry_id FROM s.entries ORDER BY entry_id LIMIT 5), store => 's') g""",
    """string_agg(l::text, '; ')
        FROM memory_list('m', '{"accessCount": {"$gte": 0}}', '-accessCount', 20, store => 's') l""",
    """'entries that were created since 2024 began: '
        || memory_count('m', '{"createdAfter": "2024-01-01T00:00:00Z"}', 's')""",
    f"""string_agg(h::text, '; ' ORDER BY history_id)
        FROM memory_history('m', '{stores.entry_id(7)}', store => 's') h""",
    f"string_agg(l::text, '; ') FROM memory_links('m', '{stores.entry_id(7)}', store => 's') l",
    f"string_agg(r::text, '; ') FROM memory_related('m', '{stores.entry_id(7)}', 3, store => 's') r",
    "string_agg(a::text, '; ') FROM memory_aliases('m', 's') a",
    "string_agg(m::text, '; ') FROM memory_list_memories(store => 's') m",
    "md5(string_agg(x::text, '; ')) || ' of ' || count(*) || ' lines' FROM memory_export('m', store => 's') x",
    f"memory_search(ARRAY['m', 'n'], 'hotel tea', 10, store => 's', {AS_OF})::text",
    f"""string_agg(f::text, '; ' ORDER BY rank)
        FROM memory_search_entries(ARRAY['m', 'n'], 'hotel tea', 10, store => 's', {AS_OF}) f""",
    f"""string_agg(f::text, '; ' ORDER BY place)
        FROM memory_explain(ARRAY['m', 'n'], 'hotel tea', 10, store => 's', {AS_OF}) f""",
    f"to_json(memory_build_context(ARRAY['m', 'n'], 'hotel tea', store => 's', {AS_OF}))::text",
    "concat_ws(', ', 'entries, visible ones, and contexts', entries, visible, contexts) FROM memory_stats('s')",
    "memory_embed('a hotel at the ocean')::text",
    "memory_tool_spec('mcp')::text",
    "string_agg(p::text, '; ') FROM memory_passages(repeat('A hotel at the ocean. ', 100)) p",
    f"""string_agg(q || ': ' || (found->>'count') || ' ' || (found#>>'{{entries,0,rawEntry}}'), '; ' ORDER BY q)
        FROM unnest('{{hotel,tea,Lisbon}}'::text[]) q, LATERAL memory_search('m', q, store => 's', {AS_OF}) found""",
]
UNION = "\n  UNION ALL ".join(f"SELECT {n}, {form}" for n, form in enumerate(FORMS, 1))
READERS = f"SELECT n, answer FROM ({UNION}\n  ) r(n, answer) ORDER BY n"
WRITERS = [
    "memory_add('m', 'x', context => 'y', store => 's')",
    "memory_put_context('m', 'x', store => 's')",
    f"memory_feedback('m', ARRAY['{stores.entry_id(1)}']::uuid[], 1, store => 's')",
    f"memory_touch('m', ARRAY['{stores.entry_id(1)}']::uuid[], store => 's')",
    "memory_recall('m', 'tea', store => 's')",
    f"memory_link('m', '{stores.entry_id(1)}', '{stores.entry_id(2)}', store => 's')",
    f"memory_unlink('m', '{stores.entry_id(7)}', '{stores.entry_id(8)}', store => 's')",
    "memory_alias('m', 'a', 'b', 's')",
    "memory_unalias('m', 'a', 's')",
    f"memory_delete('m', ARRAY['{stores.entry_id(1)}']::uuid[], store => 's')",
    "memory_create_store('other', 4)",
    "memory_drop_store('empty')",
    "memory_drop_store('s', force => true)",
]
DEFERRABLE = "SERIALIZABLE READ ONLY DEFERRABLE"
BY_DEFAULT = {"default_transaction_read_only": "on"}
PARALLEL = {
    "debug_parallel_query": "on",
    "parallel_setup_cost": 0,
    "parallel_tuple_cost": 0,
    "min_parallel_table_scan_size": 0,
    "max_parallel_workers_per_gather": 4,
}
ROW = tuple[int, str]


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    server = servers.start()
    server.create_extension()
    stores.fill(server)
    server.run("SELECT memory_keep_history('s')")
    server.run(f"SELECT memory_update('m', '{stores.entry_id(7)}', importance => 8, store => 's')")
    server.run("SELECT memory_create_store('empty', 4)")
    return server


@pytest.fixture(scope="module")
def expected(server: Server) -> list[ROW]:
    answers = server.rows(READERS)
    assert len(answers) == len(FORMS), "an answer of each"
    assert [n for n, answer in answers if len(answer) < 40] == [], "each of them says something"
    assert server.rows(READERS) == answers, "the same when asked again"
    return answers


@pytest.fixture(autouse=True)
def nothing_written(server: Server):
    def content() -> tuple:
        return stores.content(server) + server.row("SELECT last_value FROM s.entries_entry_order_seq")

    before = content()
    yield
    assert content() == before, "nothing was written by all this: rows and sequence are as they were"


def rows(access: Questions, before: Sequence[str], question: str = READERS, after: Sequence[str] = ()) -> list[ROW]:
    """The answers to a query in a session that has run other statements before."""
    with access.session() as session:
        for statement in before:
            session.run(statement)
        answers = session.rows(question)
        for statement in after:
            session.run(statement)
        return answers


TRANSACTIONS = {
    "BEGIN READ ONLY": ["BEGIN READ ONLY"],
    "made read-only after its first query": ["BEGIN", "SELECT WHERE false", "SET TRANSACTION READ ONLY"],
    "REPEATABLE READ READ ONLY": ["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"],
    "SERIALIZABLE READ ONLY": ["BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY"],
    DEFERRABLE: [f"BEGIN ISOLATION LEVEL {DEFERRABLE}"],
    "after a write that was undone": [
        "BEGIN", "SAVEPOINT w", "DELETE FROM s.entries", "ROLLBACK TO w", "SET TRANSACTION READ ONLY",
    ],
}  # fmt: skip
SETTINGS = {
    "default_transaction_read_only": BY_DEFAULT,
    "read-only, serializable and deferrable by default": BY_DEFAULT
    | {"default_transaction_isolation": "serializable", "default_transaction_deferrable": "on"},
    # The functions are parallel restricted: they run in the leader, beside any workers.
    "forced parallel query": PARALLEL,
}


@pytest.mark.parametrize("kind", TRANSACTIONS)
def test_answers_are_the_same_in_each_kind_of_read_only_transaction(server: Server, expected: list[ROW], kind: str):
    assert rows(server.access, TRANSACTIONS[kind], after=["COMMIT"]) == expected, f"{kind}: all answers, byte for byte"


@pytest.mark.parametrize("kind", SETTINGS)
def test_answers_are_the_same_under_these_settings(server: Server, expected: list[ROW], kind: str):
    assert server.by(settings=SETTINGS[kind]).rows(READERS) == expected, f"{kind}: all answers, byte for byte"


def refused(access: Access, before: Sequence[str], call: str, where: str) -> None:
    with access.session() as session:
        for statement in before:
            session.run(statement)
        error = session.error(f"SELECT {call}")
    assert error.sqlstate == "25006", f"{where}: {call} is refused with 25006"
    reason = re.sub("cannot execute [A-Z ]+ in a", "cannot execute it in a", error.diag.message_primary)
    assert reason == "cannot execute it in a read-only transaction", f"{where}: {call}: and the reason"


@pytest.mark.parametrize("call", WRITERS, ids=lambda call: call.split("(")[0])
def test_a_writing_function_is_refused_with_the_reason(server: Server, call: str):
    for kind in ("BEGIN READ ONLY", DEFERRABLE):
        refused(server.access, TRANSACTIONS[kind], call, kind)
    refused(server.by(settings=BY_DEFAULT), [], call, "default_transaction_read_only")


def test_a_recall_that_finds_nothing_has_nothing_to_count(server: Server):
    recall = "SELECT memory_recall('nobody', 'tea', store => 's')->>'count'"
    assert server.by(settings=BY_DEFAULT).value(recall) == "0", "what finds nothing has nothing to count"


def test_a_caught_refusal_does_not_end_the_transaction(server: Server):
    with server.session() as session:
        session.run("BEGIN READ ONLY")
        session.run("""
            DO $$ BEGIN
              PERFORM memory_add('m', 'x', store => 's');
            EXCEPTION WHEN read_only_sql_transaction THEN
              PERFORM set_config('test.said', 'caught', false);
            END $$""")
        assert session.value("SELECT current_setting('test.said')") == "caught", "the refusal is caught"
        count = session.value("SELECT memory_search('m', 'tea', store => 's')->>'count'")
        assert count == "5", "and the transaction goes on"


def test_a_leader_searches_for_each_row_of_a_table_that_workers_scan(server: Server, expected: list[ROW]):
    serializable = rows(server.by(settings={"debug_parallel_query": "on"}), TRANSACTIONS[DEFERRABLE])
    assert serializable == expected, "forced parallel query, read-only and serializable: all answers, byte for byte"
    beside = f"""
        SELECT count(*), count(DISTINCT (memory_search('m', e.raw_entry, 1, store => 's', {AS_OF}))
          #>>'{{entries,0,entryId}}')
        FROM s.entries e WHERE e.importance > 95"""
    free = {"parallel_setup_cost": 0, "parallel_tuple_cost": 0, "min_parallel_table_scan_size": 0}
    parallel = server.by(settings=free | {"enable_indexscan": "off"})
    assert parallel.row(beside) == server.row(beside), "a table scanned by workers, searched for by the leader"
    assert "Workers Planned" in "\n".join(parallel.column(f"EXPLAIN {beside}")), "there were workers"


def test_answers_are_the_same_by_cursors(server: Server, expected: list[ROW]):
    with server.session() as session:
        session.run(f"BEGIN; DECLARE c NO SCROLL CURSOR FOR {READERS}")
        fetched = session.rows("FETCH 3 FROM c") + session.rows("FETCH ALL FROM c")
        assert fetched == expected, "a cursor: all answers, byte for byte"
        session.run("COMMIT")
        # It is run at the end of its transaction.
        session.run(f"BEGIN READ ONLY; DECLARE held CURSOR WITH HOLD FOR {READERS}; COMMIT")
        assert session.rows("FETCH ALL FROM held") == expected, "a cursor WITH HOLD, read after its transaction"
        session.run(f"BEGIN; DECLARE c CURSOR FOR {READERS}")
        session.run("""
            INSERT INTO s.entries (memory_id, raw_entry, creation_time, entry_order)
            SELECT 'm', 'hotel tea peanuts Lisbon', '2025-05-01Z', 1000 + n FROM generate_series(1, 50) n""")
        fetched = session.rows("FETCH ALL FROM c")
        assert fetched == expected, "a cursor sees its own time: rows added since are not there"
        session.run("ROLLBACK")


FUNCTIONS = {
    "by_sql": f"LANGUAGE sql STABLE AS $$ {READERS} $$",
    "by_body": f"LANGUAGE sql STABLE PARALLEL RESTRICTED BEGIN ATOMIC {READERS}; END",
    "by_plpgsql": f"""LANGUAGE plpgsql STABLE AS $$ #variable_conflict use_column
        BEGIN RETURN QUERY {READERS}; END $$""",
    "by_text": f"LANGUAGE plpgsql STABLE AS $f$ BEGIN RETURN QUERY EXECUTE $$ {READERS} $$; END $f$",
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_answers_are_the_same_in_functions(server: Server, expected: list[ROW], name: str):
    server.run(f"CREATE FUNCTION {name}() RETURNS TABLE (n int, answer text) {FUNCTIONS[name]}")
    call = f"SELECT * FROM {name}() ORDER BY n"
    assert server.rows(call) == expected, f"STABLE function {name}: all answers, byte for byte"
    assert rows(server.access, ["BEGIN READ ONLY"], call) == expected, f"STABLE function {name}, read-only"


def test_answers_are_the_same_in_views(server: Server, expected: list[ROW]):
    server.run(f"CREATE VIEW by_view AS {READERS}")
    server.run(f"CREATE VIEW by_invoker WITH (security_invoker) AS {READERS}")
    server.run(f"CREATE MATERIALIZED VIEW by_materialized AS {READERS}")
    for view in ("by_view", "by_invoker", "by_materialized"):
        answers = rows(server.access, ["BEGIN READ ONLY"], f"TABLE {view} ORDER BY n")
        assert answers == expected, f"view {view}: all answers, byte for byte"
    server.run("REFRESH MATERIALIZED VIEW by_materialized")
    assert server.rows("TABLE by_materialized ORDER BY n") == expected, "the materialised view, refreshed"
    server.run("CREATE UNIQUE INDEX ON by_materialized (n)")
    server.run("REFRESH MATERIALIZED VIEW CONCURRENTLY by_materialized")
    assert server.rows("TABLE by_materialized ORDER BY n") == expected, "and refreshed concurrently"


@pytest.mark.parametrize("mode", ["force_custom_plan", "force_generic_plan"])
def test_answers_are_the_same_when_prepared(server: Server, expected: list[ROW], mode: str):
    before = [f"SET plan_cache_mode = {mode}", f"PREPARE p AS {READERS}", "BEGIN READ ONLY"]
    assert rows(server.access, before, "EXECUTE p") == expected, f"prepared, {mode}: all answers, byte for byte"


def test_answers_are_the_same_in_other_places_of_a_query(server: Server, expected: list[ROW]):
    cte = server.rows(f"WITH r AS MATERIALIZED ({READERS}) TABLE r ORDER BY n")
    assert cte == expected, "a materialised CTE: all answers, byte for byte"
    lines = "".join(f"{n}|{answer}\n" for n, answer in expected)
    copied = server.psql("-c", rf"COPY ({READERS}) TO STDOUT (FORMAT csv, DELIMITER '|', QUOTE E'\x01')")
    assert copied == lines, "COPY (...) TO: all answers, byte for byte"
    by_one = server.psql("-v", "FETCH_COUNT=1", "-c", READERS)
    assert by_one == lines, "row by row from a cursor's FETCH_COUNT: all answers, byte for byte"
    server.run(f"CREATE TABLE made AS {READERS}")
    assert server.rows("TABLE made ORDER BY n") == expected, "CREATE TABLE AS: all answers, byte for byte"
    explain = f"EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) {READERS}"
    plan = "\n".join(line for (line,) in rows(server.access, ["BEGIN READ ONLY"], explain))
    assert "Function Scan on memory_search_entries" in plan, "EXPLAIN ANALYZE runs it in a read-only transaction"
