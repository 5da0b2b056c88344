"""The methods of a store."""

import psycopg
import pytest
from memory_search import Memory, Store


def test_a_store_lists_its_memories_page_by_page(store: Store) -> None:
    for name in ("a.1", "a.2", "b"):
        store.memory(name).add("x", embedding=[1, 0, 0])
    assert [memory.memory_id for memory in store.list_memories(page_size=1)] == ["a.1", "a.2", "b"]
    assert [(memory.memory_id, memory.entries) for memory in store.list_memories("a.")] == [("a.1", 1), ("a.2", 1)]


def test_stats_count_the_contents_of_a_store(store: Store, memory: Memory) -> None:
    memory.add("x", embedding=[1, 0, 0])
    memory.delete([memory.add("y", embedding=[0, 1, 0])])
    stats = store.stats()
    assert (stats.memories, stats.entries, stats.visible, stats.deleted) == (1, 2, 1, 1)


def test_purge_and_forget_return_the_number_of_removed_rows(store: Store, memory: Memory) -> None:
    memory.delete([memory.add("y", embedding=[0, 1, 0])])
    memory.add("x", embedding=[1, 0, 0], user_id="ana")
    assert (store.purge(max_rows=10), store.forget_user("ana"), store.stats().entries) == (1, 1, 0)


def test_the_doctor_looks(store: Store) -> None:
    assert {check.status for check in store.doctor()} <= {"ok", "warning"}


def test_weights_are_learned_from_judgements(store: Store, memory: Memory) -> None:
    entry_id = memory.add("x", embedding=[1, 0, 0])
    memory.add("y", embedding=[0, 1, 0])
    request = {"memoryId": "trip", "query": "x", "embedding": [1, 0, 0]}
    report = store.learn([{"request": request, "helpful": [entry_id]}])
    assert (report["verdict"], report["used"], report["applied"]) == ("too few questions", 1, False)
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
        store.learn([], apply=True)
    with pytest.raises(TypeError, match="judgements must be a list"):
        store.learn({})


def test_a_role_is_granted_to_read(database: psycopg.Connection, store: Store) -> None:
    store.grant("public", "reader")
    row = database.execute("SELECT has_table_privilege('public', 'client.entries', 'SELECT')").fetchone()
    assert row == (True,)


def test_row_security_and_notifications_are_switched(database: psycopg.Connection, store: Store) -> None:
    store.enable_row_security("app.user")
    store.notify("client_changes")
    store.notify(enabled=False)
    assert database.execute("SELECT relrowsecurity FROM pg_class WHERE oid = 'client.entries'::regclass").fetchone()[0]


def test_a_store_that_holds_memories_is_not_dropped_by_accident(store: Store, memory: Memory) -> None:
    memory.add("x", embedding=[1, 0, 0])
    with pytest.raises(psycopg.Error):
        store.drop()
    assert memory.count() == 1


def test_the_servers_embedder_embeds(database: psycopg.Connection, request: pytest.FixtureRequest) -> None:
    store = Store(database, "embedded")
    store.create()
    request.addfinalizer(lambda: store.drop(force=True))
    database.execute("INSERT INTO embedded.entries (memory_id, raw_entry) VALUES ('trip', 'the sea')")
    assert len(store.embed("a hotel at the sea")) > 3
    assert (store.embed_pending(max_rows=9), store.reembed("trip")) == (1, 0)


def test_a_long_text_has_passages(store: Store) -> None:
    passages = store.passages("A heron sat there. " * 80)
    assert len(passages) > 1
    assert " ".join(passages) == ("A heron sat there. " * 80).strip()
    assert store.passages("short") == []


def test_a_tool_is_described(store: Store) -> None:
    assert store.tool_spec("mcp")["name"] == "memory_search"
