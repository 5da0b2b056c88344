"""Fixed arguments, which a model does not choose, stay as they are, for any request of the model or of another
client."""

import os
import pwd
import socket
import urllib.parse

import httpx2
import pytest
from program import MODES, TOKEN, answer, connected, database_url, listening, over_http, over_stdio, refusal, sql

OTHERS = ["memoryId", "store", "userId", "agentId", "role", "embedding", "memory_id", "wholeMemory"]


@pytest.mark.parametrize("key", OTHERS)
async def test_a_key_by_which_a_model_would_choose_is_refused(key):
    calls = {"memory_search": {"query": "x"}, "memory_remember": {"rawEntry": "x"}, "memory_list": {},
             "memory_get": {"entryIds": ["x"]}, "memory_forget": {"entryIds": ["x"]}, "memory_latest_context": {},
             "memory_about": {"entity": "x"}, "memory_related": {"entryId": "x"},
             "memory_correct": {"entryId": "x", "rawEntry": "x"}, "memory_put_context": {"context": "x"}}
    async with connected("stdio") as client:
        for tool, arguments in calls.items():
            assert "unknown key" in await refusal(client, tool, **arguments, **{key: "other"})


async def test_a_model_names_no_function_to_run():
    async with connected("stdio") as client:
        for options in ({"rerank": {"function": "public.slow"}}, {"diagnostics": True}, {"pinned": {}}):
            assert "unknown key" in await refusal(client, "memory_search", query="x", options=options)


async def test_no_filter_leaves_the_memory():
    async with connected("stdio") as client:
        for filters in ({"memoryId": "other"}, {"$or": [{"memoryId": "other"}]}, {"$not": {"tags": "nothing"}}):
            result = await client.call_tool("memory_search", {"query": "safe 4711", "filters": filters})
            assert "4711" not in str(result.content)


async def test_entries_of_another_memory_are_neither_read_nor_changed():
    theirs = str(sql("SELECT entry_id FROM memory.entries WHERE memory_id = 'other'")[0][0])
    async with connected("stdio") as client:
        assert (await answer(client, "memory_get", entryIds=[theirs])) == {"entries": []}
        assert (await answer(client, "memory_forget", entryIds=[theirs])) == {"forgotten": 0}
        assert "no such entry" in await refusal(client, "memory_correct", entryId=theirs, rawEntry="x")
    assert sql("SELECT count(*) FROM memory.entries WHERE memory_id = 'trip' AND raw_entry = 'x'") == [(0,)]


async def test_a_user_sees_and_writes_his_own():
    for user, seen in (("ann", "Ann is allergic to hazelnuts."), ("bo", "Bo is afraid of flying.")):
        async with connected("stdio", "--store", "own", "--user", user) as client:
            entries = (await answer(client, "memory_list"))["entries"]
            assert [entry["rawEntry"] for entry in entries] == [seen]
            found = await answer(client, "memory_search", query="allergic, afraid")
            assert [entry["userId"] for entry in found["entries"]] == [user]
    async with connected("stdio", "--store", "own", "--user", "new", memory="mine") as client:
        await answer(client, "memory_remember", rawEntry="Mine.")
        await answer(client, "memory_put_context", context="Mine, too.")
    assert sql("SELECT user_id FROM own.entries WHERE memory_id = 'mine'") == [("new",)]
    assert sql("SELECT user_id FROM own.contexts WHERE memory_id = 'mine'") == [("new",)]


async def test_another_users_entry_is_not_there_by_its_id_either():
    theirs = str(sql("SELECT entry_id FROM own.entries WHERE user_id = 'bo'")[0][0])
    async with connected("stdio", "--store", "own", "--user", "ann") as client:
        assert (await answer(client, "memory_get", entryIds=[theirs])) == {"entries": []}
        assert (await answer(client, "memory_forget", entryIds=[theirs])) == {"forgotten": 0}
        assert "no such entry" in await refusal(client, "memory_correct", entryId=theirs, rawEntry="x")


@pytest.mark.parametrize("store, role", [("memory", "mcp_writer"), ("own", "postgres")])
async def test_a_user_without_a_policy_is_refused(store, role):
    async with connected("stdio", "--store", store, "--user", "ann", role=role) as client:
        with pytest.raises(Exception, match="row-level security"):
            await client.list_tools()


async def test_the_role_is_taken_on_and_is_not_the_login():
    async with connected("stdio", "--role", "mcp_writer", role="mcp_login") as client:
        assert (await answer(client, "memory_search", query="hotel"))["count"] > 0
    async with connected("stdio", role="mcp_login") as client:
        assert "42501" in await refusal(client, "memory_search", query="hotel")
    for role in ("none", "mcp_login"):
        async with connected("stdio", "--role", role, role="mcp_login") as client:
            with pytest.raises(Exception, match="cannot be taken on"):
                await client.list_tools()


async def test_a_login_that_the_address_does_not_name_is_not_taken_on_either():
    """The driver then logs in with the name of the system's user."""
    login = pwd.getpwuid(os.geteuid()).pw_name
    sql(f"""DO $$ BEGIN
        IF to_regrole('{login}') IS NULL THEN CREATE ROLE "{login}" LOGIN NOINHERIT; END IF;
        IF '{login}' <> 'postgres' THEN GRANT mcp_writer TO "{login}"; END IF; END $$""")
    address = database_url(login).replace(f"user={login} ", "")
    async with over_stdio("--database", address, "--role", "mcp_writer") as client:
        assert (await answer(client, "memory_search", query="hotel"))["count"] > 0
    async with over_stdio("--database", address, "--role", login) as client:
        with pytest.raises(Exception, match="cannot be taken on"):
            await client.list_tools()


@pytest.mark.parametrize("mode", MODES)
async def test_headers_give_the_arguments_that_are_left_to_them(mode):
    with listening("--store", "own", "--from-headers", "memory,user") as url:
        for user in ("ann", "bo"):
            async with over_http(url, mode, Memory_Search_Memory="trip", Memory_Search_User=user) as client:
                entries = (await answer(client, "memory_list"))["entries"]
                assert [entry["userId"] for entry in entries] == [user]


def ask(url, body=None, timeout_seconds=5, **headers):
    sent = {"Authorization": f"Bearer {TOKEN}", "Accept": "application/json, text/event-stream"} | {
        key.replace("_", "-"): value for key, value in headers.items()
    }
    initialize = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
    headers = {k: v for k, v in sent.items() if v is not None}
    return httpx2.post(url, json=body or initialize, headers=headers, timeout=timeout_seconds)


def test_a_request_without_the_token_or_with_another_is_refused():
    with listening("--memory", "trip") as url:
        for wrong in (None, "Bearer", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x", TOKEN):
            response = ask(url, Authorization=wrong)
            assert (response.status_code, response.headers["www-authenticate"]) == (401, "Bearer"), wrong
        assert ask(url).status_code == 200


def test_a_browser_and_another_host_are_refused():
    with listening("--memory", "trip") as url:
        assert ask(url, Origin="http://evil.example").status_code == 403
        assert ask(url, Host="evil.example").status_code in (400, 403)


def test_a_header_that_is_missing_or_not_taken_is_refused():
    with listening("--store", "own", "--memory", "trip", "--from-headers", "user") as url:
        assert "memory-search-user is missing" in ask(url).text
        assert ask(url, Memory_Search_User="ann").status_code == 200
        for header in ("Memory_Search_Memory", "Memory_Search_Store", "Memory_Search_Role"):
            response = ask(url, Memory_Search_User="ann", **{header: "other"})
            assert (response.status_code, "is refused" in response.text) == (400, True)


def test_bodies_that_never_end_hold_no_connection_for_long():
    """Uses all connections for bodies that never end: a further client waits for the time limit of a body, and is
    served."""
    with listening("--memory", "trip") as url:
        address = urllib.parse.urlsplit(url)
        head = (
            f"POST {address.path} HTTP/1.1\r\nHost: {address.netloc}\r\nAuthorization: Bearer {TOKEN}\r\n"
            "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
            "Content-Length: 1000\r\n\r\n{"
        )
        slow = [socket.create_connection((address.hostname, address.port)) for _ in range(256)]
        try:
            for connection in slow:
                connection.sendall(head.encode())
            assert ask(url, timeout_seconds=40).status_code == 200
        finally:
            for connection in slow:
                connection.close()


def test_a_session_is_of_no_use_to_another_user():
    with listening("--store", "own", "--memory", "trip", "--from-headers", "user") as url:
        session = ask(url, Memory_Search_User="ann").headers["mcp-session-id"]
        ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
        assert ask(url, ping, Memory_Search_User="ann", Mcp_Session_Id=session).status_code == 200
        assert ask(url, ping, Memory_Search_User="bo", Mcp_Session_Id=session).status_code == 404


@pytest.mark.parametrize(
    "options, reason",
    [
        (["--memory", ""], "must not be empty"),
        ([], "no memory"),
        (["--memory", "m", "--http", "0.0.0.0:0"], "--allow-host"),
        (["--memory", "m", "--http", "--from-headers", "memory"], "one of the two"),
        (["--memory", "m", "--from-headers", "user"], "--http"),
        (["--memory", "m", "--tls-roots", "/nowhere"], "/nowhere"),
        (["--memory", "m", "--database", "app"], "postgresql://USER@HOST/DATABASE"),
        (["--memory", "m", "--max-entries", "0"], "1..=100"),
    ],
)
def test_a_configuration_that_makes_no_sense_is_refused(options, reason):
    import subprocess

    from program import PROGRAM, environment

    outcome = subprocess.run(
        [PROGRAM, "mcp", *options], env=environment("mcp_writer"), stdin=subprocess.DEVNULL, capture_output=True
    )
    assert outcome.returncode != 0
    assert reason in outcome.stderr.decode()
