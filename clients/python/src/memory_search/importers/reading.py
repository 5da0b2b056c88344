"""The contents of a source: entries, or the reason why there is none. An error does not end the reading."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NoReturn

from ..arguments import NewEntry

# The errors that a file in another form than its format's raises.
MALFORMED = (ValueError, TypeError, KeyError, AttributeError, OverflowError, OSError)


@dataclass(frozen=True)
class Read:
    """An entry, or the reason why there is none, and its place in the source."""

    where: str
    entry: NewEntry | None
    wrong: str = ""
    # Entries without a time, which are listed in the order of the source.
    in_order: bool = False


def read(where: str, make: Callable[[], NewEntry], *, in_order: bool = False) -> Read:
    """The entry that `make` returns, whose text must be a text."""
    try:
        entry = make()
        if not isinstance(entry["raw_entry"], str):
            return Read(where, None, f"its text is none, but {type(entry['raw_entry']).__name__}")
    except MALFORMED as error:
        return Read(where, None, f"the key {error} is missing" if isinstance(error, KeyError) else str(error))
    return Read(where, entry, in_order=in_order)


def parsed(text: str) -> Any:
    """JSON as in the standard: without NaN, and each key once in an object."""
    try:
        return json.loads(text, parse_constant=refused_number, object_pairs_hook=with_keys_once)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"no JSON: {error}") from error


def refused_number(text: str) -> NoReturn:
    """Refuses NaN and Infinity, which Python reads but JSON does not have."""
    raise ValueError(f"no JSON: {text} is no number there")


def with_keys_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; if a key occurred twice, one value would be lost."""
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} comes twice")
    return made


def an_object(value: Any) -> dict[str, Any]:
    """A value that must be an object."""
    if not isinstance(value, dict):
        raise ValueError("no JSON object")
    return value


def objects(values: Any, where: str) -> Iterator[tuple[str, dict[str, Any] | Read]]:
    """The objects of a list with their places, and an error for each other value."""
    if values is not None and not isinstance(values, list):
        yield where, Read(where, None, "no list")
        return
    for number, value in enumerate(values or [], 1):
        place = f"{where} {number}"
        yield place, value if isinstance(value, dict) else Read(place, None, "no JSON object")


def with_zone(time: Any) -> datetime | None:
    """A time from one of these sources, in UTC if it has no zone."""
    if not time:
        return None
    if not isinstance(time, str):
        raise ValueError(f"a time must be a text, not {time!r}")
    at = datetime.fromisoformat(time)
    return at if at.tzinfo else at.replace(tzinfo=UTC)
