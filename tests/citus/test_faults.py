"""Nodes that die: errors that say so, nothing that was acknowledged lost, and the same answers afterwards."""

import threading

import psycopg

from nodes import QUERIES, Cluster, beside, search

LOST = {"08006", "08000", "57P01", "08003", "57P03", "57P02", "55000", "08001"}


def test_a_killed_worker_costs_errors_and_no_answer(cluster: Cluster):
    for memory in ("m0", "m1", "m2", "m3", "m4", "m5"):
        cluster.add(memory, 100)
    questions = [search(f"m{n}", query) for n in range(6) for query in QUERIES]
    expected = [cluster.single.value(question) for question in questions]
    for node in cluster.nodes:
        # Citus says XX000 of connections that broke.
        node.forbidden = ["PANIC:  ", "terminated by signal"]
    victim, added, others = cluster.holder("m0"), [], []

    def write(stop: threading.Event) -> None:
        number = 0
        while not stop.is_set():
            number += 1
            try:
                added.append(cluster.coordinator.value(f"SELECT memory_add('w{number % 9}', 'entry {number}')::text"))
            except psycopg.Error as error:
                if error.sqlstate not in LOST:
                    others.append(error)

    with beside(write, write):
        for _ in range(3):
            victim.control("stop", "-m", "immediate")
            got = [cluster.coordinator.value_or_sqlstate(question) for question in questions]
            wrong = [g for g, e in zip(got, expected) if g != e and g not in LOST]
            assert wrong == [], "an error of the connection, or the answer"
            assert any(g == e for g, e in zip(got, expected)), "what lies on the other worker is found"
            victim.control("start")
            cluster.coordinator.until(f"SELECT success FROM run_command_on_workers('SELECT 1') "
                                      f"WHERE nodename = '{victim.socket}'", "it has recovered")
            got = [cluster.coordinator.value_or_sqlstate(question) for question in questions]
            assert got == expected, "and all of it again"
    assert others == [], "no other errors"
    there = set(cluster.coordinator.column("SELECT entry_id::text FROM memory.entries WHERE memory_id ~ '^w'"))
    assert len(added) > 100, "writers went on"
    assert set(added) - there == set(), "what was acknowledged is there"
