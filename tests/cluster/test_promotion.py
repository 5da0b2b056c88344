"""A standby that is promoted after its primary died answers as before and takes new entries, in new sessions and in one
that was open before."""

from harness import stores
from harness.access import Questions
from harness.replication import Followed
from harness.server import Server, Servers

TOUCHED = stores.entry_id(1001)
AFTER = "00000000-0000-0000-0002-000000000001"


def fill(primary: Followed) -> None:
    """The primary's last commits."""
    primary.run("""
        SELECT count(memory_add('m', 'the last tea ' || n, creation_time => '2025-03-01Z',
          entry_id => lpad((1000 + n)::text, 32, '0')::uuid, store => 's'))
        FROM generate_series(1, 20) n""")
    primary.run(f"SELECT memory_touch('m', ARRAY['{TOUCHED}']::uuid[], store => 's')")
    primary.run(f"SELECT memory_delete('m', ARRAY['{stores.entry_id(10)}']::uuid[], store => 's')")


def test_a_promoted_standby_answers_as_before_and_takes_new_entries(servers: Servers):
    primary = servers.start("synchronous_standby_names = '*'")
    primary.create_extension()
    stores.fill(primary)
    standby = servers.standby(primary)
    fill(Followed(primary.access, standby))
    content, before = stores.content(primary), stores.documents(primary)
    last = primary.value("SELECT max(entry_order) FROM s.entries")
    assert len(before) == 10, "10 documents before"
    assert last == 220, "220 entries before"

    # A session on the standby that stays open, with plans from before the promotion.
    with standby.session() as session:
        documents = stores.documents(session)
        assert documents == before, "an open session on the standby: the primary's 10 documents, byte for byte"
        refused = session.sqlstate("SELECT memory_add('m', 'x', store => 's')")
        assert refused == "25006", "it may not write yet: 25006"

        primary.stop("immediate")
        documents = stores.documents(standby)
        assert documents == before, "without a primary the standby answers: 10 documents, byte for byte"
        standby.promote()
        assert not standby.value("SELECT pg_is_in_recovery()"), "promoted: it is no standby any more"
        assert stores.content(standby) == content, "promoted: entries, contexts and access counts to the last byte"
        assert stores.documents(standby) == before, "promoted: 10 documents as before, byte for byte"
        assert stores.documents(session) == before, "promoted: the open session too"

        takes_new_memories(standby, session, last)
        counts_and_hides(standby)


def takes_new_memories(server: Server, session: Questions, last: int) -> None:
    """entry_order continues above all present values, with or without a gap."""
    added = session.value(f"SELECT memory_add('m', 'tea after the promotion', entry_id => '{AFTER}', store => 's')")
    assert added is not None, "the open session adds"
    found = session.value("SELECT raw_entry FROM memory_search_entries('m', 'tea promotion', 1, store => 's')")
    assert found == "tea after the promotion", "and finds what it added"
    server.run("""
        SELECT count(memory_add('m', 'more tea ' || n, context => 'a new age', store => 's'))
        FROM generate_series(1, 40) n""")
    in_order = server.column("SELECT raw_entry FROM s.entries WHERE raw_entry LIKE 'more tea %' ORDER BY entry_order")
    assert in_order == [f"more tea {n}" for n in range(1, 41)], "a new session adds 40, in their order"
    orders = server.column("SELECT entry_order FROM s.entries")
    assert sum(order > last for order in orders) == 41, "all 41 come after the 220"
    assert (len(orders), len(set(orders))) == (261, 261), "no order is given twice"
    latest = server.value("SELECT memory_search('m', 'tea', store => 's')->>'latestContext'")
    assert latest == "a new age", "the latest context is the new one"
    snapshots = server.value("SELECT count(*) FROM s.contexts WHERE context = 'a new age'")
    assert snapshots == 1, "one snapshot of it, not 40"


def counts_and_hides(server: Server) -> None:
    def counted() -> int:
        return server.value(f"SELECT access_count FROM s.entry_access WHERE entry_id = '{TOUCHED}'")

    assert counted() == 1, "memory_touch has counted 1"
    assert server.value(f"SELECT memory_touch('m', ARRAY['{TOUCHED}']::uuid[], store => 's')") == 1, "it counts on"
    assert counted() == 2, "then 2"
    total = "SELECT sum(access_count) FROM s.entry_access"
    before = server.value(total)
    assert server.value("SELECT memory_recall('m', 'tea', 3, store => 's')->>'count'") == "3", "memory_recall finds 3"
    assert server.value(total) == before + 3, "and counts the 3 it found"

    hidden = server.value(f"SELECT memory_delete('m', ARRAY['{AFTER}']::uuid[], store => 's')")
    assert hidden == 1, "memory_delete hides 1 row"
    found = server.column("""
        SELECT raw_entry FROM memory_search_entries('m', 'promotion', 10,
          options => '{"strategy": "keyword", "fallback": false}', store => 's')""")
    assert "tea after the promotion" not in found, "which is not found"
    server.run("SELECT memory_put_context('m', 'the newest age', store => 's')")
    latest = server.value("SELECT memory_search('m', '', store => 's')->>'latestContext'")
    assert latest == "the newest age", "memory_put_context adds a snapshot"
    server.run("SELECT memory_create_store('after', 4)")
    server.run("SELECT memory_add('m', 'x', store => 'after')")
    found = server.value("SELECT memory_search('m', 'x', store => 'after')->>'count'")
    server.run("SELECT memory_drop_store('after', force => true)")
    assert found == "1", "a store is made, filled and dropped"
