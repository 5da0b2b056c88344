"""pg_upgrade from PostgreSQL 16 to 18 keeps the memories: the same documents to the last byte, the same privileges and
policies, and the stores take new entries. OLD_PG_CONFIG is the old server's pg_config, with the extension installed
there; without it the old one is the PostgreSQL 16 that `tests/run_pg.sh 16 install` installs it into."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from harness import cluster, stores
from harness.server import Server, Servers

DELETED = stores.entry_id(8)
STORES = "('s'), ('My Store'), ('help desk')"
AS_OF = """options => '{"asOf": "2025-06-01T00:00:00Z", "boosts": {"popularity": 0.2}}'"""
IN_MY_STORE = f"""
    SELECT memory_search('m', query, 10, 3, '[3,1,1,0]', {AS_OF}, store => 'My Store')
    FROM (VALUES ('Haus am Meer'), ('Tee'), ('')) q(query)"""
IN_HELP_DESK = f"""
    SELECT memory_search(customer, 'the printers', 10, embedding => '[3,1,0,0]', {AS_OF}, store => 'help desk')
    FROM (VALUES ('c0'), ('c1')) c(customer)"""
PRIVILEGES = f"""
    SELECT format('%s %s %s: %s', r, n.nspname, c.relname, p)
    FROM unnest('{{Reader 1,upgrade_writer,upgrade_owner,postgres}}'::name[]) r,
      unnest('{{SELECT,INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER}}'::text[]) p,
      pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN (VALUES {STORES}) s(store) ON s.store = n.nspname
    WHERE c.relkind IN ('r', 'v') AND has_schema_privilege(r, n.oid, 'USAGE') AND has_table_privilege(r, c.oid, p)
    ORDER BY 1"""
DEFINITIONS = f"""
    SELECT format('%s.%s.%s %s %s %s %s', n.nspname, c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
        a.attidentity, a.attgenerated, pg_get_expr(d.adbin, d.adrelid)) AS line
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
      LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
      WHERE n.nspname IN (VALUES {STORES}) AND a.attnum > 0
    UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname IN (VALUES {STORES})
    UNION ALL SELECT format('%s %s.%s %s %s %s', policyname, schemaname, tablename, roles, qual, with_check)
      FROM pg_policies
    UNION ALL SELECT format('%s.%s owner %s, policies %s %s, options %s, comment %s', n.nspname, c.relname,
        c.relowner::regrole, c.relrowsecurity, c.relforcerowsecurity, c.reloptions, obj_description(c.oid, 'pg_class'))
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname IN (VALUES {STORES})
    ORDER BY line"""
EXTENSION = "SELECT extversion FROM pg_extension WHERE extname = 'memory_search'"
MAJOR = "SELECT current_setting('server_version_num')::int / 10000"


def documents(server: Server) -> list[str]:
    """Ten searches of "s", three of "My Store" for each of its roles, two of the adopted table, two of the user's own
    objects."""
    reader = server.by(user="Reader 1", settings={"memory_search.user_id": "u1"})
    writer = server.by(user="upgrade_writer", settings={"memory_search.user_id": "u0"})
    return [
        *stores.documents(server),
        *server.by(user="upgrade_owner").column(IN_MY_STORE),
        *reader.column(IN_MY_STORE),
        *writer.column(IN_MY_STORE),
        *server.column(IN_HELP_DESK),
        server.value("SELECT jsonb_agg(to_jsonb(t) ORDER BY score DESC, entry_id) FROM tea t"),
        server.value("SELECT milk()"),
    ]


@pytest.fixture(scope="module")
def old(servers: Servers) -> Server:
    """The old server, with three stores; it is stopped by the upgrade."""
    config = os.environ.get("OLD_PG_CONFIG")
    if not config and not os.environ.get("MEMORY_SEARCH_INSTALLED"):
        subprocess.run([str(cluster.REPOSITORY / "tests/run_pg.sh"), "16", "install"], check=True)
    config = config or cluster.shell_variable("PG16_CONFIG")
    library = Path(cluster.run([config, "--pkglibdir"]).decode().strip()) / "memory_search.so"
    assert library.exists(), "the extension is installed in the old server: else run tests/run_pg.sh 16 install first"
    server = servers.start(pg_config=config)
    server.create_extension()
    stores.fill(server)
    server.psql_file("pg_upgrade.sql")
    return server


@pytest.fixture(scope="module")
def before(old: Server) -> dict:
    facts = {"documents": documents(old), "extension": old.value(EXTENSION), "major": old.value(MAJOR)}
    return facts | {"privileges": old.column(PRIVILEGES), "definitions": old.column(DEFINITIONS)}


@pytest.fixture(scope="module")
def new(servers: Servers, old: Server, before: dict) -> Server:
    """The new server, with nothing in it; both are stopped."""
    old.stop()
    new = servers.create()
    # PostgreSQL 18 makes data folders with checksums, older versions without; pg_upgrade wants the same for both.
    if checksums(old) != checksums(new):
        old.as_server_user(*old.command("pg_checksums"), "--enable", "--no-sync", "-D", old.data)
    return new


@pytest.fixture(scope="module")
def server(old: Server, new: Server) -> Server:
    """The new server, after the upgrade."""
    pg_upgrade(old, new)
    new.start()
    return new


def checksums(server: Server) -> str:
    said = server.as_server_user(*server.command("pg_controldata"), server.data)
    return re.search(r"Data page checksum version: +(\d+)", said).group(1)


def pg_upgrade(old: Server, new: Server, *options: str) -> str:
    folders = ["--old-datadir", old.data, "--new-datadir", new.data, "--socketdir", new.folder]
    programs = ["--old-bindir", cluster.bin_folder(old.pg_config), "--new-bindir", cluster.bin_folder()]
    words = [*new.command("pg_upgrade"), *programs, *folders, "--username", "postgres", "--no-sync", *options]
    # It leaves scripts in the folder where it runs.
    return new.as_server_user("env", "-C", new.folder, *words)


def test_the_old_server_has_something_to_lose(before: dict):
    assert len(before["documents"]) == 23, "23 documents before"
    assert all(re.search('"(entryId|entry_id)"', document) for document in before["documents"]), "each has entries"
    assert len(before["privileges"]) > 50, "privileges of four roles"
    assert len(before["definitions"]) > 100, "columns, indexes, policies, owners and comments"


def test_pg_upgrade_finds_nothing_to_refuse(old: Server, new: Server):
    said = pg_upgrade(old, new, "--check")
    assert re.search(r"(?m)^Checking data type usage +ok$", said), "no column of a reg... type among what it refuses"
    assert "*Clusters are compatible*" in said, "nothing that it refuses"


def test_everything_is_as_it_was(server: Server, before: dict):
    assert server.value(MAJOR) > before["major"], "it is a later PostgreSQL"
    assert server.value(EXTENSION) == before["extension"], "the extension is there, in its version"
    assert documents(server) == before["documents"], "23 documents, byte for byte"
    assert server.column(PRIVILEGES) == before["privileges"], "privileges are as they were"
    assert server.column(DEFINITIONS) == before["definitions"], (
        "columns, indexes, policies, owners and comments are as they were"
    )
    invalid = server.value("SELECT count(*) FROM pg_index WHERE NOT (indisvalid AND indisready)")
    assert invalid == 0, "every index is valid"


def test_policies_hold_as_before(server: Server):
    found = server.by(user="Reader 1").value("SELECT memory_search('m', 'Tee', store => 'My Store')->'count'")
    assert found == "0", "without the setting the policy shows nothing"
    writer = server.by(user="upgrade_writer", settings={"memory_search.user_id": "u0"})
    written = writer.sqlstate("SELECT memory_add('m', 'x', user_id => 'u1', store => 'My Store')")
    assert written == "42501", "and it may not be written around"


def test_pgvector_can_be_brought_to_the_new_servers_version(server: Server, before: dict):
    # pg_upgrade leaves a script that brings extensions to the version that the new server has.
    script = server.folder / "update_extensions.sql"
    if script.exists():
        server.psql_file(script)
    offered = server.value("SELECT default_version FROM pg_available_extensions WHERE name = 'vector'")
    got = server.value("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
    assert got == offered, "pgvector is of the new server's version"
    assert documents(server) == before["documents"], "with it 23 documents as before, byte for byte"


def test_the_stores_take_new_entries(server: Server):
    server.run("SELECT memory_add('new', 'a kite', store => 's')")
    found = server.value("SELECT memory_search('new', 'kites', store => 's')#>>'{entries,0,rawEntry}'")
    assert found == "a kite", "a new entry is found"
    writer = server.by(user="upgrade_writer", settings={"memory_search.user_id": "u0"})
    writer.run("""
        SELECT memory_add('new', 'Die Häuser', embedding => '[1,0,0,0]', user_id => 'u0', store => 'My Store')""")
    by_words = """options => '{"strategy": "keyword"}'"""
    found = server.by(user="upgrade_owner").value(f"""
        SELECT memory_search('new', 'Hauses', {by_words}, store => 'My Store')#>>'{{entries,0,rawEntry}}'""")
    assert found == "Die Häuser", "a writer's too, by the words of the store's language"
    server.run("INSERT INTO tickets VALUES (100, 'new', 'ticket 100', 'the lamp is broken', '2025-05-01Z')")
    found = server.value(f"""
        SELECT memory_search('new', 'lamps', {by_words}, store => 'help desk')#>>'{{entries,0,rawEntry}}'""")
    assert found == "the lamp is broken", "a new row of the adopted table as well"
    goes_on = server.value("""
        SELECT max(entry_order) FILTER (WHERE memory_id = 'new') > max(entry_order) FILTER (WHERE memory_id = 'm')
        FROM s.entries""")
    assert goes_on, "entry_order goes on after the last"


def test_entries_deleted_before_can_be_restored(server: Server):
    owner = server.by(user="upgrade_owner")
    restored = owner.value(f"SELECT memory_restore('m', ARRAY['{DELETED}']::uuid[], store => 'My Store')")
    assert restored == 1, "what was deleted before can be restored"
    errors = server.rows(f"SELECT d FROM (VALUES {STORES}) s(store), memory_doctor(store) d WHERE d.status = 'error'")
    assert errors == [], "memory_doctor finds no error"
