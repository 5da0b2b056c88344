"""A call of an SQL function: its name, its arguments by name, and what is made of its rows."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from psycopg import sql

from .values import sent

T = TypeVar("T")
Row = Mapping[str, Any]

# Where the server could take the value of a parameter for another type, or none: an empty list has no type.
CASTS = {"kinds": sql.SQL("::text[]"), "memory_ids": sql.SQL("::text[]"), "prefixes": sql.SQL("::text[]")}
NO_CAST = sql.SQL("")
# Arguments that no function has a default for; that they are null the server says better than that there is no such
# function.
ALWAYS = frozenset({"memory_id", "memory_ids", "query"})


@dataclass(frozen=True)
class Call(Generic[T]):
    """`SELECT * FROM function(name => value, ...)`; an argument that is None is left to the function's default."""

    function: str
    arguments: Mapping[str, Any]
    read: Callable[[Sequence[Row]], T]
    # The function gives one value, named `value`, and not rows.
    scalar: bool = False
    # What that value is cast to: psycopg knows no type of pgvector's.
    cast: sql.SQL | None = None
    # Arguments that are sent also where they are None.
    required: tuple[str, ...] = ()

    def statement(self, schema: str | None = None) -> sql.Composed:
        """The SQL, with a parameter for each argument."""
        name = sql.Identifier(schema, self.function) if schema else sql.Identifier(self.function)
        given = sql.SQL(", ").join(
            sql.SQL("{} => {}{}").format(
                sql.Identifier(argument), sql.Placeholder(argument), CASTS.get(argument, NO_CAST)
            )
            for argument in self._given()
        )
        call = sql.SQL("{}({})").format(name, given)
        if not self.scalar:
            return sql.SQL("SELECT * FROM {}").format(call)
        return sql.SQL("SELECT {}{} AS value").format(call, self.cast or NO_CAST)

    def values(self) -> dict[str, Any]:
        """The parameters."""
        return {name: sent(name, self.arguments[name]) for name in self._given()}

    def _given(self) -> list[str]:
        return [
            name
            for name, value in self.arguments.items()
            if value is not None or name in self.required or name in ALWAYS
        ]


def checked(arguments: Mapping[str, Any], kind: type, method: str) -> dict[str, Any]:
    """The arguments of a method, none of which it does not know: the server would say that there is no function."""
    known = kind.__annotations__
    for name in arguments:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f'; did you mean "{near[0]}"?' if near else ""
            raise TypeError(f'{method}() has no argument "{name}"{hint}')
    return dict(arguments)


def only_value(rows: Sequence[Row]) -> Any:
    """The value of a function that gives one."""
    return rows[0]["value"]


def no_value(rows: Sequence[Row]) -> None:
    """Of a function that gives none."""
