"""Builds C modules for tests into a server's folder, from their sources and the server's own headers, in a second or
two."""

from __future__ import annotations

import os

from . import cluster
from .server import Server, Servers


def start_with(servers: Servers, name: str) -> Server:
    """A server whose sessions load the module of tests/cluster/support/NAME."""
    server = servers.create()
    library = server.folder / f"{name}.so"
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
    sources = sorted((cluster.SUPPORT / name).glob("*.c"))
    cluster.run([compiler, *words, "-o", str(library), *map(str, sources)])
    server.settings.append(f"session_preload_libraries = '{library}'")
    server.start()
    server.create_extension()
    return server
