"""The sending of values, and the text of statements."""

from array import array
from collections.abc import Callable
from datetime import UTC, datetime
from uuid import UUID

import psycopg
import pytest
from memory_search import Memories, Memory, Store
from memory_search.calls import searching, writing
from memory_search.values import ids_as_list
from psycopg.rows import scalar_row


class Vector:
    """A vector like pgvector's, which needs numpy in some versions."""

    def to_list(self) -> list[float]:
        return [0.0, 1.0, 0.0]


class Array:
    """An array like numpy's."""

    def tolist(self) -> list[float]:
        return [0.0, 1.0, 0.0]


@pytest.mark.parametrize("embedding", [[0, 1, 0], (0.0, 1.0, 0.0), array("f", [0, 1, 0]), Vector(), Array()], ids=repr)
def test_embeddings_are_objects_that_hold_numbers(memory: Memory, embedding: object) -> None:
    memory.add("north", embedding=embedding)
    memory.add_many([{"raw_entry": "north again", "embedding": embedding}])
    assert [entry.semantic for entry in memory.entries("", embedding=embedding)] == pytest.approx([1, 1])


@pytest.mark.parametrize("wrong", ["[1,0,0]", {0: 1, 1: 2, 2: 3}, {0.0, 1.0, 2.0}, iter([0, 1, 0]), ["1", "0", "0"], 7])
def test_an_object_without_order_or_numbers_is_no_embedding(memory: Memory, wrong: object) -> None:
    with pytest.raises(TypeError, match="an embedding must be a list of numbers"):
        memory.search("x", embedding=wrong)


@pytest.mark.parametrize(
    "wrong",
    [{"raw_entry": ["a"]}, {"summary": {"a"}}, {"summary": b"a"}, {"tags": "rail"}, {"tags": {"a": 1}}, {"tags": 7},
     {"metadata": '{"a": 1}'}, {"metadata": [1]}, {"metadata": {"a": b"x"}}, {"user_id": ("a", "b")}],
)  # fmt: skip
def test_a_value_that_the_driver_would_send_as_another_type_is_refused(memory: Memory, wrong: dict) -> None:
    with pytest.raises(TypeError):
        memory.add(**({"raw_entry": "x", "embedding": [0, 1, 0]} | wrong))
    assert memory.count() == 0


@pytest.mark.parametrize(
    "call",
    [lambda one: one.get("abc"), lambda one: one.delete(str(UUID(int=1))), lambda one: one.count('{"tags": ["a"]}'),
     lambda one: one.add_many({"raw_entry": "x"}), lambda one: one.add_many("abc"), lambda one: one.add_many([None]),
     lambda one: one.import_lines("abc"), lambda one: one.upsert(None, "x"), lambda one: one.search("x", filters=[])],
)  # fmt: skip
def test_a_value_that_is_no_list_and_no_dict_is_refused(memory: Memory, call: Callable[[Memory], object]) -> None:
    with pytest.raises(TypeError):
        call(memory)


def test_letters_are_no_memories(database: psycopg.Connection) -> None:
    with pytest.raises(TypeError, match="memory_ids must be a list"):
        Memories(database, "trip")
    with pytest.raises(TypeError, match="prefixes must be a list"):
        Memories(database, prefixes="trip")


@pytest.mark.parametrize("tags", [("a", "b"), ["a", "b"], {"a": 1, "b": 2}.keys(), iter(["a", "b"])], ids=repr)
def test_tags_are_any_iterable_of_texts(memory: Memory, tags: object) -> None:
    memory.add("x", tags=tags, embedding=[0, 1, 0])
    assert [one.tags for one in memory.list()] == [["a", "b"]]


@pytest.mark.parametrize(
    "call",
    [lambda one: one.add(None), lambda one: one.search(None, embedding=[0, 1, 0]), lambda one: one.update(None),
     lambda one: one.put_context(None), lambda one: one.delete_where(None)],
)  # fmt: skip
def test_the_server_refuses_a_null_argument(memory: Memory, call: Callable[[Memory], object]) -> None:
    with pytest.raises(psycopg.Error, match="must not be null") as refused:
        call(memory)
    assert refused.value.sqlstate == "22004"


def test_numbers_that_json_lacks_are_refused_before_they_are_sent(memory: Memory) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        memory.add("x", metadata={"a": float("nan")})


def test_times_outside_of_pythons_range_are_its_first_and_its_last(url: str, memory: Memory) -> None:
    last, first = datetime.max.replace(tzinfo=UTC), datetime.min.replace(tzinfo=UTC)
    far = memory.add("x", embedding=[0, 1, 0], expires_at="infinity", valid_until="20000-01-01Z")
    memory.add("y", embedding=[1, 0, 0], creation_time="0044-03-15 BC")
    for binary in (False, True):
        with psycopg.connect(url, autocommit=True) as connection:
            connection.cursor_factory = BinaryCursor if binary else psycopg.Cursor
            entry, old = Memory(connection, "trip", store="client").list(order_by="-createdAt")
            assert (entry.entry_id, entry.expires_at, entry.valid_until) == (str(far), last, last)
            assert old.creation_time == first
    assert memory.search("", k=1, embedding=[0, 1, 0]).entries[0].valid_until == last
    assert memory.search("", k=1, embedding=[1, 0, 0]).entries[0].creation_time == first


class BinaryCursor(psycopg.Cursor):
    """One to which answers come in PostgreSQL's own form."""

    def execute(self, *arguments: object, **options: object) -> psycopg.Cursor:
        return super().execute(*arguments, **{**options, "binary": True})


@pytest.mark.parametrize("kind", [psycopg.ClientCursor, psycopg.RawCursor, BinaryCursor])
def test_any_kind_of_cursor_will_do(url: str, store: Store, kind: type) -> None:
    with psycopg.connect(url, autocommit=True, cursor_factory=kind, row_factory=scalar_row) as connection:
        memory = Memory(connection, "it's %s", store="client")
        memory.add_many([{"raw_entry": "50 % \\ 'x'", "embedding": [0, 1, 0], "metadata": {"a": "\\"}}])
        assert [one.raw_entry for one in memory.search("x", embedding=[0, 1, 0]).entries] == ["50 % \\ 'x'"]


@pytest.mark.parametrize("source", [None, "postgresql:///app", 7])
def test_an_invalid_source_is_refused(source: object) -> None:
    with pytest.raises(TypeError, match=r"a source is a psycopg\.Connection"):
        Memory(source, "trip").count()


def test_filters_may_hold_times_and_ids(memory: Memory) -> None:
    old = memory.add("old", creation_time=datetime(2020, 1, 1, tzinfo=UTC), embedding=[1, 0, 0])
    memory.add("new", embedding=[1, 0, 0])
    assert [one.raw_entry for one in memory.list({"createdAt": {"$lt": datetime(2021, 1, 1, tzinfo=UTC)}})] == ["old"]
    assert [one.raw_entry for one in memory.list({"ids": [old]})] == ["old"]
    assert memory.count({"excludeIds": (old,)}) == 1


def test_metadata_that_json_cannot_hold_are_refused(memory: Memory) -> None:
    with pytest.raises(TypeError, match="complex"):
        memory.add("x", metadata={"a": 1j})


def test_texts_are_always_values(store: Store) -> None:
    text = 'Robert\'); DROP TABLE "x"; -- %s %(a)s \\ 北京 \n'
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
