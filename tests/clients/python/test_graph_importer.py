"""The entries that the importer makes of the file of the reference memory server."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from memory_search import Memory
from memory_search.importers.command import main
from memory_search.importers.graph import graph, is_graph

ANN = {"type": "entity", "name": "Ann", "entityType": "person", "observations": ["likes tea", "rows"]}
KNOWS = {"type": "relation", "from": "Ann", "to": "Bo", "relationType": "knows"}


@pytest.fixture
def lines(tmp_path: Path) -> Callable[..., Path]:
    """A file with these lines of JSON."""

    def write(*objects: object) -> Path:
        path = tmp_path / "memory.jsonl"
        path.write_text("\n".join(json.dumps(one) for one in objects), encoding="utf-8")
        return path

    return write


@pytest.fixture
def imported(url: str, memory: Memory, capsys: pytest.CaptureFixture) -> Callable[..., str]:
    """Runs the command; returns its output on both streams."""

    def run(*arguments: object) -> str:
        main([*map(str, arguments), "--memory", "trip", "--store", "client", "--database", url, "--quiet"])
        said = capsys.readouterr()
        return (said.err + said.out).strip()

    return run


def test_a_file_is_known_by_its_lines_and_nothing_is_added_twice(
    memory: Memory, imported: Callable[..., str], lines: Callable[..., Path]
) -> None:
    assert imported(lines(ANN, KNOWS)) == "4 added, 0 changed, 0 unchanged, 0 without text"
    texts = [entry.raw_entry for entry in memory.page(order_by="createdAt")]
    assert texts == ["Ann (person)", "Ann: likes tea", "Ann: rows", "Ann knows Bo"]
    before = memory.export()
    for arguments in ([lines(ANN, KNOWS)], ["graph", lines(ANN, KNOWS)], ["jsonl", lines(ANN, KNOWS)]):
        assert imported(*arguments) == "0 added, 0 changed, 4 unchanged, 0 without text"
    assert memory.export() == before
    more = {**ANN, "observations": ["likes tea", "skis"]}
    assert imported(lines(more)) == "1 added, 0 changed, 2 unchanged, 0 without text"


def test_entries_have_the_names_of_their_entities(
    memory: Memory, imported: Callable[..., str], lines: Callable[..., Path]
) -> None:
    imported(lines(ANN, KNOWS))
    assert len(list(memory.page({"entities": "ANN"}))) == 4
    assert [entry.metadata for entry in memory.page({"entities": "bo"})] == [
        {"graph": "relation", "from": "Ann", "to": "Bo", "relationType": "knows"}
    ]


def test_a_line_without_entity_or_relation_is_reported_and_the_others_go_in(
    imported: Callable[..., str], lines: Callable[..., Path]
) -> None:
    wrong = [
        {"type": "thing"}, [], {"type": "entity", "name": "X", "entityType": "y"}, {**ANN, "name": " "},
        {**ANN, "name": "n" * 201}, {**KNOWS, "to": None}, {**ANN, "observations": "tea"}, {**ANN, "entityType": 7},
        {**ANN, "name": "Zoe", "observations": ["skis", 7, None]},
    ]  # fmt: skip
    said = imported(lines(ANN, *wrong))
    for line, why in enumerate(
        ["'thing'", "no JSON object", "'observations' is missing", "must be a name", "200 characters", '"to" is no text',
         '"observations" is no list', '"entityType" is no text', "not int"], 2
    ):  # fmt: skip
        assert any(f"line {line}" in part and why in part for part in said.splitlines()), (line, why, said)
    assert "line 10, observation 3" in said and "10 refused" in said and "5 added" in said


def test_other_lines_are_not_taken_for_a_graph(lines: Callable[..., Path], imported: Callable[..., str]) -> None:
    path = lines({"rawEntry": "A note of the type entity.", "metadata": {"type": "entity"}})
    assert not is_graph(path)
    assert imported(path) == "1 added, 0 changed, 0 unchanged, 0 without text"
    assert is_graph(lines("broken", KNOWS))
    assert "No such file" in imported("/nowhere.jsonl")


def test_no_two_things_have_the_same_key(lines: Callable[..., Path]) -> None:
    ends = [("a", "bc"), ("ab", "c"), ("a", "b1:c"), ("1:a", "bc")]
    relations = [{**KNOWS, "from": start, "to": end} for start, end in ends]
    names = [{**ANN, "name": "a: b", "observations": ["c"]}, {**ANN, "name": "a", "observations": ["b: c"]}]
    keys = [one.entry["entry_key"] for one in graph(lines(*relations, *names)) if one.entry]
    assert len(set(keys)) == len(keys) == 8
