"""`memory-search follow`: a table of a server without memory_search, copied and followed by logical replication, and
searched on the follower, while an application writes.

LONG=1: 100,000 changes with ten kills on each side; a minute of 500 changes a second; both servers wait
for their disks."""

import os
import time

import pytest

from harness import follow
from harness.follow import Pair, Writer
from harness.kill import kill
from harness.server import Server, Servers

LONG = bool(os.environ.get("LONG"))


@pytest.fixture(scope="module")
def pair(servers: Servers) -> Pair:
    durable = ["fsync = on", "full_page_writes = on"] if LONG else []
    return follow.start(servers, *durable)


def test_every_row_arrives_in_spite_of_kills_and_every_text_is_found(pair: Pair, say):
    """The application writes before, while and after the table is copied."""
    writers = [Writer(pair.source, number, 50_000 if LONG else 1_500) for number in (1, 2)]
    for writer in writers:
        writer.start()
    said = pair.follow("--title", "title", "--text", "body").err
    assert "copied in" in said and "searched as store documents_memory" in said, "it says how far it is"
    kills = 0
    for _ in range(10 if LONG else 1):
        for server in (pair.follower, pair.source):
            made = sum(writer.made for writer in writers)
            pair_goes_on(writers, made)
            kill(server, "everything")
            kills += 1
            time.sleep(0.2)
            server.control("start")
    for writer in writers:
        writer.join(1200)
        assert not writer.is_alive(), "it comes to its end"
    pair.catch_up()
    made, rows = sum(writer.made for writer in writers), pair.source.value("SELECT count(*) FROM documents")
    say(f"{made} changes, {kills} kills, {sum(writer.crashes for writer in writers)} cut off; {rows} rows")
    assert made == (100_000 if LONG else 3_000), "each change was acknowledged in the end"
    assert pair.differing_rows() == 0, "no row differs"
    own = "memory_embed(concat_ws(E'\\n', title, body))::halfvec"
    wrong = f"memory_embedding IS NULL OR (memory_embedding <=> {own}) > 0.01"
    assert (
        pair.follower.value(f"SELECT count(*) FROM documents WHERE {wrong}") == 0
    ), "each has the embedding of its texts"
    checked = """SELECT max(f.value) FROM pg_class i JOIN pg_am a ON a.oid = i.relam, memory_index_check(i.oid) f
        WHERE a.amname = 'memory_search' AND f.name = 'rows compared'"""
    assert pair.follower.value(checked) == rows, "the memory index agrees with its table"
    body = pair.source.value("SELECT body FROM documents WHERE tenant_id = 't3' AND body ~ 'word1x' LIMIT 1")
    assert body in pair.found("t3", body), "what the application wrote is found"
    assert pair.source.column("SELECT extname::text FROM pg_extension") == ["plpgsql"], "the source has no extension"
    assert "documents_memory" in pair.done("follow", "--status").out, "nothing is wrong"


def pair_goes_on(writers: list[Writer], made: int) -> None:
    """Some more changes, or the end of them."""
    end = time.monotonic() + 60
    while sum(writer.made for writer in writers) < made + 300 and any(writer.is_alive() for writer in writers):
        assert time.monotonic() < end, "the application goes on"
        time.sleep(0.02)


def test_the_follower_applies_changes_with_a_delay(pair: Pair, say):
    """The delay is printed, and not judged, because the machine may be busy."""
    seconds = 60 if LONG else 2
    pair.note_arrivals()
    writers = [Writer(pair.source, number, 125 * seconds, a_second=125) for number in (3, 4, 5, 6)]
    begun = time.monotonic()
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(300)
        assert not writer.is_alive()
    rate = 500 * seconds / (time.monotonic() - begun)
    pair.catch_up()
    lags = pair.lags()
    assert len(lags) > 100 * seconds and lags[0] > 0, "rows arrived, after they were written"
    p50, p99 = lags[len(lags) // 2], lags[len(lags) * 99 // 100]
    say(f"{rate:.0f} changes/s: {len(lags)} rows, behind by {p50 * 1e3:.0f} ms (p50), {p99 * 1e3:.0f} ms (p99)")


def test_a_search_that_waits_for_a_write_sees_it(pair: Pair):
    missed = 0
    for n in range(8):
        pair.source.run(f"INSERT INTO documents (tenant_id, body) VALUES ('own', 'reading n{n}x at once')")
        pair.catch_up()
        missed += pair.found("own", f"n{n}x")[:1] != [f"reading n{n}x at once"]
    assert missed == 0, "all are seen"
    ahead = pair.source.value("SELECT pg_current_wal_flush_lsn() + 100000000")
    late = pair.refused("follow", "--wait", ahead, "--timeout-seconds", "1")
    assert "within 1 seconds" in late and "--status" in late, "what does not come is not waited for for ever"
    assert "pg_current_wal_flush_lsn" in pair.refused("follow", "--wait", "soon")


def test_the_documented_statement_waits_as_well(pair: Pair):
    """docs/guide/managed-services.md has this statement for applications that do not run the program."""
    page = (follow.cluster.REPOSITORY / "docs/guide/managed-services.md").read_text()
    statement = page.split("<!-- the statement that is polled -->")[1].split("```sql")[1].split("```")[0]
    pair.source.run("INSERT INTO documents (tenant_id, body) VALUES ('own', 'polled pears')")
    place = pair.source.value("SELECT pg_current_wal_flush_lsn()")
    pair.follower.until(statement.replace("0/3A8C2F0", place).rstrip().rstrip(";"), "the place is reached")
    assert pair.found("own", "pears")[:1] == ["polled pears"]
    ahead = pair.source.value("SELECT pg_current_wal_flush_lsn() + 100000000")
    assert pair.follower.value(statement.replace("0/3A8C2F0", ahead)) is False, "and is not said to be when it is not"


def test_a_row_that_is_not_visible_yet_is_waited_for(pair: Pair):
    """A worker moves its origin before its transaction becomes visible. Here it waits in between, for a standby that is
    not there."""
    page = (follow.cluster.REPOSITORY / "docs/guide/managed-services.md").read_text()
    statement = page.split("<!-- the statement that is polled -->")[1].split("```sql")[1].split("```")[0]
    pair.follower.run("ALTER SUBSCRIPTION memory_search_documents SET (synchronous_commit = 'on')")
    pair.catch_up()
    set_later(pair.follower, "SET synchronous_standby_names = 'nobody'")
    try:
        waits = "EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND backend_type ~ 'logical')"
        # Commits wait from when the checkpointer has read the setting: the first ones may not.
        for attempt in range(20):
            body = f"quiet quinces {attempt}"
            pair.source.run(f"INSERT INTO documents (tenant_id, body) VALUES ('own', '{body}')")
            place = pair.source.value("SELECT pg_current_wal_flush_lsn()")
            is_there = f"EXISTS (SELECT FROM documents WHERE body = '{body}')"
            pair.follower.until(f"SELECT {waits} OR {is_there}", "its commit waits, or has not waited")
            if not pair.follower.value(f"SELECT {is_there}"):
                break
        assert pair.follower.value(f"SELECT {waits} AND NOT {is_there}")
        assert "had not reached" in pair.refused("follow", "--wait", place, "--timeout-seconds", "1")
        assert pair.follower.value(statement.replace("0/3A8C2F0", place).rstrip().rstrip(";")) is False
    finally:
        set_later(pair.follower, "RESET synchronous_standby_names")
    pair.catch_up()
    assert body in pair.found("own", "quinces")
    pair.follower.run("ALTER SUBSCRIPTION memory_search_documents SET (synchronous_commit = 'off')")


def set_later(server: Server, setting: str) -> None:
    server.run(f"ALTER SYSTEM {setting}")
    server.run("SELECT pg_reload_conf()")


def test_unchanged_texts_keep_their_embedding_and_new_ones_are_embedded_later(pair: Pair):
    one = "SELECT memory_embedding::text, title FROM documents WHERE body = 'polled pears'"
    before = pair.follower.row(one)
    pair.source.run("UPDATE documents SET price = 9, kind = 'letter' WHERE body = 'polled pears'")
    pair.catch_up()
    assert pair.follower.row(one) == before, "another column's change embeds nothing"
    pair.follower.run("ALTER DATABASE scratch SET memory_search.embed_on_write = off")
    pair.follower.run("SELECT pg_terminate_backend(pid) FROM pg_stat_subscription WHERE pid IS NOT NULL")
    pair.source.run("UPDATE documents SET body = 'late lemons' WHERE body = 'polled pears'")
    pair.catch_up()
    assert "by their words alone: 1\n" in pair.done("follow", "--status").out
    assert pair.found("own", "lemons")[:1] == ["late lemons"], "meanwhile its words find it"
    watch = follow.subprocess.Popen(
        [follow.program(), "follow", "--watch"], env=pair.environment(), stderr=-1, text=True
    )
    pair.follower.until("SELECT NOT EXISTS (SELECT FROM documents WHERE memory_embedding IS NULL)", "it is embedded")
    watch.terminate()
    assert "all is well" in watch.communicate(timeout=30)[1] and watch.returncode == 0
    pair.follower.run("ALTER DATABASE scratch RESET memory_search.embed_on_write")
    own = "memory_embedding <=> memory_embed('late lemons')::halfvec < 0.01"
    assert pair.follower.value(f"SELECT {own} FROM documents WHERE body = 'late lemons'") is True


def test_the_source_searches_by_foreign_tables(pair: Pair):
    """Runs the statements of docs/guide/managed-services.md, unchanged except the names of servers."""
    page = (follow.cluster.REPOSITORY / "docs/guide/managed-services.md").read_text()

    def shown(mark: str) -> str:
        return page.split(f"<!-- {mark} -->")[1].split("```sql")[1].split("```")[0]

    pair.follower.run("CREATE ROLE searcher LOGIN")
    pair.follower.run(shown("by a foreign table, on the follower"))
    here = shown("by a foreign table, on the source").replace("search.internal", pair.follower.socket)
    pair.source.run(here.replace("dbname 'app'", "dbname 'scratch'"))
    pair.source.run("INSERT INTO documents (tenant_id, body) VALUES ('t3', 'a boat to Cacilhas')")
    pair.catch_up()
    found = pair.source.rows(shown("by a foreign table, a search"))
    assert [body for _, body, _ in found][0] == "a boat to Cacilhas" and len(found) == 3, found
    by_dblink = shown("by dblink, a search").replace("search.internal", pair.follower.socket)
    found = pair.source.rows(by_dblink.replace("dbname=app", "dbname=scratch"))
    assert found[0][1] == "a boat to Cacilhas", found


def test_every_type_is_the_same_on_the_follower_and_the_source(pair: Pair):
    pair.source.run("""
        CREATE TABLE typed (id int PRIMARY KEY, body text, a varchar(9), b bit(3), c char(4), d "char",
          e numeric(5, -2), f interval day to second(3), g timestamp(3) with time zone[], h int4range,
          i varchar(7)[], j bpchar, k jsonb, l datemultirange, m name, n bit, o time(2));
        INSERT INTO typed (id, body, b, c, e, i) VALUES (1, 'one', '101', 'ab', 1234, '{x,y}')""")
    pair.done("follow", pair.url, "--table", "typed", "--text", "body")
    types = """SELECT attname::text, format_type(atttypid, atttypmod) FROM pg_attribute
        WHERE attrelid = 'typed'::regclass AND attnum > 0 AND attname <> 'memory_embedding' ORDER BY attnum"""
    assert pair.follower.rows(types) == pair.source.rows(types)
    assert pair.differing_rows("id, body, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o", "typed") == 0
    pair.done("unfollow", "--table", "typed")
