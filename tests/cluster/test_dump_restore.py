"""pg_dump and restore of a whole database: the copy gives the same answers and is the same to the last privilege, in
every format and order of steps, by every role, with pgvector in every schema."""

from pathlib import Path

import pytest

from harness import stores
from harness.access import Access, Questions
from harness.cluster import SUPPORT
from harness.dumps import new_database, refusal, restore
from harness.server import Server, Servers

FACTS = (SUPPORT / "dump_facts.sql").read_text()
NEW = "00000000-0000-0000-0002-000000000001"
KINDS = [
    "owner of entries ",
    "privilege on entries ",
    "privilege on entries importance",
    "privilege by default",
    "policy ",
    "comment on entries ",
    "constraint s.entry_access ",
    "CREATE TRIGGER",
    "sequence ",
    "column entries room ",
]


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    # Without autovacuum nothing is analyzed unless a test does it.
    server = servers.start("autovacuum = off")
    server.create_extension()
    stores.fill(server)
    server.psql_file("dump_restore.sql")
    return server


def documents(access: Access) -> list[str]:
    """Ten searches; six that find the rows of dump_restore.sql and of the other language; ten of a reader under the
    policy."""
    reader = access.by(settings={"role": "dump_reader", "app.caller": "u1"})
    others = access.column("""
        SELECT memory_search('m', query, 5, options => '{"strategy": "keyword", "asOf": "2025-06-01T00:00:00Z"}',
          store => 's')
        FROM (VALUES ('escapes'), ('東京'), ('C++'), ('lorem tea'), ('lasting')) q(query)
        UNION ALL
        SELECT memory_search('m', 'Zug', options => '{"asOf": "2025-06-01T00:00:00Z"}', store => 'own_words')""")
    return stores.documents(access) + others + stores.documents(reader)


def facts(access: Questions) -> list[str]:
    """The description of the store in the catalogs."""
    return access.column(FACTS)


@pytest.fixture(scope="module")
def before(server: Server) -> tuple[list[str], list[str]]:
    """The documents and the facts of the source."""
    return documents(server.access), facts(server)


@pytest.fixture(scope="module")
def archive(server: Server, before) -> Path:
    """A dump in custom format."""
    path = server.folder / "custom"
    server.program("pg_dump", "-Fc", "-f", path)
    return path


@pytest.fixture(scope="module")
def custom_copy(server: Server, archive: Path) -> Access:
    copy = new_database(server, "custom_copy")
    server.program("pg_restore", "--exit-on-error", "-d", "custom_copy", archive)
    return copy


def test_the_source_has_something_to_lose(before):
    answers, catalogs = before
    assert len(answers) == 26, "26 documents before"
    assert answers[:10] != answers[-10:], "what the reader may see is not what the owner sees"
    for word in ["escapes", "東京", "C++", "lorem ipsum", "lasting", "Züge"]:
        assert any(word in answer for answer in answers), f'"{word}" is in the documents'
    for kind in KINDS:
        assert any(fact.startswith(kind) for fact in catalogs), f"the catalogs tell of: {kind}"


def test_plain_format_brings_all_back(server: Server, before):
    copy = new_database(server, "plain_copy")
    restore(server, copy, server.program("pg_dump"))
    assert (documents(copy), facts(copy)) == before, "26 documents, byte for byte, and the same facts in the catalogs"

    # The copy takes new entries, and its numbers continue after the source's.
    last = server.value("SELECT last_value FROM pg_sequences WHERE schemaname = 's'")
    assert server.value("SELECT max(entry_order) FROM s.entries") == last, "the newest entry has the highest order"
    copy.run(f"SELECT memory_add('m', 'added to the copy', entry_id => '{NEW}', store => 's')")
    order = copy.value(f"SELECT entry_order FROM s.entries WHERE entry_id = '{NEW}'")
    assert order == last + 1, "the copy's next entry has the next order"
    by_words = """options => '{"strategy": "keyword"}'"""
    found = copy.value(f"SELECT raw_entry FROM memory_search_entries('m', 'added', 1, {by_words}, store => 's')")
    assert found == "added to the copy", "the new entry is found"
    used = copy.value("SELECT entry_id FROM s.entry_access ORDER BY entry_id LIMIT 1")
    assert copy.value(f"SELECT memory_touch('m', ARRAY['{used}']::uuid[], store => 's')") == 1, "an access"
    assert copy.value(f"SELECT access_count FROM s.entry_access WHERE entry_id = '{used}'") == 4, "is counted on from 3"
    assert documents(server.access) == before[0], "the source has none of it"


def test_custom_format_brings_all_back_and_statistics_change_no_answer(custom_copy: Access, before):
    assert (documents(custom_copy), facts(custom_copy)) == before, "26 documents, byte for byte, and the same facts"
    with_statistics = "SELECT count(DISTINCT tablename) FROM pg_stats WHERE schemaname = 's'"
    assert custom_copy.value(with_statistics) == 0, "a fresh copy has no statistics"
    custom_copy.run("ANALYZE")
    assert custom_copy.value(with_statistics) == 5, "analyzed, it has them of five tables"
    assert documents(custom_copy) == before[0], "analyzed: 26 documents, byte for byte"


def test_directory_format_with_two_jobs_brings_all_back(server: Server, before):
    copy = new_database(server, "directory_copy")
    folder = server.folder / "directory"
    server.program("pg_dump", "-Fd", "-j", "2", "-f", folder)
    server.program("pg_restore", "--exit-on-error", "-j", "2", "-d", "directory_copy", folder)
    assert (documents(copy), facts(copy)) == before, "26 documents, byte for byte, and the same facts"


def test_a_store_can_be_searched_as_soon_as_its_rows_are_restored(server: Server, before, archive: Path):
    copy = new_database(server, "sections_copy")

    def section(name: str) -> None:
        server.program("pg_restore", "--exit-on-error", f"--section={name}", "-d", "sections_copy", archive)

    section("pre-data")
    found = copy.value("SELECT memory_search('m', 'tea', store => 's')->'count'")
    assert found == "0", "after pre-data: an empty store that answers"
    section("data")
    assert copy.value("SELECT count(*) FROM pg_indexes WHERE schemaname = 's'") == 0, "after data: no index yet"
    assert stores.documents(copy) == before[0][:10], "after data: 10 documents, byte for byte, without an index"
    section("post-data")
    assert (documents(copy), facts(copy)) == before, "after post-data: 26 documents and the same facts"


# --- By somebody who is no superuser ---------------------------------------------------------------


def restore_as_keeper(server: Server, name: str, archive: Path, *options: str) -> Access:
    """Restores as a role that may neither create pgvector, which is not a trusted extension, nor comment on it."""
    copy = new_database(server, name, "OWNER dump_keeper", "CREATE EXTENSION vector").by(user="dump_keeper")
    contents = server.program("pg_restore", "-l", archive).splitlines()
    wanted = server.folder / "list"
    wanted.write_text("\n".join(line for line in contents if "COMMENT - EXTENSION vector" not in line))
    server.program("pg_restore", "--exit-on-error", "-L", wanted, "-d", name, *options, archive, access=copy)
    return copy


def test_a_superusers_dump_is_restored_by_another_role(server: Server, before, archive: Path):
    copy = restore_as_keeper(server, "other_role", archive, "--no-owner", "--no-privileges")
    assert stores.documents(copy) == before[0][:10], "10 documents, byte for byte"

    def of_tables(lines: list[str]) -> list[str]:
        return [fact for fact in lines if not fact.startswith(("owner", "privilege"))]

    same = of_tables(facts(copy)) == of_tables(before[1])
    assert same, "columns, indexes, constraints, policies and comments are the same"
    owners = copy.column("SELECT DISTINCT relowner::regrole::text FROM pg_class WHERE relnamespace = 's'::regnamespace")
    assert owners == ["dump_keeper"], "all of it is his"
    owner = copy.value("SELECT extowner::regrole::text FROM pg_extension WHERE extname = 'memory_search'")
    assert owner == "dump_keeper", "also the extension, which is trusted"


def test_an_owners_dump_is_restored_by_the_owner_and_by_a_superuser(server: Server, before):
    kept = new_database(server, "kept", "OWNER dump_keeper", "CREATE EXTENSION vector").by(user="dump_keeper")
    kept.run("CREATE EXTENSION memory_search")
    stores.fill(kept)
    kept.run("GRANT USAGE ON SCHEMA s TO dump_reader; GRANT SELECT ON ALL TABLES IN SCHEMA s TO dump_reader")
    archive = server.folder / "kept"
    server.program("pg_dump", "-Fc", "-f", archive, access=kept)
    answers = stores.documents(kept)
    assert len(answers) == 10, "10 documents"
    copy = restore_as_keeper(server, "kept_copy", archive)
    assert stores.documents(copy) == answers, "an owner's dump and restore: byte for byte"
    assert facts(copy) == facts(kept), "an owner's dump and restore: the same catalogs"
    other = new_database(server, "kept_by_superuser").by(user="dump_keeper")
    server.program("pg_restore", "--exit-on-error", "-d", "kept_by_superuser", archive)
    assert stores.documents(other) == answers, "restored by a superuser: 10 documents for the owner, byte for byte"
    assert facts(other) == facts(kept), "restored by a superuser: still his"


# --- The extensions in schemas of their own --------------------------------------------------------


def test_extensions_elsewhere_are_made_there_again(server: Server, before, custom_copy: Access):
    schemas = 'CREATE SCHEMA "My Ext"; CREATE SCHEMA ms'
    extensions = 'CREATE EXTENSION vector SCHEMA "My Ext"; CREATE EXTENSION memory_search SCHEMA ms'
    source = new_database(server, "elsewhere", extension=f"{schemas}; {extensions}").by(settings={"search_path": "ms"})
    stores.fill(source)
    copy = new_database(server, "elsewhere_copy").by(settings={"search_path": "ms"})
    restore(server, copy, server.program("pg_dump", access=source))
    answers = stores.documents(source)
    assert len(answers) == 10, "10 documents"
    assert stores.documents(copy) == answers, "byte for byte"
    assert facts(copy) == facts(source), "the same catalogs"

    # A dump names pgvector's types with their schema. If pgvector is in another schema, it is moved for the restore,
    # and back: it may be moved at any time, also while a session searches.
    copy.run("ALTER SCHEMA s RENAME TO theirs; CREATE SCHEMA s")
    dump = server.program("pg_dump", "-n", "s", access=custom_copy).replace("CREATE SCHEMA s;", "")
    assert refusal(server, copy, dump) == "42704", "into a database with pgvector elsewhere: refused with 42704"
    copy.run("""
        ALTER EXTENSION vector SET SCHEMA public;
        CREATE FUNCTION public.noted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'""")
    restore(server, copy, dump)
    with copy.session() as session:
        found = stores.documents(session) + stores.documents(session, "theirs")
        session.run('ALTER EXTENSION vector SET SCHEMA "My Ext"')
        found += stores.documents(session) + stores.documents(session, "theirs")
    both = before[0][:10] + answers
    assert found == both * 2, "pgvector moved under a session: 40 documents of the restored store and the one before"
    assert copy.value("SELECT memory_add('m', 'after the move', store => 's') IS NOT NULL"), "new memories are added"
