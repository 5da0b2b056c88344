"""PgBouncer in transaction mode before a server: two of the server's sessions for all clients of a role."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from . import cluster
from .access import Access
from .server import Server

SCRIPT = cluster.REPOSITORY / "pgrx-config/pgbouncer.sh"
SETTINGS = cluster.REPOSITORY / "tests/clients/pgbouncer.ini"


class Pooler:
    """Runs until `stop`; `access` connects to the server through it."""

    def __init__(self, server: Server, users: Sequence[str]) -> None:
        self.command = cluster.run([str(SCRIPT)]).decode().splitlines()
        self.folder = Path(tempfile.mkdtemp(prefix="memory_search-scratch-", dir="/tmp"))
        words = {"SERVER_SOCKET": server.socket, "SERVER_PORT": "5432", "POOL_PORT": "5432", "FOLDER": str(self.folder)}
        settings = SETTINGS.read_text()
        for word, value in words.items():
            settings = settings.replace(word, value)
        (self.folder / "pgbouncer.ini").write_text(settings)
        (self.folder / "users").write_text("".join(f'"{user}" ""\n' for user in users))
        owned = f'if (( EUID == 0 )); then chown -R "$(server_user)" "{self.folder}"; fi'
        cluster.call("eval", owned)
        cluster.call("as_server_user", *self.command, "-q", "-d", self.folder / "pgbouncer.ini")

    @property
    def access(self) -> Access:
        return Access(host=str(self.folder))

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")

    def stop(self) -> None:
        pid = self.folder / "pid"
        if pid.exists():
            cluster.call("as_server_user", "kill", "-INT", pid.read_text().strip())
        shutil.rmtree(self.folder, ignore_errors=True)
