"""A function that changes a memory of a store with partitions is planned for the one partition that holds it, and has
all effects of a statement on the table: the triggers, rules, privileges and policies of the table count, and not those
of a partition."""

from collections.abc import Iterator

import pytest

from harness.server import Server, Session

# With the first number of partitions the server keeps plans; with the second one it plans each statement again.
FEW, MANY = 8, 20
IDS = "ARRAY[md5('1'), md5('2')]::uuid[]"
CALLS = {
    "touch": f"SELECT memory_touch('m1', {IDS}, store => 's')",
    "feedback": f"SELECT memory_feedback('m1', {IDS}, 1, store => 's')",
    "update": "SELECT memory_update('m1', md5('1')::uuid, importance => 7, store => 's')",
    "supersede": "SELECT memory_supersede('m1', md5('1')::uuid, md5('3')::uuid, store => 's')",
    "delete": f"SELECT memory_delete('m1', {IDS}, store => 's')",
    "restore": f"SELECT memory_restore('m1', {IDS}, store => 's')",
    "delete_where": """SELECT count(*) FROM memory_delete_where('m1', '{"userId": "u2"}', dry_run => false, store => 's')""",
    "add a key": "SELECT memory_add('m1', 'keyed', entry_key => 'k', store => 's')",
    "add a context": "SELECT memory_add('m1', 'with one', context => 'in Paris ' || random(), store => 's')",
}
ENTRIES = {"update", "supersede", "delete", "restore", "delete_where"}
COUNTS = {"touch", "feedback"}


@pytest.fixture(scope="module", params=[FEW, MANY])
def parted(request: pytest.FixtureRequest, server: Server) -> Server:
    server.run(f"""
        SET client_min_messages = warning;
        DROP SCHEMA IF EXISTS s, log CASCADE;
        SELECT memory_create_store('s', dimensions => 2, partitions => {request.param});
        CREATE SCHEMA log;
        CREATE TABLE log.seen (what text);
        CREATE FUNCTION log.see() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN INSERT INTO log.seen VALUES (TG_ARGV[0]); RETURN NULL; END $$;
        DO $$ BEGIN CREATE ROLE parted_writer; EXCEPTION WHEN duplicate_object THEN END $$;
        GRANT USAGE ON SCHEMA log TO parted_writer; GRANT INSERT ON log.seen TO parted_writer;
        SELECT memory_grant('s', 'parted_writer', 'writer')""")
    return server


@pytest.fixture
def session(parted: Server) -> Iterator[Session]:
    """A session that called every function often enough for the server to keep its plans."""
    parted.run("""
        TRUNCATE s.entries, s.contexts, s.entry_access, log.seen CASCADE;
        INSERT INTO s.entries (memory_id, entry_id, user_id, raw_entry)
          SELECT m, md5(n::text)::uuid, 'u' || n % 3, 'entry ' || n FROM generate_series(1, 9) n, unnest('{m1,m2,m3}'::text[]) m""")
    with parted.session() as session:
        for _ in range(7):
            for call in CALLS.values():
                session.run(call)
        again(session)
        yield session


def again(session: Session) -> None:
    """All entries are as before the calls."""
    session.run("UPDATE s.entries SET superseded_by = NULL, superseded_time = NULL, deletion_scheduled_time = NULL")


def partition_of(session: Session, table: str = "entries") -> str:
    number = session.value("SELECT DISTINCT split_part(tableoid::regclass::text, '_', 2) FROM s.entries WHERE memory_id = 'm1'")
    return f"s.{table}_{number}"


def seen(session: Session) -> list[str]:
    found = session.column("SELECT what FROM log.seen ORDER BY what")
    session.run("TRUNCATE log.seen")
    return found


@pytest.mark.parametrize("call", CALLS)
def test_a_call_changes_the_rows_of_its_memory_and_locks_no_other_partition(session: Session, call: str):
    before = session.rows("SELECT e.ctid, e.* FROM s.entries e WHERE memory_id <> 'm1' ORDER BY memory_id, entry_id")
    session.run("BEGIN")
    found = session.value(CALLS[call])
    locked = session.column("""
        SELECT DISTINCT c.relname::text FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
        WHERE l.pid = pg_backend_pid() AND c.relnamespace = 's'::regnamespace AND c.relispartition AND c.relkind = 'r'""")
    session.run("COMMIT")
    own = {partition_of(session, table).removeprefix("s.") for table in ("entries", "contexts", "entry_access")}
    assert set(locked) <= own, f"{call} locks {locked}"
    if call in ENTRIES | COUNTS and call != "restore":
        assert found not in (0, "0"), f"{call} changed nothing"
    after = session.rows("SELECT e.ctid, e.* FROM s.entries e WHERE memory_id <> 'm1' ORDER BY memory_id, entry_id")
    assert before == after, "other memories are as they were"


def test_each_memory_is_changed_after_any_other_partition(session: Session):
    for turn in range(3):
        for memory in ("m1", "m2", "m3"):
            touched = session.value(CALLS["touch"].replace("'m1'", f"'{memory}'"))
            updated = session.value(CALLS["update"].replace("'m1'", f"'{memory}'").replace("7", str(10 + turn)))
            assert (int(touched), int(updated)) == (2, 1), f"turn {turn}, {memory}"
    counts = session.rows("SELECT memory_id, access_count FROM s.entry_access WHERE memory_id <> 'm1' ORDER BY 1, 2")
    assert counts == [("m2", 3), ("m2", 3), ("m3", 3), ("m3", 3)], "the touches of each"
    assert session.column("SELECT DISTINCT importance FROM s.entries WHERE entry_id = md5('1')::uuid") == [12]


@pytest.mark.parametrize("timing", ["BEFORE", "AFTER"])
def test_statement_triggers_run_that_were_made_while_plans_were_kept(session: Session, timing: str):
    for table in ("entries", "entry_access", "contexts"):
        session.run(f"""
            CREATE TRIGGER seen {timing} INSERT OR UPDATE ON s.{table} FOR EACH STATEMENT
            EXECUTE FUNCTION log.see('{table}')""")
    said = {call: (session.run(sql), seen(session))[1] for call, sql in CALLS.items()}
    for call in CALLS:
        # An upsert of an existing row counts as an insertion and an update: both kinds of triggers run.
        table = "entries" if call in ENTRIES or call.startswith("add") else "entry_access"
        assert table in said[call], f"{call}: {said[call]}"
    assert "contexts" in said["add a context"]
    for table in ("entries", "entry_access", "contexts"):
        session.run(f"DROP TRIGGER seen ON s.{table}")
    for sql in CALLS.values():
        session.run(sql)
    assert seen(session) == [], "they are gone"


def test_statement_triggers_on_a_partition_do_not_run(session: Session):
    tables = [partition_of(session, table) for table in ("entries", "entry_access", "contexts")]
    for table in tables:
        session.run(f"""
            CREATE TRIGGER seen AFTER INSERT OR UPDATE ON {table} FOR EACH STATEMENT
            EXECUTE FUNCTION log.see('partition')""")
    for sql in CALLS.values():
        session.run(sql)
    assert seen(session) == [], "as by a statement on the table"
    for table in tables:
        session.run(f"DROP TRIGGER seen ON {table}")


def test_a_trigger_sends_a_row_to_another_partition(session: Session):
    session.run("""
        CREATE FUNCTION log.send() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN NEW.memory_id := 'sent ' || NEW.importance; RETURN NEW; END $$;
        CREATE TRIGGER send BEFORE UPDATE OF importance ON s.entries FOR EACH ROW EXECUTE FUNCTION log.send()""")
    for importance in range(1, 6):
        sent = CALLS["update"].replace("'1'", f"'{importance}'").replace("=> 7", f"=> {importance}")
        assert int(session.value(sent)) == 1, "the call changes it"
    places = session.rows("SELECT memory_id, tableoid FROM s.entries WHERE memory_id LIKE 'sent %'")
    assert len(places) == 5 and len({partition for _, partition in places}) > 1, f"they lie in {places}"
    session.run("DROP TRIGGER send ON s.entries; DROP FUNCTION log.send()")


def test_row_triggers_and_rules_run(session: Session):
    session.run("""
        CREATE TRIGGER seen AFTER UPDATE ON s.entries FOR EACH ROW EXECUTE FUNCTION log.see('row');
        CREATE RULE seen AS ON UPDATE TO s.entries DO ALSO INSERT INTO log.seen VALUES ('rule')""")
    session.run(CALLS["update"])
    assert seen(session) == ["row", "rule"], "a trigger of the rows of the table, and a rule"
    session.run("DROP TRIGGER seen ON s.entries; DROP RULE seen ON s.entries")
    session.run(CALLS["update"])
    assert seen(session) == [], "they are gone"


def test_privileges_of_the_table_count(parted: Server, session: Session):
    tables = {"entries": "update", "entry_access": "touch"}
    with parted.by(settings={"role": "parted_writer"}).session() as writer:
        for table, call in tables.items():
            sql, part = CALLS[call], partition_of(session, table)
            assert int(writer.value(sql)) > 0, "a writer may"
            parted.run(f"REVOKE UPDATE ON s.{table} FROM parted_writer; GRANT ALL ON {part} TO parted_writer")
            assert writer.sqlstate(sql) == "42501", f"{call} without UPDATE, with all on the partition"
            parted.run(f"REVOKE ALL ON {part} FROM parted_writer; GRANT UPDATE ON s.{table} TO parted_writer")
            assert int(writer.value(sql)) > 0, "with it again"
        parted.run("REVOKE UPDATE ON s.entries FROM parted_writer; GRANT UPDATE (summary) ON s.entries TO parted_writer")
        assert writer.sqlstate(CALLS["update"]) == "42501", "another column"
        parted.run("GRANT UPDATE (importance) ON s.entries TO parted_writer")
        assert int(writer.value(CALLS["update"])) == 1, "this column"
        parted.run("REVOKE UPDATE (summary, importance) ON s.entries FROM parted_writer")
        parted.run("GRANT UPDATE ON s.entries TO parted_writer")
        writer.run("BEGIN READ ONLY")
        assert writer.sqlstate(CALLS["touch"]) == "25006", "a transaction that only reads"
        writer.run("ROLLBACK")


# The condition of a policy, and the SQLSTATE of a change by each function.
POLICIES = {
    "of new rows": ("entries", "USING (true) WITH CHECK (importance < 5)", "update", "42501"),
    "of another memory, where it is so": (
        "entry_access",
        "USING (true) WITH CHECK (EXISTS (SELECT FROM s.entries a WHERE a.memory_id = 'm2' AND a.raw_entry = 'entry 9'))",
        "touch",
        None,
    ),
    "of another memory, where it is not": (
        "entry_access",
        "USING (true) WITH CHECK (EXISTS (SELECT FROM s.entries a WHERE a.memory_id = 'm2' AND a.raw_entry = 'none'))",
        "touch",
        "42501",
    ),
    "of any memory": (
        "entry_access",
        "USING (true) WITH CHECK ((SELECT count(DISTINCT a.memory_id) FROM s.entries a) = 3)",
        "feedback",
        None,
    ),
    "of old rows": ("entries", "USING (user_id = 'u0')", "update", 0),
    "of old rows, of another memory": (
        "entries",
        "USING ((SELECT count(*) FROM s.entry_access a WHERE a.memory_id = 'm3') = 0)",
        "supersede",
        1,
    ),
}


@pytest.mark.parametrize("name", POLICIES)
def test_a_policy_of_the_table_binds_changes_and_reads_all_its_rows(parted: Server, session: Session, name: str):
    table, policy, call, expected = POLICIES[name]
    with parted.by(settings={"role": "parted_writer"}).session() as writer:
        for _ in range(7):
            assert int(writer.value(CALLS[call])) > 0, "without the policy"
            again(session)
        session.run(f"ALTER TABLE s.{table} ENABLE ROW LEVEL SECURITY; CREATE POLICY asks ON s.{table} {policy}")
        for _ in range(7):
            if isinstance(expected, str):
                assert writer.sqlstate(CALLS[call]) == expected, f"a policy {name}"
            else:
                changed = int(writer.value(CALLS[call]))
                assert changed > 0 if expected is None else changed == expected, f"a policy {name}: {changed}"
        session.run(f"DROP POLICY asks ON s.{table}; ALTER TABLE s.{table} DISABLE ROW LEVEL SECURITY")


def test_a_partition_that_is_made_again_is_found(session: Session):
    part = partition_of(session)
    number = part.rsplit("_", 1)[1]
    modulus = session.value("SELECT count(*) FROM pg_inherits WHERE inhparent = 's.entries'::regclass")
    session.run(f"""
        TRUNCATE s.entries, s.contexts, s.entry_access CASCADE;
        ALTER TABLE s.entries DETACH PARTITION {part}; DROP TABLE {part} CASCADE;
        CREATE TABLE {part} PARTITION OF s.entries FOR VALUES WITH (MODULUS {modulus}, REMAINDER {number})""")
    assert int(session.value(CALLS["touch"])) == 0, "nothing is left of the memory"
    session.run("INSERT INTO s.entries (memory_id, entry_id, raw_entry) VALUES ('m1', md5('1')::uuid, 'tea')")
    assert int(session.value(CALLS["touch"])) == 1 and int(session.value(CALLS["update"])) == 1, "what came since is"
