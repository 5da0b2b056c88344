"""The promises of mem0's interface for a vector store (VectorStoreBase).

mem0's own tests are in none of its packages: these cases are ours, written from the interface's docstrings and its
pgvector store. SUITE_STORE=pgvector runs them on that, for comparison.
"""

import os
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from mem0.vector_stores.base import VectorStoreBase
from mem0.vector_stores.pgvector import PGVector
from mem0_cases import ANA_CHESS, ANA_JAZZ, BEN_RACES, DIMENSIONS, FILTERS, NAMES, NOBODY, PAYLOADS, VECTORS
from memory_search.mem0 import MemorySearchStore, register


@pytest.fixture
def new(connection: psycopg.Connection) -> Iterator[Callable[[str], VectorStoreBase]]:
    """Makes collections of the store that is asked for; they go with the test."""
    made = []

    def make(name: str) -> VectorStoreBase:
        if os.environ.get("SUITE_STORE") == "pgvector":
            store = PGVector(None, name, DIMENSIONS, None, None, None, None, False, True,
                             connection_string=os.environ["DATABASE_URL"])
        else:
            store = MemorySearchStore(os.environ["DATABASE_URL"], name, DIMENSIONS)
        made.append(store)
        return store

    yield make
    for store in made:
        store.delete_col()
    connection.execute("SELECT memory_drop_store('mem0', force => true) WHERE to_regclass('mem0.entries') IS NOT NULL")


@pytest.fixture
def empty(new: Callable[[str], VectorStoreBase]) -> VectorStoreBase:
    """A collection without anything in it."""
    return new("memories")


@pytest.fixture
def store(empty: VectorStoreBase) -> VectorStoreBase:
    """A collection of three memories."""
    empty.insert(list(VECTORS.values()), list(PAYLOADS.values()), list(PAYLOADS))
    return empty


def ids(found: list[Any]) -> list[str]:
    """Their ids."""
    return [one.id for one in found]


@pytest.mark.parametrize(("filters", "expected"), FILTERS, ids=NAMES)
def test_list_passes(store: VectorStoreBase, filters: dict, expected: set[str]) -> None:
    assert set(ids(store.list(filters=filters)[0])) == expected


@pytest.mark.parametrize(("filters", "expected"), FILTERS, ids=NAMES)
def test_search_finds_what_passes(store: VectorStoreBase, filters: dict, expected: set[str]) -> None:
    nearest_first = [one for one in VECTORS if one in expected]
    assert ids(store.search("anything", VECTORS[ANA_JAZZ], top_k=5, filters=filters)) == nearest_first


def test_an_operator_that_is_unknown_is_refused(store: VectorStoreBase) -> None:
    with pytest.raises(ValueError):
        store.list(filters={"rank": {"near": 2}})


def test_get_gives_id_and_payload_and_no_score(store: VectorStoreBase) -> None:
    found = store.get(ANA_CHESS)
    assert (found.id, found.payload, found.score) == (ANA_CHESS, PAYLOADS[ANA_CHESS], None)


def test_get_of_what_is_not_there_is_none(store: VectorStoreBase) -> None:
    assert store.get(NOBODY) is None


def test_payloads_come_back_as_they_were(empty: VectorStoreBase) -> None:
    payload = {"data": "北京 \n 'quoted' \\", "deep": {"list": [1, None, {"x": 1.25}]}, "null": None, "empty": ""}
    empty.insert([[1.0, 0.0, 0.0, 0.0]], [payload], [NOBODY])
    assert empty.get(NOBODY).payload == payload


def test_scores_are_similarities_from_1_down_to_0(store: VectorStoreBase) -> None:
    scores = [one.score for one in store.search("", VECTORS[ANA_JAZZ])]
    assert scores == pytest.approx([1, 0.8, 0], abs=0.001)


def test_what_points_the_other_way_has_the_score_0(store: VectorStoreBase) -> None:
    assert [one.score for one in store.search("", [-1.0, 0.0, 0.0, 0.0], top_k=3)][-1] == 0


def test_search_gives_payloads(store: VectorStoreBase) -> None:
    assert store.search("", VECTORS[BEN_RACES], top_k=1)[0].payload == PAYLOADS[BEN_RACES]


def test_search_gives_no_more_than_top_k(store: VectorStoreBase) -> None:
    assert ids(store.search("", VECTORS[BEN_RACES], top_k=2)) == [BEN_RACES, ANA_CHESS]


def test_search_in_an_empty_collection_finds_nothing(empty: VectorStoreBase) -> None:
    assert empty.search("jazz", VECTORS[ANA_JAZZ]) == []


def test_search_batch_answers_each_question(store: VectorStoreBase) -> None:
    answers = store.search_batch(["a", "b"], [VECTORS[ANA_JAZZ], VECTORS[BEN_RACES]], top_k=1)
    assert [ids(one) for one in answers] == [[ANA_JAZZ], [BEN_RACES]]


def test_keyword_search_finds_a_word(store: VectorStoreBase) -> None:
    found = store.keyword_search("chess")
    assert ids(found) == [ANA_CHESS]
    assert found[0].score > 0
    assert found[0].payload == PAYLOADS[ANA_CHESS]


def test_keyword_search_with_filters(store: VectorStoreBase) -> None:
    assert ids(store.keyword_search("race", filters={"user_id": "ana"})) == []
    assert ids(store.keyword_search("race", filters={"user_id": "ben"})) == [BEN_RACES]


def test_keyword_search_of_a_strange_word_finds_nothing(store: VectorStoreBase) -> None:
    assert store.keyword_search("zeppelin") == []


def test_list_is_a_list_in_a_list(store: VectorStoreBase) -> None:
    (found,) = store.list()
    assert {one.id: one.payload for one in found} == PAYLOADS


def test_list_gives_no_more_than_top_k(store: VectorStoreBase) -> None:
    assert len(store.list(top_k=2)[0]) == 2


def test_list_of_an_empty_collection(empty: VectorStoreBase) -> None:
    assert empty.list() == [[]]


def test_list_goes_beyond_a_page(empty: VectorStoreBase) -> None:
    names = [f"00000000-0000-4000-8000-{n:012}" for n in range(2500)]
    empty.insert([[1.0, float(n), 0.0, 0.0] for n in range(2500)], [{"data": f"n {n}"} for n in range(2500)], names)
    found = ids(empty.list(top_k=2300)[0])
    assert (len(found), len(set(found) & set(names))) == (2300, 2300)


def test_delete_takes_one_away(store: VectorStoreBase) -> None:
    store.delete(ANA_JAZZ)
    assert store.get(ANA_JAZZ) is None
    assert set(ids(store.list()[0])) == {ANA_CHESS, BEN_RACES}
    assert ids(store.search("", VECTORS[ANA_JAZZ])) == [ANA_CHESS, BEN_RACES]


def test_delete_of_what_is_not_there_does_nothing(store: VectorStoreBase) -> None:
    store.delete(NOBODY)
    assert len(store.list()[0]) == 3


def test_what_was_deleted_can_be_inserted_again(store: VectorStoreBase) -> None:
    store.delete(ANA_JAZZ)
    store.insert([VECTORS[ANA_JAZZ]], [{"data": "again"}], [ANA_JAZZ])
    assert store.get(ANA_JAZZ).payload == {"data": "again"}


def test_update_of_the_vector_leaves_the_payload(store: VectorStoreBase) -> None:
    store.update(BEN_RACES, vector=[0.0, 0.0, 0.0, 1.0])
    (found,) = store.search("", [0.0, 0.0, 0.0, 1.0], top_k=1)
    assert (found.id, found.score) == (BEN_RACES, pytest.approx(1, abs=0.001))
    assert found.payload == PAYLOADS[BEN_RACES]


def test_update_of_the_payload_leaves_the_vector(store: VectorStoreBase) -> None:
    payload = {"data": "Walks", "user_id": "cleo", "rank": 3}
    store.update(BEN_RACES, payload=payload)
    (found,) = store.search("", VECTORS[BEN_RACES], top_k=1)
    assert (found.id, found.score, found.payload) == (BEN_RACES, pytest.approx(1, abs=0.001), payload)


def test_an_updated_payload_is_what_filters_ask(store: VectorStoreBase) -> None:
    store.update(BEN_RACES, payload={"data": "Walks", "user_id": "cleo"})
    assert ids(store.list(filters={"user_id": "cleo"})[0]) == [BEN_RACES]
    assert ids(store.list(filters={"user_id": "ben"})[0]) == []
    assert ids(store.list(filters={"category": "sport"})[0]) == []


def test_a_key_that_an_update_leaves_out_is_gone_for_filters(store: VectorStoreBase) -> None:
    store.update(BEN_RACES, payload={"data": "Walks", "user_id": "ben"})
    assert ids(store.list(filters={"run_id": "monday"})[0]) == [ANA_JAZZ]


def test_update_of_both(store: VectorStoreBase) -> None:
    store.update(ANA_JAZZ, vector=[0.0, 0.0, 1.0, 0.0], payload={"data": "Sings"})
    (found,) = store.search("", [0.0, 0.0, 1.0, 0.0], top_k=1)
    assert (found.id, found.payload) == (ANA_JAZZ, {"data": "Sings"})


def test_update_of_what_is_not_there_does_nothing(store: VectorStoreBase) -> None:
    store.update(NOBODY, vector=[1.0, 0.0, 0.0, 0.0], payload={"data": "x"})
    assert store.get(NOBODY) is None
    assert len(store.list()[0]) == 3


def test_a_collection_with_memories_is_listed(store: VectorStoreBase) -> None:
    assert "memories" in store.list_cols()


def test_a_collection_that_was_made_is_listed(new: Callable[[str], VectorStoreBase]) -> None:
    made = new("just_made")
    made.list()
    assert "just_made" in made.list_cols()


def test_a_collection_that_was_deleted_is_not_listed(store: VectorStoreBase) -> None:
    store.delete_col()
    assert "memories" not in store.list_cols()


def test_collections_are_apart(store: VectorStoreBase, new: Callable[[str], VectorStoreBase]) -> None:
    other = new("others")
    other.insert([VECTORS[ANA_JAZZ]], [{"data": "elsewhere"}], [ANA_JAZZ])
    assert store.get(ANA_JAZZ).payload == PAYLOADS[ANA_JAZZ]
    assert ids(other.search("", VECTORS[ANA_JAZZ])) == [ANA_JAZZ]
    other.delete_col()
    assert len(store.list()[0]) == 3


def test_info_tells_name_and_count(store: VectorStoreBase) -> None:
    info = store.col_info()
    assert (info["name"], info["count"]) == ("memories", 3)


def test_reset_empties(store: VectorStoreBase) -> None:
    store.reset()
    assert store.list() == [[]]
    store.insert([VECTORS[ANA_JAZZ]], [PAYLOADS[ANA_JAZZ]], [ANA_JAZZ])
    assert ids(store.list()[0]) == [ANA_JAZZ]
