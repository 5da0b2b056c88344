"""Entries that are written with memory_search.embed_on_write off are embedded later, by any number of sessions. The
server is killed with SIGKILL while some sessions write and some embed. No acknowledged entry stays without its
embedding, and each embedding is the one that the write would have made."""

import json
import threading

import psycopg
import pytest

from harness.kill import kill
from harness.server import Server, Servers

WRITERS, EMBEDDERS, ROUNDS = 2, 2, 3


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    server = servers.start("fsync = on", "synchronous_commit = on", "full_page_writes = on")
    server.create_extension()
    server.run("SELECT memory_create_store('s')")
    return server


class Loop(threading.Thread):
    """Runs statements, each a transaction of its own, until its session is cut off."""

    def __init__(self, server: Server, statement, after: int = 0, then: threading.Event | None = None) -> None:
        super().__init__(daemon=True)
        self.session = server.open()
        self.session.run("SET memory_search.embed_on_write = off")
        self.statement, self.after, self.then = statement, after, then
        self.values: list = []
        self.end: Exception | None = None

    def run(self) -> None:
        try:
            for n in range(100_000):
                self.values.append(self.session.value(self.statement(n)))
                if n == self.after and self.then:
                    self.then.set()
        except psycopg.Error as error:
            self.end = error


def test_entries_without_embedding_survive_a_kill(server: Server):
    written = set()
    for number in range(ROUNDS):
        kill_now = threading.Event()

        def write(n: int, number: int = number) -> str:
            text = f"'note {number}.{n}.' || i || ': she likes the hotel number ' || i || ' by the sea'"
            add = f"memory_add('m{n % 3}', {text}, context => 'trip {number}.{n}', store => 's')"
            return f"SELECT array_agg({add}) FROM generate_series(1, 20) i"

        writers = [Loop(server, write, 40, kill_now if writer == 0 else None) for writer in range(WRITERS)]
        embedders = [
            Loop(server, lambda _: "SELECT memory_embed_pending(max_rows => 7, store => 's')") for _ in range(EMBEDDERS)
        ]
        for loop in [*writers, *embedders]:
            loop.start()
        assert kill_now.wait(120), f"the first writer got as far as the kill: {writers[0].end}"
        kill(server, "everything")
        for loop in [*writers, *embedders]:
            loop.join(60)
            assert isinstance(loop.end, psycopg.OperationalError), f"the session was cut off: {loop.end}"
        assert sum(sum(loop.values) for loop in embedders) > 0, "some was embedded before the kill"
        for writer in writers:
            written.update(entry for entries in writer.values for entry in entries)
        server.control("start")

    waiting = server.value("SELECT count(*) FROM s.entries WHERE embedding IS NULL")
    assert waiting > 0, "the kill came while entries waited for their embedding"
    while server.value("SELECT memory_embed_pending(max_rows => 100, store => 's')"):
        pass
    there = {row[0] for row in server.execute("SELECT entry_id FROM s.entries WHERE embedding IS NOT NULL")}
    assert written <= there, "each acknowledged entry is there and has an embedding"
    for table, text in [("entries", "raw_entry"), ("contexts", "context")]:
        other = server.value(f"""
            SELECT count(*) FROM s.{table} WHERE embedding IS DISTINCT FROM memory_embed({text})::halfvec
              OR embedding_model IS DISTINCT FROM 'wordllama'""")
        assert other == 0, f"{table} have the embeddings that writing makes at once"
    server.run("SELECT memory_index_check('s.entries_memory'::regclass)")


def test_a_call_reads_the_waiting_entries_and_not_the_table(server: Server):
    server.run("SELECT memory_create_store('large')")
    server.run("""
        INSERT INTO large.entries (memory_id, raw_entry, embedding, embedding_model)
          SELECT 'm' || n % 7, 'row ' || n, e.embedding, 'wordllama'
          FROM generate_series(1, 20000) n, (SELECT memory_embed('one for all')::halfvec AS embedding) e""")
    one_that_waits = "INSERT INTO large.entries (memory_id, raw_entry) VALUES ('m3', 'the one that waits')"
    server.run("VACUUM ANALYZE large.entries")
    with server.session() as session:
        # The first call of a session reads catalogs.
        session.run(one_that_waits)
        assert session.value("SELECT memory_embed_pending(store => 'large')") == 1
        session.run(one_that_waits)
        call = "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT memory_embed_pending(store => 'large')"
        plan = json.loads(session.value(call))[0]["Plan"]
    touched = plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
    assert server.value("SELECT count(*) FROM large.entries WHERE embedding IS NULL") == 0, "it was embedded"
    pages = server.value("SELECT relpages FROM pg_class WHERE oid = 'large.entries'::regclass")
    assert pages > 1500 and touched < pages / 5, f"far fewer pages than the table's {pages}: {touched}"
