"""Agno: the database of a `MemoryManager`. Its memories of users are one memory, which searches find.

    manager = MemoryManager(db=MemorySearchDb(connection, "agno"), model=...)
    agent = Agent(memory_manager=manager, db=PostgresDb(...), update_memory_on_run=True)

Agno keeps sessions, metrics, knowledge, traces and all other data in another database, the agent's `db`.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from itertools import islice
from typing import Any, NoReturn
from uuid import uuid4

from agno.db.base import BaseDb
from agno.db.schemas import UserMemory

from .answers import Entry
from .arguments import NewEntry
from .connections import Source
from .memory import Memory
from .nearest import MOST, in_batches
from .transactions import one_writer, transaction

# The fields of a memory that become metadata; all others are columns.
FIELDS = ("topics", "input", "feedback", "team_id", "created_at", "updated_at")
SORTS = ("memory_id", "memory", "user_id", "agent_id", "team_id", "created_at", "updated_at")


def elsewhere(name: str) -> Callable[..., Any]:
    """A method that raises an error, because another database is responsible."""

    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise NotImplementedError(
            f"MemorySearchDb holds user memories alone, and has no {name}(): give it to MemoryManager(db=...),"
            " and the agent a db of Agno's"
        )

    refuse.__name__ = name
    return refuse


class MemorySearchDb(BaseDb):
    """The user memories of Agno's `BaseDb`, in one memory of memory_search."""

    def __init__(
        self, source: Source, memory_id: str = "agno", *, store: str | None = None, id: str | None = None
    ) -> None:
        """`source` is a connection, on which threads take turns, or a pool."""
        super().__init__(memory_table=memory_id, id=id)
        self._source = source
        self._memory_id = memory_id
        self._store = store

    def table_exists(self, table_name: str) -> bool:
        """Whether the table is the one for memories."""
        return table_name == self.memory_table_name

    # --- Writing ------------------------------------------------------------------------------------

    def upsert_user_memory(
        self, memory: UserMemory, deserialize: bool | None = True
    ) -> UserMemory | dict[str, Any] | None:
        """Stores a memory under its id, or under a new one; a memory whose id exists is changed."""
        (stored,) = self.upsert_memories([memory], deserialize)
        return stored

    def upsert_memories(
        self, memories: list[UserMemory], deserialize: bool | None = True, preserve_updated_at: bool = False
    ) -> list[UserMemory | dict[str, Any]]:
        """Stores many in the same way: all or none. The time when a memory was created does not change."""
        now = int(datetime.now(UTC).timestamp())
        for memory in memories:
            memory.memory_id = memory.memory_id or str(uuid4())
            if not preserve_updated_at or memory.updated_at is None:
                memory.updated_at = now
        # If an id occurs twice, the last one counts.
        latest = {str(memory.memory_id): memory for memory in memories}
        with transaction(self._source) as connection:
            one_writer(connection, self._store, self._memory_id)
            stored = self._memory(connection)
            for batch in in_batches(latest):
                for entry in stored.page({"entryKey": batch}, page_size=len(batch)):
                    latest[str(entry.entry_key)].created_at = entry.metadata["created_at"]
            for some in in_batches(latest.values()):
                stored.add_many(entry_of(memory) for memory in some)
        rows = [row_of_memory(memory) for memory in latest.values()]
        return [UserMemory.from_dict(row) for row in rows] if deserialize else list(rows)

    def delete_user_memory(self, memory_id: str, user_id: str | None = None) -> None:
        """Hides a memory; with `user_id`, only one of this user. `memory_purge` removes it permanently."""
        self.delete_user_memories([memory_id], user_id)

    def delete_user_memories(self, memory_ids: list[str], user_id: str | None = None) -> None:
        """Hides many in the same way."""
        with transaction(self._source) as connection:
            for batch in in_batches(memory_ids):
                self._memory(connection).delete_where({"entryKey": batch, **of_user(user_id)}, dry_run=False)

    def clear_memories(self) -> None:
        """Hides all memories of all users."""
        with transaction(self._source) as connection:
            self._memory(connection).delete_all()

    # --- Reading ------------------------------------------------------------------------------------

    def get_user_memory(
        self, memory_id: str, deserialize: bool | None = True, user_id: str | None = None
    ) -> UserMemory | dict[str, Any] | None:
        """The memory with this id; with `user_id`, only one of this user."""
        with transaction(self._source) as connection:
            asked = {"entryKey": memory_id, **of_user(user_id)}
            for entry in self._memory(connection).page(asked, page_size=1):
                return UserMemory.from_dict(row_of(entry)) if deserialize else row_of(entry)
        return None

    def get_user_memories(
        self,
        user_id: str | None = None,
        agent_id: str | None = None,
        team_id: str | None = None,
        topics: list[str] | None = None,
        search_content: str | None = None,
        limit: int | None = None,
        page: int | None = None,
        sort_by: str | None = None,
        sort_order: str | None = None,
        deserialize: bool | None = True,
    ) -> list[UserMemory] | tuple[list[dict[str, Any]], int]:
        """The memories that meet all conditions, the newest first, with all of the `topics`; or rows, and their number.

        `search_content` is a part of the text, without regard to case; `search_user_memories` searches by relevance.
        """
        skipped = skipped_by(limit, page)
        if sort_by is not None and sort_by not in SORTS:
            raise ValueError(f"sort_by is one of {', '.join(SORTS)}, not {sort_by!r}")
        if sort_order not in (None, "asc", "desc"):
            raise ValueError(f"sort_order is asc or desc, not {sort_order!r}")
        filters: dict[str, Any] = of_user(user_id)
        if agent_id is not None:
            filters["agentId"] = {"$eq": agent_id}
        if team_id is not None:
            filters["metadata"] = {"team_id": {"$eq": team_id}}
        if topics:
            filters["tags"] = {"$all": topics}
        if search_content:
            filters["rawEntry"] = {"$ilike": f"%{literal(search_content)}%"}
        with transaction(self._source) as connection:
            memory = self._memory(connection)
            total = memory.count(filters)
            if sort_by in (None, "created_at"):
                ascending = sort_by is not None and sort_order == "asc"
                size = MOST if limit is None else max(1, min(MOST, skipped + limit))
                listed = memory.list(filters, order_by="createdAt" if ascending else "-createdAt", page_size=size)
                rows = [row_of(entry) for entry in islice(listed, skipped, None if limit is None else skipped + limit)]
            else:
                rows = [row_of(entry) for entry in memory.list(filters, page_size=MOST)]
                rows.sort(key=lambda row: (row[sort_by] is not None, row[sort_by]), reverse=sort_order != "asc")
                rows = rows[skipped : None if limit is None else skipped + limit]
        return [UserMemory.from_dict(row) for row in rows] if deserialize else (rows, total)

    def search_user_memories(self, query: str, user_id: str | None = None, limit: int = 10) -> list[UserMemory]:
        """The memories of a user, or of all users, that `memory_search` finds; Agno's interface has no such method."""
        with transaction(self._source) as connection:
            memory = self._memory(connection)
            ids = [entry.entry_id for entry in memory.entries(query, k=limit, filters=of_user(user_id))]
            return [UserMemory.from_dict(row_of(entry)) for entry in memory.get(ids)] if ids else []

    def get_all_memory_topics(self, user_id: str | None = None) -> list[str]:
        """Every topic, found by reading all memories of the user, or of all users."""
        with transaction(self._source) as connection:
            listed = self._memory(connection).list(of_user(user_id), page_size=MOST)
            return sorted({topic for entry in listed for topic in entry.tags})

    def get_user_memory_stats(
        self, limit: int | None = None, page: int | None = None, user_id: str | None = None
    ) -> tuple[list[dict[str, Any]], int]:
        """The number of memories of each user, the last changed first, found by reading all; and that of users."""
        skipped = skipped_by(limit, page)
        users: dict[str, dict[str, Any]] = {}
        with transaction(self._source) as connection:
            filters = of_user(user_id) or {"userId": {"$exists": True}}
            for entry in self._memory(connection).list(filters, page_size=MOST):
                user = str(entry.user_id)
                about = users.setdefault(user, {"user_id": user, "total_memories": 0, "last_memory_updated_at": 0})
                about["total_memories"] += 1
                about["last_memory_updated_at"] = max(about["last_memory_updated_at"], row_of(entry)["updated_at"])
        stats = sorted(users.values(), key=lambda about: about["last_memory_updated_at"], reverse=True)
        return stats[skipped : None if limit is None else skipped + limit], len(stats)

    def _memory(self, connection: Source) -> Memory:
        return Memory(connection, self._memory_id, store=self._store)

    # --- What another database is for ---------------------------------------------------------------

    get_latest_schema_version = elsewhere("get_latest_schema_version")
    upsert_schema_version = elsewhere("upsert_schema_version")
    get_session = elsewhere("get_session")
    get_sessions = elsewhere("get_sessions")
    upsert_session = elsewhere("upsert_session")
    upsert_sessions = elsewhere("upsert_sessions")
    rename_session = elsewhere("rename_session")
    delete_session = elsewhere("delete_session")
    delete_sessions = elsewhere("delete_sessions")
    get_run = elsewhere("get_run")
    get_runs = elsewhere("get_runs")
    delete_run = elsewhere("delete_run")
    delete_runs = elsewhere("delete_runs")
    get_metrics = elsewhere("get_metrics")
    calculate_metrics = elsewhere("calculate_metrics")
    get_knowledge_content = elsewhere("get_knowledge_content")
    get_knowledge_contents = elsewhere("get_knowledge_contents")
    upsert_knowledge_content = elsewhere("upsert_knowledge_content")
    delete_knowledge_content = elsewhere("delete_knowledge_content")
    create_eval_run = elsewhere("create_eval_run")
    get_eval_run = elsewhere("get_eval_run")
    get_eval_runs = elsewhere("get_eval_runs")
    rename_eval_run = elsewhere("rename_eval_run")
    delete_eval_runs = elsewhere("delete_eval_runs")
    upsert_trace = elsewhere("upsert_trace")
    get_trace = elsewhere("get_trace")
    get_traces = elsewhere("get_traces")
    get_trace_stats = elsewhere("get_trace_stats")
    create_span = elsewhere("create_span")
    create_spans = elsewhere("create_spans")
    get_span = elsewhere("get_span")
    get_spans = elsewhere("get_spans")
    get_learning = elsewhere("get_learning")
    get_learnings = elsewhere("get_learnings")
    upsert_learning = elsewhere("upsert_learning")
    delete_learning = elsewhere("delete_learning")


def of_user(user_id: str | None) -> dict[str, Any]:
    """The filter for a user; empty for all users."""
    return {} if user_id is None else {"userId": {"$eq": user_id}}


def skipped_by(limit: int | None, page: int | None) -> int:
    """The number of memories before a page."""
    if (limit is not None and limit < 0) or (page is not None and (limit is None or page < 1)):
        raise ValueError(f"a page is 1 or more and needs a limit of 0 or more: page {page}, limit {limit}")
    return (page - 1) * limit if page and limit else 0


def literal(text: str) -> str:
    """A text in which LIKE sees no patterns."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def entry_of(memory: UserMemory) -> NewEntry:
    """The entry for a memory."""
    return NewEntry(
        raw_entry=memory.memory,
        entry_key=memory.memory_id,
        tags=memory.topics or [],
        metadata={name: getattr(memory, name) for name in FIELDS},
        user_id=memory.user_id,
        agent_id=memory.agent_id,
        creation_time=None if memory.created_at is None else datetime.fromtimestamp(memory.created_at, UTC),
    )


def row_of_memory(memory: UserMemory) -> dict[str, Any]:
    """A memory as a row of Agno's tables."""
    columns = {name: getattr(memory, name) for name in ("memory_id", "memory", "user_id", "agent_id")}
    return columns | {name: getattr(memory, name) for name in FIELDS}


def row_of(entry: Entry) -> dict[str, Any]:
    """The row of an entry that was made of a memory, or by another program."""
    created = entry.creation_time and int(entry.creation_time.timestamp())
    row = {
        "memory_id": entry.entry_key or entry.entry_id,
        "memory": entry.raw_entry,
        "user_id": entry.user_id,
        "agent_id": entry.agent_id,
        **{name: entry.metadata.get(name) for name in FIELDS},
    }
    row["created_at"] = created if row["created_at"] is None else row["created_at"]
    row["updated_at"] = row["created_at"] if row["updated_at"] is None else row["updated_at"]
    return row
