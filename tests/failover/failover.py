"""Failover under load: the leader's server is killed by SIGKILL while clients write and search, Patroni promotes the
synchronous standby, and the killed one comes back as a standby. Three times. Then no acknowledged write is missing, all
three servers answer the same bytes, and no index has a fault. Prints how long clients waited.

    failover.py FOLDER    made by tests/run_failover.sh; PG_BIN says where PostgreSQL is"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from load import TOPICS, Client, Searcher, SearcherOfTheLeader, Writer
from nodes import Cluster, Node

ROUNDS = 3
SECONDS_BETWEEN = 5
MEMORIES = ("m0", "m1")
passed = 0


def check(what: str, holds: bool, shown: object = "") -> None:
    global passed
    if not holds:
        raise AssertionError(f"{what}: {shown}")
    passed += 1


def follows(standby: Node, leader: Node) -> bool:
    """Whether a standby has replayed all that the leader had when it was asked."""
    try:
        place = leader.value("SELECT pg_current_wal_insert_lsn()::text")
        return bool(standby.value("SELECT pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= %s::pg_lsn", place))
    except Exception:
        return False


def all_follow(cluster: Cluster) -> bool:
    leader = cluster.role("leader")
    return leader is not None and all(follows(node, leader) for node in cluster.nodes.values() if node is not leader)


def kill_the_leader(cluster: Cluster, clients: list[Client], number: int) -> None:
    killed = cluster.role("leader")
    standby = cluster.role("sync_standby")
    check("there is a leader with a synchronous standby", killed is not None and standby is not None, cluster.state())
    for client in clients:
        client.gaps.clear()
    killed.kill_server()
    promoted = cluster.until(lambda: cluster.role("leader") not in (None, killed), "another one leads")
    check("the synchronous standby leads", cluster.role("leader") is standby, cluster.state())
    rejoined = cluster.until(
        lambda: cluster.role("sync_standby") is killed, "the killed one is the synchronous standby"
    )
    cluster.until(lambda: all_follow_once(cluster), "all standbys follow", 60)
    time.sleep(SECONDS_BETWEEN)
    for client in clients:
        check("every client is answered again", not client.unexpected, client.unexpected[:3])
    waited = {kind: max(client.longest_gap for client in clients if type(client) is kind) for kind in KINDS}
    check("writers were kept waiting, or nothing was killed", waited[Writer] > 0)
    print(
        f"round {number}: Patroni says {standby.name} leads after {promoted:.1f} s, {killed.name} follows it after "
        f"{promoted + rejoined:.1f} s; not answered for at most: writes {waited[Writer]:.1f} s, searches of the leader "
        f"{waited[SearcherOfTheLeader]:.1f} s, of any server {waited[Searcher]:.1f} s",
        flush=True,
    )


def all_follow_once(cluster: Cluster) -> bool:
    """Under load nobody has caught up for long; what counts is that each has, some time."""
    return all(member.get("state") in ("running", "streaming") for member in cluster.state().values())


KINDS = (Writer, SearcherOfTheLeader, Searcher)


def answers(node: Node) -> list[str]:
    with node.connect() as connection:
        return [
            connection.execute(
                'SELECT memory_search(%s, %s, 10, options => \'{"asOf": "2100-01-01T00:00:00Z"}\')::text',
                (memory, query),
            ).fetchone()[0]
            for memory in MEMORIES
            for query in (*TOPICS, "")
        ]


def judge(cluster: Cluster, writers: list[Writer]) -> None:
    cluster.until(lambda: all_follow(cluster), "all standbys have caught up")
    leader = cluster.role("leader")
    expected = answers(leader)
    # The check fails if the index is damaged. It does not run on a standby, but this server was one, and the index is
    # as replay left it.
    proved = leader.value("SELECT count(*) FROM memory_index_check('memory.entries_memory')")
    check("memory_index_check proves the memory index", proved > 0)
    for name, node in cluster.nodes.items():
        for writer in writers:
            missing = node.value(
                "SELECT count(*) FROM unnest(%s::uuid[]) w (id) WHERE NOT EXISTS "
                "(SELECT FROM memory.entries e WHERE e.memory_id = %s AND e.entry_id = w.id)",
                writer.acknowledged,
                writer.memory,
            )
            check(f"every acknowledged entry of {writer.memory} is on {name}", missing == 0, f"{missing} are missing")
        check(f"{name} answers the leader's bytes", answers(node) == expected)
        found = node.value(
            "SELECT coalesce(string_agg(name || ': ' || detail, '; '), '') FROM memory_doctor() "
            "WHERE status = 'error'"
        )
        check(f"memory_doctor finds no error on {name}", found == "", found)
        internal = [line for line in node.logs.splitlines() if " XX" in line and "ERROR" in line]
        check(f"no internal error in the log of {name}", internal == [], internal[:3])
    upstream = cluster.nodes["b"].value("SELECT count(*) FROM pg_stat_replication WHERE application_name = 'c'")
    check("c follows b, whichever server leads", upstream == 1)


def main(folder: Path) -> None:
    cluster = None
    clients: list[Client] = []
    try:
        cluster = Cluster(folder)
        leader = cluster.role("leader")
        with leader.connect() as connection:
            connection.execute("CREATE EXTENSION memory_search CASCADE")
            connection.execute("SELECT memory_create_store()")
            for memory in MEMORIES:
                connection.execute(
                    "SELECT count(memory_add(%s, t || ', to begin with')) FROM unnest(%s::text[]) t",
                    (memory, list(TOPICS)),
                )
        cluster.until(lambda: all_follow(cluster), "all have the store")
        writers = [Writer(cluster, memory) for memory in MEMORIES]
        clients = [*writers, *(kind(cluster, memory) for kind in KINDS[1:] for memory in MEMORIES)]
        for client in clients:
            client.start()
        time.sleep(SECONDS_BETWEEN)
        for number in range(1, ROUNDS + 1):
            kill_the_leader(cluster, clients, number)
        for client in clients:
            client.end()
        check("clients did something", all(client.answered > 50 for client in clients), [c.answered for c in clients])
        judge(cluster, writers)
        written = sum(len(writer.acknowledged) for writer in writers)
        searched = sum(client.answered for client in clients) - written
        print(f"{written} writes were acknowledged and are there, {searched} searches were answered", flush=True)
        print(f"{passed} checks passed")
    finally:
        for client in clients:
            client.ended.set()
        if cluster is not None:
            cluster.stop()


main(Path(sys.argv[1]))
