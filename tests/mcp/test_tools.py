"""The effect of each tool, by both transports and by the newest protocol as well as the one with a handshake.

The client checks every answer against the tool's output schema.
"""

import json
import uuid

import pytest
from program import MODES, answer, connected, over_stdio, refusal, said, sql

WAYS = [(transport, mode) for transport in ("stdio", "http") for mode in MODES]
READING = ["memory_search", "memory_list", "memory_get", "memory_about", "memory_related", "memory_latest_context"]
WRITING = ["memory_remember", "memory_correct", "memory_forget", "memory_put_context"]


@pytest.mark.parametrize("transport, mode", WAYS)
async def test_an_entry_is_remembered_found_corrected_and_forgotten(transport, mode):
    memory = f"life-{transport}-{mode}"
    async with connected(transport, "--agent", "tester", memory=memory, mode=mode) as client:
        first = await answer(
            client,
            "memory_remember",
            rawEntry="Ann likes tea with milk.",
            tags=["drink"],
            entities=["Ann", "tea"],
            importance=80,
            metadata={"cup": "blue"},
        )
        found = await answer(client, "memory_search", query="what does Ann drink?")
        assert [entry["entryId"] for entry in found["entries"]] == [first["entryId"]]
        assert found["entries"][0]["agentId"] == "tester"
        second = await answer(
            client, "memory_correct", entryId=first["entryId"], rawEntry="Ann likes coffee.", entities=["Ann", "coffee"]
        )
        assert second["corrects"] == first["entryId"]
        found = await answer(client, "memory_search", query="what does Ann drink?")
        assert [entry["rawEntry"] for entry in found["entries"]] == ["Ann likes coffee."]
        # Columns that the correction does not give are taken from the corrected entry.
        kept = (await answer(client, "memory_get", entryIds=[second["entryId"]]))["entries"][0]
        assert (kept["tags"], kept["importance"], kept["metadata"]) == (["drink"], 80, {"cup": "blue"})
        assert kept["entities"] == ["Ann", "coffee"]
        third = await answer(client, "memory_correct", entryId=second["entryId"], rawEntry="Ann likes black coffee.")
        kept = (await answer(client, "memory_get", entryIds=[third["entryId"]]))["entries"][0]
        assert kept["entities"] == ["Ann", "coffee"]
        forgotten = await answer(client, "memory_forget", entryIds=[third["entryId"]])
        assert forgotten == {"forgotten": 1}
        assert (await answer(client, "memory_get", entryIds=[third["entryId"]])) == {"entries": []}


@pytest.mark.parametrize("transport, mode", WAYS)
async def test_resources_are_the_context_and_entries_by_id(transport, mode):
    async with connected(transport, memory="trip", mode=mode) as client:
        listed = (await client.list_resources()).resources
        assert [resource.uri for resource in listed] == ["memory://trip/context"]
        context = await client.read_resource(listed[0].uri)
        assert context.contents[0].text == "A journey to Porto in May."
        template = (await client.list_resource_templates()).resource_templates[0].uri_template
        entry = (await answer(client, "memory_list", pageSize=1))["entries"][0]
        read = await client.read_resource(template.replace("{entryId}", entry["entryId"]))
        assert json.loads(read.contents[0].text) == entry


async def test_entries_about_an_entity_are_a_tool_and_a_resource():
    async with connected("stdio", memory="about") as client:
        for text, entities in (("She moved to Porto.", ["Ann", "Porto"]), ("Bo sings.", ["Bo"]), ("Rain.", None)):
            named = {"entities": entities} if entities else {}
            await answer(client, "memory_remember", rawEntry=text, **named)
        found = await answer(client, "memory_about", entity="  ANN ")
        assert [(entry["rawEntry"], entry["entities"]) for entry in found["entries"]] == [
            ("She moved to Porto.", ["Ann", "Porto"])
        ]
        listed = (await answer(client, "memory_list", orderBy="createdAt"))["entries"]
        assert [entry.get("entities") for entry in listed] == [["Ann", "Porto"], ["Bo"], None]
        assert (await answer(client, "memory_about", entity="Porto", tokenBudget=1)) == {"entries": []}
        assert (await answer(client, "memory_about", entity="Porto", filters={"tags": "x"})) == {"entries": []}
        assert (await answer(client, "memory_about", entity="Lisbon")) == {"entries": []}
        for wrong in ({"entity": " "}, {}, {"entity": ["Ann"]}, {"entity": "Ann", "tokenBudget": -1}, {"name": "Ann"}):
            assert "entity" in (why := await refusal(client, "memory_about", **wrong)) or "tokenBudget" in why
        template = (await client.list_resource_templates()).resource_templates[1].uri_template
        assert template == "memory://about/entities/{name}"
        read = await client.read_resource(template.replace("{name}", "porto"))
        assert json.loads(read.contents[0].text) == found
        for nobody in ("Lisbon", "%20", "n" * 201):
            with pytest.raises(Exception, match="no such resource"):
                await client.read_resource(template.replace("{name}", nobody))
        corrected = await answer(client, "memory_correct", entryId=listed[0]["entryId"], rawEntry="She moved to Faro.")
        found = (await answer(client, "memory_about", entity="Ann"))["entries"]
        assert [entry["entryId"] for entry in found] == [corrected["entryId"]]


async def test_related_entries_are_those_of_the_sql_function():
    async with connected("stdio", memory="linked") as client:
        ids = [(await answer(client, "memory_remember", rawEntry=f"Fact {n}."))["entryId"] for n in range(4)]
        for start, end, kind in ((0, 1, "because"), (2, 1, "derived_from"), (2, 3, "derived_from"), (1, 0, "back")):
            sql("SELECT memory_link('linked', %s, %s, %s, weight => 0.5)", ids[start], ids[end], kind)
        for given, named in (
            ({}, "max_entries => 20"),
            ({"depth": 3, "maxEntries": 100}, "depth => 3"),
            ({"depth": 1}, "depth => 1"),
            ({"kinds": ["because", "derived_from"], "maxEntries": 1}, "kinds => '{because,derived_from}', max_entries => 1"),
            ({"kinds": ["nothing"]}, "kinds => '{nothing}'"),
        ):
            found = await answer(client, "memory_related", entryId=ids[0], **given)
            told = sql(f"SELECT * FROM memory_related('linked', %s, {named})", ids[0])
            keys = ("entryId", "hops", "weight", "kind", "via", "rawEntry", "summary")
            assert [tuple(entry[key] for key in keys) for entry in found["entries"]] == [row[:7] for row in told]
            assert found["isCut"] == any(row[8] for row in told)
        assert len((await answer(client, "memory_related", entryId=ids[0], depth=3))["entries"]) == 3
        elsewhere = str(sql("SELECT entry_id FROM memory.entries WHERE memory_id = 'other'")[0][0])
        for nothing in (elsewhere, "no-uuid"):
            assert await answer(client, "memory_related", entryId=nothing) == {"entries": [], "isCut": False}
        for wrong, why in (
            ({}, "entryId is missing"),
            ({"entryId": ids[0], "depth": 5}, "depth must be a whole number from 1 to 4"),
            ({"entryId": ids[0], "maxEntries": 101}, "maxEntries must be a whole number from 1 to 100"),
            ({"entryId": ids[0], "kinds": [1]}, "kinds must be a text or a list of texts"),
            ({"entryId": ids[0], "kinds": ["x"] * 101}, "kinds has 101 values, more than 100"),
            ({"entryId": ids[0], "limit": 5}, 'unknown key "limit"'),
        ):
            assert why in await refusal(client, "memory_related", **wrong)


async def test_a_wrong_value_is_named_and_no_key_beside_it():
    async with connected("stdio") as client:
        for tool, given, why in (
            ("memory_remember", {"rawEntry": "x", "importance": 101}, "importance must be"),
            ("memory_remember", {"rawEntry": "x", "creationTime": "soon", "validUntil": "2030-01-01"}, "creationTime must be"),
            ("memory_list", {"pageSize": 1000, "filters": {"tags": ["x"]}}, "pageSize must be"),
            ("memory_related", {"entryId": str(uuid.uuid4()), "depth": 9, "kinds": ["x"]}, "depth must be"),
            ("memory_remember", {"rawText": "x", "importance": 101}, 'unknown key "rawText"'),
        ):
            assert why in await refusal(client, tool, **given)


async def test_related_entries_in_short_have_no_more_than_a_model_needs():
    async with over_stdio(memory="linked-short", tools=None) as client:
        ids = [json.loads(said(await client.call_tool("memory_remember", {"rawEntry": f"Fact {n}."})))["id"] for n in "ab"]
        sql("SELECT memory_link('linked-short', %s, %s, 'because')", *ids)
        found = json.loads(said(await client.call_tool("memory_related", {"entryId": ids[1]})))
        assert list(found) == ["entries"]
        [entry] = found["entries"]
        assert entry.pop("time")
        assert entry == {"id": ids[0], "text": "Fact a.", "hops": 1, "kind": "because", "via": ids[1]}


@pytest.mark.parametrize("uri", ["memory://other/context", "memory://trip/entries/nobody", "file:///etc/passwd"])
async def test_a_resource_of_another_memory_or_none_is_not_found(uri):
    async with connected("stdio") as client:
        with pytest.raises(Exception, match="no such resource"):
            await client.read_resource(uri)


async def test_the_tools_are_the_extensions_without_fixed_arguments():
    async with connected("stdio") as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert sorted(tools) == sorted(READING + WRITING)
    described = sql("SELECT memory_tool_spec('mcp', 'full')")[0][0]
    search = tools["memory_search"]
    assert search.description == described["description"]
    for fixed in ("memoryId", "store"):
        del described["inputSchema"]["properties"][fixed]
    described["inputSchema"]["required"].remove("memoryId")
    assert search.input_schema == described["inputSchema"]
    assert search.output_schema == described["outputSchema"]
    assert all(tool.output_schema for tool in tools.values())


async def test_read_only_has_the_tools_that_read_and_refuses_the_others():
    before = sql("SELECT count(*) FROM memory.entries")
    async with connected("stdio", "--read-only") as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == READING
        for tool in WRITING:
            assert "no tool" in await refusal(client, tool, rawEntry="x", context="x", entryId="x", entryIds=["x"])
        assert (await answer(client, "memory_search", query="hotel"))["count"] > 0
    assert sql("SELECT count(*) FROM memory.entries") == before


async def test_a_reader_reads_and_is_refused_to_write():
    async with connected("stdio", role="mcp_reader") as client:
        assert (await answer(client, "memory_search", query="hotel"))["count"] > 0
        assert "42501" in await refusal(client, "memory_remember", rawEntry="x")


async def test_pages_of_a_list_are_the_whole_list_once():
    async with connected("stdio", memory="pages") as client:
        for number in range(7):
            await answer(client, "memory_remember", rawEntry=f"Fact {number}.", importance=number)
        seen, cursor = [], None
        while True:
            page = await answer(
                client, "memory_list", orderBy="importance", pageSize=3, **({"cursor": cursor} if cursor else {})
            )
            seen.append([entry["importance"] for entry in page["entries"]])
            if (cursor := page["nextCursor"]) is None:
                break
    assert seen == [[0, 1, 2], [3, 4, 5], [6]]


async def test_a_page_that_ends_with_the_list_has_no_next_one():
    async with connected("stdio", memory="pages") as client:
        assert (await answer(client, "memory_list", pageSize=7))["nextCursor"] is None
        assert (await answer(client, "memory_list", filters={"importance": 99})) == {"entries": [], "nextCursor": None}


async def test_the_context_that_was_put_is_the_latest():
    async with connected("stdio", memory="contexts") as client:
        assert await answer(client, "memory_latest_context") == {"latestContext": "", "latestContextTimestamp": None}
        await answer(client, "memory_put_context", context="All is well.")
        assert (await answer(client, "memory_latest_context"))["latestContext"] == "All is well."


async def test_a_correction_from_a_time_on_keeps_the_old_entry_until_then():
    async with connected("stdio", memory="since") as client:
        old = (await answer(client, "memory_remember", rawEntry="She lives in Lisbon."))["entryId"]
        new = await answer(
            client, "memory_correct", entryId=old, rawEntry="She lives in Porto.", since="2026-01-01T00:00:00Z"
        )
        both = (await answer(client, "memory_get", entryIds=[old, new["entryId"]]))["entries"]
    assert [both[0].get("validUntil"), both[1].get("validFrom")] == ["2026-01-01T00:00:00+00:00"] * 2


async def test_a_correction_keeps_the_time_in_which_the_old_entry_holds():
    kept = """SELECT (valid_from AT TIME ZONE 'UTC')::date::text, (valid_until AT TIME ZONE 'UTC')::date::text,
          (expires_at AT TIME ZONE 'UTC')::date::text, time_to_live::text, summary, entry_key
        FROM memory.entries WHERE entry_id = %s"""
    first = "memory_id => 'kept', raw_entry => 'The train leaves at 16:09.', valid_from => '2026-01-02Z'"
    async with connected("stdio", memory="kept") as client:
        for given, wanted in (
            ("valid_until => '2090-01-01Z'", ("2026-01-02", "2090-01-01", None, None)),
            ("expires_at => '2091-01-01Z'", ("2026-01-02", None, "2091-01-01", None)),
            # An end in the past would hide the correction.
            ("valid_until => '2026-01-03Z'", ("2026-01-02", None, None, None)),
        ):
            old = sql(f"SELECT memory_add({first}, {given}, summary => 'short', entry_key => %s)::text", given)[0][0]
            new = await answer(client, "memory_correct", entryId=old, rawEntry="The train leaves at 16:19.")
            assert sql(kept, new["entryId"]) == [(*wanted, None, None)], given
        old = sql(f"SELECT memory_add({first}, ttl => '3 days')::text")[0][0]
        new = await answer(client, "memory_correct", entryId=old, rawEntry="It is late.", since="2026-03-01T00:00:00Z")
        row = sql(kept, new["entryId"])[0]
        assert row[:2] == ("2026-03-01", None) and row[3] == "3 days"
        assert sql("SELECT expires_at > now() FROM memory.entries WHERE entry_id = %s", new["entryId"]) == [(True,)]


async def test_the_same_text_is_not_remembered_twice_on_request():
    async with connected("stdio", memory="twice") as client:
        first = await answer(client, "memory_remember", rawEntry="The sky is blue.")
        assert await answer(client, "memory_remember", rawEntry="The sky is blue.", ifSimilar=0.95) == first


async def test_numbers_keep_their_digits_in_the_text():
    async with connected("stdio") as client:
        result = await client.call_tool("memory_search", {"query": "quiet hotel"})
    assert "12345678901234567890.123456789" in result.content[0].text


async def test_the_configuration_bounds_the_number_of_entries():
    async with connected("stdio", "--max-entries", "2", memory="pages") as client:
        search = next(tool for tool in (await client.list_tools()).tools if tool.name == "memory_search")
        assert search.input_schema["properties"]["top_ke"]["maximum"] == 2
        assert (await answer(client, "memory_search", query="fact"))["count"] == 2
        assert "max_top_ke" in await refusal(client, "memory_search", query="fact", top_ke=3)
