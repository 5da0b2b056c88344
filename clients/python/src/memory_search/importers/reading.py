"""What a source holds, one thing after the other: an entry, or why it is none. A wrong one does not end the reading."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NoReturn

from ..arguments import NewEntry

# What comes of a file that is not of the form that its format has.
MALFORMED = (ValueError, TypeError, KeyError, AttributeError, OverflowError, OSError)


@dataclass(frozen=True)
class Read:
    """An entry, or why there is none, and where in the source that is."""

    where: str
    entry: NewEntry | None
    wrong: str = ""
    # Entries without a time that are listed as the source has them.
    in_order: bool = False


def read(where: str, make: Callable[[], NewEntry], *, in_order: bool = False) -> Read:
    """The entry that is made there, whose text is a text."""
    try:
        entry = make()
        if not isinstance(entry["raw_entry"], str):
            return Read(where, None, f"its text is none, but {type(entry['raw_entry']).__name__}")
    except MALFORMED as error:
        return Read(where, None, f"the key {error} is missing" if isinstance(error, KeyError) else str(error))
    return Read(where, entry, in_order=in_order)


def parsed(text: str) -> Any:
    """JSON as the standard has it: without NaN, and an object has a key once."""
    try:
        return json.loads(text, parse_constant=refused_number, object_pairs_hook=with_keys_once)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"no JSON: {error}") from error


def refused_number(text: str) -> NoReturn:
    """Python reads NaN and Infinity, which JSON does not have."""
    raise ValueError(f"no JSON: {text} is no number there")


def with_keys_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; of a key that comes twice one value would be lost."""
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} comes twice")
    return made


def an_object(value: Any) -> dict[str, Any]:
    """What was read, which has keys."""
    if not isinstance(value, dict):
        raise ValueError("no JSON object")
    return value


def objects(values: Any, where: str) -> Iterator[tuple[str, dict[str, Any] | Read]]:
    """A list's objects with their places, and what stands there instead of one."""
    if values is not None and not isinstance(values, list):
        yield where, Read(where, None, "no list")
        return
    for number, value in enumerate(values or [], 1):
        place = f"{where} {number}"
        yield place, value if isinstance(value, dict) else Read(place, None, "no JSON object")


def with_zone(time: Any) -> datetime | None:
    """A time of these, in UTC where it names no zone."""
    if not time:
        return None
    if not isinstance(time, str):
        raise ValueError(f"a time is a text, and here {time!r}")
    at = datetime.fromisoformat(time)
    return at if at.tzinfo else at.replace(tzinfo=UTC)
