"""Backups and restores: no present data are lost."""

import signal
import time
from pathlib import Path

import psycopg
import pytest
from conftest import DataFolder

ENTRIES = "SELECT entry_id, memory_id, raw_entry, creation_time, embedding::text FROM memory.entries ORDER BY entry_id"


@pytest.fixture
def filled(folder: DataFolder) -> DataFolder:
    """A server that runs, with entries, a context, history, a role and a setting of the database."""
    with folder.connect(folder.up()) as connection:
        connection.execute("SELECT memory_keep_history()")
        for number in range(20):
            connection.execute("SELECT memory_add('me', 'note ' || %s)", [number])
        connection.execute("SELECT memory_put_context('me', 'She plans a trip.')")
        connection.execute('CREATE ROLE "an app" LOGIN')
        connection.execute("""SELECT memory_grant('memory', 'an app', 'reader')""")
        connection.execute("ALTER DATABASE memory SET memory_search.max_top_ke = 7")
        connection.execute('ALTER ROLE "an app" IN DATABASE memory SET memory_search.max_top_ke = 9')
    return folder


def rows(folder: DataFolder) -> list[tuple]:
    """All entries."""
    with folder.connect(folder.up()) as connection:
        return connection.execute(ENTRIES).fetchall()


def test_a_backup_is_restored_into_a_new_folder(filled: DataFolder, tmp_path: Path) -> None:
    file = tmp_path / "memories.dump"
    said = filled.run("backup", str(file))
    assert said.status == 0, said.err
    assert oct(file.stat().st_mode)[-3:] == "600"
    assert [found.name for found in sorted(tmp_path.glob("memories.dump*"))] == ["memories.dump", "memories.dump.roles.sql"]
    other = DataFolder(tmp_path / "other", filled.environment)
    said = other.run("restore", str(file))
    assert said.status == 0, said.err
    assert rows(other) == rows(filled)
    with other.connect(other.up()) as connection:
        names = connection.execute("SELECT datname FROM pg_database WHERE datname LIKE 'memory%'").fetchall()
        assert names == [("memory",)], "an empty database is not kept"
        assert connection.execute("SHOW memory_search.max_top_ke").fetchone() == ("7",)
        assert connection.execute("SELECT count(*) FROM memory_search_entries('me', 'note 3')").fetchone()[0] > 0
        assert connection.execute("SELECT count(*) FROM memory.history").fetchone()[0] >= 20
        settings = connection.execute("SELECT setconfig FROM pg_db_role_setting WHERE setrole <> 0").fetchall()
        assert settings == [(["memory_search.max_top_ke=9"],)]
        connection.execute('SET ROLE "an app"')
        assert connection.execute("SELECT count(*) FROM memory_search_entries('me', 'note')").fetchone()[0] > 0
    other.remove()


def test_the_replaced_database_is_kept(filled: DataFolder, tmp_path: Path) -> None:
    file = tmp_path / "memories.dump"
    before = rows(filled)
    assert filled.run("backup", str(file)).status == 0
    with filled.connect(filled.up()) as connection:
        connection.execute("SELECT memory_add('me', 'newer than the backup')")
    after = rows(filled)
    said = filled.run("restore", str(file))
    assert said.status == 0 and "are in the database memory_before_" in said.err, said.err
    assert rows(filled) == before
    url = filled.up()
    with filled.connect(url) as connection:
        [(kept,)] = connection.execute("SELECT datname FROM pg_database WHERE datname LIKE 'memory_before%'").fetchall()
    with filled.connect(url.replace("/memory?", f"/{kept}?")) as connection:
        assert connection.execute(ENTRIES).fetchall() == after


def test_a_database_with_any_object_of_a_user_is_kept(folder: DataFolder, tmp_path: Path) -> None:
    file = tmp_path / "memories.dump"
    assert folder.run("backup", str(file)).status == 0
    folder.run("psql", "-c", "CREATE TABLE notes AS SELECT 'years of work' AS note")
    said = folder.run("restore", str(file))
    assert said.status == 0 and "are in the database memory_before_" in said.err, said.err


@pytest.mark.parametrize("content", [b"", b"no backup", b"PGDMP\x01\x10\x00rest"])
def test_a_file_that_is_no_backup_changes_nothing(filled: DataFolder, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "broken"
    file.write_bytes(content)
    before = rows(filled)
    said = filled.run("restore", str(file))
    assert said.status == 1 and "is no backup" in said.err and "Hint: " in said.err
    assert rows(filled) == before


def test_a_backup_that_ends_in_the_middle_changes_nothing(filled: DataFolder, tmp_path: Path) -> None:
    file = tmp_path / "memories.dump"
    assert filled.run("backup", str(file)).status == 0
    whole = file.read_bytes()
    before = rows(filled)
    for share in (0.5, 0.9, 0.99):
        file.write_bytes(whole[: int(len(whole) * share)])
        said = filled.run("restore", str(file))
        assert said.status == 1 and str(file) in said.err, said
        assert rows(filled) == before
    with filled.connect(filled.up()) as connection:
        names = connection.execute("SELECT datname FROM pg_database WHERE datname LIKE 'memory%'").fetchall()
    assert names == [("memory",)], "what was read in part is gone"


def test_a_restore_waits_for_no_connection_and_ends_none(filled: DataFolder, tmp_path: Path) -> None:
    file = tmp_path / "memories.dump"
    assert filled.run("backup", str(file)).status == 0
    with filled.connect(filled.up()) as connection:
        said = filled.run("restore", str(file))
        assert said.status == 1 and "other programs use the server (connections: 1)" in said.err
        assert connection.execute("SELECT count(*) FROM memory.entries").fetchone() == (20,)


def test_a_backup_replaces_no_file(filled: DataFolder, tmp_path: Path) -> None:
    file = tmp_path / "memories.dump"
    file.write_text("mine")
    said = filled.run("backup", str(file))
    assert said.status == 1 and "exists already" in said.err
    assert file.read_text() == "mine"
    assert [found.name for found in tmp_path.glob("memories.dump*")] == ["memories.dump"]
    (tmp_path / "other.dump.roles.sql").write_text("mine, too")
    said = filled.run("backup", str(tmp_path / "other.dump"))
    assert said.status == 1 and "other.dump.roles.sql" in said.err
    assert (tmp_path / "other.dump.roles.sql").read_text() == "mine, too"
    assert not (tmp_path / "other.dump").exists(), "it is known before anything is written"
    said = filled.run("backup", str(tmp_path / "nowhere/memories.dump"))
    assert said.status == 1 and "nowhere/memories.dump" in said.err


# pg_dump reads the first, pg_dumpall the second.
@pytest.mark.parametrize("relation", ["memory.entries", "pg_auth_members"])
def test_a_backup_that_is_stopped_leaves_no_file(filled: DataFolder, tmp_path: Path, relation: str) -> None:
    with psycopg.connect(filled.up()) as connection:
        connection.execute(f"LOCK TABLE {relation}")
        backup = filled.begin("backup", str(tmp_path / "memories.dump"))
        waits = "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)"
        end = time.monotonic() + 30
        while not connection.execute(waits).fetchone()[0]:
            assert time.monotonic() < end, "the program waits for the table"
        files = {path.suffix for path in tmp_path.glob("memories.dump*")}
        assert files == {".part"}, "none has its name before all are complete"
        backup.terminate()
        said = backup.communicate(timeout=30)[1]
    assert backup.returncode == 1 and "stopped before the end" in said, said
    assert list(tmp_path.glob("memories.dump*")) == []


def test_a_backup_outlives_a_signal_that_it_was_started_to_ignore(filled: DataFolder, tmp_path: Path) -> None:
    with psycopg.connect(filled.up()) as connection:
        connection.execute("LOCK TABLE memory.entries")
        before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
        backup = filled.begin("backup", str(tmp_path / "memories.dump"))
        signal.signal(signal.SIGHUP, before)
        waits = "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)"
        end = time.monotonic() + 30
        while not connection.execute(waits).fetchone()[0]:
            assert time.monotonic() < end, "pg_dump waits for the table"
        backup.send_signal(signal.SIGHUP)
        time.sleep(0.5)
    said = backup.communicate(timeout=60)[1]
    assert backup.returncode == 0, said
    assert (tmp_path / "memories.dump").exists()


def test_a_backup_is_written_while_others_write(filled: DataFolder, tmp_path: Path) -> None:
    with psycopg.connect(filled.up()) as connection:
        connection.execute("SELECT memory_add('me', 'not committed yet')")
        assert filled.run("backup", str(tmp_path / "memories.dump")).status == 0
