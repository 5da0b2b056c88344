"""The calls that read without a query, and those about a whole store."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg import sql

from ..answers import Alias, Change, Check, Entity, Entry, EntryAbout, Link, MemorySummary, RelatedEntry, Stats
from ..call import Call, only_value
from ..values import EntryId, Filters, Options, ids_as_list

Where = Mapping[str, Any]


def get(where: Where, entry_ids: Iterable[EntryId], options: Options | None) -> Call[list[Entry]]:
    """`memory_get`."""
    return Call("memory_get", {**where, "entry_ids": ids_as_list(entry_ids), "options": options}, Entry.of_rows)


def page(
    where: Where,
    filters: Filters | None,
    order_by: str | None,
    page_size: int | None,
    cursor: str | None,
    options: Options | None,
) -> Call[list[Entry]]:
    """`memory_list`."""
    arguments = {"filters": filters, "order_by": order_by, "page_size": page_size, "cursor": cursor}
    return Call("memory_list", {**where, **arguments, "options": options}, Entry.of_rows)


def count(where: Where, filters: Filters | None, options: Options | None) -> Call[int]:
    """`memory_count`."""
    return Call("memory_count", {**where, "filters": filters, "options": options}, only_value, scalar=True)


def entities(where: Where, prefix: str | None, max_rows: int | None, options: Options | None) -> Call[list[Entity]]:
    """`memory_entities`."""
    arguments = {"prefix": prefix, "max_rows": max_rows, "options": options}
    return Call("memory_entities", {**where, **arguments}, Entity.of_rows)


def about(
    where: Where, entity: str, token_budget: int | None, filters: Filters | None, options: Options | None
) -> Call[list[EntryAbout]]:
    """`memory_about`."""
    arguments = {"entity": entity, "token_budget": token_budget, "filters": filters, "options": options}
    return Call("memory_about", {**where, **arguments}, EntryAbout.of_rows, required=("entity",))


def history(where: Where, entry_id: UUID | str, page_size: int | None, older_than: int | None) -> Call[list[Change]]:
    """`memory_history`."""
    arguments = {"entry_id": entry_id, "page_size": page_size, "older_than": older_than}
    return Call("memory_history", {**where, **arguments}, Change.of_rows)


def links(
    where: Where,
    entry_id: UUID | str,
    kinds: Iterable[str] | None,
    direction: str | None,
    max_rows: int | None,
    valid_at: datetime | str | None,
) -> Call[list[Link]]:
    """`memory_links`."""
    arguments = {"kinds": kinds, "direction": direction, "max_rows": max_rows, "valid_at": valid_at}
    return Call("memory_links", {**where, "entry_id": entry_id, **arguments}, Link.of_rows, required=("entry_id",))


def related(
    where: Where, entry_id: UUID | str, depth: int | None, kinds: Iterable[str] | None, max_entries: int | None
) -> Call[list[RelatedEntry]]:
    """`memory_related`."""
    arguments = {"entry_id": entry_id, "depth": depth, "kinds": kinds, "max_entries": max_entries}
    return Call("memory_related", {**where, **arguments}, RelatedEntry.of_rows, required=("entry_id",))


def aliases(where: Where) -> Call[list[Alias]]:
    """`memory_aliases`."""
    return Call("memory_aliases", where, Alias.of_rows)


def export(where: Where, with_embeddings: bool) -> Call[list[dict[str, Any]]]:
    """`memory_export`."""
    return Call(
        "memory_export",
        {**where, "with_embeddings": with_embeddings},
        lambda rows: [row["value"] for row in rows],
        scalar=True,
    )


def memories(
    store: str | None, prefix: str | None, after: str | None, page_size: int | None
) -> Call[list[MemorySummary]]:
    """`memory_list_memories`."""
    arguments = {"prefix": prefix, "after": after, "page_size": page_size, "store": store}
    return Call("memory_list_memories", arguments, MemorySummary.of_rows)


def stats(store: str | None) -> Call[Stats]:
    """`memory_stats`."""
    return Call("memory_stats", {"store": store}, lambda rows: Stats.of_row(rows[0]))


def doctor(store: str | None) -> Call[list[Check]]:
    """`memory_doctor`."""
    return Call("memory_doctor", {"store": store}, Check.of_rows)


def learned(store: str | None, judgements: Iterable[Mapping[str, Any]], apply: bool) -> Call[dict[str, Any]]:
    """`memory_learn`."""
    return Call("memory_learn", {"judgements": judgements, "store": store, "apply": apply}, only_value, scalar=True)


def number(function: str, **arguments: Any) -> Call[int]:
    """A function that returns the number of rows that it wrote; None is left out, and without a memory it means all
    memories."""
    given = {name: value for name, value in arguments.items() if value is not None}
    return Call(function, given, only_value, scalar=True)


def tool_spec(name: str, detail: str) -> Call[Any]:
    """`memory_tool_spec`."""
    return Call("memory_tool_spec", {"name": name, "detail": detail}, only_value, scalar=True)


def embed(text: str) -> Call[list[float]]:
    """`memory_embed`, its vector as a list of numbers."""
    return Call("memory_embed", {"text": text}, only_value, scalar=True, cast=sql.SQL("::real[]"))


def passages(raw_entry: str) -> Call[list[str]]:
    """`memory_passages`, in the order of the text."""
    return Call("memory_passages", {"raw_entry": raw_entry}, lambda rows: [row["text"] for row in rows])
