"""A memory, or several that are searched together, on a connection that is awaited."""

# Made of memory.py by twins.py: change that one.

import builtins
from collections.abc import AsyncIterator, Iterable, Mapping
from datetime import datetime
from typing import Any, TypeVar, Unpack
from uuid import UUID

from .answers import (
    Added,
    Alias,
    Answer,
    Candidate,
    Change,
    Deleted,
    Entity,
    Entry,
    EntryAbout,
    FacetCount,
    Link,
    RankedEntry,
    RelatedEntry,
)
from .arguments import (
    AnswerArguments,
    EntryArguments,
    ExplainArguments,
    FacetArguments,
    NewEntry,
    PromptArguments,
    SearchArguments,
    UpdateArguments,
    UpsertArguments,
)
from .call import Call
from .calls import reading, searching, writing
from .connections import AsyncSource, run_async
from .values import Embedding, EntryId, Filters, Options, as_list

T = TypeVar("T")


class AsyncSearches:
    """The common methods of one memory and several."""

    def __init__(self, source: AsyncSource, where: Mapping[str, Any], schema: str | None) -> None:
        self._source = source
        self._where = where
        self._schema = schema

    async def _run(self, call: Call[T]) -> T:
        return await run_async(self._source, call, self._schema)

    async def search(self, query: str, **arguments: Unpack[AnswerArguments]) -> Answer:
        """`memory_search`: the best entries, the latest context, and older ones."""
        return await self._run(searching.search("memory_search", self._where, query, arguments))

    async def recall(self, query: str, **arguments: Unpack[AnswerArguments]) -> Answer:
        """`memory_recall`: the same answer, and counts a use of each entry."""
        return await self._run(searching.search("memory_recall", self._where, query, arguments))

    async def entries(self, query: str, **arguments: Unpack[SearchArguments]) -> list[RankedEntry]:
        """`memory_search_entries`: entries as rows, each part of the score a field; `k` goes up to 1,000."""
        return await self._run(searching.entries(self._where, query, arguments))

    async def explain(self, query: str, **arguments: Unpack[ExplainArguments]) -> list[Candidate]:
        """`memory_explain`: why each candidate ranks where it does."""
        return await self._run(searching.explain(self._where, query, arguments))

    async def context(self, query: str, **arguments: Unpack[PromptArguments]) -> str:
        """`memory_build_context`: the found entries as text of a prompt."""
        return await self._run(searching.build_context(self._where, query, arguments))


class AsyncMemories(AsyncSearches):
    """Several memories in one ranking: by their ids, and by the beginnings of their ids."""

    def __init__(
        self,
        source: AsyncSource,
        memory_ids: Iterable[str] = (),
        *,
        prefixes: Iterable[str] | None = None,
        store: str | None = None,
        schema: str | None = None,
    ) -> None:
        where = {
            "memory_ids": as_list("memory_ids", memory_ids),
            "prefixes": None if prefixes is None else as_list("prefixes", prefixes),
            "store": store,
        }
        super().__init__(source, where, schema)


class AsyncMemory(AsyncSearches):
    """One memory. `schema` is the extension's, if it is not on the search path."""

    # Next to a method of that name, the type is builtins.list.

    def __init__(
        self,
        source: AsyncSource,
        memory_id: str,
        *,
        store: str | None = None,
        schema: str | None = None,
    ) -> None:
        super().__init__(source, {"memory_id": memory_id, "store": store}, schema)

    # --- Adding and changing ------------------------------------------------------------------------

    async def add(self, raw_entry: str, **arguments: Unpack[EntryArguments]) -> UUID:
        """`memory_add`; the entry's id."""
        return await self._run(writing.add(self._where, raw_entry, arguments))

    async def upsert(self, entry_key: str, raw_entry: str, **arguments: Unpack[UpsertArguments]) -> UUID:
        """`memory_add` under a key: an existing entry with the key is changed."""
        return await self._run(writing.upsert(self._where, entry_key, raw_entry, arguments))

    async def add_many(self, entries: Iterable[NewEntry]) -> builtins.list[Added]:
        """`memory_add_many`: all or none."""
        return await self._run(writing.add_many(self._where, entries))

    async def update(self, entry_id: UUID | str, **arguments: Unpack[UpdateArguments]) -> int:
        """`memory_update`; 1, or 0 if there is no such entry."""
        return await self._run(writing.update(self._where, entry_id, arguments))

    async def supersede(
        self, old_entry_id: UUID | str, new_entry_id: UUID | str | None, *, at: datetime | str | None = None
    ) -> int:
        """`memory_supersede`; without a new entry the old one is reinstated."""
        return await self._run(writing.supersede(self._where, old_entry_id, new_entry_id, at))

    async def put_context(
        self,
        context: str,
        *,
        embedding: Embedding | None = None,
        user_id: str | None = None,
        creation_time: datetime | str | None = None,
    ) -> UUID:
        """`memory_put_context`; the context's id."""
        return await self._run(writing.put_context(self._where, context, embedding, user_id, creation_time))

    async def touch(self, entry_ids: Iterable[EntryId]) -> int:
        """`memory_touch`: counts a use of each."""
        return await self._run(writing.touch(self._where, entry_ids))

    async def feedback(self, entry_ids: Iterable[EntryId], feedback: int) -> int:
        """`memory_feedback`: 1 if the entries helped, -1 if they did not."""
        return await self._run(writing.feedback(self._where, entry_ids, feedback))

    # --- Links and names ----------------------------------------------------------------------------

    async def link(
        self,
        from_entry: UUID | str,
        to_entry: UUID | str,
        kind: str | None = None,
        *,
        weight: float | None = None,
        valid_from: datetime | str | None = None,
        valid_until: datetime | str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> bool:
        """`memory_link`: whether the link is new."""
        call = writing.link(self._where, from_entry, to_entry, kind, weight, valid_from, valid_until, metadata)
        return await self._run(call)

    async def unlink(self, from_entry: UUID | str, to_entry: UUID | str, kind: str | None = None) -> int:
        """`memory_unlink`: the number of removed links."""
        return await self._run(writing.unlink(self._where, from_entry, to_entry, kind))

    async def links(
        self,
        entry_id: UUID | str,
        *,
        kinds: Iterable[str] | None = None,
        direction: str | None = None,
        max_rows: int | None = None,
        valid_at: datetime | str | None = None,
    ) -> builtins.list[Link]:
        """`memory_links`: the links of an entry, the heaviest first."""
        return await self._run(reading.links(self._where, entry_id, kinds, direction, max_rows, valid_at))

    async def related(
        self,
        entry_id: UUID | str,
        *,
        depth: int | None = None,
        kinds: Iterable[str] | None = None,
        max_entries: int | None = None,
    ) -> builtins.list[RelatedEntry]:
        """`memory_related`: the entries that links lead to, the nearest first."""
        return await self._run(reading.related(self._where, entry_id, depth, kinds, max_entries))

    async def alias(self, alias: str, entity: str) -> bool:
        """`memory_alias`: whether the alias is new."""
        return await self._run(writing.alias(self._where, alias, entity))

    async def unalias(self, alias: str) -> bool:
        """`memory_unalias`: whether the alias existed."""
        return await self._run(writing.unalias(self._where, alias))

    async def aliases(self) -> builtins.list[Alias]:
        """`memory_aliases`: the aliases, ordered by the names that they stand for."""
        return await self._run(reading.aliases(self._where))

    # --- Deleting -----------------------------------------------------------------------------------

    async def delete(self, entry_ids: Iterable[EntryId]) -> int:
        """`memory_delete`: hides these entries."""
        return await self._run(writing.delete("memory_delete", self._where, entry_ids))

    async def delete_all(self) -> int:
        """`memory_delete(whole_memory => true)`."""
        return await self._run(writing.delete_all("memory_delete", self._where))

    async def delete_where(self, filters: Filters, *, dry_run: bool = True) -> builtins.list[Deleted]:
        """`memory_delete_where`: the entries that would be deleted; with `dry_run=False` they are."""
        return await self._run(writing.delete_where(self._where, filters, dry_run))

    async def restore(self, entry_ids: Iterable[EntryId]) -> int:
        """`memory_restore` of these entries."""
        return await self._run(writing.delete("memory_restore", self._where, entry_ids))

    async def restore_all(self) -> int:
        """`memory_restore(whole_memory => true)`."""
        return await self._run(writing.delete_all("memory_restore", self._where))

    async def delete_contexts(self, context_ids: Iterable[UUID | str]) -> int:
        """`memory_delete_contexts`."""
        return await self._run(writing.contexts_by_id("memory_delete_contexts", self._where, context_ids))

    async def restore_contexts(self, context_ids: Iterable[UUID | str]) -> int:
        """`memory_restore_contexts`."""
        return await self._run(writing.contexts_by_id("memory_restore_contexts", self._where, context_ids))

    # --- Reading without a query --------------------------------------------------------------------

    async def get(self, entry_ids: Iterable[EntryId], *, options: Options | None = None) -> builtins.list[Entry]:
        """`memory_get`: entries by their ids, in their order."""
        return await self._run(reading.get(self._where, entry_ids, options))

    async def page(
        self,
        filters: Filters | None = None,
        *,
        order_by: str | None = None,
        page_size: int | None = None,
        cursor: str | None = None,
        options: Options | None = None,
    ) -> builtins.list[Entry]:
        """`memory_list`: one page; the cursor of its last entry leads to the next page."""
        return await self._run(reading.page(self._where, filters, order_by, page_size, cursor, options))

    async def list(
        self,
        filters: Filters | None = None,
        *,
        order_by: str | None = None,
        page_size: int = 100,
        options: Options | None = None,
    ) -> AsyncIterator[Entry]:
        """`memory_list`, page after page until the end."""
        cursor = None
        while True:
            entries = await self.page(filters, order_by=order_by, page_size=page_size, cursor=cursor, options=options)
            for one in entries:
                yield one
            if len(entries) < page_size:
                return
            cursor = entries[-1].cursor

    async def count(self, filters: Filters | None = None, *, options: Options | None = None) -> int:
        """`memory_count`."""
        return await self._run(reading.count(self._where, filters, options))

    async def entities(
        self, prefix: str | None = None, *, max_rows: int | None = None, options: Options | None = None
    ) -> builtins.list[Entity]:
        """`memory_entities`: the people, places and things that the entries name, the most frequent first."""
        return await self._run(reading.entities(self._where, prefix, max_rows, options))

    async def about(
        self,
        entity: str,
        *,
        token_budget: int | None = None,
        filters: Filters | None = None,
        options: Options | None = None,
    ) -> builtins.list[EntryAbout]:
        """`memory_about`: the newest entries that name an entity, in the order of time."""
        return await self._run(reading.about(self._where, entity, token_budget, filters, options))

    async def facets(self, query: str | None = None, **arguments: Unpack[FacetArguments]) -> builtins.list[FacetCount]:
        """`memory_facets`: the number of entries for each value, of all entries or, with a query, of the found ones."""
        return await self._run(searching.facets(self._where, query, arguments))

    async def history(
        self, entry_id: UUID | str, *, page_size: int | None = None, older_than: int | None = None
    ) -> builtins.list[Change]:
        """`memory_history`: the changes of an entry, the newest first."""
        return await self._run(reading.history(self._where, entry_id, page_size, older_than))

    async def export(self, *, with_embeddings: bool = True) -> builtins.list[dict[str, Any]]:
        """`memory_export`: the whole memory as lines of JSON."""
        return await self._run(reading.export(self._where, with_embeddings))

    async def import_lines(self, lines: Iterable[Mapping[str, Any]]) -> int:
        """`memory_import`: adds such lines unchanged; the number of rows."""
        return await self._run(writing.import_lines(self._where, lines))
