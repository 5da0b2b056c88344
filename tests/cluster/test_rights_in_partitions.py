"""A role that may read the tables of a store with partitions reads a partition as the owner does, in the same few
statements. Privileges and policies on a partition itself neither permit nor prevent reads."""

import json
from collections.abc import Iterator

import pytest

from harness.elsewhere import Stores, difference
from harness.server import Server, Session

ASK = """
    SELECT memory_search('m1', 'tea in the garden', 10, 2, store => 'parts8',
      options => '{"asOf": "2025-06-01T00:00:00Z", "boosts": {"popularity": 0.2}}')"""
READ = """
    SELECT jsonb_agg(to_jsonb(l) - 'embedding') FROM memory_list('m1', store => 'parts8') l"""
TABLES = ("entries", "contexts", "entry_access")


@pytest.fixture(scope="module")
def stores(server: Server) -> Stores:
    stores = Stores(server)
    stores.add("partitioned", store="parts8", parts=8)
    stores.make_reader()
    for store in ("plain", "parts8"):
        server.run(f"SELECT memory_grant('{store}', 'elsewhere_reader')")
    server.run("GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA elsewhere TO elsewhere_reader")
    return stores


@pytest.fixture
def reader(stores: Stores) -> Iterator[Session]:
    """A session of the reader that has searched so often that its plans are kept."""
    with stores.reader("u1").session() as session:
        session.run(f"PREPARE ask AS {ASK}; PREPARE read AS {READ}")
        for _ in range(8):
            session.run("EXECUTE ask; EXECUTE read")
        yield session


def parts_of(server: Server, memory: str = "m1") -> dict[str, str]:
    """The partition of each table that holds a memory."""
    remainder = server.value(f"""
        SELECT DISTINCT right(c.relname, 1) FROM parts8.entries e JOIN pg_class c ON c.oid = e.tableoid
        WHERE e.memory_id = '{memory}'""")
    return {table: f"parts8.{table}_{remainder}" for table in TABLES}


def test_a_granted_role_finds_what_the_owner_finds_and_locks_no_more(server: Server, stores: Stores):
    reader = stores.reader("u1")
    assert stores.differences("parts8", by=reader) == [], "the same bytes, other functions too"
    generic = reader.by(settings={"plan_cache_mode": "force_generic_plan"})
    assert stores.difference("parts8", by=generic) == "", "generic plans"
    locks = []
    for access in (server.access, reader):
        with access.session() as session:
            locks.append(locked(session, ASK))
    # Planning a statement for a table also locks its ten indexes.
    assert locks[0] == locks[1], "the relations that a search locks"
    assert not any(lock.endswith("_recent") for lock in locks[1]), f"no index of a whole table: {locks[1]}"


def test_a_prepared_search_follows_revoked_privileges(server: Server, reader: Session):
    answer, listed = reader.value("EXECUTE ask"), reader.value("EXECUTE read")
    assert '"rawEntry"' in answer and '"contextId"' in answer, "entries and contexts are found"
    for table in TABLES:
        server.run(f"REVOKE SELECT ON parts8.{table} FROM elsewhere_reader")
        assert reader.sqlstate("EXECUTE ask") == "42501", f"without {table}"
        # Privileges on partitions are none on their table.
        server.run(f"GRANT SELECT ON {parts_of(server)[table]} TO elsewhere_reader")
        assert reader.sqlstate("EXECUTE ask") == "42501", f"without {table}, with its partition"
        server.run(f"REVOKE SELECT ON {parts_of(server)[table]} FROM elsewhere_reader")
        server.run(f"GRANT SELECT ON parts8.{table} TO elsewhere_reader")
        assert reader.value("EXECUTE ask") == answer, f"with {table} again"
    server.run("REVOKE SELECT ON parts8.entries FROM elsewhere_reader")
    assert reader.sqlstate("EXECUTE read") == "42501", "a list without entries"
    server.run("GRANT SELECT ON parts8.entries TO elsewhere_reader")
    assert reader.value("EXECUTE read") == listed, "with them again"
    server.run("REVOKE USAGE ON SCHEMA parts8 FROM elsewhere_reader")
    assert reader.sqlstate("EXECUTE ask") == "42501", "without the schema"
    server.run("GRANT USAGE ON SCHEMA parts8 TO elsewhere_reader")
    assert reader.value("EXECUTE ask") == answer, "with the schema again"


def test_a_prepared_search_follows_created_and_dropped_policies(server: Server, reader: Session):
    answer, listed = reader.value("EXECUTE ask"), reader.value("EXECUTE read")
    parts = parts_of(server)
    for table in TABLES:
        server.run(f"ALTER TABLE {parts[table]} ENABLE ROW LEVEL SECURITY")
        assert reader.value("EXECUTE ask") == answer, f"a partition of {table} that lets nothing through says nothing"
        assert reader.value("EXECUTE read") == listed, f"nor to a list"
        off = "SET LOCAL row_security = off"
        reader.run(f"BEGIN; {off}")
        assert reader.value("EXECUTE ask") == answer, f"nor where policies of {table} would be errors"
        reader.run("ROLLBACK")
        server.run(f"ALTER TABLE {parts[table]} DISABLE ROW LEVEL SECURITY")
    server.run("""
        ALTER TABLE parts8.entries ENABLE ROW LEVEL SECURITY;
        CREATE POLICY few ON parts8.entries USING (user_id = 'u1')""")
    found = reader.value("SELECT (" + ASK.strip().removeprefix("SELECT") + ") -> 'entries'")
    assert '"userId": "u1"' in found and '"userId": "u2"' not in found, f"a policy of the table: {found[:300]}"
    reader.run("BEGIN; SET LOCAL row_security = off")
    assert reader.sqlstate("EXECUTE ask") == "42501", "a policy that may not bind is an error"
    reader.run("ROLLBACK")
    server.run("DROP POLICY few ON parts8.entries")
    found = reader.value("SELECT (" + ASK.strip().removeprefix("SELECT") + ") -> 'entries'")
    assert found == "[]", "without it, nothing"
    server.run("ALTER TABLE parts8.entries DISABLE ROW LEVEL SECURITY")
    assert reader.value("EXECUTE ask") == answer, "as before"
    server.run("""
        ALTER TABLE parts8.contexts ENABLE ROW LEVEL SECURITY;
        ALTER TABLE parts8.entry_access ENABLE ROW LEVEL SECURITY""")
    without = reader.value("EXECUTE ask")
    assert '"rawEntry"' in without and '"contextId"' not in without, "contexts have policies of their own"
    server.run("""
        ALTER TABLE parts8.contexts DISABLE ROW LEVEL SECURITY;
        ALTER TABLE parts8.entry_access DISABLE ROW LEVEL SECURITY""")
    assert reader.value("EXECUTE ask") == answer, "as before"


def locked(session: Session, search: str) -> list[str]:
    """The relations that a search with kept plans locks."""
    for _ in range(8):
        session.run(search)
    session.run(f"BEGIN; {search}")
    locks = session.column("""
        SELECT DISTINCT relation::regclass::text FROM pg_locks
        WHERE pid = pg_backend_pid() AND locktype = 'relation' AND relation >= 16384 ORDER BY 1""")
    session.run("COMMIT")
    return locks


def test_under_policies_a_search_gives_the_same_and_locks_no_more_than_the_owners(server: Server, stores: Stores):
    reader, options = stores.reader("u1"), "options => '{\"boosts\": {\"popularity\": 0.2}}'"
    search = f"SELECT memory_search('m1', 'tea in the garden', 10, 2, store => 'parts8', {options})"
    with server.access.session() as session:
        owners = locked(session, search)
    for store in ("plain", "parts8"):
        stores.secure(store)
    of_user = {kind: stores.said("plain", kind, by=reader) for kind in ("answers", "explanations")}
    for kind, said in of_user.items():
        assert '"userId": "u1"' in str(said) and '"userId": "u2"' not in str(said), f"{kind} of one user"
        assert difference(said, stores.said("parts8", kind, by=reader)) == "", f"{kind}: the bytes of a plain store"
    with reader.session() as session:
        locks = locked(session, search)
    tables = [{lock.split("_")[0] for lock in found} for found in (locks, owners)]
    assert tables[0] == tables[1], "the same tables"
    parts = [lock for lock in locks if lock.removeprefix("parts8.").rstrip("0123456789").endswith("_")]
    named = sorted(parts_of(server).values())
    assert sorted(parts) == named, "one partition of each, though a policy asks entries again"
    assert not any(lock.endswith(("_recent", "_expiring")) for lock in locks), f"no index of a whole table: {locks}"
    for store in ("plain", "parts8"):
        server.run("".join(f"""
            DROP POLICY memory_search_user ON {store}.{table};
            ALTER TABLE {store}.{table} DISABLE ROW LEVEL SECURITY;""" for table in TABLES))


def test_the_setting_that_names_the_user_may_change_between_searches(server: Server, stores: Stores):
    users = "SELECT jsonb_path_query_array((" + ASK.strip().removeprefix("SELECT") + "), '$.entries[*].userId')"
    stores.secure("parts8")
    with stores.reader("u1").session() as session:
        session.run("SET elsewhere.other_user = 'u2'")
        assert set(json.loads(session.value(users))) == {"u1"}, "by the first setting"
        server.run("SELECT memory_enable_row_security('parts8', 'elsewhere.other_user')")
        assert set(json.loads(session.value(users))) == {"u2"}, "by the second"
        server.run("SELECT memory_enable_row_security('parts8')")
        assert set(json.loads(session.value(users))) == {"u1"}, "by the first again"
    server.run("".join(f"""
        DROP POLICY memory_search_user ON parts8.{table};
        ALTER TABLE parts8.{table} DISABLE ROW LEVEL SECURITY;""" for table in TABLES))


# The table of a policy, and its condition. A policy on contexts may read entries; one on entries that reads entries
# would be a recursion. The entries that are as long as a context's day says differ from memory to memory.
LENGTH = "length(a.raw_entry) = (60 + 3 * extract(day FROM contexts.creation_time))::int"
POLICIES = {
    "of another memory": (
        "contexts",
        f"EXISTS (SELECT FROM {{s}}.entries a WHERE a.memory_id = 'm2' AND {LENGTH})",
    ),
    "of any other memory": (
        "contexts",
        f"EXISTS (SELECT FROM {{s}}.entries a WHERE a.memory_id <> contexts.memory_id AND {LENGTH})",
    ),
    "of the same memory or another": (
        "contexts",
        f"EXISTS (SELECT FROM {{s}}.entries a"
        f" WHERE (a.memory_id = contexts.memory_id OR a.memory_id = 'm2') AND {LENGTH})",
    ),
    "joined to another memory": (
        "contexts",
        "EXISTS (SELECT FROM {s}.entries b JOIN {s}.entries a USING (user_id)"
        f" WHERE b.memory_id = contexts.memory_id AND a.memory_id = 'm2' AND {LENGTH})",
    ),
    "of the same memory": (
        "contexts",
        f"EXISTS (SELECT FROM {{s}}.entries a WHERE a.memory_id = contexts.memory_id AND {LENGTH})",
    ),
    "of a whole row": ("entries", "to_jsonb(entries) ->> 'user_id' = 'u1'"),
}


@pytest.mark.parametrize("name", POLICIES)
def test_a_policy_reads_the_rows_of_all_partitions(server: Server, stores: Stores, name: str):
    table, asks = POLICIES[name]
    answers = []
    for store in ("plain", "parts8"):
        # The index is for the policies, which ask for each context of a search: without it they read all entries.
        server.run(f"""
            CREATE INDEX for_policies ON {store}.entries (length(raw_entry), memory_id);
            ANALYZE {store}.entries;
            ALTER TABLE {store}.{table} ENABLE ROW LEVEL SECURITY;
            CREATE POLICY asks ON {store}.{table} USING ({asks.format(s=store)})""")
        answers.append(stores.said(store, by=stores.reader("u1")))
        server.run(f"""
            DROP POLICY asks ON {store}.{table};
            ALTER TABLE {store}.{table} DISABLE ROW LEVEL SECURITY;
            DROP INDEX {store}.for_policies""")
    assert difference(*answers) == "", f"a policy {name}"
    shown = '"contextId"' if table == "contexts" else '"rawEntry"'
    assert shown in str(answers[0]) and answers[0] != stores.kept["answers"], "it hides some, and not all"


def test_privileges_on_columns_of_the_table_count(server: Server, stores: Stores, reader: Session):
    answer = reader.value("EXECUTE ask")
    columns = server.value("""
        SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute
        WHERE attrelid = 'parts8.contexts'::regclass AND attnum > 0 AND attname <> 'context'""")
    server.run(f"""
        REVOKE SELECT ON parts8.contexts FROM elsewhere_reader;
        GRANT SELECT ({columns}) ON parts8.contexts TO elsewhere_reader;
        GRANT SELECT (context) ON {parts_of(server)["contexts"]} TO elsewhere_reader""")
    assert reader.sqlstate("EXECUTE ask") == "42501", "without a column, which is granted on the partition"
    server.run("GRANT SELECT (context) ON parts8.contexts TO elsewhere_reader")
    assert reader.value("EXECUTE ask") == answer, "with all columns, each by itself"
    server.run(f"""
        REVOKE SELECT (context) ON {parts_of(server)["contexts"]} FROM elsewhere_reader;
        GRANT SELECT ON parts8.contexts TO elsewhere_reader""")


def test_missing_privileges_on_a_partition_prevent_no_read(server: Server, stores: Stores):
    server.run("""
        CREATE ROLE elsewhere_owner;
        GRANT CREATE ON DATABASE scratch TO elsewhere_owner""")
    owner = server.by(settings={"role": "elsewhere_owner"})
    owner.run("""
        SELECT memory_create_store('owned', 8, partitions => 4);
        SELECT memory_add('m', 'A hotel by the sea', context => 'They travel.', store => 'owned')""")
    search = """
        SELECT memory_search('m', 'hotel', store => 'owned', options => '{"asOf": "2040-01-01T00:00:00Z"}')"""
    before = owner.value(search)
    assert '"rawEntry"' in before, "the entry is found"
    for table in TABLES:
        for number in range(4):
            owner.run(f"REVOKE ALL ON owned.{table}_{number} FROM elsewhere_owner")
    assert owner.value(search) == before, "without the partitions"
    owner.run("REVOKE SELECT ON owned.contexts FROM elsewhere_owner")
    assert owner.sqlstate(search) == "42501", "without a table"


def test_a_function_that_a_search_calls_reads_no_partition_by_the_rights_of_the_search(server: Server, reader: Session):
    part = parts_of(server)["entries"]
    server.run(f"""
        CREATE FUNCTION elsewhere.peek(query text, entries text[]) RETURNS real[] LANGUAGE plpgsql AS $$
          BEGIN RETURN array_fill((SELECT count(*) / 1000.0 FROM {part})::real, ARRAY[cardinality(entries)]); END $$;
        GRANT EXECUTE ON FUNCTION elsewhere.peek TO elsewhere_reader""")
    options = '\'{"rerank": "elsewhere.peek"}\''
    search = f"SELECT memory_search('m1', 'tea in the garden', store => 'parts8', options => {options})"
    server.run(search)
    error = reader.error(search)
    assert error.sqlstate == "42501" and "permission denied for table" in str(error), "the function is the reader's"
    assert reader.sqlstate(f"SELECT count(*) FROM {part}") == "42501", "as he is by himself"


def test_a_partition_in_a_schema_that_the_reader_may_not_use_is_read_through_its_table(server: Server, reader: Session):
    answer, part = reader.value("EXECUTE ask"), parts_of(server)["entries"]
    server.run(f"CREATE SCHEMA hidden; ALTER TABLE {part} SET SCHEMA hidden")
    assert reader.value("EXECUTE ask") == answer, "in a schema that the reader may not use"
    moved = part.replace("parts8.", "hidden.")
    server.run(f"ALTER TABLE {moved} SET SCHEMA parts8; DROP SCHEMA hidden")
    assert reader.value("EXECUTE ask") == answer, "as before"
