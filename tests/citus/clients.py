"""Clients that search and write while a test does something to the cluster."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from harness.server import Server
from nodes import QUERIES, Cluster, search

Work = Callable[[threading.Event], None]
TRY_AGAIN = {"40001", "40P01", "55006"}


class Asked:
    """Searches until it is told to end, and compares each answer with the single server's."""

    def __init__(self, cluster: Cluster, memories: list[str]) -> None:
        self.questions = [search(memory, query) for memory in memories for query in QUERIES]
        self.expected = [cluster.single.value(question) for question in self.questions]
        self.found: Counter[str] = Counter()

    def by(self, server: Server) -> Work:
        def work(stop: threading.Event) -> None:
            with server.session() as session:
                while not stop.is_set():
                    for question, expected in zip(self.questions, self.expected):
                        got = session.value_or_sqlstate(question)
                        same = "same" if got == expected else got if got in TRY_AGAIN else "other"
                        self.found[same] += 1
                        if same == "other":
                            self.found[f"{question}: {got}"[:400]] += 1

        return work


def writer(server: Server, memory: str, kept: list[str]) -> Work:
    """Adds entries one by one; `kept` has the ids of the acknowledged ones."""

    def work(stop: threading.Event) -> None:
        number = 0
        with server.session() as session:
            while not stop.is_set():
                number += 1
                added = session.value_or_sqlstate(f"SELECT memory_add('{memory}', 'entry number {number}')")
                if len(str(added)) > 5:
                    kept.append(str(added))

    return work


def lost(cluster: Cluster, memory: str, kept: list[str]) -> set[str]:
    """The acknowledged entries that are missing."""
    of_memory = f"SELECT entry_id::text FROM memory.entries WHERE memory_id = '{memory}'"
    return set(kept) - set(cluster.coordinator.column(of_memory))


@contextmanager
def beside(*works: Work) -> Iterator[None]:
    """Runs each in a thread until the block ends, and raises an exception of a thread there."""
    stop, raised = threading.Event(), []

    def run(work: Work) -> None:
        try:
            work(stop)
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    try:
        yield
        time.sleep(0.2)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    if raised:
        raise raised[0]
