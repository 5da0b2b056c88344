"""Ten sessions write and ten read the same memories for a minute: no call fails or deadlocks, every answer is complete,
and at the end the tables have exactly the acknowledged writes.

SECONDS_OF_LOAD=10 makes it shorter."""

import os
import re
from pathlib import Path

import pytest

from harness.server import Background, Server, Servers

SECONDS = os.environ.get("SECONDS_OF_LOAD", "60")
LOADED = ("kept", "changing")
# For each kind of writing: its weight, its name, and its call, which gives the number of changes.
WRITERS_OF_EACH = [
    (4, "added", "count(memory_add('{m}', 'note ' || :n || ' of the train', tags => ARRAY['t' || :n % 5]))"),
    (1, "added with context", """
        count(memory_add('{m}', 'tea number ' || :n, context => 'part ' || :n || gen_random_uuid()))"""),
    (1, "put context", "count(memory_put_context('{m}', 'summary of the hotel ' || :n))"),
    (1, "inserted", "plain_row('{m}')"),
    (4, "touched", "memory_touch('{m}', ids('{m}', 5))"),
    (2, "updated", """
        coalesce(sum(memory_update('{m}', id, 'changed to ' || :n, importance => :n % 101)), 0)
        FROM unnest(ids('{m}', 1)) id"""),
    (2, "recalled", "well_formed(memory_recall('{m}', 'note ' || :n % 200), '{m}', 5)"),
]
WRITERS = [
    (2, "kept", "superseded", "superseded('kept', 1 + :n % 4, 1 + :n / 4 % 4)"),
    (1, "", "reembedded", "memory_reembed(max_rows => 5)"),
    (2, "changing", "deleted", "memory_delete('changing', ids('changing', 3))"),
    (1, "changing", "restored", "memory_restore('changing', ids('changing', 6))"),
    (1, "changing", "purged", "memory_purge(now() - interval '100 ms', max_rows => 4)"),
    (3, "people", "added of a user", """
        count(memory_add('people', 'user note ' || :n, context => 'part ' || :n % 9, user_id => 'u' || :n % 3))"""),
    (3, "people", "touched of a user", "memory_touch('people', ids('people', 9))"),
    (1, "people", "forgotten of a user", "memory_forget_user('u' || :n % 3)"),
]
SEARCH = """
    well_formed(memory_search('{m}', 'the train in note ' || :n % 200,
      options => '{"strategy": "STRATEGY", "boosts": {"popularity": 0.1}}'), '{m}', 5)"""
READERS_OF_EACH = [
    *((2, SEARCH.replace("STRATEGY", strategy)) for strategy in ("hybrid", "semantic", "keyword", "recent")),
    (1, """
        well_formed(memory_search('{m}', 'tea', 10, filters => '{"tags": "t1", "accessCount": {"$gte": 1}}'),
          '{m}', 10)"""),
    (1, "well_formed(memory_search('{m}', 'hotel', 0, 3), '{m}', 0)"),
    (1, """well_formed(memory_search('{m}', 'changed', options => '{"dedupThreshold": 0.9}'), '{m}', 5)"""),
    (1, "1 / position('## CURRENT CONVERSATION' IN memory_build_context('{m}', 'note ' || :n))"),
    (1, "1 / count(*) FROM memory_explain('{m}', 'hotel by the sea') WHERE outcome = 'returned'"),
]
NUMBER = "\\set n random(1, 1000000)"


def writers() -> list[tuple[int, str]]:
    """Weights and scripts of pgbench. The statement after a call inserts the call's result."""
    calls = WRITERS + [
        (weight, memory, what, call.replace("{m}", memory))
        for memory in LOADED
        for weight, what, call in WRITERS_OF_EACH
    ]
    return [
        (weight, f"""{NUMBER}
            SELECT n FROM (SELECT {call}) AS call(n) \\gset
            INSERT INTO acknowledged VALUES ('{what}', '{memory}', :n);""")
        for weight, memory, what, call in calls
    ]


def readers() -> list[tuple[int, str]]:
    return [
        (weight, f"{NUMBER}\nSELECT {call.replace('{m}', memory)};")
        for memory in LOADED
        for weight, call in READERS_OF_EACH
    ]


def load(server: Server, folder: Path, scripts: list[tuple[int, str]], *options: str) -> Background:
    """Ten sessions that run these for so many seconds."""
    folder.mkdir()
    words = []
    for number, (weight, script) in enumerate(scripts):
        (folder / str(number)).write_text(script)
        words += ["-f", f"{folder / str(number)}@{weight}"]
    client = server.by(settings={"memory_search.store": "s", "client_min_messages": "warning"})
    return server.background("pgbench", "-n", "-c", "10", "-j", "2", "-T", SECONDS, *options, *words, access=client)


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    server = servers.start("deadlock_timeout = '200ms'")
    server.create_extension()
    server.psql_file("concurrent_load.sql")
    return server


def test_the_tables_have_exactly_the_writes_that_were_acknowledged_under_load(server: Server, tmp_path: Path, say):
    say(f"  10 sessions write and 10 read for {SECONDS} s")
    loads = {
        "readers": load(server, tmp_path / "readers", readers(), "-M", "prepared"),
        "writers": load(server, tmp_path / "writers", writers()),
    }
    for name, sessions in loads.items():
        status = sessions.end()
        errors = re.findall(".*(?:error|ERROR|DETAIL):.*", sessions.output)[:12]
        assert (status, errors) == (0, []), f"{name}: calls are made"
        failed = re.findall("number of failed transactions: ([1-9].*)", sessions.output)
        assert failed == [], f"{name}: no call failed\n{server.log_with_details('ERROR')}"
        calls = re.search("number of transactions actually processed: ([1-9][0-9]*)\n", sessions.output)
        assert calls, f"{name}: pgbench counted their calls"
        say(f"  calls of the {name}: {calls[1]}")
    wrong = server.log_with_details("ERROR|FATAL|PANIC|deadlock")
    assert wrong == "", "the server's log has no error and no deadlock"

    changed = dict(server.rows("SELECT what, sum(n)::int FROM acknowledged GROUP BY what ORDER BY what"))
    for what, count in changed.items():
        say(f"  {what}: {count}")
    assert [what for what, count in changed.items() if count == 0] == [], "every kind of writing changed something"
    everything_acknowledged_is_there(server)
    users_are_forgotten_and_nothing_supersedes_itself(server)


def everything_acknowledged_is_there(server: Server) -> None:
    done = {
        (memory, what): count
        for memory, what, count in server.rows("SELECT memory, what, sum(n)::int FROM acknowledged GROUP BY 1, 2")
    }

    def acknowledged(memory: str, *kinds: str) -> int:
        return sum(done.get((memory, what), 0) for what in kinds)

    def count(table: str, condition: str) -> int:
        return server.value(f"SELECT count(*) FROM s.{table} WHERE {condition}")

    kept, changing = "memory_id = 'kept'", "memory_id = 'changing'"
    added = ("added", "added with context", "inserted")
    expected = 200 + acknowledged("kept", *added)
    assert count("entries", kept) == expected, "memory kept holds 200 entries and those added"
    purged = acknowledged("changing", "purged")
    expected = 200 + acknowledged("changing", *added) - purged
    held = count("entries", changing)
    assert held == expected, "memory changing holds 200 entries and those added without those purged"
    expected = acknowledged("changing", "deleted") - acknowledged("changing", "restored") - purged
    deleted = count("entries", f"{changing} AND deletion_scheduled_time IS NOT NULL")
    assert deleted == expected, "as many of them are deleted as were, without those restored or purged"

    expected = acknowledged("kept", "put context", "added with context")
    assert count("contexts", kept) == expected, "memory kept holds the contexts that were put and added"
    put = count("contexts", f"{changing} AND entry_id IS NULL")
    assert put == acknowledged("changing", "put context"), "memory changing holds the contexts that were put"
    brought = count("entries", f"{changing} AND context IS NOT NULL")
    of_entries = count("contexts", f"{changing} AND entry_id IS NOT NULL")
    assert of_entries == brought, "and one for each entry that brought one and is not purged"
    accesses = server.value(f"SELECT sum(access_count) FROM s.entry_access WHERE {kept}")
    expected = acknowledged("kept", "touched", "recalled")
    assert accesses == expected, "memory kept counts every touch and every recall once"

    server.run("SELECT memory_reembed(store => 's')")
    other = count("entries", "embedding IS DISTINCT FROM memory_embed(raw_entry)::halfvec")
    assert other == 0, "every embedding is that of its entry's text"


def users_are_forgotten_and_nothing_supersedes_itself(server: Server) -> None:
    server.run("SELECT memory_forget_user('u' || n, store => 's') FROM generate_series(0, 2) n")
    for table in ("entries", "contexts", "entry_access"):
        left = server.value(f"SELECT count(*) FROM s.{table} WHERE memory_id = 'people'")
        assert left == 0, f"every user is forgotten in {table}"
    circles = server.value("""
        WITH RECURSIVE way AS (
          SELECT entry_id AS first, superseded_by AS next FROM s.entries WHERE superseded_by IS NOT NULL
          UNION
          SELECT way.first, e.superseded_by
          FROM way JOIN s.entries e ON e.memory_id = 'kept' AND e.entry_id = way.next
          WHERE e.superseded_by IS NOT NULL)
        SELECT count(*) FROM way WHERE first = next""")
    assert circles == 0, "no entry is superseded by way of others by itself"
