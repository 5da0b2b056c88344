"""The server is killed with SIGKILL at any point of a write to a memory index: insertions, the sealing and merging of
segments, VACUUM, and builds. After recovery the index is sound, and searches give the same as by the rows.

MEMORY_SEARCH_CRASHES=200 kills as often; a run of all tests does it a few times."""

import os
import random
import signal
import threading
import time

import psycopg
import pytest

from harness import cluster, memories
from harness.access import within
from harness.server import Server, Servers

CRASHES = int(os.environ.get("MEMORY_SEARCH_CRASHES", "6"))
SEED = int(os.environ.get("MEMORY_SEARCH_SEED", "1"))
# A memory is sealed at 512 documents of its tail, and merged at 8 segments of a size.
ROWS_A_STATEMENT = 200
# Memories are kept to a size at which a comparison with the rows takes a moment.
MOST_ROWS = 30_000


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    server = servers.start("fsync = on", "full_page_writes = on", "autovacuum = off", "shared_buffers = 4MB")
    memories.create(server)
    for memory in range(memories.MEMORIES):
        server.run(memories.insert(memory, 3000))
    return server


class Writer(threading.Thread):
    """Runs statements until its session is cut off."""

    def __init__(self, server: Server, statements) -> None:
        super().__init__(daemon=True)
        self.session, self.statements = server.open(), statements
        self.done, self.end = 0, None

    def run(self) -> None:
        try:
            for statement in self.statements:
                self.session.run(statement)
                self.done += 1
        except psycopg.Error as error:
            self.end = error


def additions(chance: random.Random):
    while True:
        yield memories.insert(chance.randrange(memories.MEMORIES), chance.randint(1, ROWS_A_STATEMENT))


def changes(chance: random.Random):
    for n in range(chance.randrange(100), 1_000_000):
        yield memories.change(chance.randrange(memories.MEMORIES), n)


def upkeep(chance: random.Random):
    while True:
        yield chance.choice(
            ["VACUUM s.entries", "VACUUM s.entries", "REINDEX INDEX s.entries_memory", "CHECKPOINT",
             "REINDEX INDEX CONCURRENTLY s.entries_memory"]
        )  # fmt: skip


@pytest.mark.parametrize("crash", range(CRASHES))
def test_a_memory_index_survives_a_kill_at_any_point(server: Server, crash: int):
    chance = random.Random(SEED * 1000 + crash)
    if server.value("SELECT count(*) FROM s.entries") > MOST_ROWS:
        server.run("DELETE FROM s.entries WHERE entry_order % 3 > 0")
        server.run("VACUUM s.entries")
    writers = [Writer(server, work(random.Random(chance.random()))) for work in (additions, additions, changes, upkeep)]
    for writer in writers:
        writer.start()
    time.sleep(chance.uniform(0.05, 2.5))
    postmaster = int((server.data / "postmaster.pid").read_text().split()[0])
    os.kill(postmaster, signal.SIGSTOP)
    children = [int(pid) for pid in cluster.run(["pgrep", "-P", str(postmaster)]).split()]
    for process in [*children, postmaster]:
        os.kill(process, signal.SIGKILL)
    with within(60, "the end of all its processes"):
        for process in [postmaster, *children]:
            cluster.run(["tail", f"--pid={process}", "-s", "0.05", "-f", "/dev/null"])
    for writer in writers:
        writer.join(60)
        assert isinstance(writer.end, psycopg.OperationalError), f"the writer was cut off: {writer.end}"
    server.control("start")

    with server.session() as session:
        # A search does not read the index that an interrupted REINDEX CONCURRENTLY leaves behind, and DROP INDEX
        # removes it.
        left = session.column("""
            SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = 's.entries'::regclass AND NOT indisvalid""")
        for index in left:
            session.run(f"DROP INDEX {index}")
        facts = dict(session.rows("SELECT name, value FROM memory_index_check('s.entries_memory')"))
        rows = session.value("SELECT count(*) FROM s.entries")
        assert facts["rows compared"] == rows, "each row is in the index, as it is in the table"
        assert memories.paths(session) == {"memory index"}, "the index is read"
        assert memories.same_answers(session, 24, seed=crash * 24) > 12, "most searches find something"
