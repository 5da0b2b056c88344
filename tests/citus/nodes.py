"""The servers of a cluster, and the nodes of its memories."""

from __future__ import annotations

from harness.access import Session
from harness.server import Server, Servers

# Settings of every server; an acknowledged commit is on the disk.
EVERYWHERE = ["shared_buffers = '256MB'", "synchronous_commit = on", "fsync = on", "jit = off"]
SETTINGS = [
    "shared_preload_libraries = 'citus,memory_search'",
    "wal_level = logical",
    "max_connections = 100",
    "max_prepared_transactions = 100",
    "max_worker_processes = 24",
    "max_logical_replication_workers = 10",
    "output_plugin_libraries = 'citus, pgoutput'",
    "citus.node_conninfo = 'sslmode=disable'",
    "citus.defer_shard_delete_interval = '1s'",
    *EVERYWHERE,
]
# Rows of a memory, which are the same on every node: no id and no time is random.
ROWS = """
    INSERT INTO memory.entries (memory_id, entry_id, user_id, raw_entry, context, tags, metadata, importance,
        creation_time, embedding, embedding_model)
    SELECT {memory}, (lpad(to_hex(hashtext({memory}) & 2147483647), 8, '0') || '-0000-4000-8000-'
            || lpad(to_hex(e), 12, '0'))::uuid,
        'u' || e % 3, said.text, CASE WHEN e % 20 = 0 THEN 'part ' || e END, ARRAY['t' || e % 4],
        jsonb_build_object('kind', 'k' || e % 5), e * 37 % 101, timestamptz '2025-01-01Z' + e * interval '1 hour',
        memory_embed(said.text)::halfvec, 'wordllama'
      FROM generate_series(1, {rows}) e,
           (SELECT '{{tea,harbour,boat,stone,river,cloud,train,paper,lamp,garden,window,bread,music,forest,letter,winter,
             summer,market,bridge,island,silver,copper,engine,pocket,mirror,kettle,candle,saddle,violin}}'::text[]) words (list),
           LATERAL (SELECT string_agg(words.list[
               1 + (hashint4(e * 131 + w + length({memory})) & 2147483647) % cardinality(words.list)]
               || CASE WHEN w % 5 = 0 THEN (hashint4(e * 7 + w) & 1023)::text ELSE '' END, ' ') AS text
             FROM generate_series(1, 20) w) said"""
QUERIES = [
    "harbour tea stone",
    "where is the garden letter",
    "silver bridge winter",
    "music of the island",
    "kettle candle bread market",
    "",
]
AS_OF = '{"asOf": "2026-01-01T00:00:00Z"}'


def search(memory: str, query: str, options: str = AS_OF, more: str = "") -> str:
    return f"SELECT memory_search('{memory}', '{query}', options => '{options}'{more})"


class Cluster:
    """`memory` is distributed over eight shards; `single` has the same rows in a plain store."""

    def __init__(self, servers: Servers, pg_configs: list[str | None] | None = None, version: str = "") -> None:
        """Starts a node of each installation, the coordinator's first; `version` is memory_search's."""
        self.servers = servers
        coordinator, *workers = pg_configs or [None, None, None]
        self.coordinator = self.node(coordinator)
        self.nodes, self.workers = [self.coordinator], []
        self.coordinator.run(f"SELECT citus_set_coordinator_host('{self.coordinator.socket}', 5432)")
        for worker in workers:
            self.join(self.node(worker))
        self.single = servers.start("shared_preload_libraries = 'memory_search'", *EVERYWHERE, pg_config=coordinator)
        of_version = f"VERSION '{version}'" if version else ""
        for server in (self.coordinator, self.single):
            server.run(f"CREATE EXTENSION memory_search {of_version} CASCADE")
            server.run("SELECT memory_create_store('memory')")
        self.coordinator.run("SELECT memory_distribute_store('memory', 8)")
        self.memories: list[str] = []

    def node(self, pg_config: str | None = None, settings: list[str] = SETTINGS) -> Server:
        """A server with Citus, of no cluster yet."""
        node = self.servers.start(*settings, pg_config=pg_config)
        node.run("CREATE EXTENSION citus")
        # A node connects to itself by this address.
        node.run(f"ALTER SYSTEM SET citus.local_hostname = '{node.socket}'")
        node.run("SELECT pg_reload_conf()")
        return node

    def join(self, node: Server) -> None:
        """Makes it a worker."""
        self.coordinator.run(f"SELECT citus_add_node('{node.socket}', 5432)")
        self.nodes.append(node)
        self.workers.append(node)

    def add(self, memory: str, rows: int) -> None:
        """Adds a memory, to the cluster and beside it."""
        for server in (self.coordinator, self.single):
            server.run(ROWS.format(memory=f"'{memory}'", rows=rows))
        self.memories.append(memory)

    def settle(self) -> None:
        for server in (self.coordinator, self.single):
            server.run("VACUUM ANALYZE memory.entries, memory.contexts")

    def holder(self, memory: str) -> Server:
        """The worker that has a memory."""
        host = self.coordinator.value(f"""SELECT nodename FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
            WHERE shardid = get_shard_id_for_distribution_column('memory.entries', '{memory}'::text)""")
        return next(node for node in self.nodes if node.socket == host)

    def other(self, memory: str) -> Server:
        """A worker that does not have it."""
        holder = self.holder(memory)
        return next(worker for worker in self.workers if worker is not holder)

    def move(self, memory: str, mode: str = "auto") -> None:
        """Moves the shards of a memory to the other worker."""
        source, target = self.holder(memory), self.other(memory)
        # The move before leaves a shard behind if a statement still read it.
        self.coordinator.run("CALL citus_cleanup_orphaned_resources()")
        self.coordinator.run(f"""
            SELECT citus_move_shard_placement(
              get_shard_id_for_distribution_column('memory.entries', '{memory}'::text),
              '{source.socket}', 5432, '{target.socket}', 5432, shard_transfer_mode => '{mode}')""")


def path(session: Session | Server, memory: str) -> str:
    """The path by which the entries of a memory are read."""
    return session.value(search(memory, "harbour", '{"diagnostics": true}') + " #>> '{diagnostics,reads,0,path}'")
