"""Clients that write and search all the time. Each tries again at once, as an application does, and notes its answers
and the times without an answer."""

from __future__ import annotations

import random
import threading
import time
import uuid

import psycopg

from nodes import Cluster

TOPICS = ("a small hotel by the sea", "the train to Lisbon", "green tea with milk", "allergic to peanuts")


class Client(threading.Thread):
    """Calls again and again on any server with the wanted state, until it is told to stop."""

    wanted = "any"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(daemon=True)
        nodes = cluster.nodes.values()
        hosts, ports = ",".join("127.0.0.1" for _ in nodes), ",".join(str(node.port) for node in nodes)
        password = next(iter(nodes)).password
        self.dsn = (
            f"host={hosts} port={ports} user=postgres password={password} dbname=postgres connect_timeout=2 "
            f"load_balance_hosts=random target_session_attrs={self.wanted}"
        )
        self.ended, self.answered = threading.Event(), 0
        # Instants between which nothing was answered.
        self.gaps: list[tuple[float, float]] = []
        self.unexpected: list[str] = []

    def run(self) -> None:
        connection, last = None, time.monotonic()
        failed = False
        while not self.ended.is_set():
            try:
                if connection is None:
                    connection = psycopg.connect(self.dsn, autocommit=True)
                self.call(connection)
                now = time.monotonic()
                if failed:
                    self.gaps.append((last, now))
                last, failed = now, False
                self.answered += 1
            except psycopg.Error as error:
                failed = True
                # Lost connections, servers that start, end or have become standbys, and recovery conflicts.
                if error.sqlstate is not None and error.sqlstate[:2] not in ("08", "57", "25", "40"):
                    self.unexpected.append(f"{error.sqlstate} {error}")
                if connection is not None:
                    connection.close()
                connection = None
                time.sleep(0.02)

    def call(self, connection: psycopg.Connection) -> None:
        raise NotImplementedError

    @property
    def longest_gap(self) -> float:
        """In seconds."""
        return max((end - begin for begin, end in self.gaps), default=0.0)

    def end(self) -> None:
        self.ended.set()
        self.join(60)
        if self.is_alive():
            raise AssertionError("a client hangs")


class Writer(Client):
    wanted = "read-write"

    def __init__(self, cluster: Cluster, memory: str) -> None:
        super().__init__(cluster)
        self.memory = memory
        self.acknowledged: list[str] = []

    def call(self, connection: psycopg.Connection) -> None:
        entry_id = str(uuid.uuid4())
        text = f"{TOPICS[len(self.acknowledged) % 4]}, {len(self.acknowledged)}"
        connection.execute("SELECT memory_add(%s, %s, entry_id => %s)", (self.memory, text, entry_id))
        self.acknowledged.append(entry_id)


class Searcher(Client):
    def __init__(self, cluster: Cluster, memory: str) -> None:
        super().__init__(cluster)
        self.memory = memory

    def call(self, connection: psycopg.Connection) -> None:
        query = random.choice(TOPICS)
        found = connection.execute("SELECT memory_search(%s, %s, 5) ->> 'count'", (self.memory, query)).fetchone()[0]
        if not int(found):
            self.unexpected.append(f"nothing is found of {query}")


class SearcherOfTheLeader(Searcher):
    wanted = "read-write"
