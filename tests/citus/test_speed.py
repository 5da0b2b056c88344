"""The time of a search on each node and on a single server with the same rows, in turns. It prints a table for the
guide, and checks little."""

import contextlib
import os
import statistics
import threading
import time
from pathlib import Path

from harness.server import Server
from clients import beside
from nodes import QUERIES, Cluster, search

SIZES = {100: 3, 5_000: 3, 50_000: 2}


def times(cluster: Cluster, names: list[str], rounds: int = 8) -> dict[str, float]:
    """The median of the best times of each question, in ms, by node."""
    best: dict[tuple[str, str, str], float] = {}
    for name in names:
        servers = {
            "single": cluster.single,
            "holder": cluster.holder(name),
            "coordinator": cluster.coordinator,
            "other worker": cluster.other(name),
        }
        sessions = {way: server.open() for way, server in servers.items()}
        for _ in range(rounds):
            for query in QUERIES[:5]:
                for way, session in sessions.items():
                    begun = time.perf_counter()
                    session.value(search(name, query))
                    key = (way, name, query)
                    best[key] = min(best.get(key, 9.0), time.perf_counter() - begun)
        for session in sessions.values():
            session.close()
    return {
        way: 1000 * statistics.median(value for key, value in best.items() if key[0] == way)
        for way in ("single", "holder", "coordinator", "other worker")
    }


TEXT = "of a client: the ferry leaves the harbour at noon"
# The least work of a call that Citus sends to a node: one short row, with no index except the key.
LEAST = """CREATE TABLE least (memory_id text, id uuid DEFAULT gen_random_uuid(), entry text, PRIMARY KEY (memory_id, id));
    CREATE FUNCTION least_add(memory_id text, entry text) RETURNS uuid LANGUAGE plpgsql AS
        $$ DECLARE added uuid; BEGIN INSERT INTO least (memory_id, entry) VALUES ($1, $2) RETURNING id INTO added;
           RETURN added; END $$"""


def processor_time(servers: list[Server]) -> float:
    """The seconds that all processes of servers took so far, those that have ended among them."""
    postmasters = {int((server.data / "postmaster.pid").read_text().split()[0]) for server in servers}
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            parent, of_itself, of_ended = int(fields[1]), fields[11:13], fields[13:15]
            if int(stat.parent.name) in postmasters:
                ticks += sum(map(int, of_itself + of_ended))
            elif parent in postmasters:
                ticks += sum(map(int, of_itself))
    return ticks / os.sysconf("SC_CLK_TCK")


def added_by(servers: list[Server], function: str, seconds: float = 6.0) -> tuple[float, float]:
    """The rows a second that four clients of the first server add, each to memories of its own, a transaction each, and
    the milliseconds of processors that all servers take for one."""
    added = [0] * 4

    def client(number: int):
        def work(stop: threading.Event) -> None:
            with servers[0].session() as session:
                while not stop.is_set():
                    added[number] += 1
                    memory = f"c{number}n{added[number] % 50}"
                    session.value(f"SELECT {function}('{memory}', 'entry {added[number]} {TEXT}')")

        return work

    before = processor_time(servers)
    with beside(*[client(number) for number in range(4)]):
        time.sleep(seconds)
    time.sleep(0.5)  # Sessions end, and those that Citus opened for them.
    return sum(added) / seconds, 1000 * (processor_time(servers) - before) / sum(added)


def compare(cluster: Cluster, function: str) -> str:
    turns = [[added_by(servers, function) for servers in ([cluster.single], cluster.nodes)] for _ in range(3)]
    (single, single_time), (spread, spread_time) = (
        (max(rate for rate, _ in of), min(taken for _, taken in of)) for of in zip(*turns)
    )
    return (
        f"four clients call {function} {spread:.0f} times a second, on a single server {single:.0f}:"
        f" {spread / single:.2f}; a call takes processors {spread_time:.2f} ms, {single_time:.2f}: {single_time / spread_time:.2f}"
    )


def test_speed(cluster: Cluster, say):
    memories = {size: [f"s{size}n{number}" for number in range(count)] for size, count in SIZES.items()}
    for size, names in memories.items():
        for name in names:
            cluster.add(name, size)
    cluster.settle()
    for how in ("sent", "delegated"):
        for size, names in memories.items():
            of = times(cluster, names)
            ratios = {way: value / of["single"] for way, value in of.items() if way != "single"}
            shown = ", ".join(f"{way} {ratio:.2f}" for way, ratio in ratios.items())
            say(f"{how}, {size:6} entries: single {of['single']:.2f} ms; times that: {shown}")
            assert ratios["holder"] < 1.5, "read in place"
            assert ratios["other worker"] < 4, "one round trip"
        say(f"{how}: {compare(cluster, 'memory_add')}")
        if how == "sent":
            cluster.coordinator.run("SELECT memory_create_store('other')")
            cluster.coordinator.run("SELECT memory_distribute_store('other', 8, delegate => true)")


def test_what_citus_itself_takes_of_a_call_that_adds_a_row(cluster: Cluster, say):
    for server in (cluster.single, cluster.coordinator):
        server.run(LEAST)
    cluster.coordinator.run("SELECT create_distributed_table('least', 'memory_id', colocate_with => 'memory.entries')")
    cluster.coordinator.run(
        "SELECT create_distributed_function('least_add(text, text)', 'memory_id', colocate_with => 'least')"
    )
    say(f"delegated: {compare(cluster, 'least_add')}")
    assert cluster.coordinator.value("SELECT count(*) > 100 FROM least"), "rows were added"
