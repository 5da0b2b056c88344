"""Readers compare all the ways in which a search reads, and plain SQL, byte for byte in one snapshot, while others
insert, update, delete, restore, supersede, purge, roll back, VACUUM and REINDEX CONCURRENTLY, and while searches are
interrupted after a few milliseconds. Ids that PostgreSQL compresses are among them.

The load runs for a minute; SECONDS_OF_LOAD=600 makes it ten. SEED=7 repeats the same searches and writes, but not the
same timing."""

import collections
import json
import os
import time

import pytest

from harness import indexes
from harness.load import READ_ONLY, Interrupted, Scripts
from harness.server import Server, Servers

SECONDS = int(os.environ.get("SECONDS_OF_LOAD", 60))
SEED = int(os.environ.get("SEED", int(time.time()) % 1000000))
WRITES = {
    "add": 6,
    "insert": 3,
    "update": 6,
    "update in place": 6,
    "delete": 7,
    "restore": 2,
    "supersede": 3,
    "stand again": 2,
    "purge": 2,
    "remove": 1,
    "touch": 3,
    "put context": 1,
}
# A session that holds row locks in these transactions waits for no other: after the first call it only adds rows, so
# that here, too, any deadlock is a bug of the extension.
ROLL_BACK = [
    "BEGIN;",
    "SELECT stress.write('update', :n);",
    "SELECT stress.insert(stress.memory(:n), :n, 40);",
    "ROLLBACK;",
    "INSERT INTO stress.written VALUES ('roll back', 40);",
]
SAVEPOINT = [
    "BEGIN;",
    "SELECT stress.write('delete', :n);",
    "SAVEPOINT p;",
    "SELECT stress.write('add', :n);",
    "SELECT stress.write('insert', :m);",
    "ROLLBACK TO p;",
    "SELECT stress.write('add', :m);",
    "INSERT INTO stress.written VALUES ('savepoint', 1);",
    "COMMIT;",
]
# After the snapshot some time passes, in which an index that it sees may be dropped; and again before the same search
# runs a second time, which must not show the other sessions' changes.
COMPARE = [
    r"\set before random(0, 200)",
    r"\set between random(0, 60)",
    f"{READ_ONLY};",
    "SELECT 1;",
    r"\sleep :before ms",
    r"SELECT stress.compare(:n) AS answer \gset",
    r"\sleep :between ms",
    "SELECT stress.compare(:n, :answer);",
    "COMMIT;",
    "INSERT INTO stress.compared SELECT current_setting('stress.compared')::jsonb;",
]
VACUUM = ["VACUUM s.entries", "VACUUM (FREEZE, INDEX_CLEANUP ON, DISABLE_PAGE_SKIPPING) s.entries"]
REINDEX = [
    "REINDEX INDEX CONCURRENTLY s.entries_memory",
    "CHECKPOINT",
]
# The number of kinds of writes and of maintenance.
KINDS = len(WRITES) + len(VACUUM) + len(REINDEX) + len(["roll back", "savepoint"])
# On a busy machine less happens in the time. Then the load runs again, at most so often.
ROUNDS = 4
# The outcomes of interrupted searches, with their minimum numbers.
INTERRUPTED = [
    ("searches that were interrupted", "interrupted", 2 * SECONDS),
    ("searches that were interrupted, caught and done again", "caught", SECONDS // 2),
    ("searches that were done again after a savepoint", "after a savepoint", SECONDS // 2),
    ("searches that came in time", "in time", SECONDS // 4),
    ("comparisons by interrupted sessions", "compared", SECONDS // 8),
]
# The comparisons that the readers must have made, with their least numbers.
COMPARED = [
    ("a search, each twice in its snapshot", SECONDS, lambda c: True),
    ("hybrid", SECONDS // 4, lambda c: c["strategy"] == "hybrid" and c["found"]),
    ("semantic", SECONDS // 4, lambda c: c["strategy"] == "semantic" and c["found"]),
    ("keyword", SECONDS // 8, lambda c: c["strategy"] == "keyword" and c["found"]),
    ("recent", SECONDS // 8, lambda c: c["strategy"] == "recent" and c["found"]),
    ("with the order of distances by SQL", 1 + SECONDS // 20, lambda c: c["orders_by_distance"]),
    ("under the policies", SECONDS // 8, lambda c: c["under_policies"]),
    (
        "more than 200 entries with compressed ids",
        SECONDS // 8,
        lambda c: c["kind"] == "compressed" and c["visible"] > 200,
    ),
    ("an id of 540 bytes", 1, lambda c: c["kind"] == "long"),
]


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    # With few buffers, searches also wait for pages, and lose them. A session runs VACUUM (no autovacuum), so that no
    # other process has a page pinned when pins are counted.
    model = ["memory_search.model = ''", "memory_search.max_top_ke = 20"]
    server = servers.start(
        *model, "autovacuum = off", "jit = off", "shared_buffers = '4MB'", "deadlock_timeout = '200ms'"
    )
    server.create_extension()
    server.run("CREATE EXTENSION pg_buffercache")
    server.psql_file("stress.sql")
    server.run("SELECT stress.insert(id, number, wanted) FROM stress.memories")
    server.run("""
        SELECT memory_put_context(id, stress.text(g), creation_time => now() - g * interval '1 hour', store => 's')
        FROM stress.memories, generate_series(1, 5) g WHERE number IN (0, 4)""")
    # The index now has the earlier and the later rows, and the planner has statistics of the table.
    server.run("REINDEX INDEX s.entries_memory")
    server.run("ANALYZE s.entries")
    return server


def load_scripts(scripts: Scripts) -> list[tuple[int, dict]]:
    """The number of sessions for each load: scripts and their weights."""

    def write(what: str) -> list[str]:
        return [
            rf"SELECT stress.write('{what}', :n) AS done \gset",
            f"INSERT INTO stress.written VALUES ('{what}', :done);",
        ]

    def maintain(statements: list[str]) -> list[str]:
        pause = [r"\set pause random(0, 100)", r"\sleep :pause ms"]
        return [
            line for s in statements for line in (f"{s};", f"INSERT INTO stress.written VALUES ('{s}', 1);", *pause)
        ]

    writers = {scripts.write(what, *write(what)): weight for what, weight in WRITES.items()}
    writers |= {scripts.write("roll_back", *ROLL_BACK): 1, scripts.write("savepoint", *SAVEPOINT): 2}
    return [
        (3, writers),
        (3, {scripts.write("compare", *COMPARE): 1}),
        (1, {scripts.write("vacuum", *maintain(VACUUM)): 1}),
        (1, {scripts.write("reindex", *maintain(REINDEX)): 1}),
    ]


def lacking(server: Server, outcomes: collections.Counter) -> list[str]:
    """The outcomes that did not happen, or too seldom."""
    written = server.value("SELECT count(*) FROM (SELECT FROM stress.written GROUP BY what HAVING sum(n) > 0) w")
    lacks = [] if written == KINDS else [f"{KINDS - written} kinds of writing and of maintenance changed nothing"]
    lacks += [what for what, outcome, least in INTERRUPTED if outcomes[outcome] < least]
    compared = comparisons(server)
    return lacks + [what for what, least, is_one in COMPARED if len([c for c in compared if is_one(c)]) < least]


def comparisons(server: Server) -> list[dict]:
    return [json.loads(what) for what in server.column("SELECT what FROM stress.compared")]


@pytest.fixture(scope="module")
def outcomes(server: Server) -> collections.Counter:
    """The outcomes of the interrupted searches, after all sessions ran beside each other."""
    print(f"SEED={SEED}")
    outcomes: collections.Counter = collections.Counter()
    scripts = Scripts(server)
    for number in range(ROUNDS):
        outcomes += one_round(server, scripts, SEED + 100 * number)
        if not lacking(server, outcomes):
            break
    return outcomes


def one_round(server: Server, scripts: Scripts, seed: int) -> collections.Counter:
    """3 sessions write, 3 compare, 2 are interrupted, one vacuums and one rebuilds indexes."""
    started = server.value("SELECT pg_postmaster_start_time()")
    loads = [scripts.run(files, clients, SECONDS, seed) for clients, files in load_scripts(scripts)]
    sessions = [Interrupted(server, SECONDS, seed + number) for number in (1, 2)]
    for session in sessions:
        session.start()
    said = [load.output[-2000:] for load in loads if load.end() != 0]
    for session in sessions:
        session.join(60)
        assert not session.is_alive() and session.failure is None, f"no session died: {session.failure}"
    # Cancelled statements are expected here. One that was not requested would end its load early, which the test
    # notices.
    symptoms = [
        line
        for line in server.log_lines(" (ERROR|FATAL|PANIC|WARNING):  |terminated by signal|Failed process")
        if " 57014 " not in line
    ]
    assert symptoms[:9] == [], f"SEED={SEED}: no answer differed, no call failed, no session died"
    assert said == [], "no load ended early"
    assert server.value("SELECT pg_postmaster_start_time()") == started, "the server is the same"
    # The interrupted sessions are idle now, and hold nothing.
    pinned = server.value("""
        SELECT count(*) FROM pg_buffercache b JOIN pg_class c ON pg_relation_filenode(c.oid) = b.relfilenode
        WHERE c.relnamespace IN ('s'::regnamespace, 'pg_toast'::regnamespace) AND pinning_backends > 0""")
    assert pinned == 0, "no session keeps a page pinned"
    held = server.row("""
        SELECT count(l), count(backend_xmin), count(DISTINCT a.pid)
        FROM pg_stat_activity a LEFT JOIN pg_locks l USING (pid)
        WHERE backend_type = 'client backend' AND a.pid <> pg_backend_pid()""")
    assert held == (0, 0, 2), "nor a lock, nor a snapshot"
    for session in sessions:
        session.session.close()
    return sum((session.outcomes for session in sessions), collections.Counter())


def test_everything_was_written_interrupted_and_compared(server: Server, outcomes: collections.Counter):
    lacks = lacking(server, outcomes)
    assert lacks == [], f"everything happened often enough: {outcomes}"
    by_words_or_meaning = [c["paths"] for c in comparisons(server) if c["strategy"] != "recent"]
    others = [p for p in by_words_or_meaning if p["table"] != "table"]
    assert others == [], "who has the columns alone reads as they should"
    # While an index is replaced by another, a snapshot may still see the old one, whose pages cannot be read any more.
    by_index = [p for p in by_words_or_meaning if p["index"] == "memory index"]
    assert len(by_index) >= len(by_words_or_meaning) / 2, "others read the index"
    compressed = server.value("SELECT count(pg_column_compression(memory_id)) FROM s.entries")
    assert compressed >= 50, "entries with a compressed id"
    long = server.value("SELECT count(*) FROM s.entries WHERE length(to_tsvector('simple', raw_entry)) > 800")
    assert long >= 50, "entries of very many words"


# --- In peace --------------------------------------------------------------------------------------


@pytest.mark.parametrize("statement", ["SELECT 'after the load'", "VACUUM s.entries", "REINDEX INDEX s.entries_memory"])
def test_without_load_every_way_gives_the_same_bytes(server: Server, outcomes, statement: str):
    server.run(statement)
    with server.session() as session:
        session.run(READ_ONLY)
        same = session.value(f"SELECT count(stress.compare(n)) FROM generate_series({SEED}, {SEED + 59}) n")
    assert same == 60, "60 searches give the same bytes, each way"


def test_the_index_may_be_replaced_after_a_snapshot(server: Server, outcomes):
    # After a transaction has its snapshot and before it searches, the index is dropped and another of its name is made.
    again = server.value("SELECT pg_get_indexdef('s.entries_memory'::regclass)")
    with server.session() as session:
        session.run(READ_ONLY)
        session.run("SELECT FROM pg_class WHERE false")
        server.run("DROP INDEX s.entries_memory")
        server.run(again)
        same = session.value(f"SELECT count(stress.compare(n)) FROM generate_series({SEED}, {SEED + 19}) n")
        assert same == 20, "20 searches in it are as before"
        session.run("COMMIT")
        path = session.value(f"""
            SELECT (stress.answer(stress.question_number(n), 'index')).path
            FROM generate_series({SEED}, {SEED + 100}) n
            WHERE stress.question_number(n)::text LIKE '%semantic%' LIMIT 1""")
    assert path == "memory index", "and the next one reads the index"


def test_the_indexes_have_no_damage(server: Server, outcomes):
    indexes.have_no_damage(server)
