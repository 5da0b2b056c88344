"""Logical replication of a store into a store of the same name on another server: present rows and new ones, changes,
deletions and accesses. The subscriber gives the same answers."""

import pytest

from harness import stores
from harness.replication import Followed
from harness.server import Server, Servers

LONG_TEXT = "00000000-0000-0000-0001-000000000001"
# The columns that are compared.
COLUMNS = """memory_id, entry_id, user_id, agent_id, raw_entry, summary, context, tags, metadata, source_type,
    importance, creation_time, deletion_scheduled_time, expires_at, embedding, entry_order"""
CONTENT = f"""
    SELECT (SELECT md5(string_agg(ROW({COLUMNS})::text, '' ORDER BY memory_id, entry_id)) FROM s.entries),
      (SELECT md5(string_agg(c::text, '' ORDER BY context_id)) FROM s.contexts c),
      (SELECT md5(string_agg(a::text, '' ORDER BY memory_id, entry_id)) FROM s.entry_access a)"""
COUNTS = """
    SELECT (SELECT count(*) FROM s.entries), (SELECT count(*) FROM s.contexts), (SELECT count(*) FROM s.entry_access)"""


@pytest.fixture(scope="module")
def publisher(servers: Servers) -> Server:
    """It has rows before the subscription. It also has a store that belongs to a role without superuser rights, which
    publishes one memory of it."""
    server = servers.start("wal_level = logical", "synchronous_standby_names = 'copy'")
    server.create_extension()
    stores.fill(server)
    server.run(f"""
        INSERT INTO s.entries (memory_id, entry_id, raw_entry, creation_time)
        SELECT 'm', '{LONG_TEXT}', 'tea ' || string_agg(md5(n::text), ' '), '2025-01-02Z'
        FROM generate_series(1, 3000) n""")
    # An entry_order that the subscriber would not get by numbering rows as they arrive.
    server.run("UPDATE s.entries SET entry_order = 5000 - entry_order WHERE importance < 50")
    server.run("CREATE ROLE tenant_owner LOGIN; GRANT CREATE ON DATABASE scratch TO tenant_owner")
    server.run("CREATE PUBLICATION memories FOR TABLES IN SCHEMA s")
    owner = server.by(user="tenant_owner")
    owner.run("SELECT memory_create_store('tenants', 4)")
    owner.run("""
        SELECT count(memory_add(memory, text, creation_time => '2025-01-01Z', context => 'of ' || memory,
          store => 'tenants'))
        FROM unnest('{m,other}'::text[]) memory, unnest('{die Züge fahren,grüner Tee}'::text[]) text""")
    owner.run("""
        CREATE PUBLICATION one_tenant FOR TABLE tenants.entries WHERE (memory_id = 'm'),
          tenants.contexts WHERE (memory_id = 'm'), tenants.entry_access WHERE (memory_id = 'm')""")
    return server


@pytest.fixture(scope="module")
def subscriber(servers: Servers, publisher: Server) -> Server:
    """Stores of the same names; one of them in another language."""
    server = servers.start()
    server.create_extension()
    server.run("SELECT memory_create_store('s'), memory_create_store('tenants', 4, 'german')")
    server.run(f"""
        CREATE SUBSCRIPTION copy CONNECTION 'host={publisher.socket} dbname=scratch user=postgres'
        PUBLICATION memories, one_tenant""")
    server.until(
        "SELECT NOT EXISTS (SELECT FROM pg_subscription_rel WHERE srsubstate <> 'r')",
        "each table is copied",
    )
    return server


def test_a_subscriber_gives_the_publishers_answers_and_takes_over(publisher: Server, subscriber: Server):
    replicated = Followed(publisher.access, subscriber)

    def same(what: str, *counts: int) -> None:
        documents = stores.documents(publisher)
        assert len(documents) == 10, f"{what}: 10 documents"
        assert stores.documents(subscriber) == documents, f"{what}: byte for byte on the subscriber"
        assert subscriber.row(COUNTS) == counts, f"{what}: so many entries, contexts, access counts"
        assert subscriber.row(CONTENT) == publisher.row(CONTENT), f"{what}: each column of them, with the order"

    def accesses(server: Server, number: str = "count(*)") -> int:
        return server.value(f"SELECT {number} FROM s.entry_access")

    copied = subscriber.value("SELECT count(*) FROM pg_subscription_rel WHERE srsubstate = 'r'")
    assert copied == 8, "eight tables are copied"
    same("the first copy", 201, 5, 50)

    # New rows, by functions and by plain SQL.
    replicated.run("""
        SELECT count(memory_add('m', 'tea by the stream ' || n, tags => '{t1}', user_id => 'u1',
          context => CASE WHEN n > 8 THEN 'age ' || n END,
          creation_time => timestamptz '2025-03-01Z' + n * interval '1 hour',
          entry_id => lpad((1000 + n)::text, 32, '0')::uuid, store => 's'))
        FROM generate_series(1, 10) n""")
    replicated.run("""
        INSERT INTO s.entries (memory_id, raw_entry, creation_time)
        SELECT 'm', 'plain peanuts ' || n, '2025-03-02Z' FROM generate_series(1, 5) n""")
    replicated.run("""
        SELECT memory_put_context('m', 'what counts now is tea', creation_time => '2025-03-03Z', store => 's')""")
    same("additions", 216, 8, 50)
    found = "".join(stores.documents(subscriber))
    assert "by the stream" in found, "what was added is found on the subscriber"

    # Accesses: new counts, and counts that grow.
    replicated.run(f"""
        SELECT memory_touch('m', array_agg(entry_id), store => 's') FROM s.entries
        WHERE entry_id < '{stores.entry_id(20)}' OR raw_entry LIKE 'plain%'""")
    recalled = replicated.value("""
        SELECT memory_recall('m', 'stream', 10, options => '{"strategy": "keyword"}', store => 's')->>'count'""")
    assert recalled == "10", "a recall found 10"
    counted = accesses(publisher)
    same("accesses", 216, 8, counted)
    total = accesses(publisher, "sum(access_count)")
    assert accesses(subscriber, "sum(access_count)") == total, "the subscriber counts as many"

    # Changes. A long text that an update does not change is not sent again, and its words must stay.
    replicated.run(f"""
        UPDATE s.entries SET raw_entry = 'a changed hotel at the ocean', summary = 'hotel', importance = 99
        WHERE entry_id = '{stores.entry_id(7)}'""")
    replicated.run(f"""
        UPDATE s.entries SET embedding = NULL, tags = '{{t1,new}}', metadata = '{{"tea": 1}}', user_id = 'u1'
        WHERE entry_id = '{stores.entry_id(8)}'""")
    replicated.run(f"UPDATE s.entries SET importance = 1 WHERE entry_id = '{LONG_TEXT}'")
    same("changes", 216, 8, counted)
    whole = subscriber.row(f"""
        SELECT importance, length(raw_entry), memory_search('m', md5('1000'), 1, store => 's',
          options => '{{"strategy": "keyword"}}') #>> '{{entries,0,entryId}}' = '{LONG_TEXT}'
        FROM s.entries WHERE entry_id = '{LONG_TEXT}'""")
    assert whole == (1, 99003, True), "the long text and its words are whole"
    replicated.run(f"""
        SELECT memory_delete('m', array_agg(entry_id), store => 's') FROM s.entries
        WHERE raw_entry LIKE 'plain%' OR entry_id = '{LONG_TEXT}'""")
    hidden = subscriber.value("SELECT count(*) FROM s.entries WHERE deletion_scheduled_time IS NOT NULL")
    assert hidden == 6, "6 deletions hide on the subscriber"
    same("deletions", 216, 8, counted)
    replicated.run("UPDATE s.entries SET deletion_scheduled_time = NULL")
    same("deletions undone", 216, 8, counted)

    # Removals, also of rows that refer to the removed ones; a memory that gets another id.
    replicated.run("DELETE FROM s.entries WHERE raw_entry LIKE 'plain%'")
    replicated.run(f"""
        DELETE FROM s.entry_access WHERE entry_id = '{stores.entry_id(1)}';
        DELETE FROM s.links WHERE '{stores.entry_id(1)}' IN (from_entry, to_entry);
        UPDATE s.entries SET memory_id = 'renamed' WHERE entry_id = '{stores.entry_id(1)}'""")
    same("removals", 211, 8, counted - 6)
    found = subscriber.value("SELECT memory_search('renamed', 'train', store => 's')->>'count'")
    assert found == "1", "the renamed memory answers on the subscriber"
    replicated.run("BEGIN; SELECT memory_add('m', 'never', store => 's'); ROLLBACK")
    same("what was rolled back", 211, 8, counted - 6)

    one_tenant_streams(publisher, subscriber)
    takes_over(subscriber)


def one_tenant_streams(publisher: Server, subscriber: Server) -> None:
    """Streams the rows of one memory of the store, which here is in another language."""
    zug = """
        SELECT (memory_search('m', 'Zug', store => 'tenants', options => '{"strategy": "keyword", "fallback": false}')
          -> 'count')::int"""
    words = "the words are the subscriber's own: 'Zug' finds there what it does not on the publisher"
    assert (publisher.value(zug), subscriber.value(zug)) == (0, 1), words
    there = subscriber.row("SELECT (SELECT count(*) FROM tenants.entries), (SELECT count(*) FROM tenants.contexts)")
    assert there == (2, 1), "of two tenants one is there: 2 entries, 1 context"

    replicated = Followed(publisher.by(user="tenant_owner"), subscriber)
    replicated.run("""
        SELECT memory_add('other', 'not for you', store => 'tenants'),
          memory_add('m', 'noch ein Zug', store => 'tenants')""")
    replicated.run("""
        SELECT memory_delete('m', array_agg(entry_id), store => 'tenants') FROM tenants.entries
        WHERE raw_entry = 'grüner Tee' AND memory_id = 'm'""")
    texts = subscriber.column("""
        SELECT raw_entry FROM tenants.entries WHERE deletion_scheduled_time IS NULL ORDER BY entry_order""")
    assert texts == ["die Züge fahren", "noch ein Zug"], "the tenant's rows alone"


def takes_over(subscriber: Server) -> None:
    """Sequences are not replicated, so entry_order has to be advanced by hand."""
    subscriber.run("DROP SUBSCRIPTION copy")
    sequence = subscriber.value("SELECT last_value FROM pg_sequences WHERE schemaname = 's'")
    assert sequence is None, "the sequence did not come along"
    subscriber.run("""
        SELECT setval(pg_get_serial_sequence('s.entries', 'entry_order'), (SELECT max(entry_order) FROM s.entries))""")
    subscriber.run("SELECT memory_add('m', 'after the switch', store => 's')")
    texts = subscriber.column("SELECT raw_entry FROM s.entries ORDER BY entry_order")
    assert texts[-1] == "after the switch", "brought on, the next entry comes after all others"
    orders = subscriber.column("SELECT entry_order FROM s.entries")
    assert (len(orders), len(set(orders))) == (212, 212), "and no order is there twice"
