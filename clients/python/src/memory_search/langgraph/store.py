"""LangGraph's BaseStore by the functions of memory_search.

A namespace is a memory whose id is its labels joined by dots. An item is an entry under its key; if several of its
texts are embedded, each further one is an entry next to it, and a search counts them once (`atMost`).
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, LiteralString

import psycopg
from langgraph.store.base import (
    BaseStore,
    GetOp,
    IndexConfig,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    ensure_embeddings,
    validate_op_namespace,
)

from ..arguments import NewEntry
from ..connections import Source, cursor_of
from ..memory import Memory
from ..nearest import BY_SIMILARITY, MOST, in_batches
from ..store import Store
from ..transactions import transaction, without_embedder
from ..values import as_jsonb
from .items import OF_ITEMS, condition_of, entries_of, is_item, item_of, memories_of, of_length_one, score_of
from .repeated import Repeated

Connection = psycopg.Connection[Any]
OPTIONS = BY_SIMILARITY | {"atMost": {"metadata.key": 1}}


class MemorySearchStore(BaseStore):
    """Items in a store of memory_search. An expired item is hidden from that instant on, even before it is swept."""

    supports_ttl = True
    # The statements of setup(), which may be repeated.
    MIGRATIONS: tuple[LiteralString, ...] = (
        "CREATE EXTENSION IF NOT EXISTS memory_search CASCADE",
        "SELECT memory_create_store(%(store)s, dimensions => %(dims)s::int)"
        " WHERE to_regclass(format('%%I.entries', %(store)s::text)) IS NULL",
    )

    def __init__(
        self,
        source: Source,
        *,
        index: IndexConfig | None = None,
        ttl: TTLConfig | None = None,
        store: str = "langgraph",
    ) -> None:
        """`source` is a connection, on which threads take turns, or a pool."""
        self._source = source
        self._store = store
        self._sweeper = Repeated(self.sweep_ttl)
        self.index_config = index
        self.ttl_config = ttl
        self._embedder = ensure_embeddings(index["embed"]) if index else None

    @classmethod
    @contextmanager
    def from_conn_string(
        cls, conn_string: str, *, pipeline: bool = False, pool_config: dict[str, Any] | None = None, **arguments: Any
    ) -> Iterator["MemorySearchStore"]:
        """A store that connects to this database itself: by a pool, a connection, or one in pipeline mode."""
        # Statements are not prepared, because PgBouncer may be in between.
        kind: dict[str, Any] = {"autocommit": True, "prepare_threshold": None}
        if pool_config is not None:
            from psycopg_pool import ConnectionPool

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
        """Makes the extension and the store, if they do not exist."""
        arguments = {"store": self._store, "dims": self.index_config["dims"] if self.index_config else None}
        with transaction(self._source) as connection, cursor_of(connection) as cursor:
            for statement in self.MIGRATIONS:
                cursor.execute(statement, arguments if "%(" in statement else None)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Reads in the order of the operations, then writes, all in one transaction."""
        ops = list(ops)
        for op in ops:
            validate_op_namespace(op)
        answers: list[Result] = [None] * len(ops)
        with transaction(self._source) as connection:
            for place, op in enumerate(ops):
                if isinstance(op, GetOp):
                    answers[place] = self._get(connection, op)
                elif isinstance(op, SearchOp):
                    answers[place] = self._search(connection, op)
                elif isinstance(op, ListNamespacesOp):
                    answers[place] = self._list_namespaces(connection, op)
            with without_embedder(connection):
                self._put(connection, [op for op in ops if isinstance(op, PutOp)])
        return answers

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Like `batch`, without blocking the event loop."""
        return await asyncio.to_thread(self.batch, list(ops))

    def sweep_ttl(self) -> int:
        """Removes expired and deleted rows permanently; returns their number."""
        with transaction(self._source) as connection:
            return Store(connection, self._store).purge()

    def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> None:
        """Sweeps at intervals until stop_ttl_sweeper()."""
        minutes = sweep_interval_minutes or (self.ttl_config or {}).get("sweep_interval_minutes") or 5
        self._sweeper.start(60 * minutes)

    def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:
        """Stops the sweeping; true when it has ended."""
        return self._sweeper.stop(timeout)

    # --- Reading ------------------------------------------------------------------------------------

    def _get(self, connection: Connection, op: GetOp) -> Item | None:
        memory = Memory(connection, ".".join(op.namespace), store=self._store)
        rows = [vars(entry) for entry in memory.page({"entryKey": op.key}, page_size=1) if is_item(entry.metadata)]
        if op.refresh_ttl:
            self._refresh(connection, rows)
        return Item(**item_of(rows[0])) if rows else None

    def _search(self, connection: Connection, op: SearchOp) -> list[SearchItem]:
        count = op.limit + op.offset
        if count > MOST:
            raise ValueError(f"limit and offset go up to {MOST} together, not {count}")
        store = Store(connection, self._store)
        # Here a label `*` means a label of that name.
        labels = [*op.namespace_prefix]
        memories = [
            one.memory_id
            for one in store.list_memories(".".join(labels) or None, page_size=MOST)
            if one.memory_id.split(".")[: len(labels)] == labels
        ]
        filters = dict(OF_ITEMS)
        if op.filter:
            filters |= {"value": {key: condition_of(asked) for key, asked in op.filter.items()}}
        statement: LiteralString
        arguments: dict[str, Any] = {"memories": memories, "count": count, "store": self._store}
        if op.query and self.index_config and self._embedder:
            statement = (
                "SELECT f.* FROM unnest(%(memories)s::text[]) m (id) CROSS JOIN LATERAL memory_search_entries("
                "m.id, %(query)s, %(count)s, %(embedding)s, %(filters)s, %(options)s, %(store)s) f"
                " ORDER BY semantic DESC, memory_id, rank LIMIT %(limit)s OFFSET %(offset)s"
            )
            (embedding,) = of_length_one([self._embedder.embed_query(op.query)], self.index_config)
            arguments |= {"query": op.query, "embedding": embedding, "options": as_jsonb(OPTIONS)}
        else:
            filters["part"] = 0
            statement = (
                "SELECT l.*, NULL::float8 AS semantic FROM unnest(%(memories)s::text[]) m (id) CROSS JOIN LATERAL"
                " memory_list(m.id, %(filters)s, page_size => %(count)s, store => %(store)s) l"
                " ORDER BY creation_time DESC, memory_id LIMIT %(limit)s OFFSET %(offset)s"
            )
        arguments |= {"filters": as_jsonb({"metadata": filters}), "limit": op.limit, "offset": op.offset}
        with cursor_of(connection) as cursor:
            rows = [row for row in cursor.execute(statement, arguments) if is_item(row["metadata"])]
        if op.refresh_ttl:
            self._refresh(connection, rows)
        return [SearchItem(**item_of(row), score=score_of(row["semantic"], self.index_config)) for row in rows]

    def _list_namespaces(self, connection: Connection, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        memories = memories_of(Store(connection, self._store), op.match_conditions or ())
        found = sorted({tuple(memory.split("."))[: op.max_depth] for memory in memories})
        return found[op.offset : op.offset + op.limit]

    def _refresh(self, connection: Connection, rows: list[dict[str, Any]]) -> None:
        keys: dict[tuple[str, float], list[str]] = defaultdict(list)
        for row in rows:
            if row["metadata"].get("ttl") is not None:
                keys[row["memory_id"], row["metadata"]["ttl"]].append(row["metadata"]["key"])
        for (memory_id, minutes), of_memory in keys.items():
            memory = Memory(connection, memory_id, store=self._store)
            expires = datetime.now(UTC) + timedelta(minutes=minutes)
            found = list(memory.list({"metadata": OF_ITEMS | {"key": {"$in": of_memory}}}, page_size=MOST))
            for entry in filter(lambda one: is_item(one.metadata), found):
                memory.update(entry.entry_id, expires_at=expires)

    # --- Putting ------------------------------------------------------------------------------------

    def _put(self, connection: Connection, ops: list[PutOp]) -> None:
        latest = {(op.namespace, op.key): op for op in ops}
        memories: dict[str, list[PutOp]] = defaultdict(list)
        for op in latest.values():
            memories[".".join(op.namespace)].append(op)
        for memory_id, of_memory in memories.items():
            memory = Memory(connection, memory_id, store=self._store)
            deleted: list[dict[str, Any]] = [{"key": op.key} for op in of_memory if op.value is None]
            kept = [op for op in of_memory if op.value is not None]
            if kept:
                entries = [entries_of(op, self.index_config, self._embedder) for op in kept]
                self._add(memory, [entry for of_item in entries for entry in of_item])
                if self.index_config:
                    # Further texts that the item had before.
                    deleted += [
                        {"key": op.key, "part": {"$gte": len(of_item)}}
                        for op, of_item in zip(kept, entries, strict=True)
                    ]
            for metadata in deleted:
                # Entries that are no items may have a key in their metadata, too.
                memory.delete_where({"metadata": OF_ITEMS | metadata}, dry_run=False)

    def _add(self, memory: Memory, entries: list[NewEntry]) -> None:
        # creation_time is the time of the last put, by which lists are ordered; metadata has the time of the first.
        keys = [entry["entry_key"] for entry in entries]
        created = {
            entry.entry_key: entry.metadata["created"]
            for batch in in_batches(keys)
            for entry in memory.page({"entryKey": batch}, page_size=len(batch))
            if is_item(entry.metadata)
        }
        now = datetime.now(UTC)
        for entry in entries:
            entry["creation_time"] = now
            metadata = entry["metadata"] or {}
            metadata["created"] = created.get(metadata["key"], now.isoformat())
        memory.add_many(entries)
