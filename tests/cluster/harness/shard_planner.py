"""A server with stores that are distributed as on a Citus worker, by the module of
tests/cluster/support/shard_planner."""

from __future__ import annotations

from . import modules
from .server import Server, Servers

# The places (group ids) of this server and of another one, in Citus' catalogs.
HERE, ELSEWHERE = 7, 8


def start(servers: Servers) -> Server:
    return modules.start_with(servers, "shard_planner")


def distribute(server: Server, store: str, place: int) -> None:
    """Makes the catalogs, and distributes a store over four shards, on this server or on another."""
    server.psql_file("sharded.sql", place=place)
    server.run(f"SELECT memory_distribute_store('{store}', 4)")
