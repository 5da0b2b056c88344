"""Shards are moved, split and dropped during searches and writes: each answer is the same as from a single server, or
an error that asks to try again."""

import os

import pytest

from clients import TRY_AGAIN, Asked, beside, lost, writer
from nodes import Cluster, path, search

# The number of moves of each shard: more for figures.
ROUNDS = int(os.environ.get("ROUNDS", "4"))
MEMORIES = ["m0", "m1", "m2", "m3"]


@pytest.fixture(scope="module")
def filled(cluster: Cluster) -> Cluster:
    for memory in MEMORIES:
        cluster.add(memory, 400)
    cluster.settle()
    return cluster


def test_searches_beside_moves_and_writers_give_one_answer(filled: Cluster, say):
    asked, kept = Asked(filled, MEMORIES), ([], [])
    readers = [asked.by(node) for node in filled.nodes]
    writers = [writer(filled.coordinator, "w0", kept[0]), writer(filled.workers[0], "m0w", kept[1])]
    with beside(*readers, *writers):
        for round in range(ROUNDS):
            for memory in MEMORIES:
                filled.move(memory, "block_writes" if round % 2 else "force_logical")
    say(f"{sum(asked.found.values())} searches: {dict(asked.found)}; {len(kept[0])} and {len(kept[1])} entries added")
    assert asked.found["same"] > 1000, "searches went on"
    assert asked.found["other"] == 0, "none gave anything else"
    for memory, ids in zip(("w0", "m0w"), kept):
        assert len(ids) > 10, "writers went on"
        assert lost(filled, memory, ids) == set(), "what was said to be added is there"
    for memory in MEMORIES:
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


def test_a_split_does_not_change_the_answers(filled: Cluster):
    asked = Asked(filled, MEMORIES)
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
