"""A store of very many small memories: the time of its load, and the time of a search on each node. The test checks the
answers of a sample; it prints figures for the guide."""

import os
import random
import statistics
import threading
import time

from clients import beside
from harness.server import Server
from nodes import Cluster

MEMORIES = int(os.environ.get("MEMORIES", "100000"))
ENTRIES = 10  # of each
DIMENSIONS = 8
SAMPLE = 300
BATCH = 2_000  # memories that one INSERT fills
# Memory number 0 has the words of the store's first entries, and so on: no value is random.
ROWS = """
    INSERT INTO many.entries (memory_id, entry_id, raw_entry, tags, importance, creation_time, embedding,
        embedding_model)
    SELECT 'm' || m, (lpad(to_hex(m), 8, '0') || '-0000-4000-8000-' || lpad(to_hex(e), 12, '0'))::uuid, said.text,
        ARRAY['t' || e % 4], e * 37 % 101, timestamptz '2025-01-01Z' + e * interval '1 hour',
        ARRAY[sin(m), cos(m), sin(e), cos(e), sin(m + e), cos(m * e), sin(m * e), 1]::real[]::halfvec(8), 'given'
      FROM generate_series({first}, {last}) m, generate_series(1, {entries}) e,
           (SELECT '{{tea,harbour,boat,stone,river,cloud,train,paper,lamp,garden,window,bread,music,forest,letter,
             winter,summer,market,bridge,island,silver,copper,engine,pocket,mirror,kettle,candle,saddle,violin
             }}'::text[]) words (list),
           LATERAL (SELECT string_agg(
               words.list[1 + (hashint4(e * 131 + w + m * 7) & 2147483647) % cardinality(words.list)]
               || CASE WHEN w % 5 = 0 THEN (hashint4(e * 7 + w + m) & 1023)::text ELSE '' END, ' ') AS text
             FROM generate_series(1, 12) w) said"""
QUERIES = ["harbour tea stone", "silver bridge winter", ""]


def search(memory: str, query: str) -> str:
    return f"""SELECT memory_search('{memory}', '{query}', embedding => '{{1,0,0.5,0.5,0,1,0,1}}'::real[],
        store => 'many', options => '{{"asOf": "2026-01-01T00:00:00Z"}}')"""


def load(server: Server, clients: int = 2) -> float:
    """Rows a second, by sessions that fill memories in batches."""
    waiting = [(first, min(first + BATCH, MEMORIES) - 1) for first in range(0, MEMORIES, BATCH)]

    def client(_: threading.Event) -> None:
        with server.session() as session:
            while waiting:
                first, last = waiting.pop()
                session.run(ROWS.format(first=first, last=last, entries=ENTRIES))

    begun = time.perf_counter()
    with beside(*[client] * clients):
        pass
    return MEMORIES * ENTRIES / (time.perf_counter() - begun)


def medians(cluster: Cluster, names: list[str]) -> dict[str, float]:
    """The median time of one search of each of many memories, in ms, by node: memories that were not searched
    lately."""
    taken: dict[str, list[float]] = {"single": [], "holder": [], "coordinator": [], "other worker": []}
    sessions = {server.socket: server.open() for server in (cluster.single, *cluster.nodes)}
    for round in range(2):
        for name in names:
            ways = [cluster.single, cluster.holder(name), cluster.coordinator, cluster.other(name)]
            for way, server in zip(taken, ways):
                begun = time.perf_counter()
                sessions[server.socket].value(search(name, QUERIES[0]))
                if round > 0:
                    taken[way].append(1000 * (time.perf_counter() - begun))
    for session in sessions.values():
        session.close()
    return {way: statistics.median(times) for way, times in taken.items()}


def test_very_many_memories(cluster: Cluster, say):
    for server in (cluster.single, cluster.coordinator):
        server.run(f"SELECT memory_create_store('many', {DIMENSIONS})")
    cluster.coordinator.run("SELECT memory_distribute_store('many', 8)")
    rates = {}
    for name, server in (("single server", cluster.single), ("cluster", cluster.coordinator)):
        rates[name] = load(server)
        say(f"{MEMORIES * ENTRIES} entries in {MEMORIES} memories: {name} {rates[name]:.0f} rows a second")
        server.run("VACUUM ANALYZE many.entries")
    counts = "SELECT count(*), count(DISTINCT memory_id) FROM many.entries"
    assert cluster.coordinator.row(counts) == (MEMORIES * ENTRIES, MEMORIES) == cluster.single.row(counts)
    size = "pg_size_pretty(sum(pg_table_size(c.oid))), pg_size_pretty(sum(pg_indexes_size(c.oid)))"
    for node in (cluster.single, *cluster.workers):
        of_node = f"""SELECT {size} FROM pg_class c
             WHERE relkind = 'r' AND relname ~ '^entries' AND relnamespace = 'many'::regnamespace"""
        say(f"tables and indexes: {node.row('SET citus.override_table_visibility = off; ' + of_node)}")
    chance = random.Random(1)
    sample = [f"m{chance.randrange(MEMORIES)}" for _ in range(SAMPLE)] + ["m0", f"m{MEMORIES - 1}", "nobody"]
    questions = [search(memory, query) for memory in sample for query in QUERIES]
    with cluster.single.session() as session:
        expected = [session.value(question) for question in questions]
    assert len(set(expected)) > SAMPLE, "many answers"
    for node in cluster.nodes:
        with node.session() as session:
            got = [session.value(question) for question in questions]
        assert [pair for pair in zip(questions, expected, got) if pair[1] != pair[2]] == [], f"by {node.socket}"
    say(f"{len(questions)} searches of {len(sample)} memories have the same bytes on {len(cluster.nodes)} nodes")
    for how in ("sent", "delegated"):
        of = medians(cluster, sample[:100])
        say(f"{how}, ms: " + ", ".join(f"{way} {value:.2f}" for way, value in of.items()))
        assert of["holder"] < 3 * of["single"], "read in place"
        if how == "sent":
            cluster.coordinator.run("SELECT memory_create_store('other')")
            cluster.coordinator.run("SELECT memory_distribute_store('other', 8, delegate => true)")
