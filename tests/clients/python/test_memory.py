"""The methods of a memory."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import psycopg
import pytest
from memory_search import Memories, Memory, NewEntry, Store

NORTH, EAST, WEST = [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]


def keys(entries: list) -> list:
    return [entry.entry_key for entry in entries]


@pytest.fixture
def filled(memory: Memory) -> Memory:
    """Three entries, by their keys."""
    memory.add_many(
        [
            NewEntry(raw_entry="north", entry_key="n", embedding=NORTH, tags=["cold"], importance=90),
            NewEntry(raw_entry="east", entry_key="e", embedding=EAST, metadata={"page": 2}),
            NewEntry(raw_entry="west", entry_key="w", embedding=WEST, user_id="ana"),
        ]
    )
    return memory


def test_a_search_answers_entries_and_contexts(memory: Memory) -> None:
    memory.add("a hotel at the sea", embedding=NORTH, context="planning", metadata={"stars": 4})
    answer = memory.search("hotel", k=1, embedding=NORTH, filters={"metadata": {"stars": {"$gte": 4}}})
    (entry,) = answer.entries
    assert (answer.count, answer.latest_context, entry.raw_entry) == (1, "planning", "a hotel at the sea")
    assert entry.scores["semantic"] == pytest.approx(1)
    assert isinstance(entry.creation_time, datetime)
    assert entry.creation_time.tzinfo is not None
    assert answer.document["entries"] == [entry.document]


def test_k_of_a_search_is_its_top_ke(filled: Memory) -> None:
    assert len(filled.search("", k=2, embedding=NORTH).entries) == 2


def test_further_fields_of_an_option_are_there(filled: Memory) -> None:
    answer = filled.search("north", k=1, embedding=NORTH, options={"diagnostics": True, "snippets": True, "cursor": True})
    assert answer.diagnostics
    assert answer.entries[0].snippet
    assert answer.next_cursor


def test_fields_that_are_left_out_are_none(filled: Memory) -> None:
    (entry,) = filled.search("", k=1, embedding=NORTH, options={"fields": ["rawEntry"]}).entries
    assert (entry.raw_entry, entry.tags, entry.entry_id) == ("north", None, None)


def test_entries_are_rows_with_each_part_of_the_score(filled: Memory) -> None:
    first, *_ = filled.entries("north", k=3, embedding=NORTH)
    assert (first.rank, first.raw_entry, first.tags, first.semantic) == (1, "north", ["cold"], pytest.approx(1))


def test_explain_gives_the_reason_for_a_missing_entry(filled: Memory) -> None:
    west = next(filled.list({"entryKey": "w"}))
    (candidate,) = filled.explain("", k=1, embedding=NORTH, entry_id=west.entry_id)
    assert (candidate.entry_id, candidate.place == 1) == (west.entry_id, False)


def test_context_is_text_of_a_prompt(filled: Memory) -> None:
    text = filled.context("north", k=1, embedding=NORTH, system_prompt="You are kind.", token_budget=500)
    assert text.startswith("You are kind.")
    assert "north" in text


def test_a_name_of_an_entity_is_no_list_of_its_letters(memory: Memory) -> None:
    with pytest.raises(TypeError, match="entities must be a list"):
        memory.add("x", entities="Ana", embedding=EAST)  # type: ignore[arg-type]


def test_several_memories_are_one_ranking(store: Store, filled: Memory) -> None:
    store.memory("trip.2").add("further north", embedding=NORTH)
    found = store.memories(["trip", "trip.2"]).entries("", k=2, embedding=NORTH)
    assert {entry.memory_id for entry in found} == {"trip", "trip.2"}
    assert {entry.memory_id for entry in store.memories(prefixes=["trip."]).entries("", embedding=NORTH)} == {"trip.2"}


def test_no_memories_find_nothing(store: Store, filled: Memory) -> None:
    assert store.memories([]).search("north", embedding=NORTH).entries == []


def test_recall_counts_a_use(filled: Memory) -> None:
    filled.recall("", k=1, embedding=NORTH)
    assert {entry.entry_key: entry.access_count for entry in filled.list()} == {"n": 1, "e": 0, "w": 0}


def test_touch_and_feedback_take_ids_as_an_answer_has_them(filled: Memory) -> None:
    ids = [entry.entry_id for entry in filled.search("", embedding=NORTH).entries]
    assert (filled.touch(ids), filled.feedback(ids[:1], 1)) == (3, 1)
    assert filled.touch([UUID(one) for one in ids]) == 3
    assert filled.touch([]) == 0


def test_add_gives_the_id_and_get_the_entry(memory: Memory) -> None:
    made = datetime(2026, 5, 1, 10, tzinfo=UTC)
    entry_id = memory.add(
        "text", summary="s", tags=[], metadata={"a": [1, None]}, importance=0, embedding=EAST, user_id="u",
        agent_id="a", session_id="se", source_type="note", creation_time=made, valid_from=made, ttl=timedelta(days=9999),
    )  # fmt: skip
    (entry,) = memory.get([entry_id], options={"includeEmbedding": True})
    assert entry.entry_id == str(entry_id)
    assert (entry.summary, entry.tags, entry.metadata, entry.importance) == ("s", [], {"a": [1, None]}, 0)
    assert (entry.user_id, entry.agent_id, entry.session_id, entry.source_type) == ("u", "a", "se", "note")
    assert (entry.creation_time, entry.valid_from, entry.embedding) == (made, made, EAST)
    assert entry.expires_at > datetime.now(UTC) + timedelta(days=9998)


def test_upsert_changes_the_entry_with_the_key(memory: Memory) -> None:
    first = memory.upsert("k", "old", embedding=EAST)
    assert memory.upsert("k", "new", embedding=NORTH) == first
    assert [entry.raw_entry for entry in memory.list()] == ["new"]


def test_add_many_gives_the_outcome_of_each(filled: Memory) -> None:
    made = filled.add_many([
        NewEntry(raw_entry="north", entry_key="n", embedding=NORTH),
        NewEntry(raw_entry="south", entry_key="s", ttl=timedelta(days=1), creation_time=datetime.now(UTC)),
    ])  # fmt: skip
    assert [(one.ordinality, one.status) for one in made] == [(1, "changed"), (2, "added")]
    assert filled.add_many([]) == []


def test_update_changes_given_columns_and_clears_named_ones(filled: Memory) -> None:
    north = next(filled.list({"entryKey": "n"}))
    assert filled.update(north.entry_id, raw_entry="far north", embedding=NORTH, clear=["tags"]) == 1
    north = next(filled.list({"entryKey": "n"}))
    assert (north.raw_entry, north.tags, north.importance) == ("far north", [], 90)


def test_supersede_hides_and_none_takes_it_back(filled: Memory) -> None:
    old, new = (next(filled.list({"entryKey": key})).entry_id for key in "ew")
    assert filled.supersede(old, new) == 1
    assert filled.count() == 2
    assert filled.supersede(old, None) == 1
    assert filled.count() == 3


def test_delete_and_restore(filled: Memory) -> None:
    ids = [entry.entry_id for entry in filled.list()]
    assert (filled.delete(ids[:2]), filled.count()) == (2, 1)
    assert (filled.restore(ids), filled.count()) == (2, 3)
    assert (filled.delete_all(), filled.count(), filled.restore_all()) == (3, 0, 3)


def test_deleting_an_empty_list_deletes_nothing(filled: Memory) -> None:
    assert (filled.delete([]), filled.count()) == (0, 3)


def test_delete_where_looks_first(filled: Memory) -> None:
    assert [one.deleted for one in filled.delete_where({"userId": "ana"})] == [False]
    assert [one.deleted for one in filled.delete_where({"userId": "ana"}, dry_run=False)] == [True]
    assert filled.count() == 2


def test_list_goes_through_all_pages(filled: Memory) -> None:
    assert sorted(keys(list(filled.list(page_size=1)))) == ["e", "n", "w"]
    assert keys(list(filled.list(order_by="-importance", page_size=2)))[0] == "n"
    assert keys(filled.page(order_by="-importance", page_size=1)) == ["n"]


def test_count_takes_filters(filled: Memory) -> None:
    assert (filled.count(), filled.count({"tags": ["cold"]})) == (3, 1)


@pytest.fixture
def people(memory: Memory) -> Memory:
    """A memory whose three entries name people."""
    may = [datetime(2026, 5, day, tzinfo=UTC) for day in (1, 2, 3)]
    memory.add("Ana is in Porto", entities=["Ana", "Porto"], embedding=NORTH, creation_time=may[0], tags=["trip"])
    memory.add("ANA called José", entities=["ANA", "José"], embedding=NORTH, creation_time=may[1])
    memory.add_many([NewEntry(raw_entry="nobody", embedding=EAST, creation_time=may[2])])
    return memory


def test_entities_of_an_entry_come_back_as_they_were_written(people: Memory) -> None:
    assert [entry.entities for entry in people.list(order_by="createdAt")] == [["Ana", "Porto"], ["ANA", "José"], []]
    answer = people.search("", embedding=NORTH)
    found = {entry.raw_entry: entry.entities for entry in answer.entries}
    assert found == {"Ana is in Porto": ["Ana", "Porto"], "ANA called José": ["ANA", "José"], "nobody": None}


def test_entities_are_changed_and_cleared(people: Memory) -> None:
    first, second, _ = people.list(order_by="createdAt")
    assert people.update(first.entry_id, entities=["Ben"]) == 1
    assert people.update(second.entry_id, clear=["entities"]) == 1
    assert [entry.entities for entry in people.list(order_by="createdAt")] == [["Ben"], [], []]


def test_a_filter_asks_for_entities_by_any_way_to_write_them(people: Memory) -> None:
    assert people.count({"entities": "ana"}) == 2
    found = people.entries("", embedding=NORTH, filters={"entities": {"$all": ["jose", "Ana"]}})
    assert [entry.raw_entry for entry in found] == ["ANA called José"]


def test_entities_of_a_memory_are_listed_with_what_they_occur_with(people: Memory) -> None:
    first, *others = people.entities()
    assert (first.entity, first.entries, sorted(first.occurs_with)) == ("Ana", 2, ["José", "Porto"])
    assert (first.first_seen, first.last_seen) == (datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 5, 2, tzinfo=UTC))
    assert sorted(one.entity for one in others) == ["José", "Porto"]
    assert [one.entity for one in people.entities("por")] == ["Porto"]
    assert len(people.entities(max_rows=1)) == 1
    assert people.entities(options={"asOf": "2026-05-01T00:00:00Z"})[0].entries == 1


def test_about_tells_of_one_entity_in_the_order_of_time(people: Memory) -> None:
    told = people.about("Ana")
    assert [one.raw_entry for one in told] == ["Ana is in Porto", "ANA called José"]
    assert (told[1].entities, told[1].creation_time.day, told[1].tokens) == (["ANA", "José"], 2, 4)
    assert [one.raw_entry for one in people.about("Ana", token_budget=5)] == ["ANA called José"]
    assert [one.raw_entry for one in people.about("Ana", filters={"tags": "trip"})] == ["Ana is in Porto"]
    with pytest.raises(psycopg.errors.NullValueNotAllowed):
        people.about(None)  # type: ignore[arg-type]


def test_facets_count_all_entries_or_those_of_a_search(people: Memory) -> None:
    def counts(**arguments: object) -> dict[tuple[str, str], int]:
        return {(one.facet, one.value): one.entries for one in people.facets(**arguments)}  # type: ignore[arg-type]

    assert counts() == {("tags", "trip"): 1}
    assert counts(by=["month", "entities"], max_values=1) == {("month", "2026-05"): 3, ("entities", "Ana"): 2}
    keyword = {"strategy": "keyword", "fallback": False}
    assert counts(query="Porto", by=["entities"], options=keyword) == {("entities", "Ana"): 1, ("entities", "Porto"): 1}
    assert counts(by=["day"], k=1, embedding=EAST) == {("day", "2026-05-03"): 1}
    assert counts(by=["day"], filters={"entities": "José"}) == {("day", "2026-05-02"): 1}
    with pytest.raises(TypeError, match=r'facets\(\) has no argument "top_ke"; did you mean "k"'):
        people.facets(top_ke=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="by must be a list"):
        people.facets(by="tags")  # type: ignore[arg-type]


def test_contexts_are_put_deleted_and_restored(filled: Memory) -> None:
    context_id = filled.put_context("planning")
    assert filled.search("", embedding=NORTH).latest_context == "planning"
    assert filled.delete_contexts([context_id]) == 1
    assert filled.search("", embedding=NORTH).latest_context == ""
    assert filled.restore_contexts([str(context_id)]) == 1


def test_an_export_can_be_imported(store: Store, filled: Memory) -> None:
    lines = filled.export()
    copy = store.memory("copy")
    assert copy.import_lines(lines) == 3
    assert sorted(keys(list(copy.list()))) == ["e", "n", "w"]
    assert all("embedding" not in line for line in filled.export(with_embeddings=False))


def test_history_has_the_changes(store: Store, memory: Memory) -> None:
    store.keep_history()
    entry_id = memory.add("old", embedding=EAST)
    memory.update(entry_id, raw_entry="new", embedding=NORTH)
    latest, first = memory.history(entry_id)
    assert (latest.operation, latest.before["raw_entry"], first.operation) == ("changed", "old", "added")


def test_links_lead_to_related_entries(memory: Memory) -> None:
    one, two, three = (memory.add(text, embedding=EAST) for text in ("one", "two", "three"))
    assert memory.link(one, two, "derived_from", weight=0.5, metadata={"page": 7})
    assert not memory.link(str(one), str(two), "derived_from", weight=0.25, valid_until=datetime(2999, 1, 1, tzinfo=UTC))
    assert memory.link(two, three)
    (link,) = memory.links(one, kinds=["derived_from"], direction="from", max_rows=5)
    assert (link.from_entry, link.to_entry, link.weight, link.metadata) == (str(one), str(two), 0.25, {})
    assert (link.valid_from, link.valid_until) == (None, datetime(2999, 1, 1, tzinfo=UTC))
    assert memory.links(one, valid_at="2999-01-02Z") == []
    assert memory.links(one, kinds=[]) == []
    found = memory.related(one, depth=2, max_entries=10)
    assert [(entry.entry_id, entry.hops, entry.via, entry.is_cut) for entry in found] == [
        (str(two), 1, str(one), False),
        (str(three), 2, str(two), False),
    ]
    assert memory.related(one, kinds=["x"]) == []
    assert (memory.unlink(one, two, "x"), memory.unlink(one, two)) == (0, 1)


def test_an_alias_is_another_name(memory: Memory) -> None:
    assert (memory.alias("Mum", "Anna Weber"), memory.alias("MUM", "Anna Weber")) == (True, False)
    assert [(alias.alias, alias.entity) for alias in memory.aliases()] == [("mum", "Anna Weber")]
    assert (memory.unalias("mum"), memory.unalias("mum")) == (True, False)


def test_the_servers_errors_come_as_they_are(filled: Memory) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue) as caught:
        filled.search("north", embedding=NORTH, options={"strateg": "hybrid"})
    assert caught.value.diag.message_hint == 'Did you mean "strategy"?'


def test_an_argument_that_no_method_has_is_refused_before_it_is_sent(filled: Memory) -> None:
    with pytest.raises(TypeError, match=r'add\(\) has no argument "importanc"; did you mean "importance"\?'):
        filled.add("x", importanc=3)  # type: ignore[call-arg]
    for other in ("top_ke", "topKe", "top_k", "limit"):
        with pytest.raises(TypeError, match=rf'search\(\) has no argument "{other}"; did you mean "k"\?'):
            filled.search("x", **{other: 3})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="top_kc"):
        filled.search("x", top_kcs=3)  # type: ignore[call-arg]
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="rawEntri"):
        filled.add_many([{"raw_entri": "x"}])  # type: ignore[typeddict-item]
    assert filled.count() == 3


def test_names_of_arguments_are_no_sql(filled: Memory) -> None:
    with pytest.raises(TypeError):
        filled.add("x", **{'a" => 1); DROP TABLE client.entries; --': 1})  # type: ignore[arg-type]


def test_a_transaction_is_the_callers(url: str, filled: Memory) -> None:
    with psycopg.connect(url) as connection:
        Memory(connection, "trip", store="client").add("south", embedding=EAST)
        connection.rollback()
    assert filled.count() == 3


def test_the_extensions_schema_can_be_named(url: str, filled: Memory) -> None:
    with psycopg.connect(url, options="-c search_path=pg_catalog") as connection:
        assert Memory(connection, "trip", store="client", schema="public").count() == 3
        with pytest.raises(psycopg.errors.UndefinedFunction):
            Memory(connection, "trip", store="client").count()


def test_rows_come_whatever_the_connections_row_factory(url: str, filled: Memory) -> None:
    with psycopg.connect(url, row_factory=psycopg.rows.scalar_row) as connection:
        assert Memories(connection, ["trip"], store="client").entries("", k=1, embedding=NORTH)[0].raw_entry == "north"
