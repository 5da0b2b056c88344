"""The conversion of Python values that psycopg would send as another type, or not at all."""

import json
from collections.abc import Iterable, Mapping, Sequence, Set
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


# The arguments that are lists, and those that are objects.
LISTS = {
    "tags",
    "entities",
    "by",
    "clear",
    "entry_ids",
    "kinds",
    "context_ids",
    "memory_ids",
    "prefixes",
    "entries",
    "judgements",
    "lines",
}
OBJECTS = {"filters", "options", "metadata"}


def sent(name: str, value: Any) -> Any:
    """The value to send for the argument of this name.

    A value that psycopg would send as a different text is refused: a list for a text would become `{a}`.
    """
    if value is None:
        return None
    if name == "embedding":
        return embedding_as_list(value)
    if name in OBJECTS:
        if not isinstance(value, Mapping):
            raise TypeError(f"{name} must be a dict, not {_kind(value)}")
        return as_jsonb(value)
    if name in LISTS:
        listed = as_list(name, value)
        return as_jsonb(listed) if name in ("entries", "judgements", "lines") else listed
    if isinstance(value, Sequence | Mapping | Set) and not isinstance(value, str):
        raise TypeError(f"{name} must be one value, not {_kind(value)}")
    return value


def as_list(name: str, values: Any) -> list[Any]:
    """A list of a collection's values; a text, which is a sequence of letters, is refused."""
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise TypeError(f"{name} must be a list, not {_kind(values)}")
    return list(values)


def _kind(value: Any) -> str:
    return f"of type {type(value).__name__}"


def embedding_as_list(embedding: Embedding) -> list[float]:
    """The elements of an embedding, from any ordered collection."""
    if hasattr(embedding, "to_list"):
        return list(embedding.to_list())
    if hasattr(embedding, "tolist"):
        return list(embedding.tolist())
    if not isinstance(embedding, Sequence) or isinstance(embedding, str | bytes):
        raise TypeError(f"an embedding must be a list of numbers, not {_kind(embedding)}")
    if any(isinstance(element, str | bytes) for element in embedding):
        raise TypeError("an embedding must be a list of numbers, not of texts")
    return [float(element) for element in embedding]


def as_jsonb(value: Any) -> Jsonb:
    """A JSON argument, in which times, ids and embeddings may be Python objects."""
    return Jsonb(value, dumps=_dumps)


def ids_as_list(entry_ids: Iterable[EntryId]) -> list[EntryId]:
    """A list of ids of one type, as an array needs it; a text stays as it is, because the server knows what ids are."""
    ids = as_list("entry_ids", entry_ids)
    return ids if len({type(entry_id) for entry_id in ids}) < 2 else [str(entry_id) for entry_id in ids]


def _dumps(value: Any) -> str:
    return json.dumps(value, default=_in_json, ensure_ascii=False, allow_nan=False)


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
    if isinstance(value, Sequence | Set) and not isinstance(value, bytes | bytearray | memoryview):
        return list(value)
    raise TypeError(f"{type(value).__name__} has no form in JSON: {value!r}")
