"""pg_dump of one store (-n), of one of its tables (-t) and of its rows alone: the contents of such a dump, the
requirements of its target, and the answers of the copy, which are the same."""

import re

import pytest

from harness import stores
from harness.access import Access
from harness.cluster import ProgramFailed
from harness.dumps import lines, new_database, refusal, restore
from harness.server import Server, Servers

BOTH = "CREATE EXTENSION memory_search CASCADE"
OF_S = "(SELECT oid FROM pg_class WHERE relnamespace = 's'::regnamespace)"
ORDER_GOES_ON = r"SELECT pg_catalog.setval\('s.entries_entry_order_seq', 200, true\)"


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    server = servers.start()
    server.create_extension()
    stores.fill(server)
    server.run("""
        SELECT memory_create_store('t', 4);
        SELECT memory_add('m', 'of the other store', store => 't');
        CREATE VIEW public.of_s AS SELECT entry_id FROM s.entries""")
    return server


@pytest.fixture(scope="module")
def before(server: Server) -> list[str]:
    answers = stores.documents(server)
    assert len(answers) == 10, "10 documents before"
    return answers


@pytest.fixture(scope="module")
def dump(server: Server, before: list[str]) -> str:
    return server.program("pg_dump", "-n", "s")


@pytest.fixture(scope="module")
def ready(server: Server, dump: str) -> Access:
    """A database with the extension and the store."""
    access = new_database(server, "ready", extension=BOTH)
    restore(server, access, dump)
    return access


def test_the_dump_holds_all_of_the_store(server: Server, dump: str):
    indexes = server.value(f"SELECT count(*) FROM pg_index WHERE indrelid IN {OF_S} AND NOT indisprimary")
    comments = server.value(f"SELECT count(*) FROM pg_description WHERE objoid IN {OF_S}")
    assert lines("CREATE SCHEMA s;", dump) == 1, "the dump holds the schema"
    assert lines(r"CREATE TABLE s\.(entries|contexts|entry_access|links|aliases) ", dump) == 5, "five tables"
    assert lines(r"COPY s\.(entries|contexts|entry_access|links|aliases) ", dump) == 5, "their rows"
    assert lines(r"CREATE (UNIQUE )?INDEX [a-z_]+ ON s\.", dump) == indexes, "every index that no constraint makes"
    assert lines(r"COMMENT ON (TABLE|COLUMN|INDEX) s\.", dump) == comments, "every comment"
    assert lines(" +ADD CONSTRAINT .* PRIMARY KEY", dump) == 5, "five primary keys"
    assert lines(" +ADD CONSTRAINT .* FOREIGN KEY", dump) == 4, "four foreign keys"
    assert lines(ORDER_GOES_ON, dump) == 1, "where entry_order goes on"


def test_the_dump_holds_nothing_else(dump: str):
    assert "EXTENSION" not in dump, "no extension"
    made = lines("CREATE (OR REPLACE )?(FUNCTION|TYPE|CAST|VIEW|TEXT SEARCH)", dump)
    assert made == 0, "no function, type, cast, view or text search object"
    others = re.findall(r"\bt\.(?:entries|contexts|entry_access)|other store", dump)
    assert others == [], "nothing of another store"
    statements = "\n".join(line for line in dump.splitlines() if not line.startswith("--"))
    needed = set(re.findall(r"\bpublic\.[a-z_]+", statements))
    assert needed == {"public.halfvec"}, "of other schemas it needs pgvector only"
    assert lines(".*tsvector", dump) == 0, "no words: they are made of the texts"


def test_the_target_needs_pgvector_for_the_rows_and_memory_search_for_the_answers(
    server: Server, before: list[str], dump: str
):
    bare = new_database(server, "bare")
    assert refusal(server, bare, dump) == "42704", "without pgvector it is refused with 42704"
    assert bare.value("SELECT count(*) FROM pg_namespace WHERE nspname = 's'") == 0, "and leaves nothing"
    bare.run("CREATE EXTENSION vector")
    assert refusal(server, bare, dump) == "42704", "without memory_search too, whose access method the index needs"
    without_index = re.sub(r"(?ms)^(CREATE|COMMENT ON) INDEX (s\.)?(entries|contexts)_memory .*?;$", "", dump)
    restore(server, bare, without_index)
    rows = bare.row("SELECT count(*), count(*) FILTER (WHERE to_tsvector('english', raw_entry) @@ 'tea') FROM s.entries")
    assert rows == (200, 40), "but for the index it lives as tables with pgvector alone: 200 entries, 40 of them about tea"
    bare.run("CREATE EXTENSION memory_search")
    assert stores.documents(bare) == before, "with memory_search made after it: 10 documents, byte for byte"


def test_the_copy_answers_and_takes_new_entries(ready: Access, before: list[str]):
    assert stores.documents(ready) == before, "with memory_search made before it: 10 documents, byte for byte"
    ready.run("SELECT memory_add('m', 'next', store => 's')")
    order = ready.value("SELECT entry_order FROM s.entries WHERE raw_entry = 'next'")
    assert order == 201, "its next entry has the next order"


def test_a_store_of_the_same_name_is_replaced_only_when_asked_for(
    server: Server, ready: Access, before: list[str], dump: str
):
    ready.run("SELECT memory_add('m', 'tea of the copy', creation_time => '2025-05-01Z', store => 's')")
    changed = stores.documents(ready)
    assert changed != before, "the copy has changed"
    assert refusal(server, ready, dump) == "42P06", "a store of the same name exists: 42P06"
    assert stores.documents(ready) == changed, "and is as it was"
    restore(server, ready, server.program("pg_dump", "-n", "s", "--clean", "--if-exists"))
    assert stores.documents(ready) == before, "with --clean it is replaced: 10 documents, byte for byte"
    ready.run("ALTER SCHEMA s RENAME TO first")
    restore(server, ready, dump)
    both = stores.documents(ready) + stores.documents(ready, "first")
    assert both == before * 2, "or renamed before, and both answer: 20 documents, byte for byte"


def test_the_extensions_may_be_in_other_schemas_than_in_the_source(server: Server, before: list[str], dump: str):
    other = new_database(server, "other_schemas")
    other.run("""
        CREATE SCHEMA "My Ext"; CREATE SCHEMA ms;
        CREATE EXTENSION vector SCHEMA "My Ext"; CREATE EXTENSION memory_search SCHEMA ms""")
    # The dump names pgvector's type with its schema.
    restore(server, other, re.sub(r"public\.halfvec", '"My Ext".halfvec', dump))
    on_path = other.by(settings={"search_path": "ms"})
    assert stores.documents(on_path) == before, "extensions elsewhere: 10 documents, byte for byte"
    other.run("SELECT ms.memory_create_store('t', 4)")
    made = other.value("""
        SELECT format_type(atttypid, atttypmod) FROM pg_attribute
        WHERE attrelid = 't.entries'::regclass AND attname = 'embedding'""")
    assert made == '"My Ext".halfvec(4)', "a store made there uses its pgvector"
    taken = other.value("""
        SELECT count(ms.memory_add('m', 'x', embedding => e, store => 't')) FROM (VALUES
          ('[1,0,0,0]'::"My Ext".vector::ms.memory_embedding), ('[1,0,0,0]'::"My Ext".halfvec::ms.memory_embedding),
          ('{1,0,0,0}'::real[]::ms.memory_embedding), ('[1,0,0,0]')) v(e)""")
    assert taken == 4, "and takes every form of an embedding"


def test_one_store_is_taken_out_of_a_dump_of_all(server: Server, before: list[str]):
    archive = server.folder / "all"
    server.program("pg_dump", "-Fc", "-f", archive)
    # pg_restore -n restores the contents of the schema, not the schema.
    one = new_database(server, "one_of_all", extension=f"{BOTH}; CREATE SCHEMA s")
    server.program("pg_restore", "--exit-on-error", "-n", "s", "-d", "one_of_all", archive)
    assert stores.documents(one) == before, "one store out of a dump of all: 10 documents, byte for byte"
    assert one.value("SELECT count(*) FROM pg_namespace WHERE nspname = 't'") == 0, "and not the other"


def test_one_table_comes_without_the_schema_and_the_other_two(server: Server, before: list[str]):
    table = server.program("pg_dump", "-t", "s.entries")
    assert lines("CREATE TABLE s.entries ", table) == 1, "a dump of one table holds it"
    assert lines("COPY s.entries ", table) == 1, "its rows"
    assert lines(ORDER_GOES_ON, table) == 1, "and where its order goes on"
    assert lines("CREATE (SCHEMA|EXTENSION)", table) == 0, "no schema, no extension"
    assert lines(r"(CREATE TABLE|COPY) s\.(contexts|entry_access) ", table) == 0, "no other table"
    one = new_database(server, "one_table", extension=BOTH)
    assert refusal(server, one, table) == "3F000", "it is refused where the schema is not: 3F000"
    one.run("CREATE SCHEMA s")
    restore(server, one, table)
    searched = one.sqlstate("SELECT memory_search('m', 'tea', store => 's')")
    assert searched == "42P01", "entries alone are no store: 42P01"
    restore(server, one, server.program("pg_dump", "-t", "s.contexts", "-t", "s.entry_access"))
    assert stores.documents(one) == before, "with the other two tables they are: 10 documents, byte for byte"


@pytest.mark.parametrize("options", [[], ["--column-inserts", "--rows-per-insert=100"]], ids=["copy", "insert"])
def test_rows_alone_go_into_an_existing_store(server: Server, before: list[str], options: list[str]):
    copy = new_database(server, f"rows_{len(options)}", extension=BOTH)
    copy.run("SELECT memory_create_store('s')")
    restore(server, copy, server.program("pg_dump", "-n", "s", "--data-only", *options))
    assert stores.documents(copy) == before, "10 documents, byte for byte"
    copy.run("SELECT memory_add('new', 'next', store => 's')")
    order = copy.value("SELECT entry_order FROM s.entries WHERE memory_id = 'new'")
    assert order == 201, "the next entry has the next order"


def test_an_owner_who_is_no_superuser_dumps_and_restores_his_store(server: Server):
    server.run("CREATE ROLE store_owner LOGIN; GRANT CREATE ON DATABASE scratch TO store_owner")
    owner = server.by(user="store_owner")
    owner.run("SELECT memory_create_store('mine', 4)")
    owner.run("""
        SELECT memory_add('m', 'kite ' || n, embedding => ARRAY[n, 1, 0, 0]::real[], creation_time => '2025-01-01Z',
          store => 'mine') FROM generate_series(1, 30) n""")
    mine = """
        SELECT memory_search('m', 'kite', 10, embedding => '[5,1,0,0]', options => '{"asOf": "2025-06-01T00:00:00Z"}',
          store => 'mine')"""
    copy = new_database(server, "owner_copy", "OWNER store_owner", "CREATE EXTENSION vector").by(user="store_owner")
    copy.run("CREATE EXTENSION memory_search")
    extension = copy.value("SELECT pg_get_userbyid(extowner) FROM pg_extension WHERE extname = 'memory_search'")
    assert extension == "store_owner", "the extension is trusted: an owner of a database may create it"
    restore(server, copy, server.program("pg_dump", "-n", "mine", access=owner))
    assert owner.value(f"SELECT ({mine})->'count'") == "10", "an owner's document of 10 entries"
    assert copy.value(mine) == owner.value(mine), "comes back byte for byte"


def test_a_reader_dumps_the_rows_that_he_sees(server: Server, before: list[str]):
    server.run("""
        CREATE ROLE store_user LOGIN;
        GRANT USAGE ON SCHEMA s TO store_user; GRANT SELECT ON ALL TABLES IN SCHEMA s TO store_user;
        ALTER TABLE s.entries ENABLE ROW LEVEL SECURITY; ALTER TABLE s.contexts ENABLE ROW LEVEL SECURITY;
        ALTER TABLE s.entry_access ENABLE ROW LEVEL SECURITY; ALTER TABLE s.links ENABLE ROW LEVEL SECURITY;
        CREATE POLICY own ON s.entries TO store_user USING (user_id = 'u1');
        CREATE POLICY own ON s.contexts TO store_user USING (user_id = 'u1');
        CREATE POLICY own ON s.entry_access TO store_user USING (EXISTS (SELECT FROM s.entries e
          WHERE (e.memory_id, e.entry_id) = (entry_access.memory_id, entry_access.entry_id)));
        CREATE POLICY own ON s.links TO store_user USING (2 = (SELECT count(*) FROM s.entries e
          WHERE e.memory_id = links.memory_id AND e.entry_id IN (links.from_entry, links.to_entry)))""")
    reader = server.by(user="store_user")
    # pg_dump's error names the sequence; the rest of its text differs between versions.
    with pytest.raises(ProgramFailed, match="sequence"):
        server.program("pg_dump", "-n", "s", access=reader)
    server.run("GRANT SELECT ON ALL SEQUENCES IN SCHEMA s TO store_user")
    with pytest.raises(ProgramFailed, match="row-level security"):
        server.program("pg_dump", "-n", "s", access=reader)
    copy = new_database(server, "user_copy", extension=BOTH)
    restore(server, copy, server.program("pg_dump", "-n", "s", "--enable-row-security", access=reader))
    visible = stores.documents(reader)
    assert copy.value("SELECT count(*) FROM s.entries") == 100, "a thinned dump is asked for: 100 entries of 200"
    assert len(visible) == 10 and visible != before, "the user's 10 documents are not the owner's"
    assert stores.documents(copy) == visible, "the user's copy: 10 documents as he saw them, byte for byte"
