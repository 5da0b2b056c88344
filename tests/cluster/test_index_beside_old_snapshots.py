"""A memory index that was made while older transactions ran is used when they have ended, without REINDEX."""

import json

from harness.server import Server


def test_an_index_without_old_versions_is_read_when_no_snapshot_needs_them(server: Server):
    server.run("""
        SELECT memory_create_store('old', 8);
        INSERT INTO old.entries (memory_id, raw_entry) SELECT 'm', 'a note of tea ' || n FROM generate_series(1, 40) n;
        DROP INDEX old.entries_memory;
        ALTER TABLE old.entries SET (fillfactor = 40)""")
    server.run("VACUUM FULL old.entries")
    made_anew = server.value("SELECT fix FROM memory_doctor('old') WHERE name = 'index of searches'")

    def way() -> str:
        answer = server.value("""SELECT memory_search('m', 'tea', store => 'old', options => '{"diagnostics": true}')""")
        return json.loads(answer)["diagnostics"]["reads"][0]["path"]

    def said() -> tuple:
        return server.row("SELECT status, detail, fix FROM memory_doctor('old') WHERE name = 'index of searches'")

    with server.session() as older:
        older.run("BEGIN")
        assert older.value("SELECT pg_current_xact_id() IS NOT NULL"), "an older transaction runs"
        # A HOT update, of a column that no index has now, and that the memory index will have.
        server.run("UPDATE old.entries SET importance = 60 WHERE entry_order % 2 = 0")
        server.run(made_anew.replace(" CONCURRENTLY", ""))
        flag = "SELECT indcheckxmin FROM pg_index WHERE indexrelid = 'old.entries_memory'::regclass"
        assert server.value(flag), "the index lacks versions of rows"
        assert way() == "table", "the rows are read themselves"
        status, detail, fix = said()
        assert status == "warning" and "until these transactions have ended" in detail, "the doctor says why"
        assert fix is None, "and that there is nothing to do but to wait"
        older.run("COMMIT")
    assert server.value(flag), "without another REINDEX"
    assert way() == "memory index", "the index is read"
    assert said()[0] == "ok", "and the doctor is content"
