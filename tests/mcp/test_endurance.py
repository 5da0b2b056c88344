"""Calls that fail, are cancelled, or lose their backend; and hundreds in a row. LONG=1: a thousand, as before a
release."""

import os
import tempfile

import anyio
import pytest
from program import MODES, Log, answer, connected, listening, over_http, over_stdio, refusal, said, sql, until

KILL = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'memory-search mcp'"
CALLS = 500 if os.environ.get("LONG") else 150  # one after the other, and as many beside each other
SLOW = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'memory-search mcp' AND state = 'active'"


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_calls_with_backends_killed_in_between_all_succeed(transport):
    memory = f"many-{transport}"
    async with connected(transport, memory=memory) as client:
        killed = 0
        for number in range(CALLS):
            if number % 50 == 25:
                killed += sql(KILL)[0][0]
            if number % 5 == 0:
                await answer(client, "memory_remember", rawEntry=f"Fact number {number}.")
            else:
                await answer(client, "memory_search", query=f"fact {number}")

        async def some(start: int) -> None:
            for number in range(start, start + CALLS // 10):
                await answer(client, "memory_list", pageSize=2)

        async with anyio.create_task_group() as group:
            for start in range(0, CALLS, CALLS // 10):
                group.start_soon(some, start)
        assert killed >= CALLS / 50
    # Each entry was stored once: a call that was tried again had not stored anything.
    counts = sql("SELECT count(*), count(DISTINCT raw_entry) FROM memory.entries WHERE memory_id = %s", memory)
    assert counts == [(CALLS / 5, CALLS / 5)]


@pytest.mark.parametrize("transport, mode", [(t, m) for t in ("stdio", "http") for m in MODES])
async def test_a_cancelled_call_ends_in_the_backend(transport, mode):
    async with connected(transport, "--store", "slow_store", mode=mode, role="mcp_slow") as client:
        await client.list_tools()
        with anyio.move_on_after(1.5):
            await client.call_tool("memory_search", {"query": "slowly"})
        assert await anyio.to_thread.run_sync(until, SLOW, 0)
        # The cancellation does not hit the next call.
        for _ in range(5):
            await answer(client, "memory_search", query="quick")


async def test_the_statement_of_a_client_that_disconnects_ends():
    with anyio.move_on_after(2):
        async with over_stdio("--store", "slow_store", role="mcp_slow") as client:
            await client.list_tools()
            await client.call_tool("memory_search", {"query": "slowly"})
    assert until(SLOW, 0)


@pytest.mark.parametrize("transport, mode", [(t, m) for t in ("stdio", "http") for m in MODES])
async def test_a_client_gets_progress_on_request(transport, mode):
    heard = []

    async def hear(progress, total, message):
        heard.append((progress, message))

    options = ("--store", "slow_store", "--timeout-seconds", "3")
    async with connected(transport, *options, mode=mode, role="mcp_slow") as client:
        result = await client.call_tool("memory_search", {"query": "slowly"}, progress_callback=hear)
    assert result.is_error and "statement timeout" in said(result)
    assert [progress for progress, _ in heard] == sorted({progress for progress, _ in heard})
    assert len(heard) >= 2 and heard[0][1] == "memory_search: 0 s"


HOSTILE = [
    ("memory_search", {}, "query"),
    ("memory_search", {"query": None}, "query"),
    ("memory_search", {"query": 7}, "query"),
    ("memory_search", {"query": "x", "qurey": "x"}, 'Did you mean "query"?'),
    ("memory_search", {"query": "x" * 70_000}, "54000"),
    ("memory_search", {"query": "x\x00y"}, "SQLSTATE: 22"),
    ("memory_search", {"query": "x", "top_ke": 11}, "max_top_ke"),
    ("memory_search", {"query": "x", "top_ke": 1e300}, "top_ke"),
    ("memory_search", {"query": "x", "filters": {"tgs": "x"}}, 'Did you mean "tags"?'),
    ("memory_search", {"query": "x", "filters": []}, "filters"),
    ("memory_search", {"query": "x", "options": {"strategy": "semntic"}}, 'Did you mean "semantic"?'),
    ("memory_remember", {}, "rawEntry is missing"),
    ("memory_remember", {"raw_entry": "x"}, 'Did you mean "rawEntry"?'),
    ("memory_remember", {"rawEntry": "x\x00y"}, "SQLSTATE: 22"),
    ("memory_remember", {"rawEntry": "x", "importance": 101}, "importance"),
    ("memory_remember", {"rawEntry": "x", "creationTime": "now"}, "creationTime"),
    ("memory_remember", {"rawEntry": "x", "tags": [["x"]]}, "tags"),
    ("memory_remember", {"rawEntry": "x", "metadata": "x"}, "metadata"),
    ("memory_forget", {}, "entryIds is missing"),
    ("memory_forget", {"entryIds": []}, "at least one"),
    ("memory_forget", {"entryIds": None}, "entryIds is missing"),
    ("memory_forget", {"entryIds": ["'; DROP TABLE memory.entries; --"]}, "22P02"),
    ("memory_forget", {"entryIds": ["00000000-0000-0000-0000-000000000000"] * 101}, "100"),
    ("memory_correct", {"entryId": "x", "rawEntry": "y"}, ""),
    ("memory_correct", {"entryId": "00000000-0000-0000-0000-000000000000", "rawEntry": "y"}, "no such entry"),
    ("memory_list", {"orderBy": "raw_entry; DROP TABLE x"}, "order_by"),
    ("memory_list", {"pageSize": 0}, "pageSize"),
    ("memory_list", {"cursor": "x"}, "22023"),
    ("memory_put_context", {}, "context is missing"),
    ("memory_serch", {}, "no tool"),
    ("memory_drop_store", {"store": "memory"}, "no tool"),
]


async def test_hostile_arguments_are_refused_with_a_reason_and_change_nothing():
    before = sql("SELECT count(*), count(deletion_scheduled_time), count(superseded_by) FROM memory.entries")
    async with connected("stdio") as client:
        for tool, arguments, reason in HOSTILE:
            # The requests go straight to the program, past the client's own checks.
            assert reason in await refusal(client, tool, **arguments), (tool, str(arguments)[:80])
        assert (await answer(client, "memory_search", query="hotel"))["count"] > 0
    assert sql("SELECT count(*), count(deletion_scheduled_time), count(superseded_by) FROM memory.entries") == before


async def test_sql_in_a_text_is_a_text():
    text = "Robert'); DROP TABLE memory.entries; -- $1 {ext} \\ \u2028 \U0001f600"
    async with connected("stdio", memory="o'hara \"x\" {ext} $1") as client:
        entry = (await answer(client, "memory_remember", rawEntry=text))["entryId"]
        assert (await answer(client, "memory_get", entryIds=[entry]))["entries"][0]["rawEntry"] == text
        context = (await client.list_resources()).resources[0].uri
        assert (await client.read_resource(context)).contents[0].text == ""


async def log_of(*options: str) -> str:
    with tempfile.NamedTemporaryFile() as file:
        log = Log(file.name)
        async with over_stdio(*options, log=log) as client:
            await answer(client, "memory_search", query="secret question")
            await refusal(client, "memory_search", query="secret question", filters={"secret": 1})
            await refusal(client, "memory_remember", rawEntry="secret\x00text")
            await refusal(client, "secret-tool")
        return log.text()


async def test_the_log_has_texts_only_on_request():
    quiet = await log_of()
    assert "memory_search" in quiet and "ok" in quiet
    assert "secret" not in quiet
    assert "secret question" in await log_of("--log-texts")


async def test_an_unreachable_database_is_reported_without_its_password():
    with tempfile.NamedTemporaryFile() as file:
        log = Log(file.name)
        os.environ["PGPASSWORD"] = "hunter2"
        url = "postgresql://nobody:hunter2@127.0.0.1:1/nowhere?connect_timeout=2"
        async with over_stdio("--database", url, "--log-texts", log=log) as client:
            with pytest.raises(Exception, match="cannot be reached") as raised:
                await client.list_tools()
        assert "hunter2" not in str(raised.value) + log.text()


async def test_a_server_that_stops_ends_running_calls():
    with listening("--memory", "trip", "--store", "slow_store", role="mcp_slow") as url:
        try:
            with anyio.move_on_after(1.5):
                async with over_http(url, "legacy") as client:
                    await client.call_tool("memory_search", {"query": "slowly"})
        except* Exception:
            pass  # the client is torn down in the middle of a call
    assert until(SLOW, 0)
