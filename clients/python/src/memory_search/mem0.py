"""mem0: a vector store whose collections are memories, an id an entry_key, a payload the metadata of its entry.

The user, agent and run of a payload are also in columns, from which the memory index answers filters.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from types import ModuleType
from typing import Any

import psycopg
from mem0.configs.vector_stores import pgvector as mem0s_own  # type: ignore[import-untyped]
from mem0.utils.factory import VectorStoreFactory  # type: ignore[import-untyped]
from mem0.vector_stores.base import VectorStoreBase  # type: ignore[import-untyped]
from mem0.vector_stores.configs import VectorStoreConfig  # type: ignore[import-untyped]
from pydantic import BaseModel, ConfigDict

from .arguments import NewEntry
from .memory import Memory
from .nearest import BY_SIMILARITY, BY_WORDS, MOST, arguments, nearest
from .store import Store
from .transactions import transaction

COLUMNS = {"user_id": "userId", "agent_id": "agentId", "run_id": "sessionId"}
OPERATORS = {name: f"${name}" for name in ("eq", "ne", "gt", "gte", "lt", "lte", "in", "nin", "contains")}
PROVIDER = "memory_search"


class MemorySearchConfig(BaseModel):
    """The contents of mem0's `vector_store.config` for this provider."""

    model_config = ConfigDict(extra="forbid")

    conninfo: str
    collection_name: str = "mem0"
    embedding_model_dims: int = 1536
    store: str = "mem0"


def register() -> None:
    """Registers `{"vector_store": {"provider": "memory_search", ...}}` with mem0, which has no entry points."""
    VectorStoreFactory.provider_to_class[PROVIDER] = f"{__name__}.MemorySearchStore"
    VectorStoreConfig.__private_attributes__["_provider_configs"].default[PROVIDER] = MemorySearchConfig.__name__
    # mem0 imports the configuration from its own folder.
    name = f"{mem0s_own.__name__.rpartition('.')[0]}.{PROVIDER}"
    module = ModuleType(name)
    module.MemorySearchConfig = MemorySearchConfig  # type: ignore[attr-defined]
    sys.modules[name] = module


class Found(BaseModel):
    """A memory of mem0, with its score if it was found by a search."""

    id: str
    score: float | None = None
    payload: dict[str, Any]


class MemorySearchStore(VectorStoreBase):  # type: ignore[misc]
    """One collection, over its own connection, on which threads take turns. Each call is a transaction."""

    def __init__(self, conninfo: str, collection_name: str, embedding_model_dims: int, *, store: str = "mem0") -> None:
        # mem0 makes the embeddings.
        options = "-c memory_search.embed_on_write=off -c client_min_messages=warning"
        self._connection = psycopg.connect(conninfo, autocommit=True, options=options)
        self._name = collection_name
        self._dimensions = embedding_model_dims
        self._store = store
        self.create_col()

    def create_col(
        self, name: str | None = None, vector_size: int | None = None, distance: str | None = "cosine"
    ) -> None:
        """Makes the store, if it does not exist; a memory exists from its first entry on."""
        if distance not in (None, "cosine"):
            raise ValueError(f"the distance is cosine, not {distance}")
        self._name = name or self._name
        with transaction(self._connection) as connection:
            connection.execute(
                "SELECT memory_create_store(%(store)s, dimensions => %(dimensions)s)"
                " WHERE to_regclass(format('%%I.entries', %(store)s::text)) IS NULL",
                {"store": self._store, "dimensions": vector_size or self._dimensions},
            )

    def insert(
        self,
        vectors: builtins.list[Any],
        payloads: builtins.list[Any] | None = None,
        ids: builtins.list[Any] | None = None,
    ) -> None:
        """Stores payloads under their ids; a payload whose id exists is changed."""
        payloads = payloads or [{} for _ in vectors]
        entries = [
            entry_of(payload, key, vector) for vector, payload, key in zip(vectors, payloads, ids or [], strict=True)
        ]
        with self._memory() as memory:
            memory.add_many(entries)

    def search(
        self, query: str, vectors: builtins.list[Any], top_k: int = 5, filters: dict[str, Any] | None = None
    ) -> builtins.list[Found]:
        """The nearest by cosine similarity; a negative one counts as 0."""
        rows = self._find(query or "", vectors, top_k, filters, BY_SIMILARITY)
        return [Found(id=row["entry_key"], score=max(0, row["semantic"]), payload=row["metadata"]) for row in rows]

    def keyword_search(self, query: str, top_k: int = 5, filters: dict[str, Any] | None = None) -> builtins.list[Found]:
        """The best by BM25 of the words of payloads."""
        rows = self._find(query, None, top_k, filters, BY_WORDS)
        return [Found(id=row["entry_key"], score=row["bm25"], payload=row["metadata"]) for row in rows]

    def delete(self, vector_id: str) -> None:
        """Hides the memory with this id; `memory_purge` removes it permanently."""
        with self._memory() as memory:
            memory.delete_where({"entryKey": str(vector_id)}, dry_run=False)

    def update(
        self, vector_id: str, vector: builtins.list[Any] | None = None, payload: dict[str, Any] | None = None
    ) -> None:
        """Changes the vector, the payload, or both."""
        with self._memory() as memory:
            options = {"includeEmbedding": vector is None}
            found = memory.page({"entryKey": str(vector_id)}, page_size=1, options=options)
            if not found:
                return
            if payload is None:
                memory.update(found[0].entry_id, embedding=vector)
            else:
                # Adds under the same key: memory_update would keep a column whose key the payload has lost.
                memory.add_many([entry_of(payload, vector_id, vector or found[0].embedding)])

    def get(self, vector_id: str) -> Found | None:
        """The memory with this id."""
        with self._memory() as memory:
            for entry in memory.page({"entryKey": str(vector_id)}, page_size=1):
                return Found(id=str(entry.entry_key), payload=entry.metadata)
        return None

    def list(
        self, filters: dict[str, Any] | None = None, top_k: int | None = 100
    ) -> builtins.list[builtins.list[Found]]:
        """The memories that pass the filters, the newest first."""
        size = MOST if top_k is None else max(1, min(MOST, top_k))
        with self._memory() as memory:
            entries = memory.list(filters_of(filters), page_size=size)
            return [[Found(id=str(entry.entry_key), payload=entry.metadata) for entry in islice(entries, top_k)]]

    def list_cols(self) -> builtins.list[str]:
        """The collections that contain something."""
        with transaction(self._connection) as connection:
            return [memory.memory_id for memory in Store(connection, self._store).list_memories(page_size=MOST)]

    def delete_col(self) -> None:
        """Hides all memories of the collection."""
        with self._memory() as memory:
            memory.delete_all()

    def col_info(self) -> dict[str, Any]:
        """The name of the collection, and the number of its memories."""
        with self._memory() as memory:
            return {"name": self._name, "count": memory.count()}

    def reset(self) -> None:
        """Empties the collection."""
        self.delete_col()
        self.create_col()

    def _find(
        self,
        query: str,
        vector: builtins.list[Any] | None,
        top_k: int,
        filters: dict[str, Any] | None,
        options: dict[str, Any],
    ) -> builtins.list[dict[str, Any]]:
        values = arguments(self._name, query, top_k, vector, filters_of(filters), self._store, options=options)
        with transaction(self._connection) as connection:
            return nearest(connection, values)

    @contextmanager
    def _memory(self) -> Iterator[Memory]:
        with transaction(self._connection) as connection:
            yield Memory(connection, self._name, store=self._store)


def entry_of(payload: dict[str, Any], key: str, vector: list[float] | None) -> NewEntry:
    """The entry for a payload."""
    return NewEntry(
        raw_entry=payload.get("data") or "",
        metadata=payload,
        user_id=text_or_none(payload.get("user_id")),
        agent_id=text_or_none(payload.get("agent_id")),
        session_id=text_or_none(payload.get("run_id")),
        embedding=vector,
        entry_key=str(key),
    )


def text_or_none(value: Any) -> str | None:
    """An id as text; an empty one is none."""
    return str(value) if value else None


def filters_of(filters: dict[str, Any] | None) -> dict[str, Any]:
    """The condition for mem0's filters, in the form in which its Memory passes them to a store."""
    conditions: list[dict[str, Any]] = []
    for key, asked in (filters or {}).items():
        if key in ("$and", "$or", "$not"):
            conditions.append({key: [filters_of(one) for one in asked]})
        elif key in COLUMNS and isinstance(asked, str | list) and asked != "*":
            conditions.append({COLUMNS[key]: {"$in": asked} if isinstance(asked, list) else {"$eq": asked}})
        else:
            conditions.append({"metadata": {key: condition_of(asked)}})
    return {"$and": conditions} if conditions else {}


def condition_of(asked: Any) -> dict[str, Any]:
    """The condition on one key of a payload."""
    if asked == "*":
        return {"$exists": True}
    if isinstance(asked, list):
        return {"$in": asked}
    if not isinstance(asked, dict):
        return {"$eq": asked}
    conditions: dict[str, Any] = {}
    for operator, value in asked.items():
        if operator == "icontains":
            text = str(value).replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
            conditions["$ilike"] = f"%{text}%"
        elif operator in OPERATORS:
            conditions[OPERATORS[operator]] = value
        else:
            raise ValueError(f"unknown operator {operator}")
    return conditions
