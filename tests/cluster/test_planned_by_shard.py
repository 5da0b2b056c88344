"""A distributed store gives the same as a plain one, on a server whose planner treats its tables as the planner of a
Citus worker does (harness/shard_planner.py): the tables are empty, their rows are in shards, each statement goes to the
shard of its memory by the values of its parameters, and statements that Citus refuses are errors. The test runs without
Citus."""

import re

import pytest

from harness import cluster, shard_planner
from harness.elsewhere import EVERY
from harness.server import Server, Servers

CALLS = cluster.REPOSITORY / "tests/upgrade/calls.sql"
MORE = cluster.SUPPORT / "planned_by_shard.sql"
PLACED = "SELECT 'placed', * FROM citus_test.misplaced();\n"
# Calls that a distributed store refuses: calls that make triggers, and calls with prefixes of memories.
REFUSED = re.compile("memory_keep_history|memory_notify|memory_history|prefix")
MADE = re.compile(r"SELECT public.memory_create_store\('(\w+)'[^;]*;")
# Lines about shards, which a plain store does not have.
OF_SHARDS = re.compile(r"^(shards|placed)\|")
# Ids of contexts are random, and times of use come from the clock.
RANDOM = re.compile('("contextId"|"lastAccessedAt"|"latestContextTimestamp"): "[^"]*"')
# The statements that the functions send to all shards, with their results.
OF_ALL_SHARDS = {
    r"SELECT DISTINCT r\.memory_id": "which memories work on a whole store is about",
    r" *SELECT i\.memory_id COLLATE": "which memories a page of memory_list_memories has",
    r"SELECT true FROM \S+ LIMIT 1$": "whether a store that is to be dropped is empty",
    r"SELECT pg_catalog\.count\(": "what memory_doctor and memory_reembed count",
    r"SELECT e\.memory_id.*ORDER BY pg_catalog\.md5\(.*LIMIT 20$": "entries that memory_doctor takes for a sample",
}


def script(is_distributed: bool) -> str:
    """The calls, without those that are refused, and the calls that they leave out; all are rolled back."""
    calls = [call for call in CALLS.read_text().split(";\n") if not REFUSED.search(call)]
    text = ";\n".join(calls) + MORE.read_text()
    if is_distributed:
        distribute = "DO $$ BEGIN PERFORM public.memory_distribute_store('{}', 4); END $$;\n"
        text = MADE.sub(lambda made: made.group() + "\n" + distribute.format(made.group(1)), text)
        text = re.sub("^SELECT public.memory_drop_store", PLACED + r"\g<0>", text, count=1, flags=re.MULTILINE)
        text += PLACED
    return text


class Said:
    """The answers of plain and distributed stores, and the server's log of the latter."""

    def __init__(self, server: Server, place: int) -> None:
        self.server = server
        server.psql_file("fill_store.sql")
        server.psql_file("rows_elsewhere_stores.sql", every=EVERY)
        self.plain = server.psql(stdin=script(False)).splitlines()
        server.run("SELECT memory_create_store('spread'); SELECT elsewhere.fill('spread')")
        server.psql_file("sharded.sql", place=place)
        server.run("SELECT memory_distribute_store('s', 4); SELECT memory_distribute_store('spread', 4)")
        before = len(server.log)
        asked = server.by(settings={"log_min_messages": "debug1"})
        self.distributed = server.psql(stdin=script(True), access=asked).splitlines()
        self.log = server.log[before:]


@pytest.fixture(scope="module", params=[shard_planner.ELSEWHERE, shard_planner.HERE], ids=["elsewhere", "here"])
def said(servers: Servers, request: pytest.FixtureRequest) -> Said:
    """Shards on another server, which are read only by statements, and shards on this one, whose indexes are read
    too."""
    return Said(shard_planner.start(servers), request.param)


@pytest.fixture
def server(said: Said) -> Server:
    return said.server


def test_each_call_gives_the_same_as_with_a_plain_store(said: Said):
    answers = [
        [RANDOM.sub(r"\1", line) for line in of if not OF_SHARDS.match(line)] for of in (said.plain, said.distributed)
    ]
    assert len(answers[0]) > 500, "the calls give answers"
    assert [pair for pair in zip(*answers) if pair[0] != pair[1]] == []
    assert len(answers[0]) == len(answers[1])


def test_the_calls_wrote_rows_into_the_shards_of_their_memories(said: Said):
    placed = [line.split("|")[1:] for line in said.distributed if line.startswith("placed|")]
    assert len(placed) > 9, "three tables of each store"
    assert [line for line in placed if (line[1], line[3]) != ("0", "0")] == [], "none is in the tables, or elsewhere"
    assert sum(int(line[2]) for line in placed) > 1000, "all is in shards"


def test_the_statements_to_all_shards_are_known(said: Said):
    asked = {text.strip("\n") for text in re.findall(r"all shards are read: ((?:.+\n\t)*.+)", said.log)}
    calls = " ".join(script(True).split())
    own = [text for text in asked if " ".join(text.split()) not in calls]
    known = {pattern: [text for text in own if re.match(pattern, text)] for pattern in OF_ALL_SHARDS}
    assert [pattern for pattern, texts in known.items() if not texts] == [], "all of these are asked"
    assert set(own) - {text for texts in known.values() for text in texts} == set(), "and no others"


def test_every_way_to_search_gives_the_same_bytes(server: Server):
    for what in ("answers", "explanations", "expanded"):
        plain, spread = (server.column(f"SELECT * FROM elsewhere.{what}('{store}')") for store in ("plain", "spread"))
        assert len(plain) >= 100, "it is asked for"
        assert [pair for pair in zip(plain, spread, strict=True) if pair[0] != pair[1]] == []


def test_kept_plans_read_the_memory_of_the_call(server: Server):
    with server.session() as session:
        for store in ("plain", "spread"):
            found = session.column(f"""
                SELECT memory_search('m' || 1 + n % 4, 'harbour tea', 3, store => '{store}',
                  options => '{{"asOf": "2025-06-01T00:00:00Z"}}') FROM generate_series(1, 40) n""")
            assert len(set(found)) == 4, "each memory has an answer of its own"
            assert found[:4] * 10 == found, f"forty searches of {store} give the answers of the first four"


def test_a_transaction_that_wrote_in_other_sessions_reads_in_the_session_with_its_writes(server: Server, request):
    asked = """SELECT memory_search('m1', 'harbour tea', 3, store => '{}',
        options => '{{"asOf": "2025-06-01T00:00:00Z"{}}}')"""
    of_path = asked.format("spread", ', "diagnostics": true') + " #>> '{diagnostics,reads,0,path}'"
    with server.by(settings={"citus_test.transaction": "7"}).session() as session:
        before = len(server.log)
        assert session.value(asked.format("spread", "")) == session.value(asked.format("plain", "")), "the same bytes"
        is_elsewhere = "[elsewhere]" in request.node.name
        assert session.value(of_path) == ("table" if is_elsewhere else "memory index"), "by one call that was led there"
    assert "memory_search_sent" not in server.log[before:], "without an error"


def test_shards_are_hidden_from_readers_of_pg_class(server: Server):
    hidden = "SELECT count(*) FROM pg_class WHERE relname ~ '^(entries|contexts|entry_access)_(pkey_)?[0-9]+$'"
    assert server.value(hidden) == 0
    assert server.value(f"SET shard_planner.enabled = off; {hidden}") > 0


def test_with_forced_generic_plans_a_shard_on_another_server_is_not_found(server: Server, request):
    is_elsewhere = "[elsewhere]" in request.node.name
    search = """memory_search('m1', 'harbour tea', 3, store => '{}',
        options => '{{"strategy": "keyword", "asOf": "2025-06-01T00:00:00Z"}}')"""
    touch = "memory_touch('m1', ARRAY['00000000-0000-0000-0000-000000000001'], store => '{}')"
    forced = server.by(settings={"plan_cache_mode": "force_generic_plan"})
    assert forced.value_or_sqlstate(f"SELECT {touch.format('spread')}") == "0A000", "what writes"
    said = forced.value_or_sqlstate(f"SELECT {search.format('spread')}")
    plain = "0A000" if is_elsewhere else server.value(f"SELECT {search.format('plain')}")
    assert said == plain, "what reads is refused, but for a memory whose shards are on this node"
    custom = server.by(settings={"plan_cache_mode": "force_custom_plan"})
    assert int(custom.value(f"SELECT {search.format('spread')} -> 'count'")) > 0, "the other way is no hindrance"


def test_a_role_under_policies_sees_the_same_as_in_a_plain_store(server: Server):
    server.run(
        "CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA elsewhere TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA "
        "elsewhere TO reader"
    )
    for store in ("plain", "spread"):
        server.run(f"SELECT memory_grant('{store}', 'reader'), memory_enable_row_security('{store}')")
    for user in ("u1", "nobody"):
        reader = server.by(user="reader", settings={"memory_search.user_id": user})
        plain, spread = (reader.column(f"SELECT * FROM elsewhere.answers('{store}')") for store in ("plain", "spread"))
        assert [pair for pair in zip(plain, spread, strict=True) if pair[0] != pair[1]] == [], user
        shown = sum(line.count('"entryId"') for line in spread)
        assert (shown > 0) == (user != "nobody"), "his entries, and no others"
    for store in ("plain", "spread"):
        server.run(
            f"ALTER TABLE {store}.entries DISABLE ROW LEVEL SECURITY; "
            f"ALTER TABLE {store}.contexts DISABLE ROW LEVEL SECURITY"
        )


def test_privileges_of_the_tables_count(server: Server):
    server.run("CREATE ROLE nobody LOGIN; GRANT USAGE ON SCHEMA spread TO nobody")
    asked = "SELECT memory_search('m1', 'tea', store => 'spread') -> 'count'"
    assert server.by(user="nobody").sqlstate(asked) == "42501", "without any"
    server.run("SELECT memory_grant('spread', 'nobody')")
    assert int(server.by(user="nobody").value(asked)) > 0, "granted on the tables alone"


@pytest.mark.parametrize(
    "call", ["memory_keep_history('s')", "memory_notify('s')", "memory_search('{m}'::text[], 'x', prefixes => '{m}')"]
)
def test_what_there_is_not_is_refused(server: Server, call: str):
    assert server.by(settings={"memory_search.store": "s"}).sqlstate(f"SELECT {call}") == "0A000"


def test_a_partitioned_store_beside_it_is_read_by_its_partitions(server: Server):
    if int(server.value("SHOW server_version_num")) < 170000:
        assert server.sqlstate("SELECT memory_create_store('parted', partitions => 4)") == "0A000"
        return
    as_of = '{{"asOf": "2025-06-01T00:00:00Z"}}'
    asked = f"SELECT memory_search('{{}}', 'harbour tea', 3, options => '{as_of}', store => '{{}}')"
    with server.session() as session:
        session.run("SELECT memory_create_store('parted', partitions => 4); SELECT elsewhere.fill('parted')")
        # The order of loading decides which planner runs first, the one that names partitions or the one that names
        # shards.
        for _ in range(8):
            for memory in ("m1", "m2"):
                answers = {session.value(asked.format(memory, store)) for store in ("plain", "parted", "spread")}
                assert len(answers) == 1, f"one answer of all three of {memory}"
        session.run("SELECT memory_drop_store('parted', true)")


@pytest.mark.parametrize(
    "statement, message",
    [
        ("UPDATE s.entries SET importance = 1 WHERE importance = 99", "multiple shards"),
        ("DELETE FROM s.entries WHERE entry_id IN (SELECT entry_id FROM s.entry_access)", "multiple shards"),
        ("UPDATE s.entries SET importance = 1 WHERE memory_id = 'm' OR importance = 99", "multiple shards"),
        ("UPDATE s.entries SET importance = 1 WHERE memory_id IN ('m', 'n')", "multiple shards"),
        ("INSERT INTO s.contexts (memory_id, context) VALUES ('m', 'x'), ('n', 'x')", "multiple shards"),
        ("INSERT INTO s.contexts (memory_id, context) SELECT memory_id, 'x' FROM s.entries", "multiple shards"),
        ("SELECT FROM s.entries WHERE importance = 99 FOR UPDATE", "FOR UPDATE"),
        ("SELECT FROM s.entries e JOIN s.contexts c USING (memory_id)", "joins"),
        ("SELECT FROM s.entries e, s.contexts c WHERE e.memory_id = 'm' AND c.memory_id = e.memory_id", "joins"),
        ("SELECT FROM s.entries e LEFT JOIN s.contexts c ON true WHERE e.memory_id = 'm'", "joins"),
        ("SELECT FROM s.contexts c LEFT JOIN s.entries e ON c.memory_id = 'm' WHERE e.memory_id = 'm'", "joins"),
        ("SELECT (SELECT count(*) FROM s.contexts) FROM s.entries e WHERE e.memory_id = 'm'", "subqueries"),
        ("WITH e AS (SELECT FROM s.entries) SELECT FROM e", "CTEs"),
        ("SELECT FROM s.entries e, s.contexts c WHERE e.memory_id = 'm' AND c.memory_id = 'n'", "different values"),
        ("SELECT FROM s.entries, pg_class WHERE memory_id = 'm'", "Local tables"),
        ("UPDATE s.entries SET expires_at = clock_timestamp() WHERE memory_id = 'm'", "VOLATILE"),
        ("DELETE FROM s.entries WHERE memory_id = 'm' AND random() < 0", "VOLATILE"),
        ("UPDATE s.entries SET expires_at = creation_time + interval '1 day' WHERE memory_id = 'm'", "STABLE"),
        ("DELETE FROM s.entries WHERE memory_id = 'm' AND creation_time::text = 'x'", "STABLE"),
        ("UPDATE s.entries SET expires_at = CASE WHEN true THEN now() END WHERE memory_id = 'm'", "CASE"),
        ("UPDATE s.entries SET memory_id = 'n' WHERE memory_id = 'm'", "partition value"),
        ("DELETE FROM s.entries WHERE memory_id = 'm' RETURNING now()", "RETURNING"),
        ("INSERT INTO s.contexts (memory_id, context) VALUES ('m', (SELECT 'x'))", "subqueries"),
        ("INSERT INTO s.contexts (memory_id, context) VALUES ('m', 'x'), ('m', (SELECT 'y'))", "subqueries"),
        (
            "PREPARE p AS INSERT INTO s.entries (memory_id, raw_entry, tags) VALUES ($1, $2, "
            "(SELECT array_agg(t.tag) FROM unnest($3::text[]) t(tag))); EXECUTE p ('m', 'x', '{y}')",
            "subqueries",
        ),
        (
            "WITH n AS (INSERT INTO s.contexts (memory_id, context) VALUES ('m', 'x') RETURNING 1) SELECT FROM n",
            "only SELECT",
        ),
        (
            "INSERT INTO s.entry_access VALUES ('m', gen_random_uuid()) ON CONFLICT (memory_id, entry_id) "
            "DO UPDATE SET last_accessed_at = now()",
            "IMMUTABLE",
        ),
        (
            "PREPARE p AS INSERT INTO s.entry_access (memory_id, entry_id) SELECT $1, i FROM unnest($2::uuid[]) i "
            "ON CONFLICT (memory_id, entry_id) DO UPDATE SET last_accessed_at = $3; "
            "EXECUTE p ('m', '{00000000-0000-0000-0000-000000000001}', '2025-01-01')",
            "a parameter",
        ),
        (
            "CREATE TRIGGER t AFTER INSERT ON s.entries EXECUTE FUNCTION suppress_redundant_updates_trigger()",
            "triggers",
        ),
        ("CREATE POLICY p ON s.entries USING (EXISTS (SELECT FROM s.contexts))", "policies"),
        (
            "SET plan_cache_mode = force_generic_plan; PREPARE p AS SELECT FROM s.entries WHERE memory_id = $1; "
            "EXECUTE p ('m')",
            "distributed plan",
        ),
    ],
)
def test_the_planner_refuses_what_citus_refuses(server: Server, statement: str, message: str):
    error = server.error(statement)
    assert (error.sqlstate, message in str(error)) == ("0A000", True), str(error)


def test_the_planner_sends_a_statement_to_the_shard_of_its_memory(server: Server):
    shard = server.value("SELECT get_shard_id_for_distribution_column('s.entries'::regclass, 'm'::text)")
    plan = server.column("EXPLAIN SELECT FROM s.entries e, s.contexts c WHERE e.memory_id = 'm' AND c.memory_id = 'm'")
    assert f"entries_{shard}" in "".join(plan), plan
    assert server.value("SELECT count(*) FROM s.entries") == 200, "and what counts all to all shards"
