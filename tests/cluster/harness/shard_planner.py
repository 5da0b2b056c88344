"""A server on which stores are distributed as a Citus worker has them: by the module of
tests/cluster/support/shard_planner."""

from __future__ import annotations

from . import modules
from .server import Server, Servers

# This server's number among the places of shards is 7.
HERE, ELSEWHERE = 7, 8


def start(servers: Servers) -> Server:
    return modules.start_with(servers, "shard_planner")


def distribute(server: Server, store: str, place: int) -> None:
    """Makes the catalogs, and distributes a store over four shards, which this server has or another."""
    server.psql_file("sharded.sql", place=place)
    server.run(f"SELECT memory_distribute_store('{store}', 4)")
