"""The optional arguments of each method, with their types: the names are the same as of the SQL functions."""

from datetime import datetime, timedelta
from typing import Any, Required, TypedDict
from uuid import UUID

from .values import Embedding, EntryId, Filters, Options


class SearchArguments(TypedDict, total=False):
    """The arguments of every search; `k` is `top_ke` for functions that call it so."""

    k: int | None
    embedding: Embedding | None
    filters: Filters | None
    options: Options | None


class AnswerArguments(SearchArguments, total=False):
    """Further arguments of `memory_search` and `memory_recall`."""

    top_kc: int | None


class ExplainArguments(SearchArguments, total=False):
    """Further arguments of `memory_explain`."""

    entry_id: EntryId | None


class PromptArguments(SearchArguments, total=False):
    """Further arguments of `memory_build_context`."""

    system_prompt: str | None
    token_budget: int | None


class FacetArguments(SearchArguments, total=False):
    """Further arguments of `memory_facets`."""

    by: list[str] | None
    max_values: int | None


class EntryFields(TypedDict, total=False):
    """The fields of an entry besides its text."""

    summary: str | None
    context: str | None
    tags: list[str] | None
    entities: list[str] | None
    metadata: dict[str, Any] | None
    importance: int | None
    embedding: Embedding | None
    user_id: str | None
    agent_id: str | None
    session_id: str | None
    source_type: str | None
    creation_time: datetime | str | None
    entry_id: UUID | str | None
    expires_at: datetime | str | None
    valid_from: datetime | str | None
    valid_until: datetime | str | None
    ttl: timedelta | str | None


class UpsertArguments(EntryFields, total=False):
    """The arguments of `memory_add` besides the text and the key."""

    if_similar: float | None


class EntryArguments(UpsertArguments, total=False):
    """The arguments of `memory_add` besides the text."""

    entry_key: str | None


class NewEntry(EntryFields, total=False):
    """An entry for `memory_add_many`."""

    raw_entry: Required[str]
    entry_key: str | None


class UpdateArguments(TypedDict, total=False):
    """The changes for `memory_update`: omitted fields, or None, change nothing; `clear` names the fields to empty."""

    raw_entry: str | None
    summary: str | None
    tags: list[str] | None
    entities: list[str] | None
    metadata: dict[str, Any] | None
    importance: int | None
    embedding: Embedding | None
    user_id: str | None
    agent_id: str | None
    session_id: str | None
    entry_key: str | None
    source_type: str | None
    creation_time: datetime | str | None
    expires_at: datetime | str | None
    valid_from: datetime | str | None
    valid_until: datetime | str | None
    ttl: timedelta | str | None
    clear: list[str] | None
