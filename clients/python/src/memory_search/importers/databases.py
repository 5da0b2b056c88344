"""Importers that read a database of PostgreSQL, row by row, with the embeddings that are there."""

import json
from collections.abc import Iterator
from typing import Any

import psycopg
from psycopg import sql
from psycopg.rows import dict_row

from ..arguments import NewEntry


def rows_of(conninfo: str, statement: sql.SQL | sql.Composed, values: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The rows of a statement by a cursor of the server: a table may be larger than memory."""
    with psycopg.connect(conninfo) as connection, connection.cursor("imported", row_factory=dict_row) as cursor:
        connection.read_only = True
        cursor.itersize = 500
        yield from cursor.execute(statement, values)


def embedding_of(text: str | None) -> list[float] | None:
    """pgvector's text of an embedding."""
    return None if text is None else json.loads(text)


def langchain(conninfo: str, collection: str) -> Iterator[NewEntry]:
    """A collection of LangChain's PGVector: langchain_pg_collection and langchain_pg_embedding."""
    statement = sql.SQL(
        "SELECT e.id::text AS id, e.document, e.cmetadata, e.embedding::text AS embedding"
        " FROM langchain_pg_embedding e JOIN langchain_pg_collection c ON c.uuid = e.collection_id"
        " WHERE c.name = %(collection)s ORDER BY e.id"
    )
    for row in rows_of(conninfo, statement, {"collection": collection}):
        yield NewEntry(
            entry_key=row["id"],
            raw_entry=row["document"] or "",
            metadata=row["cmetadata"],
            embedding=embedding_of(row["embedding"]),
        )


def mem0(conninfo: str, collection: str) -> Iterator[NewEntry]:
    """A table of mem0's pgvector store, which has the collection's name."""
    statement = sql.SQL("SELECT id::text AS id, payload, vector::text AS embedding FROM {} ORDER BY id").format(
        sql.Identifier(collection)
    )
    for row in rows_of(conninfo, statement, {}):
        payload = row["payload"] or {}
        yield NewEntry(
            entry_key=row["id"],
            raw_entry=payload.get("data") or "",
            metadata=payload,
            user_id=payload.get("user_id"),
            agent_id=payload.get("agent_id"),
            session_id=payload.get("run_id"),
            creation_time=payload.get("created_at"),
            embedding=embedding_of(row["embedding"]),
        )


def langgraph(conninfo: str, prefix: str) -> Iterator[NewEntry]:
    """LangGraph's PostgresStore: the items whose namespaces begin with these labels, without embeddings."""
    statement = sql.SQL(
        "SELECT prefix, key, value, created_at FROM store"
        " WHERE prefix = %(prefix)s OR starts_with(prefix, %(prefix)s || '.') ORDER BY prefix, key"
    )
    for row in rows_of(conninfo, statement, {"prefix": prefix}):
        texts = [value for value in row["value"].values() if isinstance(value, str)]
        yield NewEntry(
            entry_key=f"{row['prefix']}/{row['key']}",
            raw_entry="\n".join(texts) or json.dumps(row["value"], ensure_ascii=False),
            metadata={"namespace": row["prefix"].split("."), "key": row["key"], "value": row["value"]},
            creation_time=row["created_at"],
        )
