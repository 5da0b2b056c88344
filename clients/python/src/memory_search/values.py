"""How Python's values are sent: what psycopg would send as another type, or not at all."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, Protocol
from uuid import UUID

from psycopg.types.json import Jsonb


class _ToList(Protocol):
    """pgvector's Vector and HalfVector."""

    def to_list(self) -> list[float]: ...


class _NumpyArray(Protocol):
    """numpy's arrays."""

    def tolist(self) -> Any: ...


Embedding = Sequence[float] | _ToList | _NumpyArray
EntryId = UUID | str | int
Filters = Mapping[str, Any]
Options = Mapping[str, Any]


def embedding_as_list(embedding: Embedding) -> list[float]:
    """The elements of an embedding, whatever holds them."""
    if hasattr(embedding, "to_list"):
        return list(embedding.to_list())
    if hasattr(embedding, "tolist"):
        return list(embedding.tolist())
    return [float(element) for element in embedding]


def as_jsonb(value: Any) -> Jsonb:
    """A JSON argument, in which times, ids and embeddings may stand as Python has them."""
    return Jsonb(value, dumps=_dumps)


def ids_as_list(entry_ids: Iterable[EntryId]) -> list[EntryId]:
    """A list of ids of one type, as an array wants it; a text stays as it is, for the server knows what ids are."""
    ids = list(entry_ids)
    return ids if len({type(entry_id) for entry_id in ids}) < 2 else [str(entry_id) for entry_id in ids]


def _dumps(value: Any) -> str:
    return json.dumps(value, default=_in_json, ensure_ascii=False)


def _in_json(value: Any) -> Any:
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, timedelta):
        return f"{value.total_seconds():f} seconds"
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "to_list"):
        return value.to_list()
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Sequence | set | frozenset):
        return list(value)
    raise TypeError(f"{type(value).__name__} is nothing that JSON has: {value!r}")
