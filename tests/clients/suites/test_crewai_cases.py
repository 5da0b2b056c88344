"""Promises of CrewAI's StorageBackend that its tests of LanceDBStorage do not test."""

import asyncio
import os
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import psycopg
import pytest
from crewai.memory.storage.backend import EmbeddingDimensionMismatchError, StorageBackend
from crewai.memory.types import MemoryRecord
from memory_search import Memory, Store
from memory_search.crewai import MemorySearchStorage
from psycopg.rows import dict_row

NOON = datetime(2026, 5, 1, 12, 0, 0, 123456)
# Connections whose rows or parameters are not psycopg's usual ones.
KINDS: dict[str, dict] = {"dict_row": {"row_factory": dict_row}, "RawCursor": {"cursor_factory": psycopg.RawCursor}}


def record(id: str, scope: str = "/a", **fields: object) -> MemoryRecord:
    """A record."""
    fields = {"embedding": [1.0, 0.0], "created_at": NOON, "content": f"content of {id}"} | fields
    return MemoryRecord(id=id, scope=scope, **fields)


RECORDS = [
    record("1", "/a", categories=["x", "y"], metadata={"n": 1, "s": "one", "none": None}, importance=0.123),
    record("2", "/a/b", categories=["y"], metadata={"n": 2, "b": True}, created_at=NOON - timedelta(days=1)),
    record("3", "/ab", embedding=[0.6, 0.8], source="ana", private=True, created_at=NOON - timedelta(days=2)),
    record("4", "/", embedding=[-1.0, 0.0], created_at=NOON - timedelta(days=3)),
]


@pytest.fixture(scope="module")
def connected(connection: psycopg.Connection) -> Iterator[psycopg.Connection]:
    """A connection to a store."""
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as own:
        Store(own, "crew_cases").create(dimensions=2)
        yield own
        Store(own, "crew_cases").drop(force=True)


@pytest.fixture
def storage(connected: psycopg.Connection) -> Iterator[MemorySearchStorage]:
    """Four records."""
    storage = MemorySearchStorage(connected, "crew", store="crew_cases")
    storage.save(RECORDS)
    yield storage
    storage.reset()


def ids(records: list[MemoryRecord]) -> list[str]:
    """Their ids."""
    return [one.id for one in records]


def test_records_come_back_as_they_were(storage: MemorySearchStorage) -> None:
    assert isinstance(storage, StorageBackend)
    for one in RECORDS[:2] + RECORDS[3:]:
        assert storage.get_record(one.id) == one
    assert storage.get_record("nothing") is None
    aware = record("5", created_at=NOON.replace(tzinfo=timezone(timedelta(hours=2))), embedding=None)
    storage.save([aware])
    assert storage.get_record("5") == aware


def test_a_scope_is_itself_and_what_lies_below_it(storage: MemorySearchStorage) -> None:
    for scope in ("/a", "a", "/a/"):
        assert ids(storage.list_records(scope)) == ["1", "2"]
        assert storage.count(scope) == 2
        assert set(ids([one for one, _ in storage.search([1.0, 0.0], scope)])) == {"1", "2"}
    for scope in ("/", "", None):
        assert storage.count(scope) == 4
    info = storage.get_scope_info("/a")
    assert (info.path, info.record_count, info.categories, info.child_scopes) == ("/a", 2, ["x", "y"], ["/a/b"])
    assert (info.oldest_record, info.newest_record) == (NOON - timedelta(days=1), NOON)
    assert storage.get_scope_info("/nothing").record_count == 0
    assert storage.list_scopes("/") == ["/a", "/ab"]
    assert storage.list_categories("/a") == {"x": 1, "y": 2}
    storage.reset("/a")
    assert ids(storage.list_records()) == ["3", "4"]


def test_the_most_similar_come_first_with_their_similarities(storage: MemorySearchStorage) -> None:
    found = storage.search([1.0, 0.0])
    assert set(ids([one for one, _ in found[:2]])) == {"1", "2"}
    assert ids([one for one, _ in found[2:]]) == ["3", "4"]
    assert [score for _, score in found] == pytest.approx([1, 1, 0.6, 0], abs=0.001)
    assert len(storage.search([1.0, 0.0], min_score=0.5)) == 3
    assert len(storage.search([1.0, 0.0], limit=1)) == 1
    assert storage.search([1.0, 0.0], limit=0) == []


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"n": 1}, {"1"}),
        ({"n": 1, "s": "one"}, {"1"}),
        ({"n": 1, "s": "two"}, set()),
        ({"b": True}, {"2"}),
        ({"none": None}, {"1", "2", "3", "4"}),
        ({"n": None}, {"3", "4"}),
        ({"a.b": 1}, set()),
    ],
    ids=str,
)
def test_metadata_are_compared(storage: MemorySearchStorage, asked: dict, expected: set[str]) -> None:
    assert {one.id for one, _ in storage.search([1.0, 0.0], metadata_filter=asked)} == expected
    assert storage.delete(metadata_filter=asked) == len(expected)
    assert {one.id for one in storage.list_records()} == {"1", "2", "3", "4"} - expected


@pytest.mark.parametrize("asked", [{"n": [1]}, {"n": {"$gt": 0}}, {"$exists": 1}], ids=str)
def test_a_filter_that_is_not_answered_is_refused(storage: MemorySearchStorage, asked: dict) -> None:
    with pytest.raises(ValueError):
        storage.search([1.0, 0.0], metadata_filter=asked)
    with pytest.raises(ValueError):
        storage.delete(metadata_filter=asked)
    assert storage.count() == 4


def test_what_is_deleted_meets_all_that_is_asked(storage: MemorySearchStorage) -> None:
    assert storage.delete(record_ids=[]) == 0
    assert storage.delete(record_ids=["1", "3"], scope_prefix="/a", categories=["nothing"]) == 0
    assert storage.delete(older_than=NOON - timedelta(days=2)) == 1
    assert storage.delete(older_than=(NOON - timedelta(days=1)).replace(tzinfo=UTC), scope_prefix="/ab") == 1
    assert storage.delete(record_ids=["1", "nothing"], scope_prefix="/a") == 1
    assert ids(storage.list_records()) == ["2"]
    with pytest.raises(TypeError):
        storage.delete(record_ids="2")
    assert storage.delete() == 1
    assert storage.count() == 0


def test_all_records_are_saved_or_none(storage: MemorySearchStorage) -> None:
    with pytest.raises(EmbeddingDimensionMismatchError):
        storage.save([record("6"), record("7", embedding=[1.0, 2.0, 3.0])])
    with pytest.raises(TypeError):
        storage.save([record("6"), record("7", metadata={"at": NOON})])
    assert storage.count() == 4


def test_zeros_and_no_embedding_are_kept_and_not_found(storage: MemorySearchStorage) -> None:
    storage.save([record("6", embedding=[0.0, 0.0]), record("7", embedding=None), record("8", embedding=[])])
    assert storage.count() == 7
    assert not {"6", "7", "8"} & {one.id for one, _ in storage.search([1.0, 0.0])}


def test_what_was_found_is_noted(connected: psycopg.Connection, storage: MemorySearchStorage) -> None:
    before = storage.get_record("1")
    storage.touch_records(["1", "nothing"])
    after = storage.get_record("1")
    assert after.last_accessed > before.last_accessed
    assert after.model_copy(update={"last_accessed": before.last_accessed}) == before
    (entry,) = Memory(connected, "crew", store="crew_cases").page({"entryKey": "1"})
    assert entry.access_count == 1


def test_a_long_scope_is_listed_page_by_page(storage: MemorySearchStorage) -> None:
    many = [record(f"m{n}", "/many", created_at=NOON + timedelta(seconds=n)) for n in range(1500)]
    storage.save(many)
    assert ids(storage.list_records("/many", limit=2, offset=1200)) == ["m299", "m298"]
    assert len(storage.list_records("/many", limit=5000)) == 1500
    assert storage.get_scope_info("/many").record_count == 1500


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_connections_may_be_of_all_kinds(storage: MemorySearchStorage, kind: dict) -> None:
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True, **kind) as own:
        other = MemorySearchStorage(own, "crew", store="crew_cases")
        other.save([record("6", "/six")])
        assert (other.count(), other.get_record("6"), other.list_categories("/a")) == (
            5, storage.get_record("6"), {"x": 1, "y": 2},
        )  # fmt: skip
        assert {one.id for one, _ in other.search([1.0, 0.0], "/six")} == {"6"}
        assert other.delete("/six") == 1


def test_threads_share_a_connection(storage: MemorySearchStorage) -> None:
    errors: list[Exception] = []

    def work(number: int) -> None:
        try:
            storage.save([record(f"t{number}")])
            assert storage.get_record(f"t{number}")
            storage.touch_records([f"t{number}"])
            assert asyncio.run(storage.asearch([1.0, 0.0]))
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert storage.count() == 12
