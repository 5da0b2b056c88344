"""CrewAI: the storage of its `Memory`. CrewAI embeds records and ranks found ones; scopes are metadata.

Store(connection, "crew").create(dimensions=1536)
memory = crewai.Memory(storage=MemorySearchStorage(connection, "research", store="crew"), embedder=...)
crew = Crew(agents=[...], tasks=[...], memory=memory)
"""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import islice
from typing import Any

import psycopg
from crewai.memory.storage.backend import EmbeddingDimensionMismatchError
from crewai.memory.types import MemoryRecord, ScopeInfo

from .arguments import NewEntry
from .awaited import beside_loop
from .connections import Source
from .exact import searchable
from .memory import Memory
from .nearest import BY_SIMILARITY, MOST, arguments, in_batches, nearest
from .transactions import transaction, without_embedder

WITH_EMBEDDING = {"includeEmbedding": True}
OF_DIMENSIONS = re.compile(r"embedding has (\d+) dimensions, but the store has (\d+)")
# The fields of a record besides its text and its embedding, as JSON.
FIELDS = {"scope", "categories", "metadata", "importance", "created_at", "last_accessed", "source", "private"}


class MemorySearchStorage:
    """CrewAI's `StorageBackend`: the records of one memory."""

    def __init__(self, source: Source, memory_id: str, *, store: str | None = None) -> None:
        """`source` is a connection, on which threads take turns, or a pool."""
        self._source = source
        self._memory_id = memory_id
        self._store = store

    def save(self, records: list[MemoryRecord]) -> None:
        """Stores records under their ids; a record whose id exists is changed. All or none."""
        entries = [entry_of(record) for record in {record.id: record for record in records}.values()]
        with self._memory() as memory:
            for batch in in_batches(entries):
                memory.add_many(batch)

    def update(self, record: MemoryRecord) -> None:
        """Replaces the record with the same id."""
        self.save([record])

    def search(
        self,
        query_embedding: list[float],
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        metadata_filter: dict[str, Any] | None = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> list[tuple[MemoryRecord, float]]:
        """The most similar records with their cosine similarities; a negative one counts as 0."""
        filters = filters_of(scope_prefix, categories, metadata_filter)
        if limit <= 0:
            return []
        values = arguments(
            self._memory_id,
            "",
            min(limit, MOST),
            query_embedding,
            filters,
            self._store,
            options=BY_SIMILARITY,
            with_embeddings=True,
        )
        with errors_of_crewai(), transaction(self._source) as connection:
            rows = nearest(connection, values)
        scored = [(record_of(row), max(0.0, row["semantic"])) for row in rows]
        return [(record, score) for record, score in scored if score >= min_score]

    def delete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        """Hides the records that meet all conditions, and returns how many; `memory_purge` removes them permanently."""
        filters = filters_of(scope_prefix, categories, metadata_filter, older_than)
        with self._memory() as memory:
            if record_ids is not None:
                asked = [{"$and": [{"entryKey": batch}, filters]} for batch in in_batches(record_ids)]
                return sum(len(memory.delete_where(one, dry_run=False)) for one in asked)
            return len(memory.delete_where(filters, dry_run=False)) if filters else memory.delete_all()

    def get_record(self, record_id: str) -> MemoryRecord | None:
        """The record with this id."""
        with self._memory() as memory:
            for entry in memory.page({"entryKey": str(record_id)}, page_size=1, options=WITH_EMBEDDING):
                return record_of(vars(entry))
        return None

    def list_records(self, scope_prefix: str | None = None, limit: int = 200, offset: int = 0) -> list[MemoryRecord]:
        """The records of a scope, the newest first."""
        if limit <= 0 or offset < 0:
            return []
        with self._memory() as memory:
            found = memory.list(filters_of(scope_prefix), page_size=min(offset + limit, MOST), options=WITH_EMBEDDING)
            return [record_of(vars(entry)) for entry in islice(found, offset, offset + limit)]

    def get_scope_info(self, scope: str) -> ScopeInfo:
        """The contents of a scope, found by reading all of it."""
        records = list(self._all(scope))
        times = [naive(record.created_at) for record in records]
        path = path_of(scope) or "/"
        return ScopeInfo(
            path=path,
            record_count=len(records),
            categories=sorted({category for record in records for category in record.categories}),
            oldest_record=min(times, default=None),
            newest_record=max(times, default=None),
            child_scopes=children(path, records),
        )

    def list_scopes(self, parent: str = "/") -> list[str]:
        """The scopes directly below this one, found by reading all of it."""
        return children(path_of(parent) or "/", self._all(parent))

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        """The number of records in each category, found by reading the whole scope."""
        counts: dict[str, int] = {}
        for record in self._all(scope_prefix):
            for category in record.categories:
                counts[category] = counts.get(category, 0) + 1
        return counts

    def count(self, scope_prefix: str | None = None) -> int:
        """The number of records in a scope, including those below it."""
        with self._memory() as memory:
            return memory.count(filters_of(scope_prefix))

    def reset(self, scope_prefix: str | None = None) -> None:
        """Hides all records of a scope."""
        self.delete(scope_prefix)

    def touch_records(self, record_ids: list[str]) -> None:
        """Notes that these records were found now, which also counts a use of each."""
        with self._memory() as memory:
            for batch in in_batches(record_ids):
                entries = memory.page({"entryKey": batch}, page_size=len(batch))
                memory.touch(entry.entry_id for entry in entries)
                for entry in entries:
                    now = datetime.now(UTC).replace(tzinfo=None).isoformat()
                    memory.update(entry.entry_id, metadata=entry.metadata | {"last_accessed": now})

    async def asave(self, records: list[MemoryRecord]) -> None:
        """Like `save`, without blocking the event loop."""
        await beside_loop(self.save, records)

    async def asearch(
        self,
        query_embedding: list[float],
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        metadata_filter: dict[str, Any] | None = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> list[tuple[MemoryRecord, float]]:
        """Like `search`, without blocking the event loop."""
        return await beside_loop(
            self.search, query_embedding, scope_prefix, categories, metadata_filter, limit, min_score
        )

    async def adelete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        """Like `delete`, without blocking the event loop."""
        return await beside_loop(self.delete, scope_prefix, categories, record_ids, older_than, metadata_filter)

    def _all(self, scope: str | None) -> Iterator[MemoryRecord]:
        with self._memory() as memory:
            for entry in memory.list(filters_of(scope), page_size=MOST):
                yield record_of(vars(entry))

    @contextmanager
    def _memory(self) -> Iterator[Memory]:
        with errors_of_crewai(), transaction(self._source) as connection, without_embedder(connection):
            yield Memory(connection, self._memory_id, store=self._store)


@contextmanager
def errors_of_crewai() -> Iterator[None]:
    """Converts the server's errors to those that CrewAI and its callers expect."""
    try:
        yield
    except psycopg.errors.InvalidParameterValue as error:
        raise ValueError(error.diag.message_primary) from error
    except psycopg.DataError as error:
        found = OF_DIMENSIONS.search(error.diag.message_primary or "")
        if not found:
            raise
        raise EmbeddingDimensionMismatchError(int(found[2]), int(found[1])) from error


def entry_of(record: MemoryRecord) -> NewEntry:
    """The entry for a record."""
    embedding = record.embedding
    # A value that is no JSON raises a TypeError before anything is sent: it would come back as another value.
    json.dumps(record.metadata)
    return NewEntry(
        raw_entry=searchable(record.content),
        entry_key=str(record.id),
        metadata={
            **record.model_dump(include=FIELDS),
            "created_at": record.created_at.isoformat(),
            "last_accessed": record.last_accessed.isoformat(),
            # The scopes above are included, because the index answers conditions on an equal value.
            "scopes": scopes_of(record.scope),
        },
        tags=record.categories,
        importance=round(100 * record.importance),
        creation_time=in_utc(record.created_at),
        # CrewAI writes zeros if there is no embedding; they have no direction.
        embedding=embedding if embedding and any(embedding) else None,
    )


def record_of(row: dict[str, Any]) -> MemoryRecord:
    """The record from which an entry was made."""
    fields = {name: row["metadata"][name] for name in FIELDS}
    return MemoryRecord(id=row["entry_key"], content=row["raw_entry"], embedding=row["embedding"], **fields)


def path_of(scope: str | None) -> str:
    """A scope with a slash before each name and none at the end; empty for the scope of all."""
    parts = (scope or "").strip("/")
    return f"/{parts}" if parts else ""


def scopes_of(scope: str) -> list[str]:
    """A scope and those above it, without the scope of all."""
    names = path_of(scope).split("/")[1:]
    return ["/" + "/".join(names[: depth + 1]) for depth in range(len(names))]


def children(path: str, records: Iterable[MemoryRecord]) -> list[str]:
    """The scopes directly below a path that contain records."""
    depth = 0 if path == "/" else path.count("/")
    paths = [scopes_of(record.scope) for record in records]
    return sorted({scopes[depth] for scopes in paths if len(scopes) > depth})


def filters_of(
    scope: str | None,
    categories: list[str] | None = None,
    metadata: dict[str, Any] | None = None,
    older_than: datetime | None = None,
) -> dict[str, Any]:
    """CrewAI's filters, all of which must hold."""
    conditions: list[dict[str, Any]] = []
    if path_of(scope):
        conditions.append({"metadata": {"scopes": {"$in": [path_of(scope)]}}})
    if categories:
        conditions.append({"tags": categories})
    if older_than is not None:
        conditions.append({"createdAt": {"$lt": in_utc(older_than)}})
    for key, value in (metadata or {}).items():
        if isinstance(value, dict | list):
            raise ValueError(f"metadata_filter compares texts, numbers, true, false and None, and {key!r} is {value!r}")
        asked: dict[str, Any] = {"metadata": {"metadata": {key: {"$eq": value}}}}
        if value is None:
            # A field that a record lacks is None for CrewAI.
            asked = {"$or": [asked, {"metadata": {"metadata": {key: {"$exists": False}}}}]}
        conditions.append(asked)
    return {"$and": conditions} if conditions else {}


def in_utc(time: datetime) -> datetime:
    """A time of CrewAI; its times without a zone are in UTC."""
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def naive(time: datetime) -> datetime:
    """A time in the form that CrewAI compares."""
    return in_utc(time).astimezone(UTC).replace(tzinfo=None)
