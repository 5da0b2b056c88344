"""How values are sent, and statements written."""

from array import array
from datetime import UTC, datetime
from uuid import UUID

import psycopg
import pytest
from memory_search import Memory, Store
from memory_search.calls import searching, writing
from memory_search.values import ids_as_list


class Vector:
    """As pgvector's, which brings numpy with it in some versions."""

    def to_list(self) -> list[float]:
        return [0.0, 1.0, 0.0]


class Array:
    """As numpy's."""

    def tolist(self) -> list[float]:
        return [0.0, 1.0, 0.0]


@pytest.mark.parametrize("embedding", [[0, 1, 0], (0.0, 1.0, 0.0), array("f", [0, 1, 0]), Vector(), Array()], ids=repr)
def test_embeddings_are_what_holds_numbers(memory: Memory, embedding: object) -> None:
    memory.add("north", embedding=embedding)
    memory.add_many([{"raw_entry": "north again", "embedding": embedding}])
    assert [entry.semantic for entry in memory.entries("", embedding=embedding)] == pytest.approx([1, 1])


def test_a_text_is_no_embedding(memory: Memory) -> None:
    with pytest.raises(ValueError):
        memory.search("x", embedding="[1,0,0]")


def test_filters_may_hold_times_and_ids(memory: Memory) -> None:
    old = memory.add("old", creation_time=datetime(2020, 1, 1, tzinfo=UTC), embedding=[1, 0, 0])
    memory.add("new", embedding=[1, 0, 0])
    assert [one.raw_entry for one in memory.list({"createdAt": {"$lt": datetime(2021, 1, 1, tzinfo=UTC)}})] == ["old"]
    assert [one.raw_entry for one in memory.list({"ids": [old]})] == ["old"]
    assert memory.count({"excludeIds": (old,)}) == 1


def test_metadata_that_json_has_not_is_refused(memory: Memory) -> None:
    with pytest.raises(TypeError, match="complex"):
        memory.add("x", metadata={"a": 1j})


def test_texts_are_values_whatever_they_hold(store: Store) -> None:
    text = "Robert'); DROP TABLE \"x\"; -- %s %(a)s \\ 北京 \n"
    memory = store.memory(text)
    memory.add(text, embedding=[1, 0, 0], metadata={text: text}, tags=[text])
    (entry,) = memory.list({"tags": [text]})
    assert (entry.memory_id, entry.raw_entry, entry.metadata, entry.tags) == (text, text, {text: text}, [text])


def test_ids_of_several_types_go_as_texts() -> None:
    one = UUID(int=1)
    assert ids_as_list([str(one), one]) == [str(one), str(one)]
    assert ids_as_list([one]) == [one]
    assert ids_as_list([1, 2]) == [1, 2]


def test_ids_of_an_adopted_table_are_what_they_are(database: psycopg.Connection) -> None:
    ids = ["00000000000040008000000000000002", "A"]
    database.execute("CREATE TABLE notes (id text PRIMARY KEY, body text)")
    try:
        database.cursor().executemany("INSERT INTO notes VALUES (%s, 'x')", [(one,) for one in ids])
        database.execute(
            "SELECT memory_adopt_table('adopted', 'notes',"
            """ '{"memory_id": "''m''", "entry_id": "id", "raw_entry": "body"}')"""
        )
        memory = Store(database, "adopted").memory("m")
        assert [[entry.entry_id for entry in memory.get([one])] for one in ids] == [[one] for one in ids]
        assert memory.touch(ids[:1]) == 1
        Store(database, "adopted").drop(force=True)
    finally:
        database.execute("DROP TABLE notes CASCADE")


def test_a_call_is_a_statement_that_anybody_could_write(database: psycopg.Connection) -> None:
    where = {"memory_id": "trip", "store": None}
    call = searching.search("memory_search", where, "hotel", {"k": 3, "filters": {"tags": ["sea"]}})
    assert call.statement().as_string(database) == (
        'SELECT "memory_search"("memory_id" => %(memory_id)s, "query" => %(query)s, "filters" => %(filters)s,'
        ' "top_ke" => %(top_ke)s) AS value'
    )
    call = writing.supersede(where, "a", None, None)
    assert call.values() == {"memory_id": "trip", "old_entry_id": "a", "new_entry_id": None}
