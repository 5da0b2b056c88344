"""Pages of an index and of a table are damaged on disk. A search that reads them raises an error, or has its answer
without them; searches find rows on other pages as before. (The SEED of a failure is in its output.)"""

import collections
import os
import shutil
import time

import psycopg
import pytest

from harness.damage import damage
from harness.server import Server, Servers

SEED = int(os.environ.get("SEED", int(time.time()) % 1000000))
INDEX, ROWS, WHOLE = MEMORIES = ["damaged index", "damaged rows", "whole memory"]
SHARE = 0.4
WAYS = ["index", "filtered", "table"]
DAMAGED = ("XX001", "XX002")


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    model = ["memory_search.model = ''", "memory_search.max_top_ke = 20"]
    # A third of a table would be read with all of it, damage and all.
    server = servers.start(*model, "autovacuum = off", "jit = off", "enable_seqscan = off")
    # The test causes the errors of this server, and counts them.
    server.forbidden = ["terminated by signal", "PANIC"]
    if server.value("SHOW data_checksums") != "on":
        stop(server)
        server.as_server_user(*server.command("pg_checksums"), "-D", server.data, "--enable")
        server.control("start")
    server.create_extension()
    server.psql_file("stress.sql")
    for memory in MEMORIES:
        server.run(f"SELECT stress.insert('{memory}', length('{memory}'), 600)")
    server.run("REINDEX INDEX s.entries_memory")
    server.run("VACUUM (FREEZE, ANALYZE) s.entries")
    server.run(f"""
        CREATE TABLE stress.kept AS SELECT memory, way, n, stress.known(memory, way, n) AS hash
        FROM unnest(ARRAY{MEMORIES}) memory, unnest(ARRAY{WAYS}) way, generate_series({SEED}, {SEED + 29}) n""")
    return server


def stop(server: Server) -> None:
    server.control("stop", "-m", "fast")


def answers(server: Server, memory: str, ways: list[str] = WAYS, before: str = "") -> collections.Counter[str]:
    """Counts the answers of a memory's searches: the same as before, another one, or an error."""
    kept = server.rows(f"""
        SELECT way, n, hash FROM stress.kept WHERE memory = '{memory}' AND way = ANY (ARRAY{ways}) ORDER BY n, way""")
    came: collections.Counter[str] = collections.Counter()
    with server.session() as session:
        if before:
            session.run(before)
        for way, n, known in kept:
            try:
                is_same = session.value(f"SELECT stress.known('{memory}', '{way}', {n})") == known
                came["same" if is_same else "another"] += 1
            except psycopg.Error as error:
                if session.connection.closed:
                    raise
                came["damaged" if error.sqlstate in DAMAGED else "error"] += 1
    return came


def damage_rows(server: Server, relation: str, memory: str, share: float) -> None:
    """Damages a relation of a stopped server; the path of its file is relative to the data folder."""
    damage(server.data / relation, SEED, share, memory, [other for other in MEMORIES if other != memory])


def test_a_search_ends_with_any_bytes_in_the_pages_of_the_index(server: Server):
    # A page that has random bytes and passes its checksum may hold anything. So this reads without checksums, only
    # pages of the index, by the extension: answers may differ, but each call has an answer or an error.
    path = server.value("SELECT pg_relation_filepath('s.entries_memory')")
    stop(server)
    whole = server.folder / "whole_index"
    shutil.copyfile(server.data / path, whole)
    came: collections.Counter[str] = collections.Counter()
    rounds = 0
    # The place of the random bytes decides how many searches read them: some seeds need more copies than five.
    while rounds < 5 or (came.total() - came["same"] < 30 and rounds < 30):
        rounds += 1
        shutil.copyfile(whole, server.data / path)
        damage(server.data / path, SEED + rounds, SHARE)
        server.control("start")
        came += answers(server, INDEX, ["index"], "SET ignore_checksum_failure = on")
        stop(server)
    shutil.copyfile(whole, server.data / path)
    server.control("start")
    assert came.total() == 30 * rounds, "a search ends with an answer or an error"
    assert came.total() - came["same"] >= 30, f"searches that met it: {came}"


def test_a_search_reports_damaged_pages_of_the_index(server: Server):
    path = server.value("SELECT pg_relation_filepath('s.entries_memory')")
    stop(server)
    damage(server.data / path, SEED, SHARE)
    server.control("start")
    damaged = 0
    for memory in MEMORIES:
        came = answers(server, memory)
        assert came["same"] + came["damaged"] == 90, f"SEED={SEED}: it says so, or has its answer without them: {came}"
        damaged += came["damaged"]
        assert answers(server, memory, ["table"]) == {"same": 30}, "by the rows all have their answers"
    assert damaged >= 30, f"searches that met them: {damaged}"
    # The error's hint names this statement.
    server.run("REINDEX INDEX CONCURRENTLY s.entries_memory")
    for memory in MEMORIES:
        assert answers(server, memory) == {"same": 90}, "after REINDEX all searches have their answers"


def test_a_search_reports_damaged_pages_of_the_table(server: Server):
    path = server.value("SELECT pg_relation_filepath('s.entries')")
    stop(server)
    damage_rows(server, path, ROWS, 0.3)
    server.control("start")
    # Other sessions meanwhile search memories on sound pages.
    script = server.folder / "whole.sql"
    script.write_text(
        rf"\set n random({SEED}, {SEED + 29})" + "\nSELECT 1 / count(*) FROM stress.kept WHERE memory = 'whole memory'"
        " AND way = 'index' AND n = :n AND hash = stress.known(memory, way, n);\n"
    )
    others = server.background("pgbench", "-n", "-c", "2", "-T", "5", f"--random-seed={SEED}", "-f", script)
    came = answers(server, ROWS)
    assert came["same"] + came["damaged"] == 90, f"SEED={SEED}: it says so, or it has its answer without them: {came}"
    assert came["damaged"] >= 30, f"searches that met them: {came}"
    assert answers(server, INDEX) == {"same": 90}, "memories on other pages are searched as before"
    assert answers(server, WHOLE) == {"same": 90}, "all of them"
    assert others.end() == 0, f"and by sessions that search meanwhile: {others.output[-1000:]}"
