"""Exports of vector databases and of mem0: the imported entries, for each form of a file, and the refusals."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from conftest import Command
from memory_search import Memory
from memory_search.importers import exports
from memory_search.importers.command import main
from memory_search.importers.reading import Read

POINTS = [
    {"id": 1, "payload": {"text": "one", "city": "Porto"}, "vector": [1, 0, 0]},
    {"id": "5f0c2b9e-0d1c-4f37-9e39-0a3a5f7f2a11", "payload": {"text": "two"}, "vector": {"dense": [0, 1, 0]}},
]
LINES = "\n".join(json.dumps(point) for point in POINTS)
ANSWER = {"result": {"points": POINTS, "next_page_offset": None}, "status": "ok", "time": 0.1}


def entries(read: Callable[..., Any], path: Path, content: object, **chosen: str) -> list[Read]:
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return [*read(path, exports.Chosen(**chosen))]


@pytest.mark.parametrize(
    "content",
    [
        ANSWER,
        ANSWER["result"],
        [ANSWER],
        POINTS,
        LINES,
        f"\ufeff{LINES}\n\n",
        f"{json.dumps(ANSWER)}\n",
        json.dumps(ANSWER, indent=2),
        "[\n" + LINES.replace("\n", ",\n") + "\n]",
    ],
)
def test_points_of_qdrant_go_in_whole_in_every_form(command: Command, memory: Memory, content: object) -> None:
    status, said, errors = command("qdrant", content if isinstance(content, str) else json.dumps(content))
    assert (status, said, errors) == (0, "2 added, 0 changed, 0 unchanged, 0 without text", "")
    found = {entry.entry_key: entry for entry in memory.page(options={"includeEmbedding": True})}
    assert found["1"].metadata == {"city": "Porto"}
    assert [found[key].embedding for key in found if key != "1"] == [[0, 1, 0]]


def test_a_broken_line_is_named_and_the_others_go_in(command: Command, memory: Memory) -> None:
    status, said, errors = command("qdrant", '{"id": 0, "payload"\n' + LINES + "\n7")
    assert (status, memory.count()) == (1, 2)
    assert "line 1: no JSON" in errors
    assert "line 4: no JSON object" in errors
    assert said.endswith("2 refused")


def test_a_broken_document_is_one_error(command: Command, memory: Memory) -> None:
    status, _, errors = command("qdrant", json.dumps(ANSWER, indent=2)[:-20])
    assert (status, memory.count()) == (1, 0)
    assert errors.count("no JSON") == 1


def test_an_import_goes_on_and_changes_what_has_changed(command: Command) -> None:
    assert command("qdrant", LINES)[1].startswith("2 added")
    assert command("qdrant", LINES)[1].startswith("0 added, 0 changed, 2 unchanged")
    assert command("qdrant", LINES.replace('"one"', '"another"'))[1].startswith("0 added, 1 changed, 1 unchanged")


def test_nested_fields_of_langchain_are_metadata(tmp_path: Path) -> None:
    point = {"id": 1, "payload": {"page_content": "x", "metadata": {"page": 3}}, "vector": [1, 0, 0]}
    (read,) = entries(exports.qdrant, tmp_path / "f", point)
    assert read.entry is not None
    assert (read.entry["raw_entry"], read.entry["metadata"]) == ("x", {"page": 3})


def test_of_several_vectors_one_is_named(tmp_path: Path) -> None:
    vectors = {"a": [1, 0], "b": [0, 1], "sparse": {"indices": [1], "values": [0.5]}}
    point = {"id": 1, "payload": {"text": "x"}, "vector": vectors}
    (wrong,) = entries(exports.qdrant, tmp_path / "f", point)
    assert 'several vectors, ["a", "b"]: --vector says which' in wrong.wrong
    (chosen,) = entries(exports.qdrant, tmp_path / "f", point, vector="b")
    assert chosen.entry is not None
    assert chosen.entry["embedding"] == [0, 1]
    (missing,) = entries(exports.qdrant, tmp_path / "f", point, vector="c")
    assert 'no vector "c"' in missing.wrong


def test_columns_of_chroma_are_records(command: Command, memory: Memory) -> None:
    page = {"ids": ["a", "b", "c"], "documents": ["one", None, "three"], "metadatas": [{"k": 1}, {"text": "two"}, None]}
    assert command("chroma", json.dumps({**page, "embeddings": None, "uris": None}))[0] == 0
    found = {entry.entry_key: (entry.raw_entry, entry.metadata) for entry in memory.page()}
    assert found == {"a": ("one", {"k": 1}), "b": ("two", {}), "c": ("three", {})}


def test_columns_of_another_length_are_no_records(command: Command, memory: Memory) -> None:
    status, said, errors = command("chroma", json.dumps({"ids": ["a", "b"], "documents": ["one"]}))
    assert (status, memory.count()) == (1, 0)
    assert 'line 1: "documents" is no list of 2' in errors
    assert said.endswith("1 refused")


def test_records_of_pinecone_go_in_by_the_key_that_is_named(command: Command, memory: Memory) -> None:
    vectors = {
        "a": {"id": "a", "values": [1, 0, 0], "metadata": {"body": "one", "n": 2}},
        "b": {"id": "b", "values": []},
    }
    status, _, errors = command("pinecone", json.dumps({"vectors": vectors, "namespace": "x"}), "--text", "body")
    assert status == 1
    assert 'record 2: the key "body" is not there; --text names one of: no key at all' in errors
    assert [(entry.entry_key, entry.raw_entry, entry.metadata) for entry in memory.page()] == [("a", "one", {"n": 2})]


def test_memories_of_mem0_keep_user_text_and_expiry(command: Command, memory: Memory) -> None:
    one = {
        "id": "m1",
        "memory": "Likes trains",
        "user_id": "mina",
        "agent_id": "bot",
        "run_id": "r1",
        "metadata": {"topic": "rail"},
        "categories": ["travel"],
        "created_at": "2026-02-11T10:00:00-08:00",
        "expiration_date": "2026-03-31",
    }
    content = json.dumps({"results": [one, {"id": "m2", "memory": None}]})
    status, _, errors = command("mem0-export", content)
    assert status == 1
    assert "line 1, memory 2: its text is none" in errors
    (entry,) = memory.page(options={"includeExpired": True})
    assert (entry.user_id, entry.agent_id, entry.session_id, entry.tags) == ("mina", "bot", "r1", ["travel"])
    assert entry.creation_time == datetime(2026, 2, 11, 18, tzinfo=UTC)
    assert entry.expires_at == datetime(2026, 4, 1, tzinfo=UTC), "a memory is visible all through its last day"
    assert command("mem0-export", content)[1].startswith("0 added, 0 changed, 1 unchanged"), "though it has expired"


@pytest.mark.parametrize(
    ("kind", "content", "why"),
    [
        ("qdrant", "{}", 'neither "points" nor "id"'),
        ("qdrant", "x", "no JSON"),
        ("qdrant", "[]", "no record is in it"),
        ("qdrant", '{"result": {"points": []}}', "no record is in it"),
        ("qdrant", '{"result": 7}', "line 1: "),
        ("qdrant", '{"points": {"id": 1}}', "point: no list"),
        ("qdrant", '{"id": [1], "payload": {"text": "x"}}', "neither a text nor a number"),
        ("qdrant", '{"id": true, "payload": {"text": "x"}}', "neither a text nor a number"),
        ("qdrant", '{"id": 1, "payload": ["x"]}', "no JSON object"),
        ("qdrant", '{"payload": {"text": "x"}, "points": [{"payload": {"text": "x"}}]}', "'id' is missing"),
        ("qdrant", '{"id": 1, "payload": {"a": 1, "b": 2}}', "--text names one of: a, b"),
        ("qdrant", '{"id": 1, "payload": {"text": "x"}, "vector": [1, 0]}', "dimensions"),
        ("qdrant", '{"id": 1, "payload": {"text": "x"}, "vector": [[1, 0, 0], [0, 1, 0]]}', "embedding"),
        ("qdrant", '{"id": 1, "payload": {"text": "x"}, "vector": [NaN, 0, 0]}', "NaN"),
        ("qdrant", '{"id": 1}\n{"id": 2', "line 2: no JSON"),
        ("qdrant", "[" * 100_000, "nested too deep"),
        ("qdrant", '{"id": 1, "payload": {"text": "x", "text": "y"}}', "the key 'text' comes twice"),
        ("chroma", '{"documents": ["x"]}', '"ids" is missing'),
        ("chroma", '{"ids": "ab"}', '"ids" is missing, or no list'),
        ("pinecone", '{"matches": []}', 'neither "vectors" nor "id"'),
        ("pinecone", '{"vectors": 7}', "record: no list"),
        ("mem0-export", '{"memories": []}', 'neither "results" nor "memory"'),
        ("mem0-export", '{"results": [{"memory": "x"}]}', "'id' is missing"),
        ("mem0-export", '{"results": [{"id": 1, "memory": "x", "created_at": "soon"}]}', "soon"),
        ("mem0-export", '{"results": [{"id": 1, "memory": "x", "expiration_date": 7}]}', "a time must be a text"),
    ],
)
def test_a_file_of_another_form_is_no_success(
    command: Command, memory: Memory, kind: str, content: str, why: str
) -> None:
    status, _, errors = command(kind, content)
    assert status == 1
    assert why in errors
    assert memory.count() == 0


@pytest.mark.parametrize(
    "arguments", [["jsonl", "--text", "x"], ["mem0-export", "--text", "x"], ["chroma", "--vector", "x"]]
)
def test_options_of_other_formats_are_refused(arguments: list[str], capsys: pytest.CaptureFixture) -> None:
    with pytest.raises(SystemExit):
        main([arguments[0], "file", "--memory", "trip", *arguments[1:]])
    assert f"not for {arguments[0]}" in capsys.readouterr().err
