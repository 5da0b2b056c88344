"""The ways to the database: by TLS with checks of certificate and host, by PgBouncer, and without a connection."""

import os
import subprocess
import tempfile

import anyio
import pytest
from page import Browser
from pooler import pooled
from program import PROGRAM, answer, environment, exploring, over_stdio, refusal
from wire import Certificate, Wire


def url(port: int, mode: str, host: str) -> str:
    return f"postgresql://mcp_writer@{host}:{port}/{os.environ['PGDATABASE']}?sslmode={mode}"


@pytest.fixture(scope="module")
def folder():
    with tempfile.TemporaryDirectory() as folder:
        yield folder


@pytest.mark.parametrize("mode", ["require", "verify-full", "prefer"])
async def test_a_certificate_that_is_trusted_and_of_the_host_lets_statements_through(folder, mode):
    certificate = Certificate(folder, "localhost")
    with Wire(certificate) as wire:
        options = ("--tls-roots", certificate.path, "--database", url(wire.port, mode, "localhost"))
        async with over_stdio(*options) as client:
            assert (await answer(client, "memory_search", query="hotel"))["count"] > 0
        with exploring(*options) as pages:
            Browser(pages).get("search", store="memory", memory="hike", q="hut")
        assert wire.tls_connections >= 2


# If the server has no TLS at all, "prefer" connects without it.
@pytest.mark.parametrize(
    "wrong, mode",
    [(wrong, mode) for wrong in ("host", "issuer") for mode in ("require", "verify-full", "prefer")]
    + [("none", "require"), ("none", "verify-full")],
)
async def test_another_certificate_or_none_lets_nothing_through(folder, mode, wrong):
    trusted, other = Certificate(folder, "localhost"), Certificate(folder, "db.example")
    shown = {"host": other, "issuer": other, "none": None}[wrong]
    roots = other if wrong == "host" else trusted
    with Wire(shown) as wire:
        options = ("--tls-roots", roots.path, "--database", url(wire.port, mode, "localhost"))
        async with over_stdio(*options) as client:
            with pytest.raises(Exception, match="cannot be reached"):
                await client.list_tools()


async def test_behind_pgbouncer_in_transaction_mode_each_call_has_its_fixed_arguments():
    with pooled("mcp_writer") as socket:
        database = f"host={socket} port=5432 user=mcp_writer dbname={os.environ['PGDATABASE']}"
        seen = {"ann": set(), "bo": set()}

        async def ask(user: str) -> None:
            async with over_stdio("--store", "own", "--user", user, "--database", database) as client:
                for _ in range(30):
                    entries = (await answer(client, "memory_list"))["entries"]
                    seen[user] |= {entry["userId"] for entry in entries}
                    await answer(client, "memory_search", query="allergic, afraid")

        async with anyio.create_task_group() as group:
            for user in seen:
                group.start_soon(ask, user)
        assert seen == {"ann": {"ann"}, "bo": {"bo"}}
        with exploring("--database", database) as pages:
            browser = Browser(pages)
            for _ in range(20):
                browser.get("search", store="memory", memory="hike", q="hut")
                browser.get("entry", store="memory", memory="hike", id="00000000-0000-0000-0000-000000000001", q="hut")


HANDSHAKE = """{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},\
"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
"""
CALL = '{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n'


@pytest.mark.parametrize(
    "said, database, code, reason",
    [
        (HANDSHAKE + CALL, "host=127.0.0.1 port=1 user=nobody", 1, "cannot be reached"),
        (HANDSHAKE + CALL, None, 0, ""),
        (HANDSHAKE, "host=127.0.0.1 port=1 user=nobody", 0, ""),
        ("", "host=127.0.0.1 port=1 user=nobody", 0, ""),
    ],
)
def test_input_that_ends_while_the_database_is_unreachable_is_an_error(said, database, code, reason):
    env = environment("mcp_writer") | ({"DATABASE_URL": database} if database else {})
    outcome = subprocess.run(
        [PROGRAM, "mcp", "--memory", "trip"], input=said, env=env, capture_output=True, text=True, timeout=60
    )
    assert outcome.returncode == code, outcome.stderr
    assert reason in outcome.stderr and ("error:" in outcome.stderr) == (code != 0)


def test_input_that_ends_while_the_database_does_not_answer_is_an_error_too():
    with Wire() as wire:
        wire.silent = True
        env = environment("mcp_writer") | {"DATABASE_URL": url(wire.port, "disable", "127.0.0.1")}
        outcome = subprocess.run(
            [PROGRAM, "mcp", "--memory", "trip"],
            input=HANDSHAKE + CALL,
            env=env,
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert outcome.returncode == 1 and "had not answered yet" in outcome.stderr, outcome.stderr


async def test_a_call_ends_when_the_database_falls_silent():
    """The server ends a statement that takes too long, but here nothing arrives any more."""
    with Wire() as wire:
        options = ("--timeout-seconds", "1", "--database", url(wire.port, "disable", "127.0.0.1"))
        async with over_stdio(*options) as client:
            assert (await answer(client, "memory_search", query="hotel"))["count"] > 0
            wire.deaf = True
            with anyio.fail_after(30):
                assert "did not answer for 11 seconds" in await refusal(client, "memory_search", query="hotel")
            wire.deaf = False
            assert (await answer(client, "memory_search", query="hotel"))["count"] > 0
