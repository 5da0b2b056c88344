"""Times from the server, including those that Python does not have: one would keep all rows from being read.

A time after year 9999, or `infinity`, becomes the last datetime, and a time before year 1 the first.
"""

from datetime import UTC, datetime

from psycopg import DataError
from psycopg.abc import AdaptContext, Buffer
from psycopg.types.datetime import TimestamptzBinaryLoader, TimestamptzLoader

LAST = datetime.max.replace(tzinfo=UTC)
FIRST = datetime.min.replace(tzinfo=UTC)


def time_of(text: str) -> datetime:
    """A time in JSON."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return nearest_to(text)


def nearest_to(text: str) -> datetime:
    """The first or the last datetime."""
    return FIRST if text.startswith("-") or text.endswith(" BC") else LAST


class TimeLoader(TimestamptzLoader):
    """`timestamptz` as text."""

    def load(self, data: Buffer) -> datetime:
        """A time."""
        try:
            return super().load(data)
        except DataError:
            return nearest_to(bytes(data).decode())


class BinaryTimeLoader(TimestamptzBinaryLoader):
    """`timestamptz` in PostgreSQL's own form: microseconds from the year 2000."""

    def load(self, data: Buffer) -> datetime:
        """A time."""
        try:
            return super().load(data)
        except DataError:
            return FIRST if bytes(data)[0] >= 0x80 else LAST


def read_all_times(cursor: AdaptContext) -> None:
    """Lets a cursor read every time."""
    cursor.adapters.register_loader("timestamptz", TimeLoader)
    cursor.adapters.register_loader("timestamptz", BinaryTimeLoader)
