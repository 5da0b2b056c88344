"""Objects that must not be taken for a follower: copies of its database, and comments by other roles. Also the policies
and grants that a table keeps when it is copied again."""

import re
import subprocess
import time
from pathlib import Path

import pytest

from harness import follow
from harness.follow import Pair
from harness.server import Servers


@pytest.fixture(scope="module")
def pair(servers: Servers) -> Pair:
    """One that follows."""
    pair = follow.start(servers)
    pair.follow("--title", "title", "--text", "body")
    return pair


def test_a_copy_of_the_followers_database_leaves_the_source_alone(pair: Pair):
    pair.follower.run("ALTER SUBSCRIPTION memory_search_documents DISABLE")
    pair.follower.until("SELECT NOT EXISTS (SELECT FROM pg_stat_subscription WHERE pid IS NOT NULL)", "it has ended")
    pair.follower.run("CREATE DATABASE copied TEMPLATE scratch")
    pair.follower.run("ALTER SUBSCRIPTION memory_search_documents ENABLE")
    copied = {"DATABASE_URL": f"host={pair.follower.socket} user=postgres dbname=copied"}
    place = pair.source.value("SELECT pg_current_wal_flush_lsn()")
    for words in [
        ["follow", pair.url, "--again"],
        ["follow", pair.url, "--again", "--copy"],
        ["follow", pair.url, "--watch"],
        ["follow", "--wait", place],
        ["unfollow", "--force"],
    ]:
        assert "is a copy of a follower" in pair.refused(*words, **copied), words
    said = pair.run("follow", "--status", **copied)
    assert said.code == 1 and "is a copy of a follower" in said.out and "--again" not in said.out, said.out

    said = pair.done("unfollow", "--source-is-gone", "--force", **copied)
    assert "left alone" in said.err and "pg_drop_replication_slot" not in said.err, "nor does it tell how to break it"
    pair.follower.run("DROP DATABASE copied")
    pair.source.run("INSERT INTO documents (tenant_id, body) VALUES ('own', 'after the copy')")
    pair.catch_up()
    assert pair.done("follow", "--status").code == 0, "the follower itself goes on"


def test_policies_and_grants_bind_a_table_that_is_copied_again(pair: Pair):
    pair.follower.run("""
        CREATE ROLE tenant LOGIN; SELECT memory_grant('documents_memory', 'tenant');
        GRANT SELECT (id), INSERT ON documents TO tenant WITH GRANT OPTION;
        ALTER TABLE documents ENABLE ROW LEVEL SECURITY;
        CREATE POLICY own ON documents TO tenant
          USING (tenant_id = current_setting('app.tenant', true)
            AND EXISTS (SELECT FROM documents_memory.contexts) IS NOT NULL);
        CREATE POLICY "no Drafts" ON documents AS RESTRICTIVE FOR SELECT USING (body <> 'draft');
        GRANT SELECT ON documents_memory.contexts TO tenant""")
    policies = """SELECT polname::text, polcmd, polpermissive, polroles::text, pg_get_expr(polqual, polrelid)
        FROM pg_policy ORDER BY 1"""
    grants = """SELECT a.privilege_type, a.is_grantable, a.grantee::regrole::text
        FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = 'documents'::regclass ORDER BY 1, 2, 3"""
    before = pair.follower.rows(policies), pair.follower.rows(grants)
    tenant = pair.follower.by(user="tenant", settings={"app.tenant": "t3"})
    assert tenant.column("SELECT DISTINCT tenant_id FROM documents") == ["t3"]
    oid = pair.follower.value("SELECT 'documents'::regclass::oid")
    pair.done("follow", "--again", "--copy")
    assert pair.follower.value("SELECT 'documents'::regclass::oid") != oid, "it is a new table"
    assert (pair.follower.rows(policies), pair.follower.rows(grants)) == before
    assert tenant.column("SELECT DISTINCT tenant_id FROM documents") == ["t3"], "and a tenant sees no other's rows"
    assert tenant.value("SELECT memory_search('t4', 'hotel', store => 'documents_memory')->>'count'") == "0"
    assert pair.follower.value("SELECT has_column_privilege('tenant', 'documents', 'id', 'SELECT WITH GRANT OPTION')")

    pair.follower.run("""CREATE INDEX by_price ON documents (price); ALTER TABLE documents ADD COLUMN note text;
        ALTER TABLE documents ADD CONSTRAINT small CHECK (length(body) < 20000)""")
    refused = pair.refused("follow", "--again", "--copy")
    for thing in ["index by_price", "constraint small", "column 'note'", "make them anew"]:
        assert thing in refused, refused
    assert pair.done("follow", "--status").code == 0, "nothing was changed"
    pair.follower.run("DROP INDEX by_price; ALTER TABLE documents DROP COLUMN note, DROP CONSTRAINT small")
    pair.done("follow", "--again", "--copy")
    assert pair.follower.rows(policies) == before[0]


def test_a_comment_by_another_role_is_ignored(pair: Pair):
    record = pair.follower.value("SELECT obj_description('documents'::regclass)")
    pair.follower.run("CREATE ROLE forger LOGIN; CREATE SCHEMA forged AUTHORIZATION forger")
    forger = pair.follower.by(user="forger")
    forger.run("CREATE VIEW forged.documents AS SELECT 1 AS id; CREATE TABLE forged.mine (id int PRIMARY KEY)")
    for what, comment in [("VIEW forged.documents", record), ("TABLE forged.mine", "memory-search follow: {")]:
        forger.run(f"COMMENT ON {what} IS '{comment.replace(chr(39), chr(39) * 2)}'")
    said = pair.done("follow", "--status").out
    assert "public.documents follows" in said and "forged" not in said, said
    assert "forged.documents is not followed" in pair.refused("follow", "--again", "--table", "forged.documents")
    assert pair.source.value("SELECT count(*) FROM pg_replication_slots") == 1
    pair.follower.run("DROP SCHEMA forged CASCADE")


def test_an_interrupted_copy_is_reported_until_it_is_finished(pair: Pair):
    """The table is there, and the store still shows the one before."""
    pair.follower.run("ALTER SYSTEM SET max_sync_workers_per_subscription = 0")
    pair.follower.run("SELECT pg_reload_conf()")
    stopped = subprocess.Popen(
        [follow.program(), "follow", "--again", "--copy"], env=pair.environment(), stderr=subprocess.DEVNULL
    )
    pair.follower.until("SELECT EXISTS (SELECT FROM pg_subscription_rel WHERE srsubstate = 'i')", "it waits to copy")
    stopped.kill()
    stopped.wait()
    pair.follower.run("ALTER SYSTEM RESET max_sync_workers_per_subscription")
    pair.follower.run("SELECT pg_reload_conf()")
    pair.follower.until("SELECT srsubstate = 'r' FROM pg_subscription_rel", "the servers go on with what was begun")
    pair.source.run("INSERT INTO documents (tenant_id, body) VALUES ('own', 'a quiet harbour')")
    place = pair.source.value("SELECT pg_current_wal_flush_lsn()")
    assert "does not show this copy" in pair.refused("follow", "--wait", place, "--timeout-seconds", "2")
    said = pair.run("follow", "--status")
    assert said.code == 1 and "does not show this copy" in said.out, said.out
    pair.done("follow", "--again")
    pair.done("follow", "--wait", place)
    assert pair.found("own", "quiet harbour")[:1] == ["a quiet harbour"]
    assert pair.done("follow", "--status").code == 0


def test_a_follower_that_comes_too_late_removes_nothing_of_others(pair: Pair):
    """Another follower makes its slot after this one has read the names, and before this one subscribes."""
    pair.source.run("CREATE TABLE notes (id int PRIMARY KEY, body text)")
    slots = "SELECT slot_name::text FROM pg_replication_slots WHERE slot_name = 'memory_search_notes'"
    waiting = pair.source.open()
    waiting.execute("BEGIN")
    waiting.execute("LOCK TABLE notes IN SHARE ROW EXCLUSIVE MODE")
    late = subprocess.Popen(
        [follow.program(), "follow", pair.url, "--table", "notes"],
        env=pair.environment(),
        stderr=subprocess.PIPE,
        text=True,
    )
    pair.source.until("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)", "it is at its publication")
    pair.source.run("SELECT pg_create_physical_replication_slot('memory_search_notes')")
    waiting.execute("ROLLBACK")
    said = late.communicate(timeout=60)[1]
    assert late.returncode == 1 and "already exists" in said, said
    assert pair.source.column(slots) == ["memory_search_notes"], "the other's slot is there"
    assert pair.follower.value("SELECT to_regclass('notes') IS NULL"), "of this one nothing is"
    assert pair.source.value("SELECT count(*) FROM pg_publication") == 1
    pair.source.run("SELECT pg_drop_replication_slot('memory_search_notes')")


def test_unfollow_leaves_a_store_that_is_not_over_its_table(pair: Pair):
    pair.source.run("TRUNCATE notes; INSERT INTO notes VALUES (1, 'a note')")
    pair.done("follow", pair.url, "--table", "notes")
    pair.follower.run("SELECT memory_drop_store('notes_memory', true); SELECT memory_create_store('notes_memory')")
    said = pair.done("unfollow", "--table", "notes").err
    assert "schema notes_memory stays" in said, said
    assert pair.follower.value("SELECT to_regclass('notes_memory.entries') IS NOT NULL"), "the other store is there"


def test_watch_reports_the_row_that_fails_and_embeds_all_others(pair: Pair, tmp_path: Path):
    pair.source.run("INSERT INTO documents (tenant_id, body) VALUES ('own', 'unspeakable')")
    pair.catch_up()
    pair.follower.run("""
        CREATE OR REPLACE FUNCTION memory_search_documents_embed(meaning text) RETURNS halfvec LANGUAGE plpgsql AS $$
        BEGIN
          IF meaning ~ 'unspeakable' THEN RAISE 'not that one'; END IF;
          RETURN public.memory_embed(meaning)::public.halfvec;
        END $$;
        UPDATE documents SET memory_embedding = NULL WHERE id <= 20 OR body = 'unspeakable'""")
    said = tmp_path / "said"
    with said.open("w") as file:
        watch = subprocess.Popen([follow.program(), "follow", "--watch"], env=pair.environment(), stderr=file)
    try:
        pair.follower.until(
            "SELECT array_agg(body) = '{unspeakable}' FROM documents WHERE memory_embedding IS NULL", "others go on"
        )
        heard(said, "a row cannot be embedded.*not that one")
        # A row that cannot be applied: the server starts the worker again and again, so that many checks find it
        # running.
        pair.follower.run("ALTER TABLE documents ADD CONSTRAINT small CHECK (length(body) < 20000)")
        pair.source.run("INSERT INTO documents (tenant_id, body) VALUES ('own', repeat('x', 30000))")
        heard(said, "could not be applied|has not reached the LSN at which the source was")
    finally:
        watch.terminate()
        watch.wait(20)
        pair.follower.run("ALTER TABLE documents DROP CONSTRAINT IF EXISTS small")
    assert watch.returncode == 0 and "all is well" in said.read_text(), "it was well before"


def test_watch_embeds_few_rows_at_a_time_with_a_slow_embedder(pair: Pair):
    """Replication waits for the rows of a transaction that embeds them."""
    made = "SELECT pg_get_functiondef('memory_search_documents_embed'::regproc)"
    before = pair.follower.value(made)
    pair.follower.run("""
        CREATE OR REPLACE FUNCTION memory_search_documents_embed(meaning text) RETURNS halfvec LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM pg_catalog.pg_sleep(0.2);
          RETURN public.memory_embed(meaning)::public.halfvec;
        END $$;
        UPDATE documents SET memory_embedding = NULL WHERE id <= 60""")
    waiting = "SELECT count(*) FROM documents WHERE memory_embedding IS NULL AND id <= 60"
    watch = subprocess.Popen([follow.program(), "follow", "--watch"], env=pair.environment(), stderr=subprocess.DEVNULL)
    try:
        pair.follower.until(f"SELECT ({waiting}) < 60", "the first are embedded")
        assert pair.follower.value(waiting) > 20, "a transaction has few rows"
    finally:
        watch.terminate()
        watch.wait(30)
        pair.follower.run(before)
    pair.catch_up()


def heard(said: Path, pattern: str) -> None:
    """Waits until the program reports this as a fault."""
    end = time.monotonic() + 40
    while not re.search(f"WRONG: .*({pattern})", said.read_text()):
        assert time.monotonic() < end, f"{pattern}: {said.read_text()}"
        time.sleep(0.1)


def test_a_slot_that_another_server_uses_is_not_dropped(pair: Pair):
    """A clone of the follower's disk uses the slot in the same way; no identifier distinguishes it from the
    follower."""
    name = "memory_search_documents"
    pair.follower.run(f"ALTER SUBSCRIPTION {name} DISABLE")
    pair.source.until("SELECT NOT active FROM pg_replication_slots", "the slot is free")
    reader = pair.source.background(
        "pg_recvlogical", "-d", "scratch", "-U", "postgres", "-S", name, "--start", "-f", "/dev/null",
        "-o", "proto_version=1", "-o", f"publication_names={name}",
    )  # fmt: skip
    pair.source.until("SELECT active FROM pg_replication_slots", "the clone reads")
    try:
        said = pair.run("follow", "--status")
        assert said.code == 1 and "clone of this follower" in said.out, said.out
        assert "another server has the slot" in pair.refused("unfollow", "--force")
    finally:
        reader.process.terminate()
        reader.end(20)
    assert pair.source.column("SELECT pubname::text FROM pg_publication") == [name], "nothing was removed"
    pair.done("follow", "--again")
    assert pair.differing_rows() == 0
