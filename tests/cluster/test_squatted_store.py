"""The schema of a store, if a role has prepared schemas, tables, types and functions for the day on which the store is
created in it. Objects that could be used against other roles are refused, with a hint; the other ones do no harm."""

import pytest

from harness.access import Access, Questions
from harness.server import Server, Servers

CREATE = "memory_create_store('%s', 3)"
ADOPT = """memory_adopt_table('%s', 'notes', '{"memory_id": "''a''", "entry_id": "id", "raw_entry": "body"}')"""
WAYS = pytest.mark.parametrize("way", [CREATE, ADOPT], ids=["create", "adopt"])
ROLES = pytest.mark.parametrize("role", ["app", "postgres"])


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    server = servers.start()
    server.create_extension()
    server.run("""
        CREATE ROLE mallory LOGIN; CREATE ROLE app LOGIN; GRANT CREATE ON DATABASE scratch TO mallory, app;
        CREATE TABLE notes (id bigint, body text);
        INSERT INTO notes VALUES (1, 'tea'); GRANT SELECT ON notes TO PUBLIC""")
    return server


@pytest.fixture(scope="module")
def mallory(server: Server) -> Access:
    mallory = server.by(user="mallory")
    mallory.run("CREATE SCHEMA closed; CREATE SCHEMA open; GRANT ALL ON SCHEMA open TO PUBLIC")
    return mallory


@pytest.fixture(scope="module")
def app(server: Server) -> Access:
    return server.by(user="app")


def refusal(questions: Questions, statement: str) -> str:
    """The SQLSTATE of its error, and whether there is a hint."""
    error = questions.error(statement)
    return error.sqlstate + (", with a hint" if error.diag.message_hint else "")


def test_the_extensions_schema_is_nobodys_but_its_owners(server: Server, mallory: Access):
    moved = server.sqlstate("ALTER EXTENSION memory_search SET SCHEMA pg_catalog")
    assert moved == "0A000", "the extension's schema cannot be changed later"
    beside = mallory.sqlstate("""
        CREATE FUNCTION public.memory_search(text, text) RETURNS text LANGUAGE sql AS 'SELECT 1'""")
    assert beside == "42501", "nobody but its owner puts functions beside ours in public"


@WAYS
@ROLES
def test_a_store_in_a_schema_of_hers_is_refused(server: Server, mallory: Access, role: str, way: str):
    # She could drop and replace it.
    assert refusal(server.by(user=role), f"SELECT {way % 'open'}") == "42501, with a hint", "it is refused"
    left = server.value("SELECT count(*) FROM pg_class WHERE relnamespace = 'open'::regnamespace")
    assert left == 0, "nothing of a store is in her schema"


@WAYS
def test_a_store_where_one_may_not_create_is_refused(server: Server, mallory: Access, app: Access, way: str):
    assert app.sqlstate(f"SELECT {way % 'closed'}") == "42501", "it is refused"
    left = server.value("SELECT count(*) FROM pg_class WHERE relnamespace = 'closed'::regnamespace")
    assert left == 0, "nothing of a store is in her schema"


def test_a_store_that_she_makes_is_hers(mallory: Access, app: Access):
    mallory.run("SELECT memory_create_store('open', 3)")
    owner = mallory.column("SELECT DISTINCT tableowner::text FROM pg_tables WHERE schemaname = 'open'")
    assert owner == ["mallory"], "she may make one there herself"
    assert refusal(app, "SELECT memory_search('m', 'tea', store => 'open')") == "42501", "others find nothing in it"
    assert refusal(app, "SELECT memory_add('m', 'tea', store => 'open')") == "42501", "and add nothing"


@ROLES
@pytest.mark.parametrize(
    "prepared",
    [
        "TABLE taken.entries (memory_id text)",
        "VIEW taken.entries AS SELECT 1 AS memory_id",
        "TABLE taken.contexts ()",
        "TABLE taken.entry_access ()",
        "MATERIALIZED VIEW taken.entries AS SELECT 1",
        "SEQUENCE taken.contexts",
        "TYPE taken.entries AS (a int)",
    ],
)
def test_a_store_is_refused_where_such_a_name_waits(server: Server, mallory: Access, prepared: str, role: str):
    mallory.run(f"CREATE SCHEMA taken; CREATE {prepared}; GRANT ALL ON SCHEMA taken TO PUBLIC")
    refused = refusal(server.by(user=role), "SELECT memory_create_store('taken', 3)")
    assert refused == "42710, with a hint", "it is refused"
    mallory.run("DROP SCHEMA taken CASCADE")


@pytest.mark.parametrize("name", ["pg_temp", "pg_temp_3", "pg_toast", "pg_catalog", "pg_new"])
def test_a_store_with_a_name_of_the_systems_is_refused(server: Server, name: str):
    assert server.sqlstate(f"SELECT memory_create_store('{name}', 3)") in ("42939", "42501"), "it is refused"


def test_a_store_in_a_schema_that_is_safe_is_made(server: Server, app: Access):
    # In a schema of the DBA, of the database's owner or of one's own role it is as safe as in any other.
    server.run("""
        CREATE ROLE team; GRANT team TO app; CREATE SCHEMA of_dba; CREATE SCHEMA of_team AUTHORIZATION team;
        CREATE SCHEMA of_app AUTHORIZATION app; GRANT ALL ON SCHEMA of_dba TO app""")
    for schema in ["of_dba", "of_team", "of_app"]:
        app.run(f"SELECT memory_create_store('{schema}', 3)")
        owners = server.column(f"SELECT DISTINCT tableowner::text FROM pg_tables WHERE schemaname = '{schema}'")
        assert owners == ["app"], f"in {schema}, with its tables owned by who made it"


def test_objects_prepared_in_the_stores_schema_are_never_called(server: Server, app: Access):
    server.run("CREATE SCHEMA waiting AUTHORIZATION app")
    app.run("""
        CREATE FUNCTION waiting.trap(text, text) RETURNS boolean LANGUAGE plpgsql
          AS $$ BEGIN RAISE EXCEPTION 'a trap was used'; END $$;
        CREATE OPERATOR waiting.= (LEFTARG = text, RIGHTARG = text, FUNCTION = waiting.trap);
        CREATE FUNCTION waiting.to_tsvector(regconfig, text) RETURNS tsvector LANGUAGE plpgsql
          AS $$ BEGIN RAISE EXCEPTION 'a trap was used'; END $$;
        CREATE TEXT SEARCH CONFIGURATION waiting.english (COPY = pg_catalog.simple);
        CREATE DOMAIN waiting.text AS pg_catalog.text CHECK (false)""")
    app.run("SELECT memory_create_store('waiting', 3)")
    app.run("SELECT memory_add('m', 'running', embedding => '[1,2,3]', store => 'waiting')")
    found = app.value("SELECT memory_search('m', 'runs', store => 'waiting')->'count'")
    assert found == "1", "a store beside traps is made and used"


def test_a_language_is_the_one_that_its_name_says(server: Server, mallory: Access):
    # A configuration of the same spelling in a schema before it on the search path is not used.
    server.run("CREATE SCHEMA words; CREATE TEXT SEARCH CONFIGURATION words.mine (COPY = pg_catalog.german)")
    mallory.run("""
        CREATE SCHEMA before; CREATE TEXT SEARCH CONFIGURATION before."words.mine" (COPY = pg_catalog.simple);
        CREATE TEXT SEARCH CONFIGURATION before.english (COPY = pg_catalog.simple)""")
    for language in ["words.mine", "english", "pg_catalog.english"]:
        server.run(f"SELECT memory_create_store('spoken', 3, '{language}')")
        made = server.value("""
            SELECT pg_get_expr(conbin, conrelid) FROM pg_constraint
            WHERE conrelid = 'spoken.contexts'::regclass AND conname = 'contexts_language'""")
        name = language.removeprefix("pg_catalog.")
        assert made == f"('{name}'::regconfig IS NOT NULL)", f"{language} is the one of that schema"
        server.run("SELECT memory_drop_store('spoken')")
