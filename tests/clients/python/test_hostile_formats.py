"""Importers and files of a wrong form: the fault is named, and a file of another format is an error."""

import json
from pathlib import Path

import psycopg
import pytest
from conftest import Command
from memory_search import Memory
from memory_search.importers.chatgpt import chatgpt
from memory_search.importers.command import main
from memory_search.importers.letta import letta


def wrongs(found: object) -> list[tuple[str, str]]:
    """The lines that reading refused, with the reasons."""
    return [(one.where, one.wrong) for one in found if one.entry is None]


def conversation(current: str | None, parent: str | None = None) -> dict:
    message = {"id": "m", "author": {"role": "user"}, "content": {"parts": ["Hello"]}, "create_time": 1e9}
    return {"id": "c", "current_node": current, "mapping": {"n": {"id": "n", "parent": parent, "message": message}}}


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (conversation(None), '"current_node"'),
        (conversation("n", parent="lost"), "'lost' is missing"),
        (conversation("n", parent="n"), "answers itself"),
        (conversation("n") | {"id": None, "mapping": {"n": {"message": {"author": "user"}}}}, ""),
        (conversation("n") | {"mapping": {"n": {"message": {**conversation("n")["mapping"]["n"]["message"],
                                                            "create_time": 1e300}}}}, ""),
        (7, "no JSON object"),
    ],
)  # fmt: skip
def test_a_conversation_that_breaks_off_is_named_and_the_next_is_read(tmp_path: Path, wrong: object, why: str) -> None:
    (tmp_path / "c.json").write_text(json.dumps([wrong, conversation("n")]))
    found = [*chatgpt(tmp_path / "c.json")]
    ((where, said),) = wrongs(found)
    assert where.startswith("conversation 1")
    assert why in said
    assert [one.entry["raw_entry"] for one in found if one.entry] == ["Hello"]


def test_an_agent_of_letta_has_the_blocks_that_it_names(tmp_path: Path) -> None:
    agents = [{"name": "a", "block_ids": ["b1"]}, {"name": "b", "block_ids": ["b2"], "messages": [7]}]
    blocks = [{"id": "b1", "label": "human", "value": "Ana"}, {"id": "b2", "label": "human", "value": "Ben"}]
    (tmp_path / "x.af").write_text(json.dumps({"agents": agents, "blocks": blocks}))
    found = [*letta(tmp_path / "x.af")]
    assert [(one.entry["agent_id"], one.entry["raw_entry"]) for one in found if one.entry] == [
        ("a", "Ana"),
        ("b", "Ben"),
    ]
    assert wrongs(found) == [("agent 2, message 1", "no JSON object")]


@pytest.mark.parametrize(
    ("kind", "content", "why"),
    [
        ("letta", '{"nothing": 1}', "no agent file"),
        ("letta", "[]", "no JSON object"),
        ("chatgpt", "{}", "no list of conversations"),
        ("chatgpt", "x", "no JSON"),
        ("zep", '{"uuid": "1", "text": "x"}', 'neither "content" nor "fact"'),
        ("zep", '{"uuid": "1", "content": {"a": 1}}', "its text is none"),
        ("zep", '{"content": "x"}', '"uuid" is missing'),
        ("zep", '{"uuid": "1", "content": "x", "created_at": "soon"}', "soon"),
    ],
)
def test_a_file_of_another_form_is_no_success(command: Command, kind: str, content: str, why: str) -> None:
    status, _, errors = command(kind, content)
    assert status == 1
    assert why in errors


def test_a_collection_that_is_not_there_is_no_success(
    database: psycopg.Connection, memory: Memory, url: str, capsys: pytest.CaptureFixture
) -> None:
    database.execute("CREATE TABLE store (prefix text, key text, value jsonb, created_at timestamptz)")
    try:
        arguments = ["langgraph", "usres", "--memory", "trip", "--store", "client", "--database", url]
        assert main(arguments) == 1
        assert "no item below the namespace 'usres'" in capsys.readouterr().err
    finally:
        database.execute("DROP TABLE store")
