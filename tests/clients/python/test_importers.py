"""The entries that the importers make of other programs' memories."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from memory_search import Memory
from memory_search.arguments import NewEntry
from memory_search.importers.chatgpt import chatgpt
from memory_search.importers.command import main
from memory_search.importers.letta import letta
from memory_search.importers.lines import zep
from memory_search.importers.loading import load
from memory_search.importers.reading import Read
from psycopg.rows import dict_row

ENTRY = {
    "rawEntry": "north", "entryKey": "n", "embedding": [0, 0.6, 0.8], "tags": ["a"], "metadata": {"k": [1]},
    "importance": 7, "creationTime": "2026-01-01T00:00:00Z", "validFrom": "2026-01-01T00:00:00+01:00",
}  # fmt: skip

Import = Callable[..., str]


@pytest.fixture
def imported(url: str, memory: Memory, capsys: pytest.CaptureFixture) -> Import:
    """Runs the command into the memory; returns its output on both streams after a failure, else its last line."""

    def run(*arguments: object) -> str:
        status = main([*map(str, arguments), "--memory", "trip", "--store", "client", "--database", url])
        said = capsys.readouterr()
        assert status == ("memory-search-import:" in said.err)
        return (said.err + said.out if status else said.out).strip()

    return run


@pytest.fixture
def lines(tmp_path: Path) -> Callable[..., Path]:
    """A file with these lines of JSON."""

    def write(*objects: object) -> Path:
        path = tmp_path / "lines.jsonl"
        path.write_text("\n\n".join(json.dumps(one) for one in objects), encoding="utf-8")
        return path

    return write


def test_a_repeated_import_changes_nothing(memory: Memory, imported: Import, lines: Callable) -> None:
    path = lines(ENTRY, {"raw_entry": "east", "embedding": [1, 0, 0]}, {"rawEntry": " "})
    assert imported("jsonl", path) == "2 added, 0 changed, 0 unchanged, 1 without text"
    before = memory.export()
    assert imported("jsonl", path) == "0 added, 0 changed, 2 unchanged, 1 without text"
    assert memory.export() == before


def test_entries_that_have_changed_since_are_changed(memory: Memory, imported: Import, lines: Callable) -> None:
    imported("jsonl", lines(ENTRY))
    changes = [
        {"rawEntry": "far north"}, {"embedding": [1, 0, 0]}, {"tags": []}, {"metadata": {"k": [2]}}, {"importance": 8},
        {"creationTime": "2026-01-01T00:00:01Z"}, {"validUntil": "2027-01-01T00:00:00Z"}, {"userId": "ana"},
        {"summary": "s"}, {"context": "c"}, {"entities": ["Ann"]}, {"entities": ["Bo"]}, {"entities": []},
    ]  # fmt: skip
    entry = dict(ENTRY)
    for change in changes:
        entry |= change
        assert imported("jsonl", lines(entry)).startswith("0 added, 1 changed"), change
        assert imported("jsonl", lines(entry)).startswith("0 added, 0 changed"), change


def test_names_that_the_server_found_are_no_change(
    memory: Memory, imported: Import, lines: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGOPTIONS", "-c memory_search.find_entities=on")
    path = lines({"rawEntry": "We met Bo Lindgren in Porto.", "entryKey": "b", "entities": ["Ann"]})
    assert imported("jsonl", path).startswith("1 added")
    assert {"Ann", "Bo Lindgren"} <= set(next(iter(memory.page())).entities)
    assert imported("jsonl", path).startswith("0 added, 0 changed, 1 unchanged")


@pytest.mark.parametrize("kind", [{"row_factory": dict_row}, {"cursor_factory": psycopg.RawCursor}], ids=str)
def test_entries_are_loaded_on_connections_of_all_kinds(url: str, memory: Memory, kind: dict[str, Any]) -> None:
    with psycopg.connect(url, autocommit=True, **kind) as own:
        memory_of_own = Memory(own, "trip", store="client")
        read = Read("here", NewEntry(raw_entry="north", entry_key="n"))
        assert load(memory_of_own, [read]).added == 1
        assert load(memory_of_own, [read]).unchanged == 1


def test_a_missing_file_is_reported(imported: Import) -> None:
    assert "No such file" in imported("jsonl", "/nowhere")


def message(name: str, role: str, text: object, parent: str | None, seconds: float | None = 1700000000.5) -> dict:
    content = {"content_type": "text", "parts": text if isinstance(text, list) else [text]}
    about = {"id": name, "author": {"role": role}, "create_time": seconds, "content": content}
    return {"id": name, "parent": parent, "message": about}


def test_a_chatgpt_export_is_the_messages_that_were_shown(tmp_path: Path, memory: Memory) -> None:
    nodes = [
        {"id": "root", "parent": None, "message": None},
        message("s", "system", "be kind", "root"),
        message("u1", "user", "Where is Bern?", "s"),
        message("a0", "assistant", "In Spain.", "u1"),
        message("a1", "assistant", ["In Switzerland.", {"asset_pointer": "x"}], "u1", None),
        message("u2", "user", "", "a1"),
    ]
    conversation = {
        "id": "c", "title": "Cities", "create_time": 1600000000, "current_node": "u2",
        "mapping": {node["id"]: node for node in nodes},
    }  # fmt: skip
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([conversation]))
    entries = [one.entry for one in chatgpt(path)]
    assert [(one["entry_key"], one["raw_entry"].strip(), one["source_type"]) for one in entries] == [
        ("chatgpt:u1", "Where is Bern?", "user"),
        ("chatgpt:a1", "In Switzerland.", "assistant"),
        ("chatgpt:u2", "", "user"),
    ]
    assert [one["creation_time"].timestamp() for one in entries[:2]] == [1700000000.5, 1600000000]
    assert {one["session_id"] for one in entries} == {"c"}
    assert entries[0]["metadata"] == {"title": "Cities"}


def test_a_collection_of_langchains_pgvector_comes_with_its_embeddings(
    database: psycopg.Connection, memory: Memory, imported: Import
) -> None:
    database.execute("""
        CREATE TABLE langchain_pg_collection (uuid uuid PRIMARY KEY, name varchar, cmetadata json);
        CREATE TABLE langchain_pg_embedding (
          id varchar PRIMARY KEY, collection_id uuid, embedding vector, document varchar, cmetadata jsonb);
        INSERT INTO langchain_pg_collection VALUES (gen_random_uuid(), 'docs'), (gen_random_uuid(), 'others');
        INSERT INTO langchain_pg_embedding
          SELECT 'd' || n, uuid, format('[%s,1,0]', n)::vector, name || n, jsonb_build_object('n', n)
            FROM langchain_pg_collection, generate_series(1, 2) n WHERE name = 'docs';""")
    try:
        assert imported("langchain", "docs") == "2 added, 0 changed, 0 unchanged, 0 without text"
        assert imported("langchain", "docs") == "0 added, 0 changed, 2 unchanged, 0 without text"
        found = memory.page({"metadata": {"n": 2}}, options={"includeEmbedding": True})
        assert [(one.entry_key, one.raw_entry, one.embedding) for one in found] == [("d2", "docs2", [2, 1, 0])]
    finally:
        database.execute("DROP TABLE langchain_pg_collection, langchain_pg_embedding")


def test_a_table_of_mem0s_comes_with_users_and_embeddings(
    database: psycopg.Connection, memory: Memory, imported: Import
) -> None:
    database.execute("""
        CREATE TABLE mem0_memories (id uuid PRIMARY KEY, vector vector(3), payload jsonb);
        INSERT INTO mem0_memories VALUES (gen_random_uuid(), '[0,1,0]',
          '{"data": "Likes jazz", "user_id": "ana", "run_id": "r", "created_at": "2026-01-01T00:00:00-08:00"}');""")
    try:
        assert imported("mem0", "mem0_memories").startswith("1 added")
        assert imported("mem0", "mem0_memories").startswith("0 added, 0 changed, 1 unchanged")
        (found,) = memory.list({"userId": "ana"})
        assert (found.raw_entry, found.session_id, found.creation_time.isoformat()[:10]) == ("Likes jazz", "r", "2026-01-01")
    finally:
        database.execute("DROP TABLE mem0_memories")


def test_items_of_langgraphs_store_come_with_their_namespace(
    database: psycopg.Connection, memory: Memory, imported: Import
) -> None:
    database.execute("""
        CREATE TABLE store (prefix text, key text, value jsonb, created_at timestamptz DEFAULT now());
        INSERT INTO store VALUES ('users.ana', 'a', '{"food": "figs"}'), ('users', 'b', '{"n": 1}'), ('users2', 'c', '{}');
        SET memory_search.embed_on_write = off;""")
    database.execute("ALTER DATABASE scratch SET memory_search.embed_on_write = off")
    try:
        assert imported("langgraph", "users").startswith("2 added")
        (found,) = memory.list({"metadata": {"value": {"food": "figs"}}})
        assert (found.raw_entry, found.metadata["namespace"], found.entry_key) == ("figs", ["users", "ana"], "users.ana/a")
    finally:
        database.execute("ALTER DATABASE scratch RESET memory_search.embed_on_write")
        database.execute("RESET memory_search.embed_on_write; DROP TABLE store")


def test_an_agent_file_of_lettas_is_blocks_messages_and_passages(tmp_path: Path) -> None:
    agent = {
        "agents": [{"name": "bot", "messages": [
            {"id": "m1", "role": "user", "content": [{"type": "text", "text": "Hello"}], "created_at": "2026-01-01T00:00:00"},
            {"id": "m2", "role": "tool", "content": "x"}],
            "passages": [{"id": "p1", "text": "Likes figs"}]}],
        "blocks": [{"label": "human", "value": "Ana"}],
    }  # fmt: skip
    path = tmp_path / "bot.af"
    path.write_text(json.dumps(agent))
    entries = [one.entry for one in letta(path)]
    assert [(one["raw_entry"], one["source_type"]) for one in entries] == [
        ("Ana", "block"), ("Hello", "user"), ("Likes figs", "passage")]  # fmt: skip
    assert entries[1]["creation_time"].isoformat() == "2026-01-01T00:00:00+00:00"


def test_a_dump_of_zeps_is_messages_and_facts_with_their_time(lines: Callable) -> None:
    path = lines(
        {"uuid": "1", "content": "Hi", "role_type": "user", "session_id": "s", "created_at": "2026-01-01T00:00:00Z"},
        {"uuid": "2", "fact": "Ana lives in Bern", "valid_at": "2026-01-01T00:00:00Z"},
    )
    said, fact = (one.entry for one in zep(path))
    assert (said["entry_key"], said["session_id"], said["source_type"]) == ("zep:1", "s", "user")
    assert (fact["raw_entry"], fact["source_type"], fact["valid_from"].year) == ("Ana lives in Bern", "fact", 2026)
