"""Nodes that die: errors that say so, nothing that was acknowledged lost, and the same answers afterwards."""

import threading

from harness.server import Server
from nodes import QUERIES, Cluster, search

LOST = {"08006", "08000", "57P01", "08003", "57P03", "57P02", "55000", "08001"}


def test_a_killed_worker_costs_errors_and_no_answer(cluster: Cluster):
    for memory in ("m0", "m1", "m2", "m3", "m4", "m5"):
        cluster.add(memory, 100)
    questions = [search(f"m{n}", query) for n in range(6) for query in QUERIES]
    expected = [cluster.single.value(question) for question in questions]
    victim = cluster.holder("m0")
    stop, added, others = threading.Event(), [], []

    def write(server: Server) -> None:
        number = 0
        while not stop.is_set():
            number += 1
            try:
                added.append(server.value(f"SELECT memory_add('w{number % 9}', 'entry {number}')::text"))
            except Exception as error:
                if getattr(error, "sqlstate", None) not in LOST:
                    others.append(error)

    threads = [threading.Thread(target=write, args=(cluster.coordinator,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(3):
        victim.stop("immediate")
        got = [cluster.coordinator.value_or_sqlstate(question) for question in questions]
        wrong = [g for g, e in zip(got, expected) if g != e and g not in LOST]
        assert wrong == [], "an error of the connection, or the answer"
        assert any(g == e for g, e in zip(got, expected)), "what lies on the other worker is found"
        victim.control("start")
        victim.until("SELECT NOT pg_is_in_recovery()", "it has recovered")
        got = [cluster.coordinator.value_or_sqlstate(question) for question in questions]
        got = [cluster.coordinator.value_or_sqlstate(question) for question in questions]
        assert got == expected, "and all of it again"
    stop.set()
    for thread in threads:
        thread.join()
    assert others == [], "no other errors"
    there = set(cluster.coordinator.column("SELECT entry_id::text FROM memory.entries WHERE memory_id ~ '^w'"))
    assert len(added) > 100, "writers went on"
    assert set(added) - there == set(), "what was acknowledged is there"
