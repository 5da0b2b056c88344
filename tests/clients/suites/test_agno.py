"""The promises of Agno's interface for memories of users (BaseDb).

Its own tests are in none of its packages: these cases are ours, written from its PostgresDb and InMemoryDb.
SUITE_STORE=memory runs them on the latter, for comparison.
"""

import os
from collections.abc import Iterator

import psycopg
import pytest
from agno.agent import Agent
from agno.db.base import BaseDb
from agno.db.in_memory import InMemoryDb
from agno.db.schemas import UserMemory
from agno.memory import MemoryManager
from memory_search.agno import MemorySearchDb

STORE = "agno"
THEIRS = os.environ.get("SUITE_STORE") == "memory"
# Tests of behaviour that only our store has: -m "not ours" leaves them out.
only_ours = pytest.mark.ours


@pytest.fixture
def db(connected: psycopg.Connection) -> Iterator[BaseDb]:
    """A database with four memories of two users."""
    made = InMemoryDb() if THEIRS else MemorySearchDb(connected, store=STORE)
    for place, memory in enumerate(memories()):
        memory.created_at = 1_700_000_000 + place
        made.upsert_user_memory(memory)
    yield made
    made.clear_memories()


def memories() -> list[UserMemory]:
    """The memories of the cases."""
    return [
        UserMemory("Ana likes window seats on trains", "train", ["travel", "rail"], "ana", agent_id="planner"),
        UserMemory("Ana plays chess 100% of Sundays", "chess", ["games"], "ana", input="we play", feedback="good"),
        UserMemory("Ana eats no meat", "food", ["food", "travel"], "ana", agent_id="cook", team_id="kitchen"),
        UserMemory("Ben runs", "run", None, "ben"),
    ]


def ids(found: list[UserMemory]) -> set[str]:
    """Their ids."""
    return {str(one.memory_id) for one in found}


def test_a_memory_comes_back_as_it_was(db: BaseDb) -> None:
    for memory in memories():
        found = db.get_user_memory(memory.memory_id)
        assert isinstance(found, UserMemory)
        for name in ("memory", "memory_id", "user_id", "agent_id", "team_id", "input", "feedback"):
            assert getattr(found, name) == getattr(memory, name)
        assert (found.topics or None) == memory.topics


def test_rows_are_given_where_no_objects_are_asked_for(db: BaseDb) -> None:
    row = db.get_user_memory("train", deserialize=False)
    assert isinstance(row, dict)
    assert (row["memory_id"], row["topics"]) == ("train", ["travel", "rail"])
    rows, total = db.get_user_memories(user_id="ana", limit=2, deserialize=False)
    assert (len(rows), total) == (2, 3)


def test_a_memory_of_another_user_is_not_there(db: BaseDb) -> None:
    assert db.get_user_memory("train", user_id="ben") is None
    assert db.get_user_memory("train", user_id="ana") is not None
    assert db.get_user_memory("nothing") is None
    db.delete_user_memory("train", user_id="ben")
    db.delete_user_memories(["train", "run"], user_id="ben")
    assert ids(db.get_user_memories()) == {"train", "chess", "food"}


def test_an_empty_user_is_nobody_and_not_everybody(db: BaseDb) -> None:
    assert db.get_user_memories(user_id="") == []
    db.delete_user_memories(["train"], user_id="")
    assert len(db.get_user_memories()) == 4


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({}, {"train", "chess", "food", "run"}),
        ({"user_id": "ana"}, {"train", "chess", "food"}),
        ({"user_id": "nobody"}, set()),
        ({"agent_id": "cook"}, {"food"}),
        ({"team_id": "kitchen"}, {"food"}),
        ({"team_id": "kitchen", "user_id": "ben"}, set()),
        ({"topics": ["travel"]}, {"train", "food"}),
        ({"topics": ["travel"], "agent_id": "planner"}, {"train"}),
        ({"search_content": "WINDOW"}, {"train"}),
        ({"search_content": "0% of"}, {"chess"}),
        ({"search_content": "Ana%no"}, set()),
    ],
    ids=str,
)
def test_filters(db: BaseDb, asked: dict, expected: set[str]) -> None:
    assert ids(db.get_user_memories(**asked)) == expected
    rows, total = db.get_user_memories(**asked, limit=1, deserialize=False)
    assert (len(rows), total) == (min(1, len(expected)), len(expected))


@only_ours
def test_memories_of_all_topics_are_found(db: BaseDb) -> None:
    assert ids(db.get_user_memories(topics=["travel", "rail"])) == {"train"}


@pytest.mark.parametrize(
    ("order", "expected"), [("asc", ["train", "chess", "food"]), ("desc", ["food", "chess", "train"])]
)
def test_memories_are_sorted_page_by_page(db: BaseDb, order: str, expected: list[str]) -> None:
    found = []
    for page in (1, 2, 3):
        some = db.get_user_memories(user_id="ana", limit=2, page=page, sort_by="created_at", sort_order=order)
        found += [one.memory_id for one in some]
    assert found == expected


def test_memories_are_sorted_by_what_is_no_time(db: BaseDb) -> None:
    found = db.get_user_memories(sort_by="memory", sort_order="asc")
    assert [one.memory_id for one in found] == ["food", "train", "chess", "run"]


def test_a_memory_that_is_there_is_changed(db: BaseDb) -> None:
    changed = db.upsert_user_memory(UserMemory("Ana drives", "train", ["cars"], "ana"))
    assert isinstance(changed, UserMemory)
    found = db.get_user_memory("train")
    assert (found.memory, found.topics, found.agent_id) == ("Ana drives", ["cars"], None)
    assert len(db.get_user_memories()) == 4


@only_ours
def test_when_a_memory_was_created_stays(db: BaseDb) -> None:
    changed = db.upsert_user_memory(UserMemory("Ana drives", "train"))
    assert changed.created_at == db.get_user_memory("train").created_at == 1_700_000_000
    assert changed.updated_at > 1_700_000_000


def test_a_memory_without_an_id_gets_one(db: BaseDb) -> None:
    stored = db.upsert_user_memory(UserMemory("Cleo sings", user_id="cleo"))
    assert db.get_user_memory(stored.memory_id).memory == "Cleo sings"


def test_many_are_stored_at_once(db: BaseDb) -> None:
    stored = db.upsert_memories([UserMemory(f"number {n}", f"n{n}", user_id="many") for n in range(1100)])
    assert len(stored) == 1100
    assert len(db.get_user_memories(user_id="many")) == 1100


@only_ours
def test_all_are_stored_or_none(db: BaseDb) -> None:
    with pytest.raises(psycopg.DataError):
        db.upsert_memories([UserMemory("good", "good"), UserMemory("bad \0", "bad")])
    assert db.get_user_memory("good") is None


def test_memories_are_deleted(db: BaseDb) -> None:
    db.delete_user_memory("train")
    db.delete_user_memories(["chess", "nothing"])
    assert ids(db.get_user_memories()) == {"food", "run"}
    db.clear_memories()
    assert db.get_user_memories() == []


def test_topics_are_listed(db: BaseDb) -> None:
    assert set(db.get_all_memory_topics()) == {"travel", "rail", "games", "food"}


def test_users_are_counted(db: BaseDb) -> None:
    stats, total = db.get_user_memory_stats()
    assert {one["user_id"]: one["total_memories"] for one in stats} == {"ana": 3, "ben": 1}
    assert total == 2
    assert len(db.get_user_memory_stats(limit=1, page=2)[0]) == 1


def test_a_memory_manager_keeps_what_it_is_given(db: BaseDb) -> None:
    manager = MemoryManager(db=db)
    key = manager.add_user_memory(UserMemory("Dan dives", topics=["sport"]), user_id="dan")
    assert [one.memory for one in manager.get_user_memories(user_id="dan")] == ["Dan dives"]
    manager.replace_user_memory(key, UserMemory("Dan swims"), user_id="dan")
    assert manager.get_user_memory(key, user_id="dan").memory == "Dan swims"
    manager.delete_user_memory(key, user_id="dan")
    assert manager.get_user_memories(user_id="dan") == []
    manager.clear_user_memories(user_id="ana")
    assert ids(db.get_user_memories()) == {"run"}


@only_ours
def test_memories_are_searched_by_meaning_and_words(db: MemorySearchDb) -> None:
    assert [one.memory_id for one in db.search_user_memories("where to sit in a train?", "ana", limit=1)] == ["train"]
    assert ids(db.search_user_memories("who runs?", "ben")) == {"run"}
    assert db.search_user_memories("trains", "") == []


@only_ours
def test_what_is_no_memory_is_for_another_database(db: MemorySearchDb, connected: psycopg.Connection) -> None:
    with pytest.raises(NotImplementedError, match=r"no get_session\(\): give it to MemoryManager"):
        db.get_session("s", "agent")
    agent = Agent(memory_manager=MemoryManager(db=db), db=InMemoryDb())
    agent.initialize_agent()
    assert agent.memory_manager.db is db


@only_ours
@pytest.mark.parametrize(
    "asked",
    [{"sort_by": "weather"}, {"sort_order": "up"}, {"page": 2}, {"limit": 1, "page": 0}, {"limit": -1}],
    ids=str,
)
def test_a_page_that_there_is_not_is_refused(db: MemorySearchDb, asked: dict) -> None:
    with pytest.raises(ValueError):
        db.get_user_memories(**asked)
