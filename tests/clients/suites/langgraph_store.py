"""LangGraph's BaseStore by the functions of memory_search.

A namespace is a memory whose id is its labels joined by dots. An item is an entry under its key; where several of its
texts are embedded, each further one is an entry beside it, and a search counts them once (`atMost`).
"""

import asyncio
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
from langgraph.store.base import (
    BaseStore,
    GetOp,
    IndexConfig,
    Item,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchItem,
    SearchOp,
    TTLConfig,
    ensure_embeddings,
    validate_op_namespace,
)
from langgraph_items import MOST, condition_of, entries_of, item_of, memories_of, of_length_one, score_of
from langgraph_repeated import Repeated
from psycopg import sql
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb
from psycopg_pool import ConnectionPool

OPTIONS = {
    "strategy": "semantic",
    "fallback": False,
    "boosts": {"recency": 0, "importance": 0, "author": 0, "date": 0, "length": 0},
    "atMost": {"metadata.key": 1},
}


class MemorySearchStore(BaseStore):
    """Items in a store of memory_search. What has expired is hidden from that instant on, swept or not."""

    supports_ttl = True
    # What setup() runs, as often as it is called.
    MIGRATIONS = [
        "CREATE EXTENSION IF NOT EXISTS memory_search CASCADE",
        "SELECT memory_create_store(%(store)s, dimensions => %(dims)s::int)"
        " WHERE to_regclass(format('%%I.entries', %(store)s::text)) IS NULL",
    ]

    def __init__(
        self,
        connections: psycopg.Connection | ConnectionPool,
        *,
        index: IndexConfig | None = None,
        ttl: TTLConfig | None = None,
        store: str = "langgraph",
    ) -> None:
        self._connections = connections
        self._lock = threading.RLock()
        self._store = store
        self._entries = sql.Identifier(store, "entries")
        self._sweeper = Repeated(self.sweep_ttl)
        self.index_config = index
        self.ttl_config = ttl
        self._embedder = ensure_embeddings(index["embed"]) if index else None

    @classmethod
    @contextmanager
    def from_conn_string(
        cls, conn_string: str, *, pipeline: bool = False, pool_config: dict[str, Any] | None = None, **arguments: Any
    ) -> Iterator["MemorySearchStore"]:
        """A store that connects to this database by itself: by a pool, a connection, or one in pipeline mode."""
        kind = {"autocommit": True, "row_factory": dict_row, "prepare_threshold": None}
        # Embeddings are the application's; an item that has none stays without.
        kind["options"] = "-c memory_search.embed_on_write=off"
        if pool_config is not None:
            with ConnectionPool(conn_string, kwargs=kind, **pool_config) as pool:
                yield cls(pool, **arguments)
        else:
            with psycopg.connect(conn_string, **kind) as connection:
                if pipeline:
                    with connection.pipeline():
                        yield cls(connection, **arguments)
                else:
                    yield cls(connection, **arguments)

    def setup(self) -> None:
        """Makes the extension and the store, where they are not there yet."""
        arguments = {"store": self._store, "dims": self.index_config["dims"] if self.index_config else None}
        with self._cursor() as cursor:
            for statement in self.MIGRATIONS:
                cursor.execute(statement, arguments if "%(" in statement else None)

    def batch(self, ops: Iterable[Any]) -> list[Any]:
        """Reads in their order, then what is put, all in one transaction."""
        ops = list(ops)
        for op in ops:
            validate_op_namespace(op)
        answers: list[Any] = [None] * len(ops)
        reads = {GetOp: self._get, SearchOp: self._search, ListNamespacesOp: self._list_namespaces}
        with self._cursor() as cursor, cursor.connection.transaction():
            for place, op in enumerate(ops):
                if type(op) in reads:
                    answers[place] = reads[type(op)](cursor, op)
            self._put(cursor, [op for op in ops if isinstance(op, PutOp)])
        return answers

    async def abatch(self, ops: Iterable[Any]) -> list[Any]:
        """The same beside the event loop."""
        return await asyncio.to_thread(self.batch, list(ops))

    def sweep_ttl(self) -> int:
        """Removes for good what has expired or was deleted; the number of rows."""
        with self._cursor() as cursor:
            cursor.execute("SELECT memory_purge(store => %s) AS rows", (self._store,))
            return cursor.fetchone()["rows"]

    def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> None:
        """Sweeps from time to time until stop_ttl_sweeper()."""
        minutes = sweep_interval_minutes or (self.ttl_config or {}).get("sweep_interval_minutes") or 5
        self._sweeper.start(60 * minutes)

    def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:
        """Ends the sweeping; true when it has ended."""
        return self._sweeper.stop(timeout)

    @contextmanager
    def _cursor(self) -> Iterator[psycopg.Cursor]:
        if isinstance(self._connections, ConnectionPool):
            with self._connections.connection() as connection, connection.cursor() as cursor:
                yield cursor
        else:
            with self._lock, self._connections.cursor() as cursor:
                yield cursor

    # --- Reading ------------------------------------------------------------------------------------

    def _get(self, cursor: psycopg.Cursor, op: GetOp) -> Item | None:
        statement = sql.SQL(
            "SELECT memory_id, metadata, creation_time FROM memory_get(%(memory)s, ARRAY(SELECT entry_id FROM {}"
            " WHERE memory_id = %(memory)s AND entry_key = %(key)s), store => %(store)s)"
        ).format(self._entries)
        cursor.execute(statement, {"memory": ".".join(op.namespace), "key": op.key, "store": self._store})
        row = cursor.fetchone()
        if row is None:
            return None
        if op.refresh_ttl:
            self._refresh(cursor, [row])
        return Item(**item_of(row))

    def _search(self, cursor: psycopg.Cursor, op: SearchOp) -> list[SearchItem]:
        count = op.limit + op.offset
        if count > MOST:
            raise ValueError(f"limit and offset go up to {MOST} together, not {count}")
        memories = memories_of(cursor, self._store, [MatchCondition("prefix", op.namespace_prefix)])
        filters: dict[str, Any] = {}
        if op.filter:
            filters = {"value": {key: condition_of(asked) for key, asked in op.filter.items()}}
        arguments = {"memories": memories, "count": count, "store": self._store}
        if op.query and self.index_config:
            statement = (
                "SELECT f.* FROM unnest(%(memories)s::text[]) m (id) CROSS JOIN LATERAL memory_search_entries("
                "m.id, %(query)s, %(count)s, %(embedding)s, %(filters)s, %(options)s, %(store)s) f"
                " ORDER BY semantic DESC, memory_id, rank"
            )
            (embedding,) = of_length_one([self._embedder.embed_query(op.query)], self.index_config)
            arguments |= {"query": op.query, "embedding": embedding, "options": Jsonb(OPTIONS)}
        else:
            filters["part"] = 0
            statement = (
                "SELECT l.*, NULL::float8 AS semantic FROM unnest(%(memories)s::text[]) m (id) CROSS JOIN LATERAL"
                " memory_list(m.id, %(filters)s, page_size => %(count)s, store => %(store)s) l"
                " ORDER BY creation_time DESC, memory_id"
            )
        arguments["filters"] = Jsonb({"metadata": filters})
        cursor.execute(statement + " LIMIT %(limit)s OFFSET %(offset)s",
                       arguments | {"limit": op.limit, "offset": op.offset})
        rows = cursor.fetchall()
        if op.refresh_ttl:
            self._refresh(cursor, rows)
        return [SearchItem(**item_of(row), score=score_of(row["semantic"], self.index_config)) for row in rows]

    def _list_namespaces(self, cursor: psycopg.Cursor, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        memories = memories_of(cursor, self._store, op.match_conditions or ())
        found = sorted({tuple(memory.split("."))[: op.max_depth] for memory in memories})
        return found[op.offset : op.offset + op.limit]

    def _refresh(self, cursor: psycopg.Cursor, rows: list[dict[str, Any]]) -> None:
        keys: dict[tuple[str, float], list[str]] = defaultdict(list)
        for row in rows:
            if row["metadata"].get("ttl") is not None:
                keys[row["memory_id"], row["metadata"]["ttl"]].append(row["metadata"]["key"])
        for (memory, minutes), of_memory in keys.items():
            cursor.execute(
                "SELECT memory_update(l.memory_id, l.entry_id, expires_at => %(expires)s, store => %(store)s)"
                " FROM memory_list(%(memory)s, %(filters)s, page_size => %(most)s, store => %(store)s) l",
                {
                    "expires": datetime.now(UTC) + timedelta(minutes=minutes),
                    "memory": memory,
                    "filters": Jsonb({"metadata": {"key": {"$in": of_memory}}}),
                    "most": MOST,
                    "store": self._store,
                },
            )

    # --- Putting ------------------------------------------------------------------------------------

    def _put(self, cursor: psycopg.Cursor, ops: list[PutOp]) -> None:
        latest = {(op.namespace, op.key): op for op in ops}
        memories: dict[str, list[PutOp]] = defaultdict(list)
        for op in latest.values():
            memories[".".join(op.namespace)].append(op)
        for memory, of_memory in memories.items():
            deleted = [{"key": op.key} for op in of_memory if op.value is None]
            kept = [op for op in of_memory if op.value is not None]
            if kept:
                entries = [entries_of(op, self.index_config, self._embedder) for op in kept]
                self._add(cursor, memory, [entry for of_item in entries for entry in of_item])
                if self.index_config:
                    deleted += [
                        {"key": op.key, "part": {"$gte": len(of_item)}}
                        for op, of_item in zip(kept, entries, strict=True)
                    ]
            for metadata in deleted:
                cursor.execute(
                    "SELECT FROM memory_delete_where(%s, %s, dry_run => false, store => %s)",
                    (memory, Jsonb({"metadata": metadata}), self._store),
                )

    def _add(self, cursor: psycopg.Cursor, memory: str, entries: list[dict[str, Any]]) -> None:
        # creation_time is when an item was put last, by which lists are ordered; when it was first is in metadata.
        statement = sql.SQL(
            "SELECT entry_key, metadata->>'created' AS created FROM {}"
            " WHERE memory_id = %s AND entry_key = ANY(%s) AND deletion_scheduled_time IS NULL"
        ).format(self._entries)
        cursor.execute(statement, (memory, [entry["entryKey"] for entry in entries]))
        created = {row["entry_key"]: row["created"] for row in cursor.fetchall()}
        now = datetime.now(UTC).isoformat()
        for entry in entries:
            entry["creationTime"] = now
            entry["metadata"]["created"] = created.get(entry["metadata"]["key"], now)
        cursor.execute("SELECT FROM memory_add_many(%s, %s, %s)", (memory, Jsonb(entries), self._store))
