"""Faults of `memory-search follow`: its message, the repair by `--again`, and the objects that `unfollow` leaves."""

import pytest

from harness import follow
from harness.follow import Pair
from harness.server import Server, Servers

COLUMNS = "id, tenant_id, title::text, body, kind::text, tags, made, place"


@pytest.fixture(scope="module")
def pair(servers: Servers) -> Pair:
    """One that follows."""
    pair = follow.start(servers)
    pair.follow("--title", "title", "--text", "body")
    return pair


def test_a_changed_schema_of_the_source_is_reported_and_followed_again(pair: Pair):
    pair.follower.run("""
        CREATE ROLE reader LOGIN; SELECT memory_grant('documents_memory', 'reader');
        SELECT memory_put_context('t1', 'they like hotels', store => 'documents_memory')""")
    pair.source.run("ALTER TABLE documents ADD COLUMN place text; UPDATE documents SET place = 'here' WHERE id % 2 = 0")
    pair.catch_up()
    assert pair.done("follow", "--status").code == 0, "a column more changes nothing"
    refused = pair.source.error("ALTER TABLE documents DROP COLUMN price")
    assert refused.sqlstate == "2BP01" and "publication" in str(refused), "a column that is followed is not lost unseen"

    pair.source.run("""
        ALTER PUBLICATION memory_search_documents SET TABLE documents (id, tenant_id, body);
        ALTER TABLE documents DROP COLUMN price; ALTER TABLE documents ALTER COLUMN title TYPE varchar(9000);
        UPDATE documents SET tags = '{new}' WHERE id % 3 = 0""")
    said = pair.run("follow", "--status")
    assert said.code == 1 and 'no column "price"' in said.out and "publication" in said.out, said.out
    assert "follow --again" in said.out
    again = pair.done("follow", "--again").err
    assert "copied anew" in again and 'no column "price"' in again
    assert pair.differing_rows(COLUMNS) == 0, "the new columns are there, and all rows"
    assert pair.follower.value("SELECT count(*) FROM documents_memory.contexts") == 1, "contexts were kept"
    reader = pair.follower.by(user="reader")
    assert reader.value("SELECT memory_search('t1', 'hotel', store => 'documents_memory')->>'count'") != "0"
    assert pair.follower.column("SELECT relname::text FROM pg_class WHERE relname ~ 'before'") == []
    assert pair.done("follow", "--status").code == 0


def test_a_lost_slot_is_reported_and_no_row_is_lost(pair: Pair):
    pair.follower.run("ALTER SUBSCRIPTION memory_search_documents DISABLE")
    pair.source.until("SELECT NOT active FROM pg_replication_slots", "the slot is free")
    pair.source.run("SELECT pg_drop_replication_slot('memory_search_documents')")
    pair.source.run(
        "UPDATE documents SET body = 'between ' || id WHERE id % 5 = 0; DELETE FROM documents WHERE id % 7 = 0"
    )
    said = pair.run("follow", "--status")
    assert said.code == 1 and "slot memory_search_documents is gone" in said.out and "disabled" in said.out
    pair.done("follow", "--again")
    assert pair.differing_rows(COLUMNS) == 0

    # The source removes WAL that the slot needs, because the follower is behind by more than the source keeps.
    pair.follower.run("ALTER SUBSCRIPTION memory_search_documents DISABLE")
    set_later(pair.source, "SET max_slot_wal_keep_size = '1MB'")
    pair.source.until("SELECT NOT active FROM pg_replication_slots", "the slot is free")
    pair.source.run("UPDATE documents SET body = 'lost ' || id WHERE id % 11 = 0")
    for _ in range(3):
        pair.source.run("SELECT pg_switch_wal()")
        pair.source.run("CHECKPOINT")
    said = pair.run("follow", "--status")
    assert said.code == 1 and "removed a part of its log" in said.out, said.out
    pair.done("follow", "--again")
    assert pair.differing_rows(COLUMNS) == 0
    set_later(pair.source, "RESET max_slot_wal_keep_size")


def set_later(server: Server, setting: str) -> None:
    server.run(f"ALTER SYSTEM {setting}")
    server.run("SELECT pg_reload_conf()")


def test_the_follower_waits_for_a_source_that_is_down(pair: Pair):
    pair.source.stop("immediate")
    said = pair.run("follow", "--status")
    assert said.code == 1 and "the source cannot be reached" in said.out, said.out
    kept = pair.refused("unfollow", "--force")
    assert "Nothing was removed" in kept and "pg_drop_replication_slot" in kept
    assert len(pair.follower.column("SELECT subname::text FROM pg_subscription")) == 1, "nothing was removed"
    assert "the source cannot be reached" in pair.refused("follow", pair_url_of_nobody(), "--table", "documents")
    pair.source.start()
    pair.done("follow", pair.url, "--again")
    pair.source.run("INSERT INTO documents (tenant_id, body) VALUES ('own', 'back again')")
    pair.catch_up()
    assert pair.found("own", "back again")[:1] == ["back again"], "at its new address"


def pair_url_of_nobody() -> str:
    return "host=/tmp/memory_search-nobody user=postgres dbname=scratch"


def test_an_error_of_applying_is_reported_and_following_continues_after_its_repair(pair: Pair):
    """A full disk of the follower has the same effect: the worker fails, and tries again."""
    pair.follower.run("ALTER TABLE documents ADD CONSTRAINT small CHECK (length(body) < 20000)")
    pair.source.run("INSERT INTO documents (tenant_id, body) VALUES ('own', repeat('x', 30000))")
    pair.follower.until("SELECT apply_error_count > 0 FROM pg_stat_subscription_stats", "the worker fails")
    said = pair.run("follow", "--status")
    assert said.code == 1 and "the follower's log says why" in said.out, said.out
    pair.follower.run("ALTER TABLE documents DROP CONSTRAINT small")
    pair.catch_up()
    assert pair.done("follow", "--status").code == 0


def test_a_restored_or_promoted_source_is_distinguished_from_the_copied_one(pair: Pair, servers: Servers):
    backup = pair.source.folder / "backup"
    pair.source.control("stop")
    pair.source.as_server_user("cp", "-a", pair.source.data, backup)
    pair.source.control("start")
    pair.source.run("UPDATE documents SET body = 'after the backup ' || id WHERE id % 13 = 0")
    pair.catch_up()
    pair.source.control("stop")
    pair.source.as_server_user("rm", "-r", pair.source.data)
    pair.source.as_server_user("mv", backup, pair.source.data)
    pair.source.control("start")
    said = pair.run("follow", "--status")
    assert said.code == 1 and "restored from a backup" in said.out, said.out
    pair.done("follow", "--again")
    assert pair.differing_rows(COLUMNS) == 0, "what the backup does not have is gone from the follower, too"

    standby = servers.standby(pair.source)
    pair.source.control("stop")
    standby.promote()
    pair.source = standby
    said = pair.run("follow", pair.url, "--status")
    assert said.code == 1 and "promoted, or restored" in said.out and "slot" in said.out, said.out
    pair.done("follow", pair.url, "--again")
    assert pair.differing_rows(COLUMNS) == 0


def test_unfollow_leaves_nothing(pair: Pair):
    said = pair.refused("unfollow")
    assert "has contexts" in said and "--keep" in said, "what is nowhere else is not lost unasked"
    assert pair.done("follow", "--status").code == 0, "and nothing was removed"
    pair.done("unfollow", "--force")
    assert pair.left_over() == []
    assert "no table is followed" in pair.refused("follow", "--status")

    # The rows are kept if the option says so.
    pair.follow("--text", "body", "--columns", "id,body,tenant_id", "--store", "kept", "--name", "other")
    rows = pair.source.value("SELECT count(*) FROM documents")
    pair.done("unfollow", "--keep")
    assert pair.left_over() == [("documents",)], "the table alone"
    pair.source.run("TRUNCATE documents")
    assert pair.follower.value("SELECT count(*) FROM documents") == rows
    assert len(pair.found("t1", "hotel", "kept")) == 3, "it is searched as before"
    pair.follower.run("SELECT memory_drop_store('kept', true); DROP TABLE documents")


def test_without_its_source_unfollow_lists_the_objects_left_there(pair: Pair):
    pair.follow("--text", "body")
    pair.source.stop("immediate")
    said = pair.refused("unfollow", "--source-is-gone")
    pair.source.start()
    assert [name for (name,) in pair.left_over()] == ["memory_search_documents"] * 2, "slot and publication"
    statements = said.split("in this database: ")[1]
    assert statements.startswith("SELECT pg_drop_replication_slot")
    pair.source.run(statements)
    assert pair.left_over() == [], "what it says removes it"


def test_a_table_that_cannot_be_followed_is_refused_before_anything_is_made(pair: Pair, servers: Servers):
    pair.source.run("""
        CREATE TYPE two AS (a int, b int);
        CREATE TABLE keyless (body text); CREATE TABLE odd (id int PRIMARY KEY, body text, pair two);
        CREATE TABLE full_identity (id int PRIMARY KEY, body text); ALTER TABLE full_identity REPLICA IDENTITY FULL;
        CREATE TABLE two_keys (tenant int, id int, body text, PRIMARY KEY (tenant, id));
        CREATE UNLOGGED TABLE unlogged (id int PRIMARY KEY, body text); CREATE VIEW seen AS SELECT * FROM two_keys;
        CREATE TABLE hidden (id int PRIMARY KEY, body text); ALTER TABLE hidden ENABLE ROW LEVEL SECURITY;
        ALTER TABLE hidden FORCE ROW LEVEL SECURITY;
        CREATE ROLE stranger LOGIN REPLICATION; CREATE ROLE weak LOGIN; ALTER TABLE hidden OWNER TO stranger;
        GRANT CREATE ON DATABASE scratch TO stranger, weak""")
    for table, why in [
        ("keyless", "no replica identity"),
        ("odd", 'no type for column "pair" (public.two)'),
        ("full_identity", "REPLICA IDENTITY FULL"),
        ("two_keys", "name by --id"),
        ("unlogged", "unlogged"),
        ("seen", "is no table"),
        ("nothing", "has no table nothing"),
        ("other.documents", "has no table other.documents"),
    ]:
        assert why in pair.refused("follow", pair.url, "--table", table), table
    for options, why in [
        (["--memory", "tenant"], 'no column "tenant"'),
        (["--columns", "id,bdy"], 'no column "bdy"'),
        (["--columns", "id,length,body"], "generated column"),
        ([], "which column is the text"),
        (["--text", "body", "--name", "Docs"], "lower-case"),
        (["--text", "body", "--store", "public"], "schema public already"),
        (["--text", "body", "--map", "{"], "not JSON"),
        (["--text", "body", "--language", "klingon"], "klingon"),
    ]:
        assert why in pair.refused("follow", pair.url, "--table", "documents", *options), options
    stranger = pair.url.replace("postgres", "stranger", 1)
    assert "only its owner may publish" in pair.refused("follow", stranger, "--table", "documents")
    assert "row-level security" in pair.refused("follow", stranger, "--table", "hidden")
    assert "may not replicate" in pair.refused(
        "follow", pair.url.replace("postgres", "weak", 1), "--table", "documents"
    )
    assert "names no user" in pair.refused(
        "follow", f"host={pair.source.socket} dbname=scratch", "--table", "documents"
    )
    plain = Pair(servers.start(), pair.follower)
    plain.source.run("CREATE TABLE documents (id int PRIMARY KEY, body text)")
    assert "logical is needed" in pair.refused("follow", plain.url, "--table", "documents"), "as a server is installed"
    assert "same server" in pair.refused("follow", pair.url, "--table", "documents", DATABASE_URL=pair.url), "of itself"
    assert pair.left_over() == [], "nothing was made"


def test_a_password_is_in_no_log_and_a_wrong_one_is_reported(pair: Pair):
    secret = "s'e\\cret pass"
    pair.source.run("ALTER ROLE stranger PASSWORD 's''e\\cret pass' SUPERUSER")
    hba = pair.source.data / "pg_hba.conf"
    hba.write_text("local all stranger scram-sha-256\n" + hba.read_text())
    pair.source.control("reload")
    set_later(pair.follower, "SET log_statement = 'all'")
    url = pair.url.replace("postgres", "stranger", 1)
    words = ["follow", url, "--table", "documents", "--text", "body"]
    said = pair.refused(*words, MEMORY_SEARCH_SOURCE_PASSWORD="guess")
    assert "password authentication failed" in said and "guess" not in said
    said = pair.done(*words, MEMORY_SEARCH_SOURCE_PASSWORD=secret).err
    assert pair.differing_rows("id, body") == 0
    status = pair.done("follow", "--status").out
    logged = pair.follower.log_lines("cret pass") + pair.source.log_lines("cret pass")
    assert logged == [] and "cret pass" not in said + status, "the password is shown nowhere"
    assert pair.follower.log_lines("statement: SET search_path") != [], "though the follower logs every statement"
    weak = pair.follower.by(user="weak")
    pair.follower.run("CREATE ROLE weak LOGIN")
    assert weak.sqlstate("SELECT subconninfo FROM pg_subscription") == "42501", "nor to others on the follower"

    # After a change of the password, replication stops until the subscription has the new one.
    pair.source.run(
        "ALTER ROLE stranger PASSWORD 'another'; SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots"
    )
    pair.follower.until("SELECT pid IS NULL FROM pg_stat_subscription", "the worker ends")
    said = pair.run("follow", "--status")
    assert said.code == 1 and "password authentication failed" in said.out
    pair.done("follow", url, "--again", MEMORY_SEARCH_SOURCE_PASSWORD="another")
    pair.source.run("INSERT INTO documents (tenant_id, body) VALUES ('own', 'a new password')")
    pair.catch_up()
    pair.done("unfollow")
    assert pair.left_over() == []
