"""The server is killed with SIGKILL while sessions write. After crash recovery every acknowledged write is in the
tables and is found, no write is there in part, and the indexes agree with the tables. (Data that the operating system
has survives a kill, so this does not test a power cut.)"""

import collections
import threading

import psycopg
import pytest

from harness import indexes
from harness.kill import kill
from harness.server import Server, Servers

WRITERS = 4
# Kinds of writes, which each writer makes in turn.
KINDS = 6
HOT = "00000000-0000-0000-0000-000000000001"
TOPICS = [
    "a small hotel by the sea",
    "the train to Lisbon",
    "green tea with milk",
    "an error in line five",
    "allergic to peanuts",
]
# Each index that holds rows here, beside a query that it serves.
SERVED = {
    "entries_pkey": "s.entries WHERE memory_id = 'w1' AND entry_id > '00000000-0000-0000-0000-000000000000'",
    "entries_recent": "s.entries WHERE memory_id = 'w2' AND creation_time > '2000-01-01'",
    "entries_user": "s.entries WHERE user_id = 'u1' AND memory_id > 'w1'",
    "entries_context": "s.entries WHERE memory_id = 'w3' AND creation_time > '2000-01-01' AND context IS NOT NULL",
    "entries_to_purge": "s.entries WHERE deletion_scheduled_time > '2000-01-01'",
    "contexts_pkey": "s.contexts WHERE memory_id = 'w1' AND context_id > '00000000-0000-0000-0000-000000000000'",
    "contexts_recent": "s.contexts WHERE memory_id = 'w2' AND creation_time > '2000-01-01'",
    "entry_access_pkey": f"s.entry_access WHERE memory_id = 'hot' AND entry_id = '{HOT}'",
}
BY_WORD = """options => '{"strategy": "keyword", "fallback": false}', store => 's'"""

Ack = tuple[str, str, str, str]  # kind, memory, id, word


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    """A server with safe settings. Small buffers and a short pending list make a crash interrupt the background work,
    too."""
    careful = ["fsync = on", "synchronous_commit = on", "full_page_writes = on"]
    server = servers.start(*careful, "shared_buffers = 1MB", "gin_pending_list_limit = 64kB")
    server.create_extension()
    server.run(f"""
        SELECT memory_create_store('s');
        SELECT memory_add('hot', 'what all writers touch', entry_id => '{HOT}', store => 's');
        CREATE TABLE acked (kind text, memory_id text, id uuid, word text)""")
    return server


@pytest.fixture(scope="module")
def acks() -> list[Ack]:
    """The writes that the server has acknowledged in all rounds so far: a later crash must not lose a write that
    survived an earlier one."""
    return []


# --- Writing, until the server is gone -------------------------------------------------------------


def entry_id(round_number: int, writer: int, n: int) -> str:
    return f"{round_number:08}-0000-0000-{writer:04}-{n:012}"


def write(round_number: int, writer: int, n: int) -> tuple[str, Ack]:
    """A writer's statement number n, which is a transaction, and the writes that its end acknowledges."""
    memory, topic = f"w{writer}", TOPICS[n % 5]
    word, own = f"mark{round_number}{memory}n{n}", entry_id(round_number, writer, n)
    add = f"memory_add('{memory}', '{topic}, {word}', entry_id => '{own}', store => 's'"
    metadata = f'{{"n": {n}}}'
    kind = ["delete", "entry", "snapshot", "context", "entry", "touch"][n % KINDS]
    if kind == "delete":
        own = entry_id(round_number, writer, n - 5)
    call = [
        f"memory_delete('{memory}', ARRAY['{own}'::uuid], store => 's')",
        f"{add}, user_id => 'u{n % 2}', tags => ARRAY['t{n % 3}'], metadata => '{metadata}')",
        f"{add}, context => 'state at {word}: {topic}')",
        f"memory_put_context('{memory}', 'so far {word}: {topic}', store => 's')",
        f"{add}, summary => '{topic}', importance => {n % 101})",
        f"memory_touch('hot', ARRAY['{HOT}'::uuid], store => 's')",
    ][n % KINDS]
    return f"SELECT {call}", (kind, memory, own, word)


class Writer(threading.Thread):
    """Writes until its session is cut off. The first writer sets `kill_now` at its write number `kill_at`, after a
    checkpoint. If recovery starts at this checkpoint, it needs the full pages that are logged after it."""

    def __init__(self, server: Server, round_number: int, number: int, kill_at: int, kill_now: threading.Event) -> None:
        super().__init__(daemon=True)
        self.session = server.open()
        self.round_number, self.number = round_number, number
        self.kill_at, self.kill_now = (kill_at if number == 1 else 0), kill_now
        self.acks: list[Ack] = []
        self.has_one_of_each = threading.Event()
        self.end: Exception | None = None

    def run(self) -> None:
        try:
            for n in range(1, 5001):
                if self.kill_at and n == self.kill_at // 2:
                    self.session.run("CHECKPOINT")
                if n == self.kill_at:
                    self.kill_now.set()
                statement, ack = write(self.round_number, self.number, n)
                self.session.run(statement)
                self.acks.append(ack)
                if n == KINDS:
                    self.has_one_of_each.set()
        except psycopg.Error as error:
            self.end = error


@pytest.mark.parametrize(
    ("number", "victims", "kill_at"), [(1, "postmaster", 50), (2, "everything", 70), (3, "postmaster", 40)]
)
def test_acknowledged_writes_survive(server: Server, acks: list[Ack], number: int, victims: str, kill_at: int):
    kill_now = threading.Event()
    writers = [Writer(server, number, n, kill_at, kill_now) for n in range(WRITERS, 0, -1)]
    for writer in writers:
        writer.start()
    assert kill_now.wait(60), f"the first writer got as far as the kill: {writers[-1].end}"
    for writer in writers:
        assert writer.has_one_of_each.wait(60), f"each writer has written one of each kind: {writer.end}"
    kill(server, victims)
    for writer in writers:
        writer.join(60)
        lost = isinstance(writer.end, psycopg.OperationalError) and writer.session.connection.broken
        assert lost, f"the writer was cut off: {writer.end}"
        acks += writer.acks
    server.control("start")

    recoveries = server.log_lines("automatic recovery in progress")
    assert len(recoveries) == number, "the server recovered from a crash"
    with server.session() as session:
        session.run("TRUNCATE acked")
        with session.connection.cursor().copy("COPY acked FROM STDIN") as copy:
            for ack in acks:
                copy.write_row(ack)
    count = collections.Counter(ack[0] for ack in acks)
    every_acknowledged_write_is_in_the_tables(server, count, number)
    every_acknowledged_write_is_found(server, count)
    no_write_is_there_by_half(server)
    indexes.agree_with_tables(server, SERVED)
    indexes.have_no_damage(server)


# --- The state after recovery -----------------------------------------------------------------------


def every_acknowledged_write_is_in_the_tables(server: Server, acked: collections.Counter, rounds: int) -> None:
    def written(table: str, condition: str) -> int:
        return server.value(f"SELECT count(*) FROM acked a JOIN s.{table} r USING (memory_id) WHERE {condition}")

    entries = acked["entry"] + acked["snapshot"]
    same = "kind IN ('entry', 'snapshot') AND entry_id = id AND raw_entry LIKE '%, ' || word"
    assert written("entries", same) == entries, "all acknowledged entries are in the table, with their text"
    of_entry = "kind = 'snapshot' AND r.context LIKE 'state at ' || word || ':%'"
    assert written("contexts", of_entry) == acked["snapshot"], "so are all contexts that came with one"
    alone = "kind = 'context' AND r.context LIKE 'so far ' || word || ':%'"
    assert written("contexts", alone) == acked["context"], "and all that came alone"
    deleted = "kind = 'delete' AND entry_id = id AND deletion_scheduled_time IS NOT NULL"
    assert written("entries", deleted) == acked["delete"], "all acknowledged deletions are in the table"
    touched = server.value("SELECT access_count FROM s.entry_access WHERE memory_id = 'hot'")
    assert touched >= acked["touch"], "all acknowledged touches are counted"
    there = server.value("""
        SELECT (SELECT count(*) FROM s.entries WHERE memory_id <> 'hot')
          + (SELECT count(*) FROM s.contexts WHERE context LIKE 'so far %')
          + (SELECT count(*) FROM s.entries WHERE deletion_scheduled_time IS NOT NULL)
          + (SELECT sum(access_count) FROM s.entry_access)""")
    # A kill may come between a commit and its acknowledgement: once for each writer.
    assert there - acked.total() <= WRITERS * rounds, "writes that are there without an acknowledgement"


def every_acknowledged_write_is_found(server: Server, acked: collections.Counter) -> None:
    visible = server.value("""
        SELECT count(*) FROM acked WHERE kind IN ('entry', 'snapshot')
          AND id NOT IN (SELECT entry_id FROM s.entries WHERE deletion_scheduled_time IS NOT NULL)""")
    by_word = f"""
        SELECT count(*) FROM acked a, memory_search(a.memory_id, a.word, 1, {BY_WORD}) found
        WHERE found->'entries'->0->>'entryId' = a.id::text AND kind IN """
    found = server.value(f"{by_word} ('entry', 'snapshot')")
    assert found == visible, "a search by its word finds each entry that is not deleted"
    assert server.value(f"{by_word} ('delete')") == 0, "no deleted entry is found by its word"
    # Some texts share an embedding, so another entry may come first, but none is nearer.
    nearest = server.value("""
        SELECT count(*) FROM (
          SELECT f.entry_id = e.entry_id::text AS own,
            f.semantic > max(f.semantic) OVER (PARTITION BY e.entry_id) - 1e-6 AS nearest
          FROM acked a JOIN s.entries e ON e.memory_id = a.memory_id AND e.entry_id = a.id,
            memory_search_entries(e.memory_id, '', 10, e.embedding, store => 's', options => '{"strategy": "semantic",
              "fallback": false, "boosts": {"recency": 0, "importance": 0, "length": 0}}') f
          WHERE kind IN ('entry', 'snapshot')) found
        WHERE own AND nearest""")
    assert nearest == visible, "a search by its embedding finds each of them, and none that is nearer"
    contexts = server.value(f"""
        SELECT count(*) FROM acked a, memory_search(a.memory_id, a.word, 0, 1, {BY_WORD}) found
        WHERE kind = 'context' AND (found->>'latestContext' LIKE 'so far ' || a.word || ':%'
          OR found->'contexts'->0->>'context' LIKE 'so far ' || a.word || ':%')""")
    assert contexts == acked["context"], "a search by its word finds each context"
    latest = server.value("""
        SELECT count(*) FROM (SELECT DISTINCT ON (memory_id) memory_id, context FROM s.contexts
          ORDER BY memory_id, creation_time DESC, context_id) newest
        WHERE memory_search(memory_id, '', 0, store => 's')->>'latestContext' = context""")
    assert latest == WRITERS, "each memory's latest context is its newest row"


def no_write_is_there_by_half(server: Server) -> None:
    lacking = server.value("""
        SELECT count(*) FROM (SELECT embedding FROM s.entries UNION ALL SELECT embedding FROM s.contexts) row
        WHERE embedding IS NULL""")
    assert lacking == 0, "no row lacks its embedding"
    torn = server.value("""
        SELECT count(*) FROM (SELECT memory_id, context FROM s.entries WHERE context IS NOT NULL) e
        FULL JOIN (SELECT memory_id, context FROM s.contexts WHERE context LIKE 'state at %') c
          USING (memory_id, context)
        WHERE e.context IS NULL OR c.context IS NULL""")
    assert torn == 0, "no entry lacks the context it came with, nor that context its entry"
    orphans = server.value("""
        SELECT count(*) FROM s.entry_access a WHERE NOT EXISTS (SELECT FROM s.entries e
          WHERE e.memory_id = a.memory_id AND e.entry_id = a.entry_id)""")
    assert orphans == 0, "no count lacks its entry"
    twice = server.value("SELECT count(*) - count(DISTINCT entry_order) FROM s.entries")
    assert twice == 0, "no number of the insertion order was given twice"
