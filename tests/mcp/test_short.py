"""The tools and answers that a model reads by default. A model reads each character again with each turn."""

import json
from pathlib import Path

import pytest
from program import over_stdio, refusal, said, sql

RECORDED = json.loads(Path(__file__).with_name("recorded_calls.json").read_text(encoding="utf-8"))
TYPES = {"string": str, "integer": int, "number": (int, float), "array": list, "object": dict}


def faults(value, schema: dict, path: str = "arguments") -> list[str]:
    """The places at which a value does not fit a schema; a key that the schema does not name is one."""
    if not isinstance(value, TYPES[schema["type"]]):
        return [f"{path} is no {schema['type']}"]
    found = []
    if schema["type"] == "object":
        properties = schema.get("properties", {})
        found += [f"{path}.{key} is not named" for key in value if key not in properties]
        found += [f"{path}.{key} is missing" for key in schema.get("required", []) if key not in value]
        for key in value.keys() & properties.keys():
            found += faults(value[key], properties[key], f"{path}.{key}")
    if schema["type"] == "array":
        for item in value:
            found += faults(item, schema["items"], f"{path}[]")
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{path} is none of {schema['enum']}")
    for bound, beyond in (("minimum", lambda least: value < least), ("maximum", lambda most: value > most)):
        if bound in schema and beyond(schema[bound]):
            found.append(f"{path} is beyond its {bound}")
    return found


def content(value) -> int:
    """The characters of the texts, ids and times, and of other values."""
    if isinstance(value, dict):
        return sum(content(item) for item in value.values())
    if isinstance(value, list):
        return sum(content(item) for item in value)
    return len(value) if isinstance(value, str) else len(json.dumps(value))


async def text(client, tool: str, **arguments) -> str:
    """The text of an answer that a model reads; an error fails the test."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, said(result)
    assert result.structured_content is None, "nothing is said twice"
    return said(result)


async def test_all_tools_together_have_eight_thousand_characters_and_the_whole_grammar_is_asked_for():
    sizes = {}
    for detail in ("short", "full"):
        async with over_stdio(tools=detail) as client:
            listed = await client.list_tools()
        sizes[detail] = len(listed.model_dump_json(by_alias=True, exclude_none=True))
    assert sizes["short"] <= 8_000, sizes
    assert sizes["full"] > 30_000, "the whole grammar is there where it is asked for"
    async with over_stdio(tools=None) as client:
        listed = await client.list_tools()
    assert len(listed.model_dump_json(by_alias=True, exclude_none=True)) == sizes["short"], "short is the default"


def test_the_description_of_the_extension_has_two_and_a_half_thousand_characters():
    for name in ("openai", "mcp", "json_schema"):
        assert sql(f"SELECT length(memory_tool_spec('{name}')::text)")[0][0] <= 2_500, name


async def test_recorded_calls_of_models_fit_the_short_schemas_and_run():
    assert len(RECORDED) == 22
    async with over_stdio(memory="recorded", tools=None) as client:
        schemas = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}
        for tool, arguments in RECORDED:
            assert faults(arguments, schemas[tool]) == [], (tool, arguments)
            assert "Error" not in await text(client, tool, **arguments)


async def test_arguments_of_the_whole_grammar_are_accepted_all_the_same():
    async with over_stdio(tools=None) as client:
        schema = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}["memory_search"]
        arguments = {
            "query": "hotel",
            "top_kc": 1,
            "filters": {"importance": {"$gte": 50}, "$or": [{"userId": "ann"}, {"agentId": "x"}]},
            "options": {"strategy": "keyword"},
        }
        assert faults(arguments, schema), "the short schema does not name them"
        assert "quiet hotel" in await text(client, "memory_search", **arguments)
        await text(client, "memory_remember", rawEntry="A long text.", summary="A text", metadata={"page": 1})
        assert 'Did you mean "query"' in await refusal(client, "memory_search", qury="x")


@pytest.mark.parametrize("tool", ["memory_search", "memory_list", "memory_get"])
async def test_an_answer_is_at_most_1_4_times_its_texts_ids_and_times(tool):
    texts = [
        "Ann wants a quiet hotel in Porto.",
        "The train from Lisbon to Porto leaves at 16:09 on 29 May.",
        "She likes tea with milk.",
        "A missed train is not refunded; the ticket can be changed once for a fee.",
        "Bo is afraid of flying and goes by train wherever he can.",
    ]
    memory = f"sizes-{tool}"
    async with over_stdio(memory=memory, tools=None) as client:
        ids = [json.loads(await text(client, "memory_remember", rawEntry=fact, tags=["trip"]))["id"] for fact in texts]
        arguments = {
            "memory_search": {"query": "trains, hotels, tea"},
            "memory_list": {},
            "memory_get": {"entryIds": ids},
        }[tool]
        answer = await text(client, tool, **arguments)
    found = json.loads(answer)
    assert len(found["entries"]) >= 4, answer
    assert "null" not in answer and "score" not in answer
    assert len(answer) <= 1.4 * content(found), f"{len(answer)} characters for {content(found)}: {answer}"


async def test_remembering_correcting_and_forgetting_use_one_short_name():
    async with over_stdio(memory="short-life", tools=None) as client:
        first = json.loads(await text(client, "memory_remember", rawEntry="Ann likes tea.", tags=["drink"]))["id"]
        second = json.loads(await text(client, "memory_correct", entryId=first, rawEntry="Ann likes coffee."))["id"]
        assert second != first
        found = json.loads(await text(client, "memory_search", query="what does Ann drink?"))["entries"]
        assert [(entry["id"], entry["text"]) for entry in found] == [(second, "Ann likes coffee.")]
        whole = json.loads(await text(client, "memory_get", entryIds=[second]))["entries"][0]
        assert (whole["tags"], "importance" in whole) == (["drink"], False)
        assert json.loads(await text(client, "memory_latest_context")) == {"text": ""}
        assert json.loads(await text(client, "memory_put_context", context="Drinks."))["id"]
        latest = json.loads(await text(client, "memory_latest_context"))
        assert latest["text"] == "Drinks." and latest["time"]
        assert json.loads(await text(client, "memory_forget", entryIds=[second])) == {"forgotten": 1}


async def test_scores_are_there_on_request():
    async with over_stdio(tools=None) as client:
        answer = await text(
            client, "memory_search", query="hotel", options={"fields": ["entryId", "rawEntry", "score", "scores"]}
        )
    best = json.loads(answer)["entries"][0]
    assert sorted(best) == ["entryId", "rawEntry", "score", "scores"] and "relevance" in best["scores"]
    assert "null" not in answer


async def test_blanks_and_digits_of_texts_and_metadata_stay():
    async with over_stdio(tools=None) as client:
        number = json.loads(await text(client, "memory_list", filters={"tags": ["hotel"]}))["entries"][0]["id"]
        assert "12345678901234567890.123456789" in await text(client, "memory_get", entryIds=[number])
        said_text = 'He said: "a,  b" \\ c'
        kept = json.loads(await text(client, "memory_remember", rawEntry=said_text))["id"]
        got = json.loads(await text(client, "memory_get", entryIds=[kept]))
        assert got["entries"][0]["text"] == said_text
        await text(client, "memory_forget", entryIds=[kept])
