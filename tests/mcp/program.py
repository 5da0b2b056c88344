"""The program under test, as clients use it: started by them, or listening."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

import httpx2
import psycopg
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

PROGRAM = os.environ["MCP_PROGRAM"]
TOKEN = "0123456789abcdef-of-the-tests"
MODES = ("auto", "legacy")  # the newest protocol, and that with a handshake


def database_url(role: str) -> str:
    return f"host={os.environ['PGHOST']} port={os.environ['PGPORT']} user={role} dbname={os.environ['PGDATABASE']}"


def sql(statement: str, *values):
    """Runs a statement as the superuser; returns the rows."""
    with psycopg.connect(database_url("postgres"), autocommit=True) as connection:
        cursor = connection.execute(statement, values or None)
        return cursor.fetchall() if cursor.description else []


def environment(role: str) -> dict[str, str]:
    return {"DATABASE_URL": database_url(role), "MEMORY_SEARCH_TOKEN": TOKEN}


@dataclass
class Log:
    path: str

    def text(self) -> str:
        with open(self.path, encoding="utf-8") as file:
            return file.read()


@asynccontextmanager
async def over_stdio(
    *options: str, role="mcp_writer", memory="trip", mode="auto", log: Log | None = None, tools: str | None = "full"
):
    """A client that starts the program, as a desktop application does; without `tools` it gets short descriptions."""
    arguments = ["mcp", "--memory", memory, *(["--tools", tools] if tools else []), *options]
    server = StdioServerParameters(command=PROGRAM, args=arguments, env=environment(role))
    with open(log.path if log else os.devnull, "w", encoding="utf-8") as errors:
        async with Client(stdio_client(server, errlog=errors), mode=mode) as client:
            yield client


@contextmanager
def serving(arguments: list[str], says: str, env: dict[str, str], log: Log | None = None):
    """The program as a server; returns the URL that it prints."""
    process = subprocess.Popen([PROGRAM, *arguments], env=env, stderr=subprocess.PIPE, text=True)
    try:
        first = process.stderr.readline()
        assert says in first, first + process.stderr.read()
        # The program's output must not fill the pipe.
        with open(log.path, "wb") if log else tempfile.TemporaryFile() as rest:
            drain = subprocess.Popen(["cat"], stdin=process.stderr, stdout=rest)
            yield first.split(says)[1].split()[0]
            process.terminate()
            process.wait(10)
            drain.wait(10)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        process.stderr.close()


def listening(*options: str, role="mcp_writer"):
    """The program as a server of the protocol; returns its URL."""
    return serving(["mcp", "--http", "127.0.0.1:0", "--tools", "full", *options], "listening on ", environment(role))


def exploring(*options: str, role="mcp_reader", log: Log | None = None):
    """The program as a server of pages; returns the URL of the first one."""
    return serving(["explore", "--listen", "127.0.0.1:0", *options], "open ", environment(role), log)


def until(question: str, wanted: int) -> bool:
    """Whether a count of the database gets the wanted value, within seconds."""
    ends = time.monotonic() + 5
    while time.monotonic() < ends:
        if sql(question)[0][0] == wanted:
            return True
        time.sleep(0.05)
    return False


@asynccontextmanager
async def over_http(url: str, mode="auto", token=TOKEN, **headers: str):
    """A client of a listening program; headers are written with underscores."""
    sent = {"Authorization": f"Bearer {token}"} | {key.replace("_", "-"): value for key, value in headers.items()}
    async with httpx2.AsyncClient(headers=sent, timeout=60) as http:
        async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
            yield client


@asynccontextmanager
async def connected(transport: str, *options: str, mode="auto", role="mcp_writer", memory="trip"):
    """A client by either transport."""
    if transport == "stdio":
        async with over_stdio(*options, mode=mode, role=role, memory=memory) as client:
            yield client
    else:
        with listening("--memory", memory, *options, role=role) as url:
            async with over_http(url, mode) as client:
                yield client


def said(result) -> str:
    """The text of a result."""
    return "\n".join(block.text for block in result.content)


async def answer(client, tool: str, **arguments):
    """The answer of a tool; an error fails the test."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, said(result)
    return result.structured_content


async def refusal(client, tool: str, **arguments) -> str:
    """The refusal of a tool; an answer fails the test."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, said(result)
    return said(result)
