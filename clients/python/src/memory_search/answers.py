"""The results of the SQL functions: a field for each column, or for each key of a JSON answer."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Self
from uuid import UUID

from .times import time_of


class FromRow:
    """A result from a row, by the names of its columns; columns that this version does not know are ignored."""

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> Self:
        """The result for a row."""
        return cls(**{one.name: row[one.name] for one in fields(cls) if one.name in row})  # type: ignore[arg-type]

    @classmethod
    def of_rows(cls, rows: Iterable[Mapping[str, Any]]) -> list[Self]:
        """The results for rows."""
        return [cls.of_row(row) for row in rows]


class FromJson:
    """A result from a JSON object, whose keys are the names in camel case; `document` has the whole object."""

    @classmethod
    def of_json(cls, document: Mapping[str, Any]) -> Self:
        """The result for an object."""
        known = {camel(one.name): one.name for one in fields(cls)}  # type: ignore[arg-type]
        values = {known[key]: _time(key, value) for key, value in document.items() if key in known}
        return cls(**values, document=dict(document))  # type: ignore[call-arg]


def camel(name: str) -> str:
    """The key for `entry_key` in JSON: `entryKey`."""
    first, *others = name.split("_")
    return first + "".join(other.capitalize() for other in others)


TIMES = {"creationTime", "latestContextTimestamp", "validFrom", "validUntil"}


def _time(key: str, value: Any) -> Any:
    return time_of(value) if key in TIMES and isinstance(value, str) else value


@dataclass(frozen=True, kw_only=True)
class AnswerEntry(FromJson):
    """An entry of an answer. A field that the option `fields` omits is None; so is `entities` without names."""

    entry_id: str | None = None
    memory_id: str | None = None
    raw_entry: str | None = None
    score: float | None = None
    scores: dict[str, float | None] = field(default_factory=dict)
    strategy: str | None = None
    user_id: str | None = None
    agent_id: str | None = None
    session_id: str | None = None
    entry_key: str | None = None
    summary: str | None = None
    source_type: str | None = None
    tags: list[str] | None = None
    entities: list[str] | None = None
    metadata: dict[str, Any] | None = None
    importance: int | None = None
    access_count: int | None = None
    creation_time: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    superseded_by: str | None = None
    snippet: dict[str, Any] | None = None
    neighbours: list[dict[str, Any]] | None = None
    embedding: list[float] | None = None
    document: dict[str, Any] = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class AnswerContext(FromJson):
    """A context of an answer."""

    context_id: str
    memory_id: str
    context: str
    creation_time: datetime | None
    score: float
    document: dict[str, Any] = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class Answer(FromJson):
    """The answer of `memory_search` and `memory_recall`."""

    entries: list[AnswerEntry]
    count: int
    latest_context: str
    latest_context_timestamp: datetime | None
    contexts: list[AnswerContext]
    next_cursor: str | None = None
    diagnostics: dict[str, Any] | None = None
    document: dict[str, Any] = field(repr=False)

    @classmethod
    def of_json(cls, document: Mapping[str, Any]) -> Self:
        """The answer, with its entries and contexts as objects of their classes."""
        entries = [AnswerEntry.of_json(entry) for entry in document["entries"]]
        contexts = [AnswerContext.of_json(context) for context in document["contexts"]]
        made = super().of_json({**document, "entries": entries, "contexts": contexts})
        made.document.update(document)
        return made


@dataclass(frozen=True, kw_only=True)
class RankedEntry(FromRow):
    """A row of `memory_search_entries`."""

    rank: int
    entry_id: str
    memory_id: str
    raw_entry: str
    user_id: str | None
    agent_id: str | None
    summary: str | None
    tags: list[str]
    metadata: dict[str, Any]
    source_type: str | None
    importance: int | None
    access_count: int
    creation_time: datetime | None
    strategy: str
    score: float
    semantic: float | None
    keyword: float | None
    bm25: float | None
    relevance: float
    recency_factor: float
    importance_factor: float
    popularity_factor: float


@dataclass(frozen=True, kw_only=True)
class Entry(FromRow):
    """A row of `memory_get` or `memory_list`; the second has a `cursor`."""

    entry_id: str
    memory_id: str
    raw_entry: str
    user_id: str | None
    agent_id: str | None
    session_id: str | None
    entry_key: str | None
    summary: str | None
    context: str | None
    tags: list[str]
    metadata: dict[str, Any]
    source_type: str | None
    importance: int | None
    access_count: int
    creation_time: datetime | None
    expires_at: datetime | None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    ttl: str | None = None
    superseded_by: str | None = None
    deletion_scheduled_time: datetime | None = None
    embedding: list[float] | None = None
    entities: list[str] = field(default_factory=list)
    cursor: str | None = field(default=None, repr=False)


@dataclass(frozen=True, kw_only=True)
class Candidate(FromRow):
    """A row of `memory_explain`."""

    place: int | None
    outcome: str
    score: float | None
    semantic: float | None
    keyword: float | None
    recency: float | None
    importance: float | None
    popularity: float | None
    related: float | None
    entry: str | None
    entry_id: str | None
    details: dict[str, Any] | None
    memory_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class Added(FromRow):
    """A row of `memory_add_many`."""

    ordinality: int
    entry_id: UUID
    status: str


@dataclass(frozen=True, kw_only=True)
class Deleted(FromRow):
    """A row of `memory_delete_where`."""

    entry_id: UUID
    deleted: bool


@dataclass(frozen=True, kw_only=True)
class Change(FromRow):
    """A row of `memory_history`."""

    history_id: int
    operation: str
    recorded_at: datetime
    session_role: str
    effective_role: str
    user_id: str | None
    before: dict[str, Any] | None


@dataclass(frozen=True, kw_only=True)
class Link(FromRow):
    """A row of `memory_links`."""

    from_entry: str
    to_entry: str
    kind: str
    weight: float
    valid_from: datetime | None
    valid_until: datetime | None
    metadata: dict[str, Any]
    creation_time: datetime


@dataclass(frozen=True, kw_only=True)
class RelatedEntry(FromRow):
    """A row of `memory_related`."""

    entry_id: str
    hops: int
    weight: float
    kind: str
    via: str
    raw_entry: str
    summary: str | None
    creation_time: datetime | None
    is_cut: bool


@dataclass(frozen=True, kw_only=True)
class Alias(FromRow):
    """A row of `memory_aliases`."""

    alias: str
    entity: str
    creation_time: datetime


@dataclass(frozen=True, kw_only=True)
class Entity(FromRow):
    """A row of `memory_entities`."""

    entity: str
    aliases: list[str]
    entries: int
    first_seen: datetime | None
    last_seen: datetime | None
    occurs_with: list[str]


@dataclass(frozen=True, kw_only=True)
class EntryAbout(FromRow):
    """A row of `memory_about`."""

    entry_id: str
    summary: str | None
    raw_entry: str
    entities: list[str]
    creation_time: datetime | None
    tokens: int


@dataclass(frozen=True, kw_only=True)
class FacetCount(FromRow):
    """A row of `memory_facets`: the number of entries that have a value."""

    facet: str
    value: str
    entries: int


@dataclass(frozen=True, kw_only=True)
class MemorySummary(FromRow):
    """A row of `memory_list_memories`."""

    memory_id: str
    entries: int
    contexts: int
    first_created: datetime | None
    last_created: datetime | None
    last_used: datetime | None


@dataclass(frozen=True, kw_only=True)
class Stats(FromRow):
    """The row of `memory_stats`."""

    memories: int
    entries: int
    visible: int
    deleted: int
    expired: int
    superseded: int
    without_embedding: int
    contexts: int
    table_bytes: int
    index_bytes: int


@dataclass(frozen=True, kw_only=True)
class Check(FromRow):
    """A row of `memory_doctor`."""

    name: str
    status: str
    detail: str
    fix: str | None
