"""A store, which holds memories, on a connection that waits."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, TypeVar

from .answers import Check, MemorySummary, Stats
from .call import Call
from .calls import reading, writing
from .connections import Source, run
from .memory import Memories, Memory

T = TypeVar("T")


class Store:
    """A store by its name; without one, the store of the setting `memory_search.store`."""

    def __init__(self, source: Source, store: str | None = None, *, schema: str | None = None) -> None:
        self._source = source
        self._store = store
        self._schema = schema

    def _run(self, call: Call[T]) -> T:
        return run(self._source, call, self._schema)

    def memory(self, memory_id: str) -> Memory:
        """A memory of this store."""
        return Memory(self._source, memory_id, store=self._store, schema=self._schema)

    def memories(self, memory_ids: Iterable[str] = (), *, prefixes: Iterable[str] | None = None) -> Memories:
        """Several memories of this store, in one ranking."""
        return Memories(self._source, memory_ids, prefixes=prefixes, store=self._store, schema=self._schema)

    # --- The store itself ---------------------------------------------------------------------------

    def create(
        self, *, dimensions: int | None = None, language: str | None = None, partitions: int | None = None
    ) -> None:
        """`memory_create_store`."""
        self._run(
            writing.nothing(
                "memory_create_store",
                store=self._store,
                dimensions=dimensions,
                language=language,
                partitions=partitions,
            )
        )

    def drop(self, *, force: bool = False) -> None:
        """`memory_drop_store`, for which a store must be named."""
        self._run(writing.nothing("memory_drop_store", store=self._store, force=force))

    def grant(self, role: str, privileges: str | None = None) -> None:
        """`memory_grant`: a role becomes a `reader` or a `writer`."""
        self._run(writing.grant(self._store, role, privileges))

    def enable_row_security(self, setting: str | None = None) -> None:
        """`memory_enable_row_security`."""
        self._run(writing.nothing("memory_enable_row_security", store=self._store, setting=setting))

    def distribute(self, *, shard_count: int | None = None, delegate: bool = False) -> None:
        """`memory_distribute_store`, over the nodes of a Citus cluster."""
        call = writing.nothing(
            "memory_distribute_store", store=self._store, shard_count=shard_count, delegate=delegate
        )
        self._run(call)

    def keep_history(self, *, enabled: bool = True) -> None:
        """`memory_keep_history`."""
        self._run(writing.nothing("memory_keep_history", store=self._store, enabled=enabled))

    def notify(self, channel: str | None = None, *, enabled: bool = True) -> None:
        """`memory_notify`."""
        self._run(writing.nothing("memory_notify", store=self._store, channel=channel, enabled=enabled))

    # --- What it holds ------------------------------------------------------------------------------

    def list_memories(self, prefix: str | None = None, *, page_size: int = 100) -> Iterator[MemorySummary]:
        """`memory_list_memories`, page after page until the end."""
        after = None
        while True:
            page = self._run(reading.memories(self._store, prefix, after, page_size))
            yield from page
            if len(page) < page_size:
                return
            after = page[-1].memory_id

    def stats(self) -> Stats:
        """`memory_stats`."""
        return self._run(reading.stats(self._store))

    def doctor(self) -> list[Check]:
        """`memory_doctor`."""
        return self._run(reading.doctor(self._store))

    def learn(self, judgements: Iterable[Mapping[str, Any]], *, apply: bool = False) -> dict[str, Any]:
        """`memory_learn`: each judgement is `{"request": {...}, "helpful": [...]}`."""
        return self._run(reading.learned(self._store, judgements, apply))

    # --- Looking after it: each returns how many rows it wrote ----------------------------------------

    def purge(self, *, before: datetime | str | None = None, max_rows: int | None = None) -> int:
        """`memory_purge`: removes deleted and expired rows permanently."""
        return self._run(reading.number("memory_purge", before=before, max_rows=max_rows, store=self._store))

    def forget_user(self, user_id: str) -> int:
        """`memory_forget_user`: erases a user."""
        return self._run(reading.number("memory_forget_user", user_id=user_id, store=self._store))

    def reembed(
        self,
        memory_id: str | None = None,
        *,
        everything: bool = False,
        max_rows: int | None = None,
    ) -> int:
        """`memory_reembed`."""
        return self._run(
            reading.number(
                "memory_reembed", memory_id=memory_id, everything=everything, max_rows=max_rows, store=self._store
            )
        )

    def embed_pending(self, memory_id: str | None = None, *, max_rows: int | None = None) -> int:
        """`memory_embed_pending`."""
        return self._run(
            reading.number("memory_embed_pending", memory_id=memory_id, max_rows=max_rows, store=self._store)
        )

    # --- What belongs to no store -------------------------------------------------------------------

    def tool_spec(self, name: str = "openai", detail: str = "short") -> Any:
        """`memory_tool_spec`: describes `memory_search` to a language model, in short or in full."""
        return self._run(reading.tool_spec(name, detail))

    def embed(self, text: str) -> list[float]:
        """`memory_embed`: the embedding of a text, by the server's embedder."""
        return self._run(reading.embed(text))

    def passages(self, raw_entry: str) -> list[str]:
        """`memory_passages`: the passages of a long text, which have an embedding each; empty for a short one."""
        return self._run(reading.passages(raw_entry))
