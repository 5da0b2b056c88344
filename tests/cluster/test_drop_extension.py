"""DROP EXTENSION keeps every memory, and CREATE EXTENSION finds them again. An error names objects that prevent the
DROP."""

from collections.abc import Iterator

import pytest

from harness import stores
from harness.access import Access
from harness.server import Server, Servers

NEW_ROW = stores.entry_id(9999)
COUNT = "SELECT memory_search('m', 'tea', store => 's')->>'count'"


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    """Each test has a copy of its database: both extensions and a store of 200 entries."""
    server = servers.start()
    server.create_extension()
    stores.fill(server)
    return server


@pytest.fixture
def database(server: Server) -> Iterator[Access]:
    postgres = server.by(database="postgres")
    postgres.run("CREATE DATABASE copy TEMPLATE scratch")
    yield server.by(database="copy")
    postgres.run("DROP DATABASE copy WITH (FORCE)")


def test_the_rows_stay_when_the_extension_goes_and_are_found_when_it_is_back(database: Access):
    before, data = stores.documents(database), stores.content(database)

    assert database.sqlstate("DROP EXTENSION memory_search") == "2BP01", "the memory index of a store prevents it"
    database.run("DROP EXTENSION memory_search CASCADE")
    assert database.value(r"SELECT count(*) FROM pg_proc WHERE proname LIKE 'memory\_%'") == 0, "no function is left"
    assert stores.content(database) == data, "200 entries, 5 contexts and 50 access counts are, to the last byte"
    database.run(f"""
        INSERT INTO s.entries (memory_id, entry_id, raw_entry, creation_time)
        VALUES ('m', '{NEW_ROW}', 'green tea while it was away', '2025-02-01Z')""")
    found = database.value("""
        SELECT count(*) FROM s.entries WHERE to_tsvector('english', raw_entry) @@ to_tsquery('english', 'away')""")
    assert found == 1, "the store lives on as tables: a new row is there, and plain SQL finds it"
    assert database.sqlstate("DROP EXTENSION vector") == "2BP01", "DROP EXTENSION vector: the columns need it"

    database.run("CREATE EXTENSION memory_search")
    found = database.column("""
        SELECT raw_entry
        FROM memory_search_entries('m', 'away', 1, options => '{"strategy": "keyword"}', store => 's')""")
    assert found == ["green tea while it was away"], "the new row is found"
    database.run(f"DELETE FROM s.entries WHERE entry_id = '{NEW_ROW}'")
    assert stores.documents(database) == before, "without it 10 documents as before, byte for byte"
    # DROP EXTENSION drops the index with the access method. Without it searches only take longer.
    fix = "SELECT fix FROM memory_doctor('s') WHERE name = 'index of searches'"
    database.run(database.value(fix))
    assert database.value(fix) is None, "memory_doctor makes the index again"
    assert stores.documents(database) == before, "with which the documents are the same"


def test_a_session_that_has_used_it_uses_it_again(database: Access):
    # The library stays loaded, its plans are made again.
    with database.session() as session:
        assert session.value(COUNT) == "5", "5 entries before"
        session.run("DROP EXTENSION memory_search CASCADE")
        session.run("CREATE EXTENSION memory_search")
        assert session.value(COUNT) == "5", "drop and create within one session: 5 entries after"


def test_a_session_goes_on_when_pgvector_moves_to_another_schema(database: Access):
    with database.session() as session:
        assert session.value(COUNT) == "5", "5 entries before"
        session.run("DROP EXTENSION memory_search CASCADE")
        session.run("DROP SCHEMA s CASCADE")
        session.run("DROP EXTENSION vector")
        session.run("CREATE SCHEMA ext")
        session.run("CREATE EXTENSION vector SCHEMA ext")
        session.run("CREATE EXTENSION memory_search")
        session.run("SELECT memory_create_store('s', 3)")
        added = session.value("SELECT memory_add('m', 'tea', embedding => '[1,2,3]', store => 's')")
        assert added is not None, "with pgvector moved within one session, an entry is added"
        found = session.value("SELECT memory_search('m', 'tea', embedding => '[1,2,3]', store => 's')->>'count'")
        assert found == "1", "and found"


def test_functions_of_other_roles_are_not_taken_for_the_extensions(database: Access):
    database.run("DROP EXTENSION memory_search CASCADE")
    # The script that makes it looks for names in pgvector's schema, too.
    database.run("CREATE SCHEMA ext; ALTER EXTENSION vector SET SCHEMA ext")
    database.run("CREATE FUNCTION memory_embed(text, int) RETURNS int LANGUAGE sql AS 'SELECT 1'")
    refused = database.sqlstate("CREATE EXTENSION memory_search")
    assert refused == "55000", "functions named memory_... in the schema: refused with 55000"
    database.run("CREATE SCHEMA ms; CREATE EXTENSION memory_search SCHEMA ms")
    schema = database.value("SELECT extnamespace::regnamespace::text FROM pg_extension WHERE extname = 'memory_search'")
    assert schema == "ms", "another schema is free"


def test_without_pgvector_it_is_refused_and_with_cascade_it_brings_pgvector_along(database: Access):
    database.run("DROP EXTENSION memory_search CASCADE")
    database.run("DROP EXTENSION vector CASCADE")
    refused = database.sqlstate("CREATE EXTENSION memory_search")
    assert refused in ("0A000", "42704"), "without pgvector it is refused with 0A000 or 42704"
    database.run("CREATE EXTENSION memory_search CASCADE")
    both = database.value("SELECT count(*) FROM pg_extension WHERE extname IN ('memory_search', 'vector')")
    assert both == 2, "and with CASCADE it brings pgvector along"
