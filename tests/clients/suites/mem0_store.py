"""mem0's vector store by the functions of memory_search: a collection is a memory, an id an entry_key.

A payload is the metadata of its entry. What it says of user, agent and run stands in the columns too, which the memory
index answers filters from.
"""

from __future__ import annotations

from typing import Any

import psycopg
from mem0.vector_stores.base import VectorStoreBase
from psycopg import sql
from psycopg.rows import namedtuple_row
from psycopg.types.json import Jsonb
from pydantic import BaseModel

COLUMNS = {"user_id": "userId", "agent_id": "agentId", "run_id": "sessionId"}
OPERATORS = {name: f"${name}" for name in ("eq", "ne", "gt", "gte", "lt", "lte", "in", "nin", "contains")}
BY_SIMILARITY = {
    "strategy": "semantic",
    "fallback": False,
    "boosts": {"recency": 0, "importance": 0, "author": 0, "date": 0, "length": 0},
}
BY_WORDS = BY_SIMILARITY | {"strategy": "keyword"}
# What one call lists or finds.
MOST = 1000


class Found(BaseModel):
    """A memory of mem0's, with how well it answers where something was asked."""

    id: str
    score: float | None = None
    payload: dict[str, Any]


class MemorySearchStore(VectorStoreBase):
    """One collection. The connection commits by itself."""

    def __init__(
        self, conninfo: str, collection_name: str, embedding_model_dims: int, *, store: str = "mem0"
    ) -> None:
        # mem0 makes the embeddings.
        options = "-c memory_search.embed_on_write=off -c client_min_messages=warning"
        self._connection = psycopg.connect(conninfo, autocommit=True, row_factory=namedtuple_row, options=options)
        self._name = collection_name
        self._dimensions = embedding_model_dims
        self._store = store
        self._entries = sql.Identifier(store, "entries")
        self.create_col()

    def create_col(
        self, name: str | None = None, vector_size: int | None = None, distance: str | None = "cosine"
    ) -> None:
        """Makes the store, where it is not there; a memory is there from its first entry on."""
        if distance not in (None, "cosine"):
            raise ValueError(f"the distance is cosine, not {distance}")
        self._name = name or self._name
        self._connection.execute(
            "SELECT memory_create_store(%(store)s, dimensions => %(dimensions)s)"
            " WHERE to_regclass(format('%%I.entries', %(store)s::text)) IS NULL",
            {"store": self._store, "dimensions": vector_size or self._dimensions},
        )

    def insert(self, vectors: list, payloads: list | None = None, ids: list | None = None) -> None:
        """Stores payloads under their ids; what has an id already is changed."""
        payloads = payloads or [{} for _ in vectors]
        entries = [
            entry_of(payload) | {"embedding": vector, "entryKey": str(key)}
            for vector, payload, key in zip(vectors, payloads, ids, strict=True)
        ]
        self._connection.execute("SELECT FROM memory_add_many(%s, %s, %s)", (self._name, Jsonb(entries), self._store))

    def search(self, query: str, vectors: list, top_k: int = 5, filters: dict | None = None) -> list[Found]:
        """The nearest by cosine similarity, 0 and less as 0."""
        rows = self._find(query or "", vectors, top_k, filters, BY_SIMILARITY)
        return [Found(id=row.entry_key, score=max(0, row.semantic), payload=row.metadata) for row in rows]

    def keyword_search(self, query: str, top_k: int = 5, filters: dict | None = None) -> list[Found]:
        """The best by BM25 of the words of payloads."""
        rows = self._find(query, None, top_k, filters, BY_WORDS)
        return [Found(id=row.entry_key, score=row.bm25, payload=row.metadata) for row in rows]

    def delete(self, vector_id: str) -> None:
        """Hides it; memory_purge removes it for good."""
        self._by_key("SELECT memory_delete(%(memory)s, {ids}, store => %(store)s)", vector_id)

    def update(self, vector_id: str, vector: list | None = None, payload: dict | None = None) -> None:
        """Changes the vector, the payload, or both."""
        if payload is None:
            self._by_key(
                "SELECT memory_update(memory_id, entry_id, embedding => %(vector)s, store => %(store)s)"
                " FROM {entries} WHERE memory_id = %(memory)s AND entry_id = ANY({ids})",
                vector_id,
                vector=vector,
            )
            return
        # memory_update leaves a column as it is that gets no value, and makes an embedding for a new text.
        self._by_key(
            "SELECT a.status FROM {entries} e CROSS JOIN LATERAL memory_add_many(e.memory_id, jsonb_build_array("
            "%(entry)s || jsonb_build_object('entryKey', e.entry_key, 'embedding',"
            " coalesce(%(vector)s::real[], e.embedding::vector::real[]))), %(store)s) a"
            " WHERE e.memory_id = %(memory)s AND e.entry_id = ANY({ids}) AND e.deletion_scheduled_time IS NULL",
            vector_id,
            entry=Jsonb(entry_of(payload)),
            vector=vector,
        )

    def get(self, vector_id: str) -> Found | None:
        """What has this id."""
        row = self._by_key(
            "SELECT entry_key, metadata FROM memory_get(%(memory)s, {ids}, store => %(store)s)", vector_id
        ).fetchone()
        return row and Found(id=row.entry_key, payload=row.metadata)

    def list(self, filters: dict | None = None, top_k: int | None = 100) -> list[list[Found]]:
        """What passes the filters, newest first, page by page."""
        found: list[Found] = []
        cursor = None
        while top_k is None or len(found) < top_k:
            size = MOST if top_k is None else min(MOST, top_k - len(found))
            rows = self._connection.execute(
                "SELECT entry_key, metadata, cursor FROM memory_list("
                "%s, %s, page_size => %s, cursor => %s, store => %s)",
                (self._name, Jsonb(filters_of(filters)), size, cursor, self._store),
            ).fetchall()
            found += [Found(id=row.entry_key, payload=row.metadata) for row in rows]
            if len(rows) < size:
                break
            cursor = rows[-1].cursor
        return [found]

    def list_cols(self) -> list[str]:
        """The collections that hold something."""
        names: list[str] = []
        while True:
            rows = self._connection.execute(
                "SELECT memory_id FROM memory_list_memories(NULL, %s, %s, %s)",
                (names[-1] if names else None, MOST, self._store),
            ).fetchall()
            names += [row.memory_id for row in rows]
            if len(rows) < MOST:
                return names

    def delete_col(self) -> None:
        """Hides all of the collection."""
        self._connection.execute(
            "SELECT memory_delete(%s, whole_memory => true, store => %s)", (self._name, self._store)
        )

    def col_info(self) -> dict[str, Any]:
        """Its name, and how many it holds."""
        row = self._connection.execute("SELECT memory_count(%s, store => %s)", (self._name, self._store)).fetchone()
        return {"name": self._name, "count": row[0]}

    def reset(self) -> None:
        """An empty collection."""
        self.delete_col()
        self.create_col()

    def _find(
        self, query: str, vector: list | None, top_k: int, filters: dict | None, options: dict
    ) -> list[Any]:
        # The rows of a search have no entry_key.
        statement = sql.SQL(
            "SELECT e.entry_key, f.metadata, f.semantic, f.bm25"
            " FROM memory_search_entries(%s, %s, %s, %s, %s, %s, %s) f"
            " JOIN {} e ON e.memory_id = f.memory_id AND e.entry_id = f.entry_id::uuid ORDER BY f.rank"
        ).format(self._entries)
        arguments = (self._name, query, top_k, vector, Jsonb(filters_of(filters)), Jsonb(options), self._store)
        return self._connection.execute(statement, arguments).fetchall()

    def _by_key(self, statement: str, key: str, **arguments: Any) -> psycopg.Cursor:
        ids = sql.SQL("ARRAY(SELECT entry_id FROM {} WHERE memory_id = %(memory)s AND entry_key = %(key)s)").format(
            self._entries
        )
        return self._connection.execute(
            sql.SQL(statement).format(ids=ids, entries=self._entries),
            {"memory": self._name, "store": self._store, "key": str(key)} | arguments,
        )


def entry_of(payload: dict[str, Any]) -> dict[str, Any]:
    """The entry that a payload becomes."""
    columns = {column: str(payload[key]) for key, column in COLUMNS.items() if payload.get(key)}
    return {"rawEntry": payload.get("data") or "", "metadata": payload} | columns


def filters_of(filters: dict[str, Any] | None) -> dict[str, Any]:
    """mem0's filters, as its Memory hands them to a store."""
    conditions = []
    for key, asked in (filters or {}).items():
        if key in ("$and", "$or", "$not"):
            conditions.append({key: [filters_of(one) for one in asked]})
        elif key in COLUMNS and isinstance(asked, str | list) and asked != "*":
            conditions.append({COLUMNS[key]: {"$in": asked} if isinstance(asked, list) else {"$eq": asked}})
        else:
            conditions.append({"metadata": {key: condition_of(asked)}})
    return {"$and": conditions} if conditions else {}


def condition_of(asked: Any) -> dict[str, Any]:
    """What is asked of one key of a payload."""
    if asked == "*":
        return {"$exists": True}
    if isinstance(asked, list):
        return {"$in": asked}
    if not isinstance(asked, dict):
        return {"$eq": asked}
    conditions = {}
    for operator, value in asked.items():
        if operator == "icontains":
            text = str(value).replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
            conditions["$ilike"] = f"%{text}%"
        elif operator in OPERATORS:
            conditions[OPERATORS[operator]] = value
        else:
            raise ValueError(f"unknown operator {operator}")
    return conditions
