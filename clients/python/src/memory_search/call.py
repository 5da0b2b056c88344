"""A call of an SQL function: its name, its arguments by name, and the conversion of its rows."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from psycopg import sql

from .values import sent

T = TypeVar("T")
Row = Mapping[str, Any]

# Casts for arguments for which the server could infer another type, or none: an empty list has no type.
CASTS = {"kinds": sql.SQL("::text[]"), "memory_ids": sql.SQL("::text[]"), "prefixes": sql.SQL("::text[]")}
NO_CAST = sql.SQL("")
# Arguments that have no default in any function: the server's message about a null is better than the one about a
# missing function.
ALWAYS = frozenset({"memory_id", "memory_ids", "query"})


@dataclass(frozen=True)
class Call(Generic[T]):
    """`SELECT * FROM function(name => value, ...)`; for an argument that is None the function's default is used."""

    function: str
    arguments: Mapping[str, Any]
    read: Callable[[Sequence[Row]], T]
    # The function returns one value, named `value`, and not rows.
    scalar: bool = False
    # The type to which the value is cast: psycopg does not know pgvector's types.
    cast: sql.SQL | None = None
    # Arguments that are also sent if they are None.
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


# Names that SQL functions, JSON requests and other libraries have for k.
OTHERS_OF_K = {"top_ke", "topKe", "top_k", "topK", "limit"}


def checked(arguments: Mapping[str, Any], kind: type, method: str) -> dict[str, Any]:
    """The arguments of a method. Unknown ones are refused here: the server would say that there is no function."""
    known = kind.__annotations__
    for name in arguments:
        if name not in known:
            # SQL functions and JSON requests call k top_ke: the nearest name would be top_kc, which is another thing.
            near = ["k"] if name in OTHERS_OF_K and "k" in known else difflib.get_close_matches(name, known, 1)
            hint = f'; did you mean "{near[0]}"?' if near else ""
            raise TypeError(f'{method}() has no argument "{name}"{hint}')
    return dict(arguments)


def only_value(rows: Sequence[Row]) -> Any:
    """The value of a function that returns one."""
    return rows[0]["value"]


def no_value(rows: Sequence[Row]) -> None:
    """The result of a function that returns no value."""
