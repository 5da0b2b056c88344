"""Importers that read a PostgreSQL database, row by row, with the existing embeddings."""

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import psycopg
from psycopg import sql
from psycopg.rows import dict_row

from ..arguments import NewEntry
from ..times import read_all_times
from .reading import Read, read, with_zone


def rows_of(conninfo: str, statement: sql.SQL | sql.Composed, values: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The rows of a statement from a server-side cursor: a table may be larger than memory."""
    with psycopg.connect(conninfo) as connection, connection.cursor("imported", row_factory=dict_row) as cursor:
        connection.read_only = True
        read_all_times(cursor)
        cursor.itersize = 500
        yield from cursor.execute(statement, values)


def entries_of(
    rows: Iterator[dict[str, Any]], make: Callable[[dict[str, Any]], NewEntry], nothing: str
) -> Iterator[Read]:
    """The entries of rows. If there is none, the name was probably wrong, which is an error."""
    none = True
    for row in rows:
        none = False
        yield read(f"row {row['id']}", partial(make, row))
    if none:
        raise ValueError(nothing)


def embedding_of(text: str | None) -> list[float] | None:
    """An embedding from pgvector's text."""
    return None if text is None else json.loads(text)


def langchain(conninfo: str, collection: str) -> Iterator[Read]:
    """A collection of LangChain's PGVector: langchain_pg_collection and langchain_pg_embedding."""
    statement = sql.SQL(
        "SELECT e.id::text AS id, e.document, e.cmetadata, e.embedding::text AS embedding"
        " FROM langchain_pg_embedding e JOIN langchain_pg_collection c ON c.uuid = e.collection_id"
        " WHERE c.name = %(collection)s ORDER BY e.id"
    )

    def entry(row: dict[str, Any]) -> NewEntry:
        return NewEntry(
            entry_key=row["id"],
            raw_entry=row["document"] or "",
            metadata=row["cmetadata"],
            embedding=embedding_of(row["embedding"]),
        )

    rows = rows_of(conninfo, statement, {"collection": collection})
    yield from entries_of(rows, entry, f"langchain_pg_embedding has no row of a collection {collection!r}")


def mem0(conninfo: str, collection: str) -> Iterator[Read]:
    """A table of mem0's pgvector store; its name is the collection's."""
    statement = sql.SQL("SELECT id::text AS id, payload, vector::text AS embedding FROM {} ORDER BY id").format(
        sql.Identifier(collection)
    )

    def entry(row: dict[str, Any]) -> NewEntry:
        payload = row["payload"] or {}
        return NewEntry(
            entry_key=row["id"],
            raw_entry=payload.get("data") or "",
            metadata=payload,
            user_id=payload.get("user_id"),
            agent_id=payload.get("agent_id"),
            session_id=payload.get("run_id"),
            creation_time=with_zone(payload.get("created_at")),
            embedding=embedding_of(row["embedding"]),
        )

    yield from entries_of(rows_of(conninfo, statement, {}), entry, f"the table {collection!r} has no row")


def langgraph(conninfo: str, prefix: str) -> Iterator[Read]:
    """LangGraph's PostgresStore: the items whose namespaces begin with these labels, without embeddings."""
    statement = sql.SQL(
        "SELECT prefix || '/' || key AS id, prefix, key, value, created_at FROM store"
        " WHERE prefix = %(prefix)s OR starts_with(prefix, %(prefix)s || '.') ORDER BY prefix, key"
    )

    def entry(row: dict[str, Any]) -> NewEntry:
        texts = [value for value in row["value"].values() if isinstance(value, str)]
        return NewEntry(
            entry_key=row["id"],
            raw_entry="\n".join(texts) or json.dumps(row["value"], ensure_ascii=False),
            metadata={"namespace": row["prefix"].split("."), "key": row["key"], "value": row["value"]},
            creation_time=row["created_at"],
        )

    rows = rows_of(conninfo, statement, {"prefix": prefix})
    yield from entries_of(rows, entry, f"the table store has no item below the namespace {prefix!r}")
