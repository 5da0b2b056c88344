"""The calls that add, change and delete."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from ..answers import Added, Deleted, camel
from ..arguments import EntryArguments, NewEntry, UpdateArguments, UpsertArguments
from ..call import Call, checked, no_value, only_value
from ..values import Embedding, EntryId, Filters, as_list, ids_as_list

Where = Mapping[str, Any]


def add(where: Where, raw_entry: str, arguments: EntryArguments) -> Call[UUID]:
    """`memory_add`."""
    given = checked(arguments, EntryArguments, "add")
    return _one("memory_add", where, ("raw_entry",), raw_entry=raw_entry, **given)


def upsert(where: Where, entry_key: str, raw_entry: str, arguments: UpsertArguments) -> Call[UUID]:
    """`memory_add` with a key."""
    if entry_key is None:
        # Without a key it would be another entry each time.
        raise TypeError("upsert() needs a key")
    given = checked(arguments, UpsertArguments, "upsert")
    return _one("memory_add", where, ("raw_entry",), entry_key=entry_key, raw_entry=raw_entry, **given)


def add_many(where: Where, entries: Iterable[NewEntry]) -> Call[list[Added]]:
    """`memory_add_many`, which gets the keys in camel case; the server refuses unknown ones."""
    documents = [
        {camel(key): value for key, value in entry.items() if value is not None}
        for entry in _objects("add_many", entries)
    ]
    return Call("memory_add_many", {**where, "entries": documents}, Added.of_rows)


def update(where: Where, entry_id: UUID | str, arguments: UpdateArguments) -> Call[int]:
    """`memory_update`."""
    given = checked(arguments, UpdateArguments, "update")
    return _one("memory_update", where, ("entry_id",), entry_id=entry_id, **given)


def supersede(where: Where, old: UUID | str, new: UUID | str | None, at: datetime | str | None) -> Call[int]:
    """`memory_supersede`, for which a null new entry has a meaning."""
    return Call(
        "memory_supersede",
        {**where, "old_entry_id": old, "new_entry_id": new, "at": at},
        only_value,
        scalar=True,
        required=("old_entry_id", "new_entry_id"),
    )


def delete(function: str, where: Where, entry_ids: Iterable[EntryId]) -> Call[int]:
    """`memory_delete` or `memory_restore` of entries."""
    return _one(function, where, entry_ids=ids_as_list(entry_ids))


def delete_all(function: str, where: Where) -> Call[int]:
    """`memory_delete` or `memory_restore` of a whole memory."""
    return _one(function, where, whole_memory=True)


def delete_where(where: Where, filters: Filters, dry_run: bool) -> Call[list[Deleted]]:
    """`memory_delete_where`."""
    arguments = {"filters": filters, "dry_run": dry_run}
    return Call("memory_delete_where", {**where, **arguments}, Deleted.of_rows, required=("filters",))


def put_context(
    where: Where, context: str, embedding: Embedding | None, user_id: str | None, creation_time: datetime | str | None
) -> Call[UUID]:
    """`memory_put_context`."""
    return _one(
        "memory_put_context",
        where,
        ("context",),
        context=context,
        embedding=embedding,
        user_id=user_id,
        creation_time=creation_time,
    )


def contexts_by_id(function: str, where: Where, context_ids: Iterable[UUID | str]) -> Call[int]:
    """`memory_delete_contexts` or `memory_restore_contexts`."""
    return _one(function, where, context_ids=ids_as_list(context_ids))


def touch(where: Where, entry_ids: Iterable[EntryId]) -> Call[int]:
    """`memory_touch`."""
    return _one("memory_touch", where, entry_ids=ids_as_list(entry_ids))


def feedback(where: Where, entry_ids: Iterable[EntryId], feedback: int) -> Call[int]:
    """`memory_feedback`."""
    return _one("memory_feedback", where, entry_ids=ids_as_list(entry_ids), feedback=feedback)


def link(
    where: Where,
    from_entry: UUID | str,
    to_entry: UUID | str,
    kind: str | None,
    weight: float | None,
    valid_from: datetime | str | None,
    valid_until: datetime | str | None,
    metadata: Mapping[str, Any] | None,
) -> Call[bool]:
    """`memory_link`."""
    ends = {"from_entry": from_entry, "to_entry": to_entry}
    more = {"weight": weight, "valid_from": valid_from, "valid_until": valid_until, "metadata": metadata}
    return _one("memory_link", where, ("from_entry", "to_entry"), **ends, kind=kind, **more)


def unlink(where: Where, from_entry: UUID | str, to_entry: UUID | str, kind: str | None) -> Call[int]:
    """`memory_unlink`."""
    return _one("memory_unlink", where, ("from_entry", "to_entry"), from_entry=from_entry, to_entry=to_entry, kind=kind)


def alias(where: Where, alias: str, entity: str) -> Call[bool]:
    """`memory_alias`."""
    return _one("memory_alias", where, ("alias", "entity"), alias=alias, entity=entity)


def unalias(where: Where, alias: str) -> Call[bool]:
    """`memory_unalias`."""
    return _one("memory_unalias", where, ("alias",), alias=alias)


def import_lines(where: Where, lines: Iterable[Mapping[str, Any]]) -> Call[int]:
    """`memory_import`."""
    return _one("memory_import", where, lines=[dict(line) for line in _objects("import_lines", lines)])


def grant(store: str | None, role: str, privileges: str | None) -> Call[None]:
    """`memory_grant`, whose first argument is required: null means the store of the setting."""
    arguments = {"store": store, "role": role, "privileges": privileges}
    return Call("memory_grant", arguments, no_value, scalar=True, required=("store",))


def nothing(function: str, **arguments: Any) -> Call[None]:
    """A function that returns nothing."""
    return Call(function, arguments, no_value, scalar=True)


def _one(function: str, where: Where, required: tuple[str, ...] = (), **arguments: Any) -> Call[Any]:
    return Call(function, {**where, **arguments}, only_value, scalar=True, required=required)


def _objects(method: str, given: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    objects = as_list(f"what {method}() takes", given)
    if not all(isinstance(one, Mapping) for one in objects):
        raise TypeError(f"{method}() takes a list of dicts")
    return objects
