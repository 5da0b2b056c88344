"""Nodes that die: the errors report it, no acknowledged write is lost, and the answers afterwards are the same."""

import threading
import time

import psycopg
import pytest

from clients import beside
from harness.kill import kill
from nodes import QUERIES, Cluster, search

LOST = {"08006", "08000", "57P01", "08003", "57P03", "57P02", "55000", "08001"}
# Internal errors of Citus, about a connection that broke while it committed and a postmaster that is gone.
OF_CITUS = ("could not commit transaction for shard", "postmaster was shut down, exiting")
# Entries of a call that writes to several memories, and so on both workers, in one transaction.
BATCH = """SELECT memory_add('b' || n, 'batch {batch}', entry_key => '{batch}') FROM generate_series(1, 6) n"""


def is_of_connection(error: psycopg.Error) -> bool:
    # A refused connection has no SQLSTATE.
    return error.sqlstate in {*LOST, None} or any(words in str(error) for words in OF_CITUS)


def test_a_killed_worker_causes_errors_and_no_wrong_answer(cluster: Cluster):
    for memory in ("m0", "m1", "m2", "m3", "m4", "m5"):
        cluster.add(memory, 100)
    questions = [search(f"m{n}", query) for n in range(6) for query in QUERIES]
    expected = [cluster.single.value(question) for question in questions]
    for node in cluster.nodes:
        # Citus reports broken connections as XX000.
        node.forbidden = ["PANIC:  ", "terminated by signal"]
    victim, added, others = cluster.holder("m0"), [], []

    def write(stop: threading.Event) -> None:
        number = 0
        while not stop.is_set():
            number += 1
            try:
                added.append(cluster.coordinator.value(f"SELECT memory_add('w{number % 9}', 'entry {number}')::text"))
            except psycopg.Error as error:
                if not is_of_connection(error):
                    others.append(error)
                time.sleep(0.05)

    with beside(write, write):
        for _ in range(3):
            victim.control("stop", "-m", "immediate")
            got = [cluster.coordinator.value_or_sqlstate(question) for question in questions]
            wrong = [g for g, e in zip(got, expected) if g != e and g not in LOST]
            assert wrong == [], "an error of the connection, or the answer"
            assert any(g == e for g, e in zip(got, expected)), "what lies on the other worker is found"
            victim.control("start")
            cluster.coordinator.until(
                f"SELECT success FROM run_command_on_workers('SELECT 1') " f"WHERE nodename = '{victim.socket}'",
                "it has recovered",
            )
            got = [cluster.coordinator.value_or_sqlstate(question) for question in questions]
            assert got == expected, "and all of it again"
    assert others == [], "no other errors"
    there = set(cluster.coordinator.column("SELECT entry_id::text FROM memory.entries WHERE memory_id ~ '^w'"))
    assert len(added) > 100, "writers went on"
    assert set(added) - there == set(), "what was acknowledged is there"


@pytest.mark.parametrize("victims", ["postmaster", "everything"])
def test_a_killed_coordinator_does_not_stop_clients_of_the_workers(cluster: Cluster, victims: str):
    if "m0" not in cluster.memories:
        for memory in ("m0", "m1", "m2", "m3", "m4", "m5"):
            cluster.add(memory, 100)
    coordinator, workers = cluster.coordinator, cluster.workers
    # Errors of Citus in a commit, whose postmaster is gone already.
    coordinator.forbidden = ["PANIC:  (?!cannot abort transaction)"]
    for worker in workers:
        worker.forbidden = ["PANIC:  ", "terminated by signal"]
    questions = [search(f"m{n}", query) for n in range(6) for query in QUERIES]
    expected = [cluster.single.value(question) for question in questions]
    added: dict[str, list[str]] = {"coordinator": [], "worker": []}
    batches, by_worker, others = [], [], []

    def writes(server, statement: str, acknowledge) -> None:
        try:
            with server.session() as session:
                acknowledge(session.column(statement))
        except psycopg.Error as error:
            if not is_of_connection(error):
                others.append(error)
            time.sleep(0.05)

    def one_by_one(name: str, server):
        def work(stop: threading.Event) -> None:
            number = 0
            while not stop.is_set():
                number += 1
                writes(server, f"SELECT memory_add('k{number % 9}', '{name} {number}')::text", added[name].extend)

        return work

    def in_batches(name: str):
        def work(stop: threading.Event) -> None:
            number = 0
            while not stop.is_set():
                number += 1
                batch = f"{victims} {name} {number}"
                writes(coordinator, BATCH.format(batch=batch), lambda _, batch=batch: batches.append(batch))

        return work

    def ask(stop: threading.Event) -> None:
        with workers[1].session() as session:
            while not stop.is_set():
                by_worker.extend(zip(expected, [session.value_or_sqlstate(question) for question in questions]))

    clients = [one_by_one("coordinator", coordinator), one_by_one("worker", workers[0])]
    with beside(*clients, in_batches("a"), in_batches("b"), ask):
        for _ in range(3):
            coordinator.until(f"SELECT count(*) > {len(batches)} FROM memory.entries WHERE memory_id = 'b1'", "a batch")
            kill(coordinator, victims)
            before, asked = len(added["worker"]), len(by_worker)
            got = [workers[0].value(question) for question in questions]
            assert got == expected, "a worker answers of both workers' memories while there is no coordinator"
            while len(added["worker"]) == before or len(by_worker) == asked:
                time.sleep(0.05)
            coordinator.control("start")
            assert [coordinator.value(question) for question in questions] == expected
    assert others == [], "no other errors"
    assert len(by_worker) > 100 and [pair for pair in by_worker if pair[0] != pair[1]] == [], "no search failed"
    # Transactions that were prepared on the workers end as the coordinator had decided.
    coordinator.until("SELECT recover_prepared_transactions() IS NOT NULL", "it looks")
    for worker in workers:
        worker.until("SELECT count(*) = 0 FROM pg_prepared_xacts", "nothing is left prepared")
    there = set(coordinator.column("SELECT entry_id::text FROM memory.entries WHERE memory_id ~ '^k'"))
    for name, ids in added.items():
        assert len(ids) > 10, f"writers by the {name} went on"
        assert set(ids) - there == set(), "what was acknowledged is there"
    whole = dict(coordinator.rows("SELECT entry_key, count(*) FROM memory.entries WHERE memory_id ~ '^b' GROUP BY 1"))
    assert set(whole.values()) == {6}, "no batch is there by half"
    assert set(batches) - set(whole) == set(), "and none that was acknowledged is missing"
