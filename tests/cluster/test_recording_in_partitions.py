"""History and notifications of a store with partitions are the same as without partitions, for rows written through the
table and for rows written directly into a partition."""

from pathlib import Path

import pytest

from harness.server import Server

SQL = Path(__file__).parents[1] / "sql"
# The writes to both stores, in this order.
WRITES = [
    "INSERT INTO {store}.entries (memory_id, entry_id, user_id, raw_entry) "
    "SELECT 'm' || n % 9, md5(n::text)::uuid, 'u' || n % 2, 'row ' || n FROM generate_series(1, 60) n",
    "INSERT INTO {store}.entries (memory_id, raw_entry) SELECT 'many', 'x' FROM generate_series(1, 120)",
    "UPDATE {store}.entries SET importance = 90 WHERE raw_entry LIKE 'row %3'",
    "UPDATE {store}.entries SET memory_id = 'moved' || memory_id WHERE raw_entry IN ('row 5', 'row 6', 'row 7')",
    "SELECT memory_supersede('m1', md5('1')::uuid, md5('10')::uuid, store => '{store}')",
    "SELECT memory_delete('m2', ARRAY[md5('2'), md5('11')]::uuid[], store => '{store}')",
    "SELECT memory_touch('m3', ARRAY[md5('3')::uuid], store => '{store}')",
    "SELECT memory_reembed('m3', store => '{store}')",
    "SELECT memory_purge(now() + interval '1 day', store => '{store}')",
    "SELECT memory_forget_user('u0', store => '{store}')",
    "DELETE FROM {store}.entries WHERE raw_entry LIKE 'row 2%'",
]
HISTORY = """
    SELECT h.memory_id, e.raw_entry, h.operation, h.user_id,
      h.before - '{{entry_id,creation_time,superseded_time}}'::text[]
    FROM {store}.history h JOIN {store}.entries e USING (memory_id, entry_id)
    WHERE h.memory_id <> 'many' ORDER BY h.memory_id, e.raw_entry, h.history_id"""
TRIGGERS = """
    SELECT count(*) FROM pg_trigger WHERE tgrelid::regclass::text LIKE '{store}.%' AND tgname LIKE 'memory_search_%'"""
DOCTOR = """
    SELECT name, status, detail, fix FROM memory_doctor('{store}')
    WHERE name IN ('history', 'notifications') ORDER BY 1"""


@pytest.fixture
def stores(server: Server) -> Server:
    server.run("""
        DROP SCHEMA IF EXISTS plain, parts CASCADE;
        SELECT memory_create_store('plain'), memory_create_store('parts', partitions => 4);
        SELECT memory_keep_history(s), memory_notify(s, 'changes_of_' || s) FROM unnest('{plain,parts}'::text[]) s""")
    return server


def test_what_is_said_of_a_plain_stores_history_is_so_with_partitions(server: Server):
    script, make = (SQL / "sql/history.sql").read_text(), "memory_create_store(dimensions => 4)"
    assert script.count(make) == 1, "the store of that test is made once"
    said = []
    for statement in (make, make.replace("4)", "4, partitions => 4)")):
        server.run("CREATE DATABASE of_history")
        access = server.by(database="of_history")
        try:
            access.run("CREATE EXTENSION memory_search CASCADE")
            arguments = ["-X", "-a", "-q", "-f", SQL / "helpers.sql"]
            server.psql(*arguments, access=access)
            text = script.replace(make, statement)
            said.append(server.psql("-X", "-q", access=access, stdin=text).replace(statement, make))
        finally:
            server.run("DROP DATABASE of_history")
    # Entries and four partitions have two triggers each.
    assert "9 of 10 triggers" in said[1], "one that is disabled is missed"
    expected = said[0].replace("1 of 2 triggers", "9 of 10 triggers")
    assert "superseded" in expected and expected == said[1], "the output of tests/sql/sql/history.sql"


def test_all_changes_are_recorded_and_notified_as_without_partitions(stores: Server):
    kept, told = {}, {}
    for store in ("plain", "parts"):
        with stores.session() as listener:
            listener.run(f"LISTEN changes_of_{store}")
            for write in WRITES:
                stores.run(write.format(store=store))
            heard = [note.payload for note in listener.connection.notifies(timeout=1)]
        ids = dict(stores.rows(f"SELECT entry_id::text, raw_entry FROM {store}.entries WHERE raw_entry LIKE 'row %'"))
        told[store] = sorted(note.replace(f'"{store}"', '""') for note in heard)
        kept[store] = stores.rows(HISTORY.format(store=store))
        assert ids, "rows are left"
    assert kept["plain"] == kept["parts"], "the history"
    operations = {operation for _, _, operation, _, _ in kept["plain"]}
    assert operations >= {"added", "changed", "superseded"}, f"of {operations}"
    moved = [row for row in kept["parts"] if row[0] == "movedm5" and row[1] == "row 5"]
    assert [row[2] for row in moved] == ["added", "changed"], "an entry's history goes along to another partition"
    assert '"memory_id": "m5"' in moved[1][4], "and says where it was"
    assert told["plain"] == told["parts"], "what listeners hear"
    assert any('"removed"' in note for note in told["parts"]) and any('"count"' in note for note in told["parts"])


def test_rows_written_directly_into_a_partition_are_recorded(stores: Server):
    stores.run("INSERT INTO parts.entries (memory_id, entry_id, raw_entry) VALUES ('m', md5('1')::uuid, 'tea')")
    part = stores.value("SELECT tableoid::regclass::text FROM parts.entries")
    with stores.session() as listener:
        listener.run("LISTEN changes_of_parts")
        stores.run(f"INSERT INTO {part} (memory_id, entry_id, raw_entry) VALUES ('m', md5('2')::uuid, 'milk')")
        stores.run(f"UPDATE {part} SET importance = 7")
        stores.run(f"DELETE FROM {part} WHERE raw_entry = 'milk'")
        stores.run(f"TRUNCATE {part} CASCADE")
        heard = [note.payload for note in listener.connection.notifies(timeout=1)]
    said = [word for note in heard for word in ("added", "changed", "removed", "truncated") if f'"{word}"' in note]
    assert said == ["added", "changed", "changed", "removed", "truncated"], f"each statement is told: {heard}"
    stores.run(f"INSERT INTO {part} (memory_id, entry_id, raw_entry) VALUES ('m', md5('3')::uuid, 'bread')")
    stores.run(f"UPDATE {part} SET importance = 8")
    kept = stores.column("SELECT operation FROM memory_history('m', md5('3')::uuid, store => 'parts')")
    assert kept == ["changed", "added"], "and kept"


def test_the_doctor_reports_a_later_partition_until_it_has_triggers(stores: Server):
    status = {name: status for name, status, *_ in stores.rows(DOCTOR.format(store="parts"))}
    assert status == {"history": "ok", "notifications": "ok"}, "all is well"
    stores.run("""
        ALTER TABLE parts.entries DETACH PARTITION parts.entries_3;
        DROP TABLE parts.entries_3;
        CREATE TABLE parts.entries_3 PARTITION OF parts.entries FOR VALUES WITH (MODULUS 4, REMAINDER 3)""")
    for name, status, detail, fix in stores.rows(DOCTOR.format(store="parts")):
        assert status == "warning" and "some changes are missed" in detail, f"{name}: {detail}"
        stores.run(fix)
    assert {status for _, status, *_ in stores.rows(DOCTOR.format(store="parts"))} == {"ok"}, "its fixes make them"


def test_a_granted_writer_writes_history_and_policies_hold_in_it(stores: Server):
    stores.run("""
        DO $$ BEGIN CREATE ROLE parts_writer; EXCEPTION WHEN duplicate_object THEN END $$;
        SELECT memory_grant('parts', 'parts_writer', 'writer');
        SELECT memory_enable_row_security('parts')""")
    for user in ("ann", "bob"):
        writer = stores.by(settings={"role": "parts_writer", "memory_search.user_id": user})
        writer.run(f"SELECT memory_add('m', 'of {user}', user_id => '{user}', entry_id => md5('{user}')::uuid, "
                   "store => 'parts')")
        assert writer.value("SELECT count(*) FROM parts.history") == 1, f"{user} sees what is his"
    assert stores.value("SELECT count(*) FROM parts.history") == 2, "the owner sees both"


def test_partitions_whose_triggers_would_miss_changes_are_refused(stores: Server):
    stores.run("CREATE SCHEMA elsewhere; ALTER TABLE parts.entries_2 SET SCHEMA elsewhere")
    for call in ("memory_keep_history('parts')", "memory_notify('parts')"):
        error = stores.error(f"SELECT {call}")
        assert error.sqlstate == "0A000" and "elsewhere.entries_2 is in another" in str(error), f"{call}: {error}"
    stores.run("ALTER TABLE elsewhere.entries_2 SET SCHEMA parts; DROP SCHEMA elsewhere")
    stores.run("SELECT memory_keep_history('parts'), memory_notify('parts')")


def test_disabling_leaves_no_trigger_and_the_store_can_be_dropped(stores: Server):
    assert stores.value(TRIGGERS.format(store="parts")) == 5 * stores.value(TRIGGERS.format(store="plain")) == 5 * 6
    stores.run("SELECT memory_keep_history('parts', enabled => false), memory_notify('parts', enabled => false)")
    assert stores.value(TRIGGERS.format(store="parts")) == 0, "no trigger is left"
    functions = """
        SELECT count(*) FROM pg_proc WHERE pronamespace = 'parts'::regnamespace AND prorettype = 'trigger'::regtype"""
    assert stores.value(functions) == 0, "nor a function"
    stores.run("SELECT memory_keep_history('parts'), memory_notify('parts')")
    stores.run("SELECT memory_add('m', 'tea', store => 'parts')")
    stores.run("SELECT memory_drop_store('parts', force => true)")
    assert stores.value("SELECT to_regnamespace('parts')") is None, "nothing is left of the store"
