"""The tools of the reference memory server: its recorded answers, and our additions: search, users, other readers."""

import json
import os
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from program import MODES, answer, environment, over_stdio, refusal, said, sql

# Calls, each with the answer of the reference memory server in this order; null for a refusal.
RECORDED = json.loads(Path(__file__).with_name("recorded_graph.json").read_text(encoding="utf-8"))
CLIENT = Path(__file__).parents[2] / "clients" / "python" / "src"
READING = ["read_graph", "search_nodes", "open_nodes"]
WRITING = [
    "create_entities",
    "create_relations",
    "add_observations",
    "delete_entities",
    "delete_observations",
    "delete_relations",
]


def graph(memory: str, *options: str, **arguments):
    return over_stdio(*options, memory=memory, tools="graph", **arguments)


def entity(name: str, *observations: str, entity_type: str = "person") -> dict:
    return {"name": name, "entityType": entity_type, "observations": list(observations)}


def relation(start: str, relation_type: str, end: str) -> dict:
    return {"from": start, "to": end, "relationType": relation_type}


def finds(given: dict, expected: dict) -> bool:
    """Whether a search finds the entities of the reference server; ours may find more, by meaning."""
    if not expected["entities"]:
        return given == expected
    return all(item in given[key] for key in expected for item in expected[key])


@pytest.mark.parametrize("mode", MODES)
async def test_a_recorded_session_with_the_reference_server_gives_the_same_answers(mode):
    async with graph(f"recorded-graph-{mode}", mode=mode) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == WRITING + READING
        for number, (tool, arguments, expected) in enumerate(RECORDED):
            result = await client.call_tool(tool, arguments)
            if expected is None:
                assert result.is_error, (number, tool, arguments, said(result))
                continue
            assert not result.is_error, (number, tool, arguments, said(result))
            given = result.structured_content
            same = finds(given, expected) if tool == "search_nodes" else given == expected
            assert same, (number, tool, arguments, given)
            text = said(result)
            if tool.startswith("delete"):
                assert text == given["message"]
            elif tool in READING:
                assert json.loads(text) == result.structured_content
            else:
                assert [json.loads(text)] == list(given.values())


async def test_repetitions_within_a_call_are_stored_once():
    async with graph("graph-twice") as client:
        twice = [entity("Ann", "sings", "sings"), entity("Ann", "dances", entity_type="cat")]
        assert await answer(client, "create_entities", entities=twice) == {"entities": [entity("Ann", "sings")]}
        both = [relation("Ann", "knows", "Bo")] * 2
        assert await answer(client, "create_relations", relations=both) == {"relations": both[:1]}
        said_twice = [{"entityName": "Ann", "contents": ["skis"]}, {"entityName": "Ann", "contents": ["skis", "rows"]}]
        added = (await answer(client, "add_observations", observations=said_twice))["results"]
        assert [one["addedObservations"] for one in added] == [["skis"], ["rows"]]
        whole = {"entities": [entity("Ann", "sings", "skis", "rows")], "relations": both[:1]}
        assert await answer(client, "read_graph") == whole
        resource = await client.read_resource("memory://knowledge-graph")
        assert json.loads(resource.contents[0].text) == whole
        assert "memory://knowledge-graph" in [known.uri for known in (await client.list_resources()).resources]
    assert sql("SELECT count(*) FROM memory.entries WHERE memory_id = 'graph-twice'") == [(5,)]


async def test_calls_at_the_same_time_add_a_thing_once():
    async with graph("graph-at-once") as one, graph("graph-at-once") as other:
        added = []

        async def create(client) -> None:
            made = await answer(client, "create_entities", entities=[entity(f"E{n}", "is there") for n in range(5)])
            added.extend(made["entities"])

        async with anyio.create_task_group() as group:
            for client in (one, other) * 3:
                group.start_soon(create, client)
        assert sorted(made["name"] for made in added) == [f"E{n}" for n in range(5)]
    assert sql("SELECT count(*) FROM memory.entries WHERE memory_id = 'graph-at-once'") == [(10,)]


async def test_a_search_finds_by_meaning_the_best_first_and_by_relations():
    async with graph("graph-search") as client:
        people = [
            entity("Marta", "keeps bees and sells honey", "speaks Slovene"),
            entity("Ivo", "repairs old clocks", "drinks tea with milk"),
            entity("Harbour office", "opens at nine in the morning", entity_type="place"),
        ]
        await answer(client, "create_entities", entities=people)
        await answer(client, "create_relations", relations=[relation("Ivo", "works_for", "Harbour office")])
        found = await answer(client, "search_nodes", query="which beverage does Ivo like?")
        assert [one["name"] for one in found["entities"]][0] == "Ivo"
        found = await answer(client, "search_nodes", query="who works for the harbour office?")
        assert relation("Ivo", "works_for", "Harbour office") in found["relations"]
        assert (await answer(client, "search_nodes", query="quantum chromodynamics"))["entities"] == []


async def test_observations_are_entries_that_every_other_tool_finds_and_corrects():
    async with graph("graph-shared") as client, over_stdio(memory="graph-shared", tools=None) as other:

        async def entries(tool: str, **arguments) -> dict[str, str]:
            return {
                one["text"]: one["id"] for one in json.loads(said(await other.call_tool(tool, arguments)))["entries"]
            }

        await other.call_tool("memory_remember", {"rawEntry": "Ann was here before."})
        await answer(client, "create_entities", entities=[entity("Ann", "works at Acme")])
        about = (await entries("memory_search", query="where does Ann work?"))["Ann: works at Acme"]
        await other.call_tool("memory_correct", {"entryId": about, "rawEntry": "Ann: works at Bolt"})
        assert (await answer(client, "read_graph"))["entities"] == [entity("Ann", "works at Bolt")]
        # A superseded observation can be added again.
        again = [{"entityName": "Ann", "contents": ["works at Acme"]}]
        await answer(client, "add_observations", observations=again)
        assert (await answer(client, "read_graph"))["entities"] == [entity("Ann", "works at Bolt", "works at Acme")]
        await answer(client, "delete_entities", entityNames=["Ann"])
        assert [*await entries("memory_list")] == ["Ann was here before."]


async def test_the_file_of_the_reference_server_and_what_the_tools_store_are_the_same(tmp_path):
    path = tmp_path / "memory.jsonl"
    text = "Ann: \u00e9\U0001f41d\n1:a"
    whole = {
        "entities": [entity("Ann", text, "", "works at Acme"), entity("Acme", entity_type="")],
        "relations": [relation("Ann", "works_at", "Acme"), relation("Bo", "knows", "Ann")],
    }
    lines = [{"type": "entity", **one} for one in whole["entities"]]
    lines += [{"type": "relation", **one} for one in whole["relations"]]
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")

    def imported(memory: str) -> str:
        command = [sys.executable, "-m", "memory_search.importers", str(path), "--memory", memory, "--quiet"]
        env = os.environ | environment("mcp_writer") | {"PYTHONPATH": str(CLIENT)}
        return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout.strip()

    assert imported("graph-imported") == "7 added, 0 changed, 0 unchanged, 0 without text"
    for memory in ("graph-imported", "graph-not-imported"):
        async with graph(memory) as client:
            for key, items in whole.items():
                new = items if memory == "graph-not-imported" else []
                assert await answer(client, f"create_{key}", **{key: items}) == {key: new}
            assert await answer(client, "read_graph") == whole
        assert imported(memory) == "0 added, 0 changed, 7 unchanged, 0 without text"


async def test_a_graph_of_several_pages_is_read_searched_and_deleted_whole():
    facts = [f"fact {number}" for number in range(1050)]
    async with graph("graph-large") as client:
        await answer(client, "create_entities", entities=[entity("Log", *facts), entity("Else")])
        assert (await answer(client, "read_graph"))["entities"] == [entity("Log", *facts), entity("Else")]
        assert (await answer(client, "search_nodes", query="fact 1049"))["entities"] == [entity("Log", *facts)]
        many = [f"name {number}" for number in range(1050)]
        assert (await answer(client, "open_nodes", names=[*many, "Else"]))["entities"] == [entity("Else")]
        deletions = [{"entityName": "Log", "observations": facts[1:]}]
        await answer(client, "delete_observations", deletions=deletions)
        assert (await answer(client, "open_nodes", names=["Log"]))["entities"] == [entity("Log", "fact 0")]


async def test_each_user_has_a_graph_of_his_own():
    for user in ("ann", "bo"):
        async with graph("graph-own", "--store", "own", "--user", user, "--agent", "scout") as client:
            mine = entity("Home", f"is {user}'s")
            assert await answer(client, "create_entities", entities=[mine]) == {"entities": [mine]}
            assert (await answer(client, "read_graph"))["entities"] == [mine]
            assert (await answer(client, "search_nodes", query="home"))["entities"] == [mine]
    async with graph("graph-own", "--store", "own", "--user", "ann") as client:
        await answer(client, "delete_entities", entityNames=["Home"])
        assert (await answer(client, "read_graph"))["entities"] == []
    left = sql("SELECT DISTINCT user_id, agent_id FROM own.entries WHERE memory_id = 'graph-own' "
               "AND deletion_scheduled_time IS NULL")  # fmt: skip
    assert left == [("bo", "scout")]


async def test_read_only_serves_the_three_tools_that_read():
    async with graph("graph-recorded", "--read-only", role="mcp_reader") as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == READING
        for tool in [*WRITING, "memory_search"]:
            assert "no tool" in await refusal(client, tool, entities=[], relations=[])
        assert await answer(client, "read_graph") == {"entities": [], "relations": []}
    async with graph("graph-recorded", role="mcp_reader") as client:
        assert "42501" in await refusal(client, "create_entities", entities=[entity("Ann")])
    async with over_stdio() as client:
        assert "no tool" in await refusal(client, "read_graph")
        with pytest.raises(Exception, match="no such resource"):
            await client.read_resource("memory://knowledge-graph")


async def test_entries_of_others_in_no_form_of_the_graph_break_no_answer():
    forms = [{"graph": "entity"}, {"graph": "entity", "name": 7, "entityType": {"a": 1}}, {"graph": "relation"},
             {"graph": "relation", "from": "7", "to": [1]}, {"graph": "observation"}, {"graph": 1},
             {"graph": "entity", "name": "n" * 300}, {"graph": "observation", "name": " "}]  # fmt: skip
    async with graph("graph-forms") as client, over_stdio(memory="graph-forms", tools=None) as other:
        for metadata in forms:
            await other.call_tool("memory_remember", {"rawEntry": "Odd.", "metadata": metadata, "entities": ["7"]})
        long = {"name": "n" * 300, "entityType": "", "observations": []}
        seven = {"name": "7", "entityType": '{"a": 1}', "observations": []}
        whole = {"entities": [seven], "relations": [relation("7", "", "[1]")]}
        assert await answer(client, "read_graph") == whole | {"entities": [seven, long]}
        assert await answer(client, "open_nodes", names=["7"]) == whole
        assert (await answer(client, "search_nodes", query="odd"))["entities"] == [seven]
        await answer(client, "delete_entities", entityNames=["7"])
        assert await answer(client, "read_graph") == {"entities": [long], "relations": []}


@pytest.mark.parametrize("name", ["", " \t", "n" * 201])
async def test_an_invalid_name_is_refused_with_its_place_and_nothing_is_stored(name):
    async with graph("graph-refused") as client:
        why = await refusal(client, "create_entities", entities=[entity("Ann"), entity(name)])
        assert why.startswith("entities[1].name ") and "200 characters" in why
        why = await refusal(client, "create_relations", relations=[relation("Ann", "knows", name)])
        assert why.startswith("relations[0].to ")
        gone = [{"entityName": name, "contents": ["x"]}]
        assert "not found" in await refusal(client, "add_observations", observations=gone)
        # There is no such entity: nothing is found and nothing is deleted, which is no mistake.
        assert (await answer(client, "open_nodes", names=[name]))["entities"] == []
        await answer(client, "delete_entities", entityNames=[name])
        assert await answer(client, "read_graph") == {"entities": [], "relations": []}


async def test_texts_are_kept_as_they_are():
    hostile = [
        "Ann: ", "'; DROP TABLE memory.entries; --", "{ext}.x {store} = 1 || 2", "$1 %s \\ \" \n\t", "{\"missing\": \"Ann\"}",
        "a" * 20_000, "🐝é\u0301\u200d", "-> ->> <> - * /",
    ]  # fmt: skip
    async with graph("graph-hostile") as client:
        await answer(client, "create_entities", entities=[entity("Ann: Bo", *hostile, entity_type="a = b\n")])
        await answer(client, "create_relations", relations=[relation("Ann: Bo", text, "Ann") for text in hostile])
        read = await answer(client, "read_graph")
        assert read["entities"] == [entity("Ann: Bo", *hostile, entity_type="a = b\n")]
        assert [one["relationType"] for one in read["relations"]] == hostile
        for text in hostile[:5]:
            assert (await answer(client, "search_nodes", query=text))["entities"] == read["entities"], text
        assert "22P05" in await refusal(client, "create_entities", entities=[entity("Ann", "a\x00b")])
        await answer(client, "delete_relations", relations=read["relations"])
        deletions = [{"entityName": "Ann: Bo", "observations": hostile}]
        await answer(client, "delete_observations", deletions=deletions)
        assert await answer(client, "read_graph") == {
            "entities": [entity("Ann: Bo", entity_type="a = b\n")], "relations": []
        }  # fmt: skip


async def test_a_search_ranks_no_more_entries_than_the_configuration_lets_it():
    async with graph("graph-bounds", "--max-entries", "1") as client:
        await answer(client, "create_entities", entities=[entity("Bee garden", "blooms"), entity("Beehive", "hums")])
        assert len((await answer(client, "search_nodes", query="Which bees hum in a hive?"))["entities"]) == 1
