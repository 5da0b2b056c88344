"""A memory that has grown since its tables were analysed, when they had a row each. Every function reads at most five
times the pages that it reads with right statistics, and gives the same answer. Functions with ids as arguments look the
entries up by their key, and never scan an index of the whole memory for each of them."""

import json

import pytest

from harness import topics
from harness.server import Server, Servers

ENTRIES = 20000
STORES = ("stale", "fresh")
# Pages that a call may read in addition: single pages of catalogs, and of indexes that are a level higher.
BESIDES = 30
# The columns of filters have no key: the memory may be read once, by an index that leads to each of its rows.
ONE_PASS = {"delete where": ENTRIES}
QUESTION = "'w7 w37 w113', embedding => " + topics.DIRECTION.format(i=3)


def ids(count: int) -> str:
    return f"ARRAY(SELECT pg_temp.id(1 + n * 7) FROM generate_series(1, {count}) n)"


# Calls by name, as SQL with one value that the test compares: reads, and writes that are rolled back.
READS = {
    "get one": f"count(*) FROM memory_get('m', {ids(1)})",
    "get a thousand": f"sum(access_count) FROM memory_get('m', {ids(1000)}, '{{\"includeSuperseded\": true}}')",
    "list": "md5(string_agg(entry_id::text, ' ')) FROM memory_list('m', page_size => 50)",
    "count": "memory_count('m')",
    "search": f"memory_search('m', {QUESTION}, options => '{{\"asOf\": \"2026-01-01T00:00:00Z\"}}') #>> '{{entries}}'",
    "search, near duplicates apart": f"""memory_search('m', {QUESTION},
        options => '{{"asOf": "2026-01-01T00:00:00Z", "dedupThreshold": 0.9}}') #>> '{{entries}}'""",
    "search, popular": f"""memory_search('m', {QUESTION}, options => '{{"asOf": "2026-01-01T00:00:00Z",
        "boosts": {{"popularity": 0.1, "usedRecency": 0.1, "feedback": 0.1}}}}') #>> '{{entries}}'""",
    "search with neighbours": f"""memory_search('m', {QUESTION},
        options => '{{"asOf": "2026-01-01T00:00:00Z", "neighbours": {{"before": 2}}}}') #>> '{{entries}}'""",
    "search of corrected": f"""memory_search('m', {QUESTION},
        options => '{{"asOf": "2026-01-01T00:00:00Z", "includeSuperseded": true}}') #>> '{{entries}}'""",
    "explain": f"count(*) FROM memory_explain('m', {QUESTION})",
    "context": f"md5(memory_build_context('m', {QUESTION}))",
    "export": "md5(string_agg(line::text, '')) FROM memory_export('m') line",
    "stats": "md5(s::text) FROM (SELECT entries, visible, superseded FROM memory_stats('{store}')) s",
    "memories": "md5(string_agg(l::text, '')) FROM memory_list_memories() l",
}
WRITES = {
    "touch": f"memory_touch('m', {ids(5)})",
    "touch a thousand": f"memory_touch('m', {ids(1000)})",
    "touch what was not": "memory_touch('m', ARRAY[pg_temp.id(20000), pg_temp.id(19999)])",
    "feedback": f"memory_feedback('m', {ids(5)}, 1)",
    "recall": f"count(*) FROM jsonb_array_elements(memory_recall('m', {QUESTION}) -> 'entries')",
    "delete": f"memory_delete('m', {ids(5)})",
    "delete a thousand": f"memory_delete('m', {ids(1000)})",
    "delete where": "count(*) FROM memory_delete_where('m', '{\"userId\": \"u3\"}', false)",
    "restore": "memory_restore('m', ARRAY(SELECT pg_temp.id(50 + n * 100) FROM generate_series(0, 4) n))",
    "update": "memory_update('m', pg_temp.id(8), importance => 7)",
    "add": "count(memory_add('m', 'something new', embedding => '{1}'::real[] || array_fill(0::real, ARRAY[255])))",
    "add with a context": """count(memory_add('m', 'something new', context => 'news',
        embedding => '{1}'::real[] || array_fill(0::real, ARRAY[255])))""",
    "put a context": "count(memory_put_context('m', 'news', embedding => array_fill(1::real, ARRAY[256])))",
    "delete contexts": "memory_delete_contexts('m', ARRAY[pg_temp.id(1), pg_temp.id(11)])",
    "supersede": "memory_supersede('m', pg_temp.id(8), pg_temp.id(9))",
    "hand over": "memory_supersede('m', pg_temp.id(8), pg_temp.id(9), at => '2025-06-01Z')",
    "forget": "memory_forget_user('u3')",
    "purge": "memory_purge()",
}


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    server = servers.start("shared_buffers = '512MB'", "autovacuum = off", "work_mem = '64MB'")
    server.create_extension()
    rows = topics.rows(ENTRIES, memory="'m'", topics=50, turn=5)
    id_of = "lpad(({})::text, 32, '0')::uuid"
    entries, contexts, access = (
        f"""INSERT INTO {{store}}.entries ({topics.COLUMNS}, user_id, session_id, entry_key, context,
              deletion_scheduled_time, superseded_by, superseded_time)
            SELECT {topics.COLUMNS}, 'u' || n % 1000, 's' || n / 20, 'key ' || n, CASE WHEN n % 10 = 1 THEN 'context ' || n END,
              CASE WHEN n % 100 = 50 THEN timestamptz '2025-06-01Z' END,
              CASE WHEN n % 50 = 2 THEN {id_of.format('n + 1')} END, CASE WHEN n % 50 = 2 THEN timestamptz '2025-06-01Z' END
            FROM (SELECT row_number() OVER (ORDER BY entry_id) AS n, * FROM loaded) e WHERE {{which}}""",
        f"""INSERT INTO {{store}}.contexts (memory_id, context_id, context, creation_time, entry_id)
            SELECT 'm', {id_of.format('n')}, 'context ' || n, timestamptz '2025-01-01Z' + n * interval '1 min',
              {id_of.format('n')} FROM generate_series(1, {ENTRIES}, 10) n WHERE {{which}}""",
        f"""INSERT INTO {{store}}.entry_access (memory_id, entry_id, access_count, last_accessed_at)
            SELECT 'm', {id_of.format('n')}, n % 7, timestamptz '2025-06-01Z' FROM generate_series(1, {ENTRIES - 5}) n
            WHERE {{which}}""",
    )
    server.run(f"CREATE TABLE loaded AS {rows}")
    for store in STORES:
        server.run(f"SELECT memory_create_store('{store}', 256)")
        for which in ("n = 1", "n > 1"):
            for statement in (entries, contexts, access):
                server.run(statement.format(store=store, which=which))
            if (store == "stale") == (which == "n = 1"):
                server.run(f"VACUUM ANALYZE {store}.entries, {store}.contexts, {store}.entry_access")
    return server


def pages(session, call: str) -> int:
    plan = json.loads(session.value(f"EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF, FORMAT JSON) SELECT {call}"))
    return plan[0]["Plan"]["Shared Hit Blocks"] + plan[0]["Plan"]["Shared Read Blocks"]


def asked(server: Server, store: str, call: str, writes: bool) -> tuple[str, int]:
    """The answer of a call, and the pages that it reads in a session that has made the call before."""
    call = call.replace("{store}", store)
    with server.by(settings={"memory_search.store": store}).session() as session:
        session.run("""
            CREATE FUNCTION pg_temp.id(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE
            AS $$ SELECT lpad(n::text, 32, '0')::uuid $$""")

        def taken_back(work):
            session.run("BEGIN")
            found = work()
            session.run("ROLLBACK" if writes else "COMMIT")
            return found

        answer = taken_back(lambda: session.value(f"SELECT {call}"))
        return answer, taken_back(lambda: pages(session, call))


def check(server: Server, say, calls: dict[str, str], writes: bool) -> None:
    wrong = []
    for name, call in calls.items():
        (stale_answer, stale), (fresh_answer, fresh) = (asked(server, store, call, writes) for store in STORES)
        say(f"  {name}: {stale} pages, with right statistics {fresh}")
        if stale > 5 * fresh + BESIDES + ONE_PASS.get(name, 0) or stale_answer != fresh_answer:
            wrong.append((name, stale, fresh, stale_answer == fresh_answer))
        if fresh_answer in (None, 0, "", "[]"): wrong.append(("nothing", name))
    assert wrong == [], "calls that read more, or answer otherwise"


def test_functions_that_read_a_memory_that_grew_since_it_was_analysed(server: Server, say):
    check(server, say, READS, writes=False)


def test_functions_that_change_a_memory_that_grew_since_it_was_analysed(server: Server, say):
    check(server, say, WRITES, writes=True)
