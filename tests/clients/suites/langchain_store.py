"""LangChain's VectorStore by the functions of memory_search: a collection is a memory, a document's id an entry_key."""

import uuid
from collections.abc import Iterable, Sequence
from typing import Any

import psycopg
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore
from psycopg import sql
from psycopg.types.json import Jsonb

# A vector store promises the order of similarity alone: none of the boosts and lifts of a search.
BY_SIMILARITY = {
    "strategy": "semantic",
    "fallback": False,
    "boosts": {"recency": 0, "importance": 0, "author": 0, "date": 0, "length": 0},
}


def nested(filters: Any) -> Any:
    """The filters with paths (`place.city`) as objects in each other; all else is what the filter `metadata` takes."""
    if isinstance(filters, list):
        return [nested(one) for one in filters]
    if not isinstance(filters, dict):
        return filters
    conditions = []
    for key, condition in filters.items():
        path = [key] if key.startswith("$") else key.split(".")
        condition = nested(condition) if key in ("$and", "$or", "$not") else condition
        for name in reversed(path):
            condition = {name: condition}
        conditions.append(condition)
    return conditions[0] if len(conditions) == 1 else {"$and": conditions} if conditions else {}


class MemorySearchVectorStore(VectorStore):
    """Documents of one collection. The connection is the caller's, and commits by itself."""

    def __init__(
        self, connection: psycopg.Connection, embedding: Embeddings, collection: str, *, store: str = "memory"
    ) -> None:
        self._connection = connection
        self._embedding = embedding
        self._collection = collection
        self._store = store
        self._entries = sql.Identifier(store, "entries")

    @property
    def embeddings(self) -> Embeddings:
        """What makes the embeddings of documents and queries."""
        return self._embedding

    @classmethod
    def from_texts(
        cls, texts: list[str], embedding: Embeddings, metadatas: list[dict] | None = None, **arguments: Any
    ) -> "MemorySearchVectorStore":
        """A collection with these texts; `ids` and what the constructor takes go by name."""
        ids = arguments.pop("ids", None)
        store = cls(embedding=embedding, **arguments)
        store.add_texts(texts, metadatas, ids=ids)
        return store

    def add_texts(
        self,
        texts: Iterable[str],
        metadatas: list[dict] | None = None,
        *,
        ids: Sequence[str | None] | None = None,
        **_: Any,
    ) -> list[str]:
        """Stores texts, each under its id or a new one; what has an id already is changed."""
        texts = list(texts)
        keys = [key or str(uuid.uuid4()) for key in ids or [None] * len(texts)]
        entries = [
            {"rawEntry": text, "metadata": metadata, "embedding": embedding, "entryKey": key}
            for text, metadata, embedding, key in zip(
                texts, metadatas or [{}] * len(texts), self._embedding.embed_documents(texts), keys, strict=True
            )
        ]
        self._connection.execute(
            "SELECT FROM memory_add_many(%s, %s, store => %s)", (self._collection, Jsonb(entries), self._store)
        )
        return keys

    def delete(self, ids: list[str] | None = None, **_: Any) -> bool:
        """Hides these documents, without ids all of them; memory_purge removes them for good."""
        if ids is None:
            self._connection.execute(
                "SELECT memory_delete(%s, whole_memory => true, store => %s)", (self._collection, self._store)
            )
        else:
            self._by_keys("SELECT memory_delete(%(memory)s, {ids}, store => %(store)s)", ids)
        return True

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """The documents with these ids, without those that are not there."""
        rows = self._by_keys(
            "SELECT entry_key, raw_entry, metadata FROM memory_get(%(memory)s, {ids}, store => %(store)s)", ids
        )
        return [Document(id=key, page_content=text, metadata=metadata) for key, text, metadata in rows]

    def similarity_search(self, query: str, k: int = 4, filter: dict | None = None, **_: Any) -> list[Document]:
        """The k most similar documents whose metadata pass the filter."""
        return [document for document, _ in self.similarity_search_with_score(query, k, filter)]

    def similarity_search_with_score(
        self, query: str, k: int = 4, filter: dict | None = None, **_: Any
    ) -> list[tuple[Document, float]]:
        """The same with their cosine similarities."""
        return self._nearest(query, self._embedding.embed_query(query), k, filter)

    def similarity_search_by_vector(
        self, embedding: list[float], k: int = 4, filter: dict | None = None, **_: Any
    ) -> list[Document]:
        """The documents nearest to an embedding."""
        return [document for document, _ in self._nearest("", embedding, k, filter)]

    def _select_relevance_score_fn(self) -> Any:
        return lambda similarity: (similarity + 1) / 2

    def _by_keys(self, statement: str, keys: Sequence[str]) -> psycopg.Cursor:
        ids = sql.SQL(
            "ARRAY(SELECT entry_id FROM {} WHERE memory_id = %(memory)s AND entry_key = ANY(%(keys)s))"
        ).format(self._entries)
        return self._connection.execute(
            sql.SQL(statement).format(ids=ids), {"memory": self._collection, "store": self._store, "keys": list(keys)}
        )

    def _nearest(
        self, query: str, embedding: list[float], k: int, metadata: dict | None
    ) -> list[tuple[Document, float]]:
        # The rows of a search have no entry_key.
        statement = sql.SQL(
            "SELECT e.entry_key, f.raw_entry, f.metadata, f.semantic"
            " FROM memory_search_entries(%s, %s, %s, %s, %s, %s, %s) f"
            " JOIN {} e ON e.memory_id = f.memory_id AND e.entry_id = f.entry_id::uuid ORDER BY f.rank"
        ).format(self._entries)
        filters = {} if metadata is None else {"metadata": nested(metadata)}
        arguments = (self._collection, query, k, embedding, Jsonb(filters), Jsonb(BY_SIMILARITY), self._store)
        try:
            rows = self._connection.execute(statement, arguments)
        except psycopg.errors.InvalidParameterValue as error:
            raise ValueError(error.diag.message_primary) from error
        return [
            (Document(id=key, page_content=text, metadata=found), similarity)
            for key, text, found, similarity in rows
        ]
