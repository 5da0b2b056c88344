"""Nodes that are added and removed while clients work, and nodes without the library."""

from collections.abc import Iterator

import pytest

from clients import Asked, beside, lost, writer
from installations import OwnLibraries
from nodes import SETTINGS, Cluster, path, search

MEMORIES = [f"m{number}" for number in range(8)]
WITHOUT_LIBRARY = [line.replace(",memory_search", "") for line in SETTINGS]
SHARDS = """SELECT count(*) FROM pg_dist_placement JOIN pg_dist_node USING (groupid) WHERE nodename = '{}'"""


@pytest.fixture(scope="module")
def installation() -> Iterator[OwnLibraries]:
    installation = OwnLibraries()
    yield installation
    installation.remove()


@pytest.fixture(scope="module")
def servers(installation: OwnLibraries, servers):
    """Its programs stop them, so it is removed after them."""
    return servers


@pytest.fixture(scope="module")
def filled(cluster: Cluster) -> Cluster:
    for memory in MEMORIES:
        cluster.add(memory, 200)
    cluster.settle()
    return cluster


def test_a_node_is_added_filled_and_emptied_beside_searches_and_writers(filled: Cluster, say):
    asked, kept = Asked(filled, MEMORIES), ([], [])
    readers = [asked.by(node) for node in filled.nodes]
    writers = [writer(filled.coordinator, "w0", kept[0]), writer(filled.workers[0], "w1", kept[1])]
    added = filled.node()
    with beside(*readers, *writers):
        filled.join(added)
        filled.coordinator.run("SELECT rebalance_table_shards(shard_transfer_mode => 'force_logical')")
        here = [memory for memory in MEMORIES if filled.holder(memory) is added]
        with beside(asked.by(added)):
            by_it = [added.value_or_sqlstate(question) for question in asked.questions]
        ways = {path(node, memory) for node in filled.nodes for memory in MEMORIES}
        filled.coordinator.run(f"SELECT citus_drain_node('{added.socket}', 5432, 'force_logical')")
        left = filled.coordinator.value(SHARDS.format(added.socket))
        filled.coordinator.run(f"SELECT citus_remove_node('{added.socket}', 5432)")
    filled.nodes.remove(added)
    filled.workers.remove(added)
    say(f"{sum(asked.found.values())} searches: {dict(asked.found)}; {len(kept[0])} and {len(kept[1])} entries added")
    assert len(here) > 0, "memories came to the node"
    assert set(by_it) <= {*asked.expected, "40001"}, "which answers as the others do"
    assert ways == {"memory index"}, "each node read in place where the rows are"
    assert left == 0, "all went away again"
    assert asked.found["same"] > 500 and asked.found["other"] == 0, "none gave anything else"
    for memory, ids in zip(("w0", "w1"), kept):
        assert len(ids) > 10, "writers went on"
        assert lost(filled, memory, ids) == set(), "what was said to be added is there"


def test_a_node_without_the_extension_is_refused_and_nothing_changes(filled: Cluster, installation: OwnLibraries):
    expected = [filled.single.value(search(memory, "harbour tea")) for memory in MEMORIES]
    installation.take_scripts()
    node = filled.node(installation.pg_config, WITHOUT_LIBRARY)
    said = []
    with filled.coordinator.session() as session:
        session.connection.add_notice_handler(lambda told: said.append((told.message_primary, told.message_hint)))
        error = session.error(f"SELECT citus_add_node('{node.socket}', 5432)")
    installation.give_scripts()
    # Citus' own error only names the node, and is an internal one; the node's error comes as a warning before it.
    assert error.sqlstate == "XX000" and node.socket in str(error)
    filled.coordinator.forbidden = ["PANIC:  ", "terminated by signal"]
    assert len(filled.coordinator.log_lines(" XX[0-9]{3} .*ERROR:  ")) == 1, "and no other one"
    message, hint = said[-1]
    assert 'extension "memory_search" is not available' in message and "must first be installed" in hint
    assert filled.coordinator.value("SELECT count(*) FROM pg_dist_node") == 3, "it is no node of the cluster"
    got = [filled.coordinator.value(search(memory, "harbour tea")) for memory in MEMORIES]
    assert got == expected, "which goes on"


def test_a_node_without_its_library_reports_it_and_works_again_with_it(
    filled: Cluster, installation: OwnLibraries
):
    node = filled.node(installation.pg_config, WITHOUT_LIBRARY)
    filled.join(node)
    filled.coordinator.run("SELECT rebalance_table_shards(shard_transfer_mode => 'block_writes')")
    here = next(memory for memory in MEMORIES if filled.holder(memory) is node)
    elsewhere = next(memory for memory in MEMORIES if filled.holder(memory) is not node)
    before = filled.coordinator.value(f"SELECT count(*) FROM memory.entries WHERE memory_id = '{here}'")
    installation.take_library()
    node.restart()
    for asked in (search(here, "harbour tea"), f"SELECT memory_add('{here}', 'an entry')"):
        error = filled.coordinator.error(asked)
        assert error.sqlstate == "58P01", f"{asked}: {error}"
        assert "memory_search" in error.diag.message_primary and "No such file" in error.diag.message_primary
    who = "SELECT nodename FROM run_command_on_workers($$LOAD 'memory_search'$$) WHERE NOT success"
    assert filled.coordinator.column(who) == [node.socket], "this says which node it is"
    there = search(elsewhere, "harbour tea")
    assert filled.coordinator.value(there) == filled.single.value(there), "memories on other nodes are searched"
    assert node.sqlstate(there) == "58P01", "but not by this one"
    installation.give_library()
    for asked in [search(memory, "harbour tea") for memory in (here, elsewhere)]:
        got = [server.value(asked) for server in filled.nodes]
        assert got == [filled.single.value(asked)] * 4, "with it all is as before"
    after = filled.coordinator.value(f"SELECT count(*) FROM memory.entries WHERE memory_id = '{here}'")
    assert after == before, "and no entry is there by half"
