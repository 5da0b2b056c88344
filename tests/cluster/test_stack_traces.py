"""No stack trace, and so no path of the machine that built the library, reaches a client, in every environment of the
server. The session's environment stays as the server gave it."""

import re

import psycopg
import pytest

from harness.server import Server, Servers

TRACE = re.compile(r"backtrace|\.rs:|/rustc/|/src/|begin_unwind|[0-9]+: [a-z_]+::", re.IGNORECASE)
# The fields of an error in which a trace would show. The other fields name the server's source, as they do for every
# error.
SHOWN = ("severity", "message_primary", "message_detail", "message_hint", "context", "internal_query")
# Errors by the extension's code, by a statement of the extension that the server refuses, and by the server alone.
FAILING = [
    "memory_search('m', 'x', 99, store => 's')",
    "memory_search('m', 'x', embedding => '[1]', store => 's')",
    "memory_search('m', 'x', store => 'nowhere')",
    """memory_adopt_table('a', 's.entries', '{"memory_id": "memory_id +", "entry_id": "1", "raw_entry": "2"}')""",
    "1 / (memory_embed('x') IS NULL)::int",
]


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    server = servers.start()
    server.restart(RUST_BACKTRACE="1")
    server.create_extension()
    server.run("SELECT memory_create_store('s', 4)")
    return server


def said(server: Server, statement: str) -> str:
    """All messages to a client, also warnings."""
    with server.session() as session:
        told: list[psycopg.errors.Diagnostic] = []
        session.connection.add_notice_handler(told.append)
        told.append(session.error(statement).diag)
        return "\n".join(str(getattr(diagnostic, name) or "") for diagnostic in told for name in SHOWN)


@pytest.mark.parametrize("call", FAILING, ids=lambda call: call.split("(")[0])
def test_an_error_has_no_stack_trace(server: Server, call: str):
    text = said(server, f"SELECT {call}")
    assert "ERROR" in text, f"{call}: an error is said"
    assert TRACE.findall(text) == [], "and no stack trace"
    assert server.log_lines("^ +[0-9]+: [a-z_<]|/rustc/") == [], "the log holds none either"


def test_the_sessions_process_keeps_the_environment_that_the_server_gave_it(server: Server):
    # A program that the session's process starts prints its environment.
    environment = server.value("""
        SELECT memory_embed('x') IS NULL;
        CREATE TEMP TABLE said (line text);
        COPY said FROM PROGRAM 'echo $RUST_BACKTRACE and ${RUST_LIB_BACKTRACE-no more}';
        SELECT line FROM said""")
    assert environment == "1 and no more", "the session's process keeps the environment that the server gave it"
