"""A store, which holds memories, on a connection that is awaited."""

# Made of store.py by twins.py: change that one.

from collections.abc import AsyncIterator, Iterable, Mapping
from datetime import datetime
from typing import Any, TypeVar

from .answers import Check, MemorySummary, Stats
from .async_memory import AsyncMemories, AsyncMemory
from .call import Call
from .calls import reading, writing
from .connections import AsyncSource, run_async

T = TypeVar("T")


class AsyncStore:
    """A store by its name; without one, the store of the setting `memory_search.store`."""

    def __init__(self, source: AsyncSource, store: str | None = None, *, schema: str | None = None) -> None:
        self._source = source
        self._store = store
        self._schema = schema

    async def _run(self, call: Call[T]) -> T:
        return await run_async(self._source, call, self._schema)

    def memory(self, memory_id: str) -> AsyncMemory:
        """A memory of this store."""
        return AsyncMemory(self._source, memory_id, store=self._store, schema=self._schema)

    def memories(self, memory_ids: Iterable[str] = (), *, prefixes: Iterable[str] | None = None) -> AsyncMemories:
        """Several memories of this store, in one ranking."""
        return AsyncMemories(self._source, memory_ids, prefixes=prefixes, store=self._store, schema=self._schema)

    # --- The store itself ---------------------------------------------------------------------------

    async def create(
        self, *, dimensions: int | None = None, language: str | None = None, partitions: int | None = None
    ) -> None:
        """`memory_create_store`."""
        await self._run(
            writing.nothing(
                "memory_create_store",
                store=self._store,
                dimensions=dimensions,
                language=language,
                partitions=partitions,
            )
        )

    async def drop(self, *, force: bool = False) -> None:
        """`memory_drop_store`, for which a store must be named."""
        await self._run(writing.nothing("memory_drop_store", store=self._store, force=force))

    async def grant(self, role: str, privileges: str | None = None) -> None:
        """`memory_grant`: a role becomes a `reader` or a `writer`."""
        await self._run(writing.grant(self._store, role, privileges))

    async def enable_row_security(self, setting: str | None = None) -> None:
        """`memory_enable_row_security`."""
        await self._run(writing.nothing("memory_enable_row_security", store=self._store, setting=setting))

    async def distribute(self, *, shard_count: int | None = None, delegate: bool = False) -> None:
        """`memory_distribute_store`, over the nodes of a Citus cluster."""
        call = writing.nothing(
            "memory_distribute_store", store=self._store, shard_count=shard_count, delegate=delegate
        )
        await self._run(call)

    async def keep_history(self, *, enabled: bool = True) -> None:
        """`memory_keep_history`."""
        await self._run(writing.nothing("memory_keep_history", store=self._store, enabled=enabled))

    async def notify(self, channel: str | None = None, *, enabled: bool = True) -> None:
        """`memory_notify`."""
        await self._run(writing.nothing("memory_notify", store=self._store, channel=channel, enabled=enabled))

    # --- What it holds ------------------------------------------------------------------------------

    async def list_memories(self, prefix: str | None = None, *, page_size: int = 100) -> AsyncIterator[MemorySummary]:
        """`memory_list_memories`, page after page until the end."""
        after = None
        while True:
            page = await self._run(reading.memories(self._store, prefix, after, page_size))
            for one in page:
                yield one
            if len(page) < page_size:
                return
            after = page[-1].memory_id

    async def stats(self) -> Stats:
        """`memory_stats`."""
        return await self._run(reading.stats(self._store))

    async def doctor(self) -> list[Check]:
        """`memory_doctor`."""
        return await self._run(reading.doctor(self._store))

    async def learn(self, judgements: Iterable[Mapping[str, Any]], *, apply: bool = False) -> dict[str, Any]:
        """`memory_learn`: each judgement is `{"request": {...}, "helpful": [...]}`."""
        return await self._run(reading.learned(self._store, judgements, apply))

    # --- Looking after it: each returns how many rows it wrote ----------------------------------------

    async def purge(self, *, before: datetime | str | None = None, max_rows: int | None = None) -> int:
        """`memory_purge`: removes deleted and expired rows permanently."""
        return await self._run(reading.number("memory_purge", before=before, max_rows=max_rows, store=self._store))

    async def forget_user(self, user_id: str) -> int:
        """`memory_forget_user`: erases a user."""
        return await self._run(reading.number("memory_forget_user", user_id=user_id, store=self._store))

    async def reembed(
        self,
        memory_id: str | None = None,
        *,
        everything: bool = False,
        max_rows: int | None = None,
    ) -> int:
        """`memory_reembed`."""
        return await self._run(
            reading.number(
                "memory_reembed", memory_id=memory_id, everything=everything, max_rows=max_rows, store=self._store
            )
        )

    async def embed_pending(self, memory_id: str | None = None, *, max_rows: int | None = None) -> int:
        """`memory_embed_pending`."""
        return await self._run(
            reading.number("memory_embed_pending", memory_id=memory_id, max_rows=max_rows, store=self._store)
        )

    # --- What belongs to no store -------------------------------------------------------------------

    async def tool_spec(self, name: str = "openai", detail: str = "short") -> Any:
        """`memory_tool_spec`: describes `memory_search` to a language model, in short or in full."""
        return await self._run(reading.tool_spec(name, detail))

    async def embed(self, text: str) -> list[float]:
        """`memory_embed`: the embedding of a text, by the server's embedder."""
        return await self._run(reading.embed(text))

    async def passages(self, raw_entry: str) -> list[str]:
        """`memory_passages`: the passages of a long text, which have an embedding each; empty for a short one."""
        return await self._run(reading.passages(raw_entry))
