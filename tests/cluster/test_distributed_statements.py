"""Every statement that the functions run on a distributed store is one that Citus can send to the shards of one memory,
as it is: each relation in it is bound to a memory by a value, not by another relation's column; and what changes rows
calls no function that Citus refuses there. What asks all shards reads, locks nothing, and joins nothing.

Citus itself is not here. Its rules are those of its planner for statements of one shard (multi_router_planner.c), which
goes by what PostgreSQL's planner finds out of each relation; so the plans are looked at."""

import json
import re

import pytest

from harness import cluster
from harness.server import Server, Servers

CALLS = cluster.REPOSITORY / "tests/upgrade/calls.sql"
TABLES = {"entries", "contexts", "entry_access", "history"}
# Not those of the adopted tables of the calls: theirs are not distributed.
ADOPTED = ("adopted", "adopted_wide")
# What there is not: triggers, which Citus does not have on distributed tables, and prefixes of memories.
REFUSED = re.compile("memory_keep_history|memory_notify|memory_history|prefix")
# The server's own statements for foreign keys: on Citus they are the shards'.
OF_FOREIGN_KEYS = re.compile(r"^(SELECT 1 FROM ONLY|DELETE FROM ONLY|UPDATE ONLY)")
BOUND = r"\b{}\.memory_id = (\$\d+|'(?:[^']|'')*'::text)"
MUTABLE = re.compile(r"\b(clock_timestamp|statement_timestamp|now|gen_random_uuid|random|nextval)\(")
JOINS = ("Nested Loop", "Hash Join", "Merge Join")


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    server = servers.start(
        "shared_preload_libraries = 'auto_explain'",
        "auto_explain.log_nested_statements = on",
        "auto_explain.log_format = json",
        "auto_explain.log_verbose = on",
    )
    server.create_extension()
    return server


def nodes(plan: dict, above: str = ""):
    """A plan's nodes, each with the conditions that a node above it, of a bitmap, has for it."""
    yield plan
    for inner in plan.get("Plans", []):
        yield from nodes(inner)


def conditions(node: dict) -> str:
    said = [str(node.get(key, "")) for key in ("Index Cond", "Filter", "Recheck Cond", "TID Cond")]
    bitmap = [conditions(inner) for inner in node.get("Plans", []) if inner["Node Type"].startswith("Bitmap")]
    return " ".join(said + bitmap)


def is_of_store(node: dict) -> bool:
    return node.get("Relation Name") in TABLES and node.get("Schema") not in ADOPTED


def unbound(plan: dict) -> list[str]:
    """The relations of a store that no condition binds to a memory."""
    found = []
    for node in nodes(plan):
        if is_of_store(node) and node["Node Type"] != "ModifyTable":
            if not re.search(BOUND.format(re.escape(node["Alias"])), conditions(node)):
                found.append(f"{node['Relation Name']} {node['Alias']}")
    return found


def complaints(text: str, plan: dict) -> list[str]:
    """What Citus would not do of a statement."""
    all_nodes = list(nodes(plan))
    operations = {node.get("Operation") for node in all_nodes if node["Node Type"] == "ModifyTable"}
    kinds = {node["Node Type"] for node in all_nodes}
    said = []
    if free := unbound(plan):
        if operations & {"Insert", "Update", "Delete"}:
            said.append(f"changes rows of any memory: {free}")
        if "LockRows" in kinds:
            said.append(f"locks rows of any memory: {free}")
        if "Recursive Union" in kinds or any(node.get("Parent Relationship") == "SubPlan" for node in all_nodes):
            said.append(f"asks of each row of all shards: {free}")
        if kinds & set(JOINS):
            said.append(f"joins all shards: {free}")
    if operations & {"Update", "Delete"} and MUTABLE.search(text):
        said.append(f"changes rows by {MUTABLE.search(text).group()}")
    if re.search(r"\bDO UPDATE\b.*" + MUTABLE.pattern, text, re.DOTALL):
        said.append("changes rows that are there by such a function")
    return said


def statements(log: str) -> list[tuple[str, dict]]:
    """What ran, with its plans."""
    found = []
    for part in re.findall(r"  plan:\n((?:\t.*\n)+)", log):
        logged = json.loads(re.sub(r"(?m)^\t", "", part))
        found.append((logged["Query Text"], logged["Plan"]))
    return found


def of_the_functions(log: str, calls: str) -> list[tuple[str, dict]]:
    """Those of the functions on tables of a store, each text once."""
    calls, found = " ".join(calls.split()), {}
    for text, plan in statements(log):
        on_store = any(is_of_store(node) for node in nodes(plan))
        if on_store and not OF_FOREIGN_KEYS.match(text) and " ".join(text.split()) not in calls:
            found.setdefault(text, plan)
    return list(found.items())


def script() -> str:
    """The calls, but those that are refused, and more of what they leave out: nothing stays of it."""
    calls = [call for call in CALLS.read_text().split(";\n") if not REFUSED.search(call)]
    more = """
        BEGIN;
        SELECT public.memory_delete('m', ARRAY['00000000-0000-0000-0000-000000000040'::uuid], store => 's');
        SELECT public.memory_supersede('m', '00000000-0000-0000-0000-000000000001',
          '00000000-0000-0000-0000-000000000002', store => 's');
        SELECT public.memory_supersede('m', '00000000-0000-0000-0000-000000000002',
          '00000000-0000-0000-0000-000000000003', store => 's');
        SELECT public.memory_delete('m', ARRAY['00000000-0000-0000-0000-000000000002'::uuid], store => 's');
        SELECT public.memory_search('m', 'hotel', options => '{"asOf": "2030-01-01T00:00:00Z"}', store => 's');
        SELECT public.memory_add('m', 'short', ttl => '1 day', entry_key => 'k', context => 'now',
          entry_id => '00000000-0000-0000-0004-000000000001', store => 's');
        SELECT public.memory_add('m', 'shorter', ttl => '2 days', entry_key => 'k', context => 'then', store => 's');
        SELECT public.memory_touch('m', '{00000000-0000-0000-0004-000000000001}', 's');
        SELECT expires_at = now() + interval '2 days' FROM s.entries WHERE entry_key = 'k';
        SELECT public.memory_add('n' || i, 'of another memory', user_id => 'u' || i % 3, context => 'c' || i % 2,
          entry_id => format('00000000-0000-0000-0005-%s', lpad(i::text, 12, '0'))::uuid, store => 's')
        FROM generate_series(1, 9) i;
        SELECT public.memory_delete('n2', whole_memory => true, store => 's');
        SELECT public.memory_delete('n4', ARRAY['00000000-0000-0000-0005-000000000004'::uuid], store => 's');
        SELECT memories, entries, visible, deleted, expired, superseded, contexts FROM public.memory_stats('s');
        SELECT memory_id, entries, contexts FROM public.memory_list_memories(page_size => 4, store => 's');
        SELECT memory_id, entries, contexts FROM public.memory_list_memories('n', after => 'n3', page_size => 2,
          store => 's');
        SELECT public.memory_forget_user('u1', 's');
        SELECT public.memory_purge('infinity', 2, 's');
        SELECT public.memory_purge('infinity', NULL, 's');
        SELECT public.memory_reembed(everything => true, max_rows => 3, store => 's');
        SELECT memories, entries, visible, deleted, expired, superseded, contexts FROM public.memory_stats('s');
        SELECT memory_id, entries, contexts FROM public.memory_list_memories(store => 's');
        SELECT memory_id, entry_id, superseded_by FROM s.entries ORDER BY memory_id, entry_id;
        SELECT memory_id, user_id, context FROM s.contexts ORDER BY memory_id, context;
        ROLLBACK;
        """
    return ";\n".join(calls) + more


@pytest.fixture(scope="module")
def said(server: Server) -> list[list[str]]:
    """What the calls say of plain stores, and of the same stores where every one is distributed."""
    server.psql_file("fill_store.sql")
    access = server.by(settings={"auto_explain.log_min_duration": "0"})
    plain = server.psql(stdin=script())
    server.psql_file("distributed_stores.sql")
    distributed = server.psql(access=access, stdin=script())
    # Ids of contexts are random, and what was used is so by the clock.
    random = re.compile('("contextId"|"lastAccessedAt"|"latestContextTimestamp"): "[^"]*"')
    return [random.sub(r"\1", answers).splitlines() for answers in (plain, distributed)]


@pytest.fixture(scope="module")
def ran(server: Server, said: list) -> list[tuple[str, dict]]:
    """What the functions ran for it."""
    return of_the_functions(server.log, script())


def test_a_distributed_store_gives_what_a_plain_one_gives(said: list[list[str]]):
    plain, distributed = ([line for line in answers if not line.startswith("shards|")] for answers in said)
    assert len(plain) > 200
    assert [pair for pair in zip(plain, distributed) if pair[0] != pair[1]] == []
    assert len(plain) == len(distributed)


@pytest.mark.parametrize(
    "call", ["memory_keep_history('s')", "memory_notify('s')", "memory_search('{m}'::text[], 'x', prefixes => '{m}')"]
)
def test_what_there_is_not_is_refused(server: Server, said: list, call: str):
    assert server.by(settings={"memory_search.store": "s"}).sqlstate(f"SELECT {call}") == "0A000"


def test_each_statement_is_one_that_citus_runs(ran: list[tuple[str, dict]]):
    assert len(ran) > 60, "the functions ran statements"
    refused = {text: said for text, plan in ran if (said := complaints(text, plan))}
    shown = "\n\n".join(f"{said}\n{text}" for text, said in refused.items())
    assert refused == {}, f"{len(refused)} of {len(ran)} statements:\n{shown}"


@pytest.mark.parametrize(
    "statement, complaint",
    [
        ("UPDATE s.entries SET importance = 1 WHERE importance = 99", "changes rows of any"),
        ("UPDATE s.entries SET expires_at = clock_timestamp() WHERE memory_id = 'm'", "changes rows by"),
        ("SELECT FROM s.entries WHERE importance = 99 FOR UPDATE", "locks rows"),
        (
            "SELECT FROM s.contexts c LEFT JOIN s.entries e ON e.memory_id = c.memory_id AND e.user_id = c.user_id "
            "WHERE c.memory_id > 'm'",
            "joins",
        ),
    ],
)
def test_the_rules_find_what_breaks_them(server: Server, ran: list, statement: str, complaint: str):
    before = len(server.log)
    server.by(settings={"auto_explain.log_min_duration": "0"}).run(statement)
    said = [said for text, plan in statements(server.log[before:]) for said in complaints(text, plan)]
    assert any(complaint in one for one in said), said
