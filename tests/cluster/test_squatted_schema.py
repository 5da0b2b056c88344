"""Another role has prepared schemas, functions and types for the day on which the extension is created in them. Objects
that could be used against other roles are refused, with a hint; the other ones do no harm."""

import re

import pytest

from harness.access import Access, Questions
from harness.dumps import new_database, restore
from harness.server import Server, Servers

INTO_LAB = "CREATE EXTENSION memory_search SCHEMA lab"
INSTALLED = "SELECT count(*) FROM pg_extension WHERE extname = 'memory_search'"


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    server = servers.start()
    server.run("""
        CREATE ROLE mallory LOGIN; CREATE ROLE app LOGIN; CREATE ROLE keeper LOGIN CREATEDB;
        CREATE EXTENSION vector; GRANT CREATE ON DATABASE scratch TO mallory, app""")
    return server


@pytest.fixture(scope="module")
def mallory(server: Server) -> Access:
    return server.by(user="mallory")


@pytest.fixture(scope="module")
def app(server: Server) -> Access:
    return server.by(user="app")


def refusal(questions: Questions, statement: str) -> str:
    """The SQLSTATE of its error, and whether there is a hint."""
    error = questions.error(statement)
    return error.sqlstate + (", with a hint" if error.diag.message_hint else "")


# --- Where the extension goes ----------------------------------------------------------------------


def test_a_function_of_such_a_name_beside_pgvector_does_no_harm(server: Server):
    other = new_database(server, "beside", extension="CREATE EXTENSION vector")
    other.run("""
        CREATE FUNCTION public.memory_embed(text, int) RETURNS int LANGUAGE sql RETURN 1;
        CREATE SCHEMA apart; CREATE EXTENSION memory_search SCHEMA apart""")
    commented = other.value("SELECT obj_description('apart.memory_embed(text)'::regprocedure) IS NOT NULL")
    assert commented is True, "the extension comes into its schema, and its own function has the comment"
    hers = other.value("SELECT obj_description('public.memory_embed(text, int)'::regprocedure)")
    assert hers is None, "the other one has none"


def test_its_schema_may_have_any_name_that_the_server_accepts(server: Server):
    other = new_database(server, "named_oddly", extension="CREATE EXTENSION vector")
    for schema in ["p%q", "p%%q", "100% I %L %s", "Mixed.dot"]:
        other.run(f"""
            CREATE SCHEMA "{schema}"; CREATE EXTENSION memory_search SCHEMA "{schema}";
            SELECT "{schema}".memory_create_store('s', 3, 'english');
            SELECT "{schema}".memory_add('m', 'two kites', embedding => '[1,2,3]', store => 's')""")
        found = other.value(f"""SELECT "{schema}".memory_search('m', 'kite', store => 's')->>'count'""")
        assert found == "1", f"in {schema}, a search finds the entry"
        lexemes = other.value(f"""SELECT to_tsvector('"{schema}".memory_english', 'kites')::text""")
        assert lexemes == "'kite':1", f"in {schema}, its text search configurations work"
        other.run("DROP EXTENSION memory_search CASCADE; DROP SCHEMA s CASCADE")


@pytest.mark.parametrize(
    "prepared",
    [
        "FUNCTION lab.memory_search(text, text) RETURNS text LANGUAGE sql AS 'SELECT current_user::text'",
        "PROCEDURE lab.memory_add() LANGUAGE sql AS ''",
        "AGGREGATE lab.memory_sum(int) (SFUNC = int4pl, STYPE = int)",
        "FUNCTION lab.memory_later() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    ],
)
def test_a_schema_with_a_function_of_such_a_name_is_refused(server: Server, mallory: Access, prepared: str):
    mallory.run(f"CREATE SCHEMA lab; GRANT ALL ON SCHEMA lab TO PUBLIC; CREATE {prepared}")
    assert refusal(server, INTO_LAB) == "55000, with a hint", "it is refused"
    assert server.value(INSTALLED) == 0, "nothing of the extension is there"
    left = server.value(r"SELECT count(*) FROM pg_proc WHERE proname LIKE 'memory\_%'")
    assert left == 1, "nor of its functions: hers is the only one"
    mallory.run("DROP SCHEMA lab CASCADE")


@pytest.mark.parametrize(
    "prepared",
    ["TABLE lab.memory_text ()", "TABLE lab.memory_embedding ()", "TYPE lab.memory_embedding AS ENUM ()", "DOMAIN lab.memory_embedding AS text"],
)
def test_a_schema_with_our_type_in_it_is_refused(server: Server, mallory: Access, prepared: str):
    mallory.run(f"CREATE SCHEMA lab; CREATE {prepared}")
    assert server.sqlstate(INTO_LAB) == "42710", "it is refused"
    assert server.value(INSTALLED) == 0, "nothing of the extension is there"
    mallory.run("DROP SCHEMA lab CASCADE")


def test_an_empty_schema_of_hers_is_warned_of(server: Server, mallory: Access):
    # A restored dump may look so, hence no error. She could drop it with all in it.
    mallory.run("CREATE SCHEMA lab")
    warnings = []
    with server.session() as session:
        session.connection.add_notice_handler(
            lambda said: warnings.append((said.severity, said.message_primary, said.message_detail, said.message_hint))
        )
        session.run(INTO_LAB)
    severity, *words, hint = warnings[0]
    assert severity == "WARNING" and hint, "it is warned of, with a hint"
    assert "mallory" in str(words), "and with her name"
    refused = mallory.sqlstate("ALTER FUNCTION lab.memory_search(jsonb) OWNER TO mallory")
    assert refused == "42501", "she may not put the functions under her control"
    server.run("DROP EXTENSION memory_search CASCADE; DROP SCHEMA lab")
    assert server.sqlstate("CREATE EXTENSION memory_search SCHEMA nowhere") == "3F000", "one that is not there is 3F000"


def test_objects_with_pgvectors_names_in_another_schema_are_not_taken_for_it(server: Server):
    # The extension's schema is not pgvector's.
    apart = new_database(server, "apart")
    hers = apart.by(user="mallory")
    apart.run("""
        CREATE SCHEMA ext; CREATE EXTENSION vector SCHEMA ext; GRANT USAGE ON SCHEMA ext TO PUBLIC;
        GRANT CREATE ON SCHEMA public TO mallory""")
    hers.run("""
        CREATE FUNCTION hers(ext.vector) RETURNS ext.vector LANGUAGE plpgsql
          AS $$ BEGIN RAISE EXCEPTION 'mallory runs as %', current_user; END $$;
        CREATE FUNCTION array_to_vector(real[], int, bool) RETURNS ext.vector LANGUAGE sql RETURN hers(NULL);
        CREATE FUNCTION array_to_vector(double precision[], int, bool) RETURNS ext.vector
          LANGUAGE sql RETURN hers(NULL);
        CREATE FUNCTION array_to_vector(numeric[], int, bool) RETURNS ext.vector LANGUAGE sql RETURN hers(NULL);
        CREATE FUNCTION array_to_vector(int[], int, bool) RETURNS ext.vector LANGUAGE sql RETURN hers(NULL);
        CREATE FUNCTION halfvec_to_vector(ext.halfvec, int, bool) RETURNS ext.vector LANGUAGE sql RETURN hers(NULL)""")
    apart.run("CREATE EXTENSION memory_search; SELECT memory_create_store('s', 3)")
    called = apart.column("""
        SELECT DISTINCT pronamespace::regnamespace::text FROM pg_cast JOIN pg_proc p ON p.oid = castfunc
        WHERE casttarget = 'memory_embedding'::regtype AND NOT EXISTS (
          SELECT FROM pg_depend d JOIN pg_extension x ON x.oid = d.refobjid
          WHERE d.objid = p.oid AND d.deptype = 'e' AND x.extname = 'memory_search')""")
    assert called == ["ext"], "casts to memory_embedding call pgvector's functions, not those of such names beside it"
    for embedding in [
        "ARRAY[1,2,3]::real[]",
        "ARRAY[1,2,3]::double precision[]",
        "ARRAY[1,2,3.5]",
        "ARRAY[1,2,3]",
        "'[1,2,3]'::ext.halfvec",
        "'[1,2,3]'::ext.vector",
        "'[1,2,3]'",
    ]:
        found = apart.value(f"SELECT memory_search('m', '', embedding => {embedding}, store => 's')->'count'")
        assert found == "0", f"a search with {embedding} runs none of hers"
    # Types too, and domains over pgvector's.
    apart.run("DROP EXTENSION memory_search CASCADE")
    hers.run("""
        CREATE TYPE vector AS (hers int);
        CREATE DOMAIN halfvec AS ext.halfvec CHECK (hers(VALUE::ext.vector) IS NULL);
        CREATE DOMAIN jsonb AS text; CREATE DOMAIN uuid AS text""")
    apart.run("CREATE EXTENSION memory_search")
    taken = apart.column("""
        SELECT DISTINCT t::regtype::text FROM pg_proc p
        JOIN pg_depend d ON d.objid = p.oid AND d.deptype = 'e' AND d.classid = 'pg_proc'::regclass
        CROSS JOIN unnest(coalesce(proallargtypes, proargtypes::oid[]) || prorettype) t
        JOIN pg_type ON pg_type.oid = t
        WHERE d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'memory_search')
          AND typnamespace = 'public'::regnamespace AND typname !~ '^_?memory_(embedding|text|jsonb|int4|uuid|timestamptz)$'""")
    assert taken == [], "the functions take and give PostgreSQL's and pgvector's types, not hers of the same names"


def test_an_ordinary_role_may_install_it_and_gets_no_more_than_its_use(server: Server, app: Access):
    app.run("CREATE SCHEMA tools")
    app.run("CREATE EXTENSION memory_search SCHEMA tools")
    assert server.value(INSTALLED) == 1, "a role that may create in the database installs it, as a trusted extension"
    for change in [
        "ALTER FUNCTION tools.memory_search(jsonb) OWNER TO app",
        "ALTER FUNCTION tools.memory_search(jsonb) RESET search_path",
        "ALTER FUNCTION tools.memory_search(jsonb) SECURITY DEFINER",
        "CREATE OR REPLACE FUNCTION tools.memory_search(request jsonb) RETURNS jsonb LANGUAGE sql AS 'SELECT request'",
        "ALTER TYPE tools.memory_embedding OWNER TO app",
    ]:
        assert app.sqlstate(change) == "42501", f"it may not: {change}"
    app.run("DROP EXTENSION memory_search; DROP SCHEMA tools")


# --- A restored dump -------------------------------------------------------------------------------


def test_a_dump_is_restored_with_the_extension_in_a_schema_of_an_ordinary_role(server: Server):
    source = new_database(server, "source", "OWNER app", "CREATE EXTENSION vector").by(user="app")
    source.run("""
        CREATE SCHEMA tools; CREATE EXTENSION memory_search SCHEMA tools;
        SELECT tools.memory_create_store('s', 3);
        SELECT tools.memory_add('m', 'green tea', 'tea', 'a context', embedding => '[1,2,3]',
          creation_time => '2025-01-01Z', store => 's')""")
    search = """
        SELECT tools.memory_search('m', 'tea', embedding => '[1,2,3]',
          options => '{"asOf": "2025-06-01T00:00:00Z"}', store => 's')"""
    found = source.value(search)
    assert "green tea" in found, "the source finds its entry"
    by_superuser = new_database(server, "by_superuser")
    restore(server, by_superuser, server.program("pg_dump", access=server.by(database="source")))
    assert by_superuser.by(user="app").value(search) == found, "restored by the superuser: the same answer to the owner"

    server.by(database="postgres", user="keeper").run("CREATE DATABASE by_keeper")
    by_keeper = server.by(database="by_keeper")
    by_keeper.run("CREATE EXTENSION vector")
    dump = server.program("pg_dump", "--no-owner", "--no-privileges", access=server.by(database="source"))
    dump = re.sub("(?m)^(CREATE|COMMENT ON) EXTENSION( IF NOT EXISTS)? vector.*", "", dump)
    restore(server, by_keeper.by(user="keeper"), dump)
    same = by_keeper.by(user="keeper").value(search)
    assert same == found, "restored by another role without owners: the same answer to that role"
    assert by_keeper.by(user="app").sqlstate(search) == "42501", "and nothing to the one of before"
