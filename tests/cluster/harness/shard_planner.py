"""A server on which stores are distributed as a Citus worker has them: by the module of
tests/cluster/support/shard_planner, which the C compiler makes of its sources and the server's own headers, in a second
or two, into the server's folder."""

from __future__ import annotations

import os

from . import cluster
from .server import Server, Servers

SOURCES = cluster.SUPPORT / "shard_planner"
# This server's number among the places of shards is 7.
HERE, ELSEWHERE = 7, 8


def start(servers: Servers) -> Server:
    server = servers.create()
    library = server.folder / "shard_planner.so"
    words = [
        "-std=gnu11",
        "-Wall",
        "-Werror",
        "-O1",
        "-fPIC",
        "-shared",
        f"-I{cluster.pg_config('--includedir-server')}",
    ]
    compiler = os.environ.get("CC", "cc")
    cluster.run([compiler, *words, "-o", str(library), *map(str, sorted(SOURCES.glob("*.c")))])
    server.settings.append(f"session_preload_libraries = '{library}'")
    server.start()
    server.create_extension()
    return server


def distribute(server: Server, store: str, place: int) -> None:
    """Makes the catalogs, and distributes a store over four shards, which this server has or another."""
    server.psql_file("sharded.sql", place=place)
    server.run(f"SELECT memory_distribute_store('{store}', 4)")
