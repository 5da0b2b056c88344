"""A store that memory_create_store() made with partitions behaves for its users like one without them."""

import pytest

from harness.server import Server

MEMORIES = [f"m{number}" for number in range(12)]
# The steps for both stores, in this order; after each step both give the same answers.
STEPS = [
    ("a context", "memory_put_context('m1', 'They plan a garden.', store => '{store}')"),
    ("an update", "memory_update('m1', '{first}', raw_entry => 'A garden with herbs', store => '{store}')"),
    ("a key again", "memory_add('m2', 'A hotel by the sea', entry_key => 'k2', store => '{store}')"),
    ("a correction", "memory_supersede('m3', '{first}', md5('m32')::uuid, store => '{store}')"),
    ("uses", "memory_touch('m4', ARRAY['{first}'::uuid], store => '{store}')"),
    ("a deletion", "memory_delete('m5', ARRAY['{first}'::uuid], store => '{store}')"),
    ("another deletion", "memory_delete('m6', ARRAY['{first}'::uuid], store => '{store}')"),
    ("its end", "memory_restore('m6', ARRAY['{first}'::uuid], store => '{store}')"),
    ("a purge", "memory_purge(now() + interval '1 day', store => '{store}') > 0"),
    ("a user who is forgotten", "memory_forget_user('u1', store => '{store}') > 0"),
    ("new embeddings", "memory_reembed('m7', store => '{store}')"),
]
# Random ids differ between the stores, times do between calls.
ANSWERS = """
    SELECT string_agg(regexp_replace(memory_search(m, q, 10, 3, filters => f, store => '{store}',
        options => '{{"asOf": "2040-01-01T00:00:00Z", "boosts": {{"popularity": 0.2}}}}')::text,
        '"(entryId|contextId|creationTime|latestContextTimestamp)": "[^"]*"', '', 'g'), E'\\n' ORDER BY m, q, f)
    FROM unnest('{memories}'::text[]) m, unnest(ARRAY['', 'a quiet hotel', 'when does the train leave?']) q,
      (VALUES ('{{}}'::jsonb), ('{{"tags": ["t1"]}}')) f (f)"""
FILL = """
    SELECT memory_add_many('{memory}', (SELECT jsonb_agg(jsonb_build_object(
        'entryId', md5('{memory}' || n)::uuid, 'rawEntry', 'Note ' || n || ' of a hotel, a train and tea ' || n % 7,
        'userId', 'u' || n % 3, 'tags', jsonb_build_array('t' || n % 4), 'entryKey', 'k' || n,
        'creationTime', timestamptz '2026-01-01Z' + n * interval '1 hour') ORDER BY n)
      FROM generate_series(1, 40) n), store => '{store}')"""


def answers(server: Server, store: str) -> str:
    return server.value(ANSWERS.format(store=store, memories="{" + ",".join(MEMORIES) + "}"))


@pytest.fixture(scope="module")
def stores(server: Server) -> Server:
    server.run("SELECT memory_create_store('plain'), memory_create_store('parts', partitions => 4)")
    for store in ("plain", "parts"):
        for memory in MEMORIES:
            server.run(FILL.format(store=store, memory=memory))
    return server


def test_it_has_the_requested_number_of_partitions_and_refuses_other_numbers(stores: Server):
    parts = stores.column("SELECT relid::regclass::text FROM pg_partition_tree('parts.entries') WHERE isleaf ORDER BY 1")
    assert parts == [f"parts.entries_{number}" for number in range(4)], "the partitions of entries"
    held = stores.column("SELECT DISTINCT tableoid::regclass::text FROM parts.entries ORDER BY 1")
    assert held == parts, "each holds some of the memories"
    for number in (-1, 0, 1, 129):
        said = stores.error(f"SELECT memory_create_store('wrong', 64, partitions => {number})")
        assert f"partitions must be from 2 to 128, not {number}" in str(said), f"{number} partitions are refused"
    assert stores.value("SELECT to_regnamespace('wrong')") is None, "and nothing is made"


def test_both_stores_give_the_same_after_every_step(stores: Server):
    before = answers(stores, "plain")
    assert answers(stores, "parts") == before and '"rawEntry"' in before, "as they were filled"
    for name, step in STEPS:
        first = stores.value(f"SELECT md5('{step.split(chr(39))[1]}' || 1)::uuid") if "{first}" in step else ""
        said = [stores.value(f"SELECT {step.format(store=store, first=first)}") for store in ("plain", "parts")]
        if name not in ("a context", "a key again"):
            assert said[0] == said[1], f"{name}: the same answer"
        now = answers(stores, "plain")
        assert answers(stores, "parts") == now, f"after {name} the same bytes"
    assert now != before, "the steps changed something"
    counts = [stores.row(f"SELECT memories, entries, contexts FROM memory_stats('{store}')") for store in ("plain", "parts")]
    assert counts[0] == counts[1], "the same counts"


def test_a_role_and_its_policy_hold_in_every_partition(stores: Server):
    stores.run("CREATE ROLE parts_reader")
    for store in ("plain", "parts"):
        stores.run(f"SELECT memory_grant('{store}', 'parts_reader'), memory_enable_row_security('{store}')")
    for user in ("u0", "u2", ""):
        reader = stores.by(settings={"role": "parts_reader", "memory_search.user_id": user})
        of_user = [reader.value(ANSWERS.format(store=store, memories="{m1,m8}")) for store in ("plain", "parts")]
        assert of_user[0] == of_user[1], f"what {user or 'nobody'} sees"
        assert ('"rawEntry"' in of_user[1]) == (user != ""), "nobody sees nothing"
    denied = stores.by(settings={"role": "parts_reader"}).sqlstate("SELECT count(*) FROM parts.entries_0")
    assert denied == "42501", "a partition by itself is nobody's to read"


def test_its_doctor_finds_the_index_of_searches_and_no_fault(stores: Server):
    checks = dict(stores.rows("SELECT name, status FROM memory_doctor('parts')"))
    assert checks["index of searches"] == "ok" and "error" not in checks.values(), f"the doctor says {checks}"
    detail = stores.value("SELECT detail FROM memory_doctor('parts') WHERE name = 'index of searches'")
    assert "entries_memory" in detail, "the index is named"
    stores.run("DROP INDEX parts.entries_memory")
    fix = stores.value("SELECT fix FROM memory_doctor('parts') WHERE name = 'index of searches' AND status <> 'ok'")
    without = answers(stores, "parts")
    stores.run(fix)
    assert answers(stores, "parts") == without, "the same bytes with the index and without"
    proven = stores.value("""
        SELECT count(DISTINCT t.relid)
        FROM pg_partition_tree('parts.entries_memory') t, memory_index_check(t.relid) WHERE t.isleaf""")
    assert proven == 4, "the index of each partition can be proven"


def fixed(stores: Server, wanted: str) -> str:
    """The detail of a check that fails; runs its fix, after which the doctor finds nothing."""
    # The owner of the tables is free of the policies that another test made.
    findings = """
        SELECT name, detail, fix FROM memory_doctor('parts')
        WHERE status <> 'ok' AND name NOT IN ('row security', 'statistics')"""
    name, detail, fix = stores.row(findings)
    assert name == wanted, f"{name}: {detail}"
    stores.run(fix)
    left = stores.rows(findings)
    assert left == [], f"after the fix of {wanted}: {left}"
    return detail


def test_its_doctor_mends_indexes_and_lost_partitions(stores: Server):
    before = answers(stores, "parts")
    stores.run("DROP INDEX parts.entries_recent")
    fixed(stores, "index by time")
    stores.run("DROP INDEX parts.contexts_recent")
    fixed(stores, "index of contexts")
    stores.run("""
        ALTER TABLE parts.aliases DETACH PARTITION parts.aliases_1;
        ALTER TABLE parts.links DETACH PARTITION parts.links_2; DROP TABLE parts.links_2""")
    detail = fixed(stores, "partitions")
    assert "aliases (1 of 4), links (2 of 4)" in detail, "the doctor names them"
    # Indexes of partitions may be made one by one, and in another language by mistake.
    definition = stores.value("SELECT pg_get_indexdef('parts.entries_memory'::regclass)").replace(" ON ONLY ", " ON ")
    stores.run("DROP INDEX parts.entries_memory")
    stores.run(definition.replace(" ON ", " ON ONLY "))
    for number, language in enumerate(["", "simple", "german", "simple"]):
        part = definition.replace("entries_memory ON parts.entries ", f"part_{number} ON parts.entries_{number} ")
        stores.run(part + (f" WITH (language = {language})" if language else ""))
        stores.run(f"ALTER INDEX parts.entries_memory ATTACH PARTITION parts.part_{number}")
    detail = fixed(stores, "index of searches")
    named = [f"parts.part_{number}" in detail for number in range(4)]
    assert named == [False, True, True, True], f"parts of another language are named: {detail}"
    read = stores.column(f"""
        SELECT DISTINCT memory_search(m, 'tea', store => 'parts', options => '{{"diagnostics": true}}')
          #>> '{{diagnostics,reads,0,path}}' FROM unnest('{{{",".join(MEMORIES)}}}'::text[]) m""")
    assert read == ["memory index"], "each memory is read from its index"
    assert answers(stores, "parts") == before, "the same bytes"


def test_it_is_dropped_with_all_its_partitions(stores: Server):
    stores.run("SELECT memory_drop_store('parts', force => true)")
    assert stores.value("SELECT to_regnamespace('parts')") is None, "nothing is left of it"


def test_lost_entries_are_reported_and_the_rest_of_the_store_can_be_dropped(stores: Server):
    stores.run("SELECT memory_create_store('lost', partitions => 3); DROP TABLE lost.entries CASCADE")
    error = stores.error("SELECT memory_search('m', 'tea', store => 'lost')")
    assert error.sqlstate == "42P01" and 'store "lost" lacks the relation entries' in str(error), f"{error}"
    assert stores.column("SELECT status FROM memory_doctor('lost')") == ["error"]
    stores.run("SELECT memory_drop_store('lost', force => true)")
    left = stores.column("SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace('lost')")
    assert left == [], "nothing of it is left"
