"""Shards move, split and go while searches and writers are at work: the answers stay those of a single server, or are an
error that says to try again."""

import os
import threading
from collections import Counter

import pytest

from harness.server import Server
from nodes import QUERIES, Cluster, beside, path, search

# How often each shard moves: more for figures.
ROUNDS = int(os.environ.get("ROUNDS", "4"))
TRY_AGAIN = {"40001", "40P01", "55006"}


@pytest.fixture(scope="module")
def filled(cluster: Cluster) -> Cluster:
    for memory in ("m0", "m1", "m2", "m3"):
        cluster.add(memory, 400)
    cluster.settle()
    return cluster


class Asked:
    """Searches by every node that go on until they are told to end; each answer is compared."""

    def __init__(self, cluster: Cluster) -> None:
        self.questions = [search(memory, query) for memory in ("m0", "m1", "m2", "m3") for query in QUERIES]
        self.expected = [cluster.single.value(question) for question in self.questions]
        self.found: Counter[str] = Counter()

    def by(self, server: Server):
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


def writer(server: Server, memory: str, kept: list[str]):
    def work(stop: threading.Event) -> None:
        number = 0
        with server.session() as session:
            while not stop.is_set():
                number += 1
                added = session.value_or_sqlstate(f"SELECT memory_add('{memory}', 'entry number {number}')")
                if len(str(added)) > 5:
                    kept.append(str(added))

    return work


def test_searches_beside_moves_and_writers_give_one_answer(filled: Cluster, say):
    asked, kept = Asked(filled), ([], [])
    readers = [asked.by(node) for node in filled.nodes]
    writers = [writer(filled.coordinator, "w0", kept[0]), writer(filled.workers[0], "m0w", kept[1])]
    with beside(*readers, *writers):
        for round in range(ROUNDS):
            for memory in ("m0", "m1", "m2", "m3"):
                filled.move(memory, "block_writes" if round % 2 else "force_logical")
    say(f"{sum(asked.found.values())} searches: {dict(asked.found)}; {len(kept[0])} and {len(kept[1])} entries added")
    assert asked.found["same"] > 1000, "searches went on"
    assert asked.found["other"] == 0, "none gave anything else"
    for memory, ids in zip(("w0", "m0w"), kept):
        there = set(filled.coordinator.column(f"SELECT entry_id::text FROM memory.entries WHERE memory_id = '{memory}'"))
        assert len(ids) > 10, "writers went on"
        assert set(ids) - there == set(), "what was said to be added is there"
    for memory in ("m0", "m1", "m2", "m3"):
        assert path(filled.holder(memory), memory) == "memory index", "read in place where it is now"


def test_a_search_in_a_transaction_that_began_before_a_move_is_right_or_refused(filled: Cluster):
    expected = filled.single.value(search("m1", "harbour tea stone"))
    for level in ("READ COMMITTED", "REPEATABLE READ"):
        for at_source in (True, False):
            server = filled.holder("m1") if at_source else filled.other("m1")
            with server.session() as session:
                session.run(f"BEGIN ISOLATION LEVEL {level}")
                session.run("SELECT 1 FROM pg_class LIMIT 1")
                if at_source:
                    assert session.value(search("m1", "harbour tea stone")) == expected
                filled.move("m1", "block_writes")
                got = session.value_or_sqlstate(search("m1", "harbour tea stone"))
                assert got == expected or got in TRY_AGAIN, f"{level}: {got[:300]}"
                session.run("ROLLBACK")
                assert session.value(search("m1", "harbour tea stone")) == expected, "the next one reads it"


def test_a_split_leaves_the_answers(filled: Cluster):
    asked = Asked(filled)
    with beside(*[asked.by(node) for node in filled.nodes]):
        shard, least, most, source, target = filled.coordinator.row(f"""
            SELECT s.shardid, s.shardminvalue::int, s.shardmaxvalue::int, n.nodeid,
                (SELECT max(nodeid) FROM pg_dist_node WHERE nodename = '{filled.other("m2").socket}')
              FROM pg_dist_shard s JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node n USING (groupid)
             WHERE s.shardid = get_shard_id_for_distribution_column('memory.entries', 'm2'::text)""")
        middle = (least + most) // 2
        filled.coordinator.run(f"""SELECT citus_split_shard_by_split_points({shard}, ARRAY['{middle}'],
            ARRAY[{source}, {target}], 'force_logical')""")
    assert asked.found["same"] > 100 and asked.found["other"] == 0, dict(asked.found)
