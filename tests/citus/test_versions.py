"""A new version of memory_search is installed node by node, while the other nodes use the old one."""

import re
from collections.abc import Iterator

import pytest

from clients import Asked, beside, lost, writer
from installations import OwnLibraries
from nodes import QUERIES, Cluster, search

OLD = "0.0.0"
UPDATE = "ALTER EXTENSION memory_search UPDATE"
ALONE = "SET citus.enable_ddl_propagation = off; " + UPDATE
VERSION = "SELECT extversion FROM pg_extension WHERE extname = 'memory_search'"
MEMORIES = [f"m{number}" for number in range(6)]


class Releases(OwnLibraries):
    """With an older release, which lacks a function and a comment of this version."""

    def __init__(self) -> None:
        super().__init__()
        function = r'(?ms)^CREATE +FUNCTION "?{}"?.*?;$'
        comment = r"(?ms)^COMMENT ON FUNCTION @extschema@\.{}\(.*?;$"
        tools = [re.search(text.format("memory_tool_spec"), self.built).group() for text in (function, comment)]
        self.put_release(OLD, *tools)
        self.update = "\n".join([*tools, ""])
        self.put_update()
        # And back, for the next test.
        self.put("DROP FUNCTION memory_tool_spec(text, text);\n", self.version, OLD)

    def put_update(self) -> None:
        self.put(self.update, OLD, self.version)

    def take_update(self) -> None:
        (self.extension / f"memory_search--{OLD}--{self.version}.sql").unlink()


@pytest.fixture(scope="module")
def installations() -> Iterator[list[Releases]]:
    installations = [Releases() for _ in range(3)]
    yield installations
    for installation in installations:
        installation.remove()


@pytest.fixture(scope="module")
def servers(installations: list[Releases], servers):
    """Their programs stop them, so they are removed after them."""
    return servers


@pytest.fixture(scope="module")
def cluster(servers, installations: list[Releases]) -> Cluster:
    cluster = Cluster(servers, [installation.pg_config for installation in installations], OLD)
    for memory in MEMORIES:
        cluster.add(memory, 200)
    cluster.settle()
    return cluster


def versions(cluster: Cluster) -> list[str]:
    return [node.value(VERSION) for node in cluster.nodes]


def test_an_update_that_one_node_lacks_is_undone_on_all(cluster: Cluster, installations: list[Releases]):
    assert versions(cluster) == [OLD] * 3, "the version of the coordinator came to all"
    installations[2].take_update()
    error = cluster.coordinator.error(UPDATE)
    assert error.sqlstate == "22023" and "no update path" in str(error)
    assert versions(cluster) == [OLD] * 3
    installations[2].put_update()


@pytest.mark.parametrize("first", ["workers", "coordinator"])
def test_nodes_are_updated_in_turn_beside_searches_and_writers(
    cluster: Cluster, installations: list[Releases], first: str
):
    new = installations[0].version
    turns = cluster.nodes if first == "coordinator" else cluster.nodes[::-1]
    asked, kept = Asked(cluster, MEMORIES), []
    with beside(*[asked.by(node) for node in cluster.nodes], writer(cluster.coordinator, "w0", kept)):
        for node in turns:
            # The library comes with a restart in real life; this one is the same for both versions.
            node.run(ALONE)
            for server in cluster.nodes:
                got = [server.value(search(memory, QUERIES[0])) for memory in MEMORIES]
                assert got == asked.expected[:: len(QUERIES)], f"by {server.socket}, with {versions(cluster)}"
    assert versions(cluster) == [new] * 3
    assert asked.found["same"] > 100 and set(asked.found) == {"same"}, dict(asked.found)
    assert len(kept) > 10 and lost(cluster, "w0", kept) == set()
    cluster.coordinator.run(f"{UPDATE} TO '{OLD}'")


def test_one_statement_updates_all_nodes(cluster: Cluster, installations: list[Releases]):
    cluster.coordinator.run(UPDATE)
    assert versions(cluster) == [installations[0].version] * 3
    tools = [node.value("SELECT count(*) FROM pg_proc WHERE proname = 'memory_tool_spec'") for node in cluster.nodes]
    assert tools == [1] * 3
    for memory in MEMORIES:
        asked = search(memory, "harbour tea")
        assert [node.value(asked) for node in cluster.nodes] == [cluster.single.value(asked)] * 3


def test_a_node_whose_version_cannot_answer_a_sent_search_reports_it(cluster: Cluster):
    holder = cluster.holder("m0")
    with holder.session() as session:
        session.run("SET citus.enable_ddl_propagation = off")
        session.run("ALTER FUNCTION memory_search_sent(boolean, text, real[], text, timestamptz) RENAME TO of_later")
        error = cluster.coordinator.error(search("m0", "harbour"))
        here = holder.value(search("m0", "harbour"))
        session.run("ALTER FUNCTION of_later(boolean, text, real[], text, timestamptz) RENAME TO memory_search_sent")
    assert here == cluster.single.value(search("m0", "harbour")), "it answers what it is asked itself"
    assert error.sqlstate == "42883" and "memory_search_sent" in str(error)
    assert cluster.coordinator.value(search("m0", "harbour")) == here
