"""Three servers that Patroni runs, and the etcd that it asks who leads, all in one folder, on this machine's loopback
with a password that nobody knows, and gone at the end. The third follows a replica, not the leader."""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import psycopg
import yaml

# The shortest times that Patroni accepts. A leader whose server is gone is not restarted, but given up at once.
DCS = {
    "ttl": 20,
    "loop_wait": 1,
    "retry_timeout": 3,
    "primary_start_timeout": 0,
    "maximum_lag_on_failover": 0,
    "synchronous_mode": True,
}
PARAMETERS = {
    "synchronous_commit": "on",
    "wal_log_hints": "on",
    "max_connections": 50,
    "wal_receiver_status_interval": "1s",
    "hot_standby_feedback": "on",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "lc_messages": "C",
    "log_line_prefix": "%m [%p] %e %q%u@%d ",
}


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Node:
    def __init__(self, name: str, folder: Path, etcd: int, password: str, tags: dict) -> None:
        self.name, self.folder = name, folder / name
        self.folder.mkdir(mode=0o700)
        self.port, self.rest = free_port(), free_port()
        self.password = password
        users = {role: {"username": role, "password": password} for role in ("superuser", "replication", "rewind")}
        users["superuser"]["username"] = "postgres"
        self.settings = {
            "scope": "memory",
            "name": name,
            "restapi": {"listen": f"127.0.0.1:{self.rest}", "connect_address": f"127.0.0.1:{self.rest}"},
            "etcd3": {"host": f"127.0.0.1:{etcd}"},
            "bootstrap": {
                "dcs": DCS | {"postgresql": {"use_pg_rewind": True, "parameters": PARAMETERS}},
                "initdb": [{"encoding": "UTF8"}, {"locale": "C.UTF-8"}, "data-checksums"],
            },
            "postgresql": {
                "listen": f"127.0.0.1:{self.port}",
                "connect_address": f"127.0.0.1:{self.port}",
                "data_dir": str(self.folder / "data"),
                "bin_dir": os.environ["PG_BIN"],
                "pgpass": str(self.folder / "pgpass"),
                "authentication": users,
                "parameters": {"unix_socket_directories": ""},
                "pg_hba": [
                    "host all all 127.0.0.1/32 scram-sha-256",
                    "host replication all 127.0.0.1/32 scram-sha-256",
                ],
            },
            "tags": tags,
        }
        (self.folder / "patroni.yml").write_text(yaml.safe_dump(self.settings))

    def start(self) -> None:
        log = (self.folder / "patroni.log").open("w")
        program = Path(sys.executable).parent / "patroni"
        self.process = subprocess.Popen([program, self.folder / "patroni.yml"], stdout=log, stderr=subprocess.STDOUT)

    @property
    def dsn(self) -> str:
        return f"host=127.0.0.1 port={self.port} user=postgres password={self.password} connect_timeout=2"

    def connect(self, database: str = "postgres") -> psycopg.Connection:
        return psycopg.connect(f"{self.dsn} dbname={database}", autocommit=True)

    def value(self, sql: str, *parameters: object) -> object:
        with self.connect() as connection:
            return connection.execute(sql, parameters or None).fetchone()[0]

    def kill_server(self) -> None:
        """The postmaster, at once and without a word: its children end when they miss it."""
        os.kill(int((self.folder / "data/postmaster.pid").read_text().split()[0]), signal.SIGKILL)

    @property
    def logs(self) -> str:
        return "".join(path.read_text(errors="replace") for path in sorted(self.folder.glob("*.log")))


class Cluster:
    """a and b, of which one leads, and c, which follows b as long as that lives and never leads."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        peer = free_port()
        client = f"http://127.0.0.1:{self.port}"
        log = (folder / "etcd.log").open("w")
        program = Path(sys.executable).parent / "etcd"
        words = ["--data-dir", folder / "etcd", "--listen-client-urls", client, "--advertise-client-urls", client]
        words += ["--listen-peer-urls", f"http://127.0.0.1:{peer}", "--initial-advertise-peer-urls"]
        words += [f"http://127.0.0.1:{peer}", "--initial-cluster", f"default=http://127.0.0.1:{peer}"]
        self.etcd = subprocess.Popen([program, *words], stdout=log, stderr=subprocess.STDOUT)
        password = secrets.token_hex(16)
        cascading = {"replicatefrom": "b", "nofailover": True, "nosync": True}
        self.nodes = {
            name: Node(name, folder, self.port, password, tags)
            for name, tags in {"a": {}, "b": {}, "c": cascading}.items()
        }
        # The first one is the leader: the others copy it.
        for node in self.nodes.values():
            node.start()
            self.until(
                lambda node=node: self.state().get(node.name, {}).get("state") in ("running", "streaming"),
                f"{node.name} runs",
            )
        self.until(lambda: self.role("sync_standby") is not None, "there is a synchronous standby")

    def state(self) -> dict[str, dict]:
        """Patroni's status of each member."""
        for node in self.nodes.values():
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{node.rest}/cluster", timeout=2) as answer:
                    return {member["name"]: member for member in json.load(answer)["members"]}
            except (OSError, KeyError, ValueError):
                continue
        return {}

    def role(self, role: str) -> Node | None:
        found = [name for name, member in self.state().items() if member["role"] == role]
        return self.nodes[found[0]] if found else None

    def until(self, condition, what: str, seconds: float = 90) -> float:
        """Waits; gives how long."""
        begun = time.monotonic()
        while not condition():
            if time.monotonic() - begun > seconds:
                raise AssertionError(f"not so after {seconds} s: {what}; {self.state()}")
            time.sleep(0.1)
        return time.monotonic() - begun

    def stop(self) -> None:
        """Stops the processes that were started here, and no others. Patroni stops its server."""
        for node in reversed(self.nodes.values()):
            if hasattr(node, "process"):
                node.process.terminate()
        for node in self.nodes.values():
            if hasattr(node, "process"):
                node.process.wait(60)
        self.etcd.terminate()
        self.etcd.wait(20)
