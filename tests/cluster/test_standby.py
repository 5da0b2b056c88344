"""A hot standby answers with the same bytes as its primary, writes nothing, and follows the primary's changes of a
store, also in sessions that have searched it before."""

import re
from collections.abc import Iterator

import pytest

from harness import stores
from harness.access import Session
from harness.replication import Followed
from harness.server import Server, Servers

AS_OF = """options => '{"asOf": "2025-06-01T00:00:00Z"}'"""
READERS = [
    """memory_search('{"memoryId": "m", "query": "hotel tea", "top_ke": 10, "store": "s",
        "options": {"asOf": "2025-06-01T00:00:00Z"}}')""",
    f"memory_search_entries('m', 'hotel tea', 10, store => 's', {AS_OF})",
    f"memory_explain('m', 'hotel tea', 10, store => 's', {AS_OF})",
    f"memory_explain('m', 'hotel tea', 3, store => 's', {AS_OF}, entry_id => '{stores.entry_id(44)}')",
    f"memory_build_context('m', 'hotel tea', system_prompt => 'You are kind.', store => 's', {AS_OF})",
    """memory_search(ARRAY['m', 'n'], 'hotel tea', store => 's', options => '{"asOf": "2025-06-01T00:00:00Z"}')""",
    f"memory_search_entries(ARRAY['m', 'n'], 'hotel tea', 10, store => 's', {AS_OF})",
    f"memory_explain(ARRAY['m', 'n'], 'hotel tea', 10, store => 's', {AS_OF})",
    f"memory_build_context(ARRAY['m', 'n'], 'hotel tea', store => 's', {AS_OF})",
    f"memory_get('m', ARRAY['{stores.entry_id(44)}'], store => 's')",
    f"memory_history('m', '{stores.entry_id(7)}', store => 's')",
    f"memory_links('m', '{stores.entry_id(7)}', store => 's')",
    f"memory_related('m', '{stores.entry_id(7)}', 3, store => 's')",
    "memory_aliases('m', 's')",
    "(SELECT 'the entries that this memory has are ' || memory_count('m', store => 's'))",
    "(SELECT entries, visible, deleted, contexts, 'of all memories of the store' FROM memory_stats('s'))",
    "(SELECT name FROM memory_doctor('s'))",
    "memory_list('m', order_by => '-accessCount', store => 's')",
    "memory_export('m', store => 's')",
    "memory_list_memories(store => 's')",
    "memory_embed('a hotel at the ocean')",
    "memory_tool_spec('mcp')",
    "memory_recall('nobody', 'nothing found is nothing counted', store => 's')",
]
WRITERS = [
    "memory_add('m', 'x', store => 's')",
    "memory_put_context('m', 'x', store => 's')",
    f"memory_touch('m', ARRAY['{stores.entry_id(1)}']::uuid[], store => 's')",
    "memory_recall('m', 'tea', store => 's')",
    f"memory_delete('m', ARRAY['{stores.entry_id(1)}']::uuid[], store => 's')",
    "memory_delete('m', whole_memory => true, store => 's')",
    "memory_create_store('other', 4)",
    "memory_drop_store('small')",
    "memory_drop_store('s', force => true)",
]
TEA = "SELECT memory_search('m', 'tea', store => 's')->'entries'->0->>'entryId'"


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    server = servers.start("synchronous_standby_names = '*'")
    server.create_extension()
    stores.fill(server)
    server.run("SELECT memory_keep_history('s')")
    server.run(f"SELECT memory_update('m', '{stores.entry_id(7)}', importance => 8, store => 's')")
    server.run("SELECT memory_create_store('small', 4)")
    server.run("""
        CREATE ROLE standby_reader;
        GRANT USAGE ON SCHEMA s TO standby_reader;
        GRANT SELECT ON ALL TABLES IN SCHEMA s TO standby_reader""")
    return server


@pytest.fixture(scope="module")
def standby(servers: Servers, server: Server) -> Server:
    return servers.standby(server)


@pytest.fixture(scope="module")
def primary(server: Server, standby: Server) -> Followed:
    """20 rows reach the standby by replication, not by the copy."""
    primary = Followed(server.access, standby)
    primary.run("""
        SELECT count(memory_add('m', 'tea that came later ' || n, creation_time => '2025-03-01Z',
          entry_id => lpad((1000 + n)::text, 32, '0')::uuid, store => 's'))
        FROM generate_series(1, 20) n""")
    return primary


@pytest.fixture(scope="module")
def session(standby: Server) -> Iterator[Session]:
    """A session that stays open: its cached definition of a store must not outlive the store."""
    with standby.session() as session:
        yield session


def test_a_standby_answers_with_its_primarys_bytes(primary: Followed, standby: Server, session: Session):
    assert standby.value("SELECT pg_is_in_recovery()"), "the copy is in recovery"
    assert standby.value("SELECT count(*) FROM s.entries") == 220, "the standby has the rows"
    expected, got = stores.documents(primary), stores.documents(standby)
    assert len(got) == 10, "10 searches gave 10 documents"
    assert "came later" in "".join(got), "the late rows are among what is found"
    assert got == expected, "the standby's 10 documents are the primary's, byte for byte"
    assert stores.documents(session) == expected, "an open session's 10 documents too"


@pytest.mark.parametrize("call", READERS, ids=lambda call: call.split("(")[0])
def test_a_function_that_reads_gives_the_same_bytes_and_takes_no_transaction_id(
    primary: Followed, standby: Server, call: str
):
    question = f"SELECT string_agg(f::text, E'\\n') FROM {call} f"
    answer = primary.value(question)
    assert len(answer) > 40, f"{call} answers"
    with standby.session() as session:
        # In a transaction that is not declared read-only: the standby alone makes it so.
        session.run("BEGIN")
        assert session.value(question) == answer, "the same bytes on the standby"
        assert session.value("SELECT pg_current_xact_id_if_assigned() IS NULL"), "no transaction id"


def test_a_function_that_writes_is_refused_with_the_reason(primary: Followed, standby: Server, session: Session):
    for call in WRITERS:
        error = standby.error(f"SELECT {call}")
        assert error.sqlstate == "25006", f"on the standby {call} is refused with 25006"
        reason = "cannot execute [A-Z ]+ (in a read-only transaction|during recovery)"
        assert re.fullmatch(reason, error.diag.message_primary), "and the reason"
        assert session.sqlstate(f"SELECT {call}") == "25006", "in an open session too"
    documents = stores.documents(session)
    assert documents == stores.documents(primary), "after these errors an open session still answers"


def test_a_deletion_holds_for_the_next_search_of_an_open_session(primary: Followed, session: Session):
    found = session.value(TEA)
    assert found is not None, "the session finds an entry"
    primary.run(f"SELECT memory_delete('m', ARRAY['{found}']::uuid[], store => 's')")
    assert session.value(TEA) != found, "deleted on the primary, it is not found any more"
    primary.run(f"UPDATE s.entries SET deletion_scheduled_time = NULL WHERE entry_id = '{found}'")
    assert session.value(TEA) == found, "brought back, it is"


def test_policies_and_privileges_hold_for_the_next_search_of_an_open_session(primary: Followed, session: Session):
    count = "SELECT count(*) FROM memory_search_entries('m', 'tea', 10, store => 's'"
    session.run("SET ROLE standby_reader")
    assert session.value(f"{count})") == 10, "a reader finds 10"
    primary.run(f"""
        ALTER TABLE s.entries ENABLE ROW LEVEL SECURITY;
        CREATE POLICY few ON s.entries TO standby_reader USING (entry_id < '{stores.entry_id(4)}')""")
    few = session.value(f"""{count}, options => '{{"strategy": "recent"}}')""")
    assert few == 3, "under a new policy 3"
    primary.run("REVOKE SELECT ON s.entries FROM standby_reader")
    assert session.sqlstate(TEA) == "42501", "without the privilege 42501"
    session.run("RESET ROLE")


def test_an_open_session_follows_changes_of_a_store(primary: Followed, session: Session):
    expected = stores.documents(primary)
    count = "SELECT memory_search('m', '{}', store => 's')->>'count'"
    primary.run("BEGIN; ALTER SCHEMA s RENAME TO aside; ALTER SCHEMA small RENAME TO s; COMMIT")
    assert session.value(count.format("tea")) == "0", "two stores swapped: the empty one answers"
    aside = stores.documents(session, "aside")
    assert aside == expected, "and the full one under its new name: 10 documents, byte for byte"
    primary.run("SELECT memory_drop_store('s')")
    assert session.sqlstate(TEA) == "42704", "dropped: 42704"

    primary.run("SELECT memory_create_store('s', 3, 'german')")
    primary.run("""
        SELECT count(memory_add('m', text, embedding => ARRAY[n, 1, 0]::real[], store => 's'))
        FROM unnest('{die Züge fahren,grüner Tee}'::text[]) WITH ORDINALITY u(text, n)""")

    def similar() -> str:
        return session.value("""
            SELECT raw_entry || ' ' || round(semantic::numeric, 4)
            FROM memory_search_entries('m', 'Zug', 2, embedding => '[2,1,0]', store => 's') WHERE keyword > 0""")

    zug = "die Züge fahren 0.9487"
    assert similar() == zug, "made again with other dimensions and another language: both hold"
    refused = session.sqlstate("SELECT memory_search('m', 'Zug', embedding => '[1,0,0,0]', store => 's')")
    assert refused == "22000", "an embedding of the old dimensions: 22000"
    primary.run("""
        ALTER TABLE s.entries ALTER COLUMN embedding TYPE vector(3);
        ALTER TABLE s.contexts ALTER COLUMN embedding TYPE vector(3)""")
    assert similar() == zug, "the column's type changed: the same similarity"
    primary.run("CREATE INDEX near ON s.entries USING hnsw (embedding vector_cosine_ops)")
    assert similar() == zug, "with a vector index the same"
    primary.run("CREATE SCHEMA ext; ALTER EXTENSION vector SET SCHEMA ext")
    assert similar() == zug, "pgvector moved: the same"
    primary.run("ALTER TABLE s.contexts RENAME TO contexts_aside")
    assert session.sqlstate(TEA) == "42P01", "without its contexts it is no store: 42P01"
    primary.run("ALTER TABLE s.contexts_aside RENAME TO contexts")
    assert session.value(count.format("Zug")) == "1", "with them it is one again"
    primary.run("DROP EXTENSION memory_search CASCADE")
    assert session.sqlstate(TEA) == "42883", "DROP EXTENSION: 42883"
    primary.run("CREATE EXTENSION memory_search")
    assert stores.documents(session, "aside") == expected, "CREATE EXTENSION: 10 documents, byte for byte"
