"""LangChain: a vector store and a retriever. A collection is a memory, a document's id an entry_key."""

import uuid
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import psycopg
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import VectorStore
from pydantic import ConfigDict

from .answers import AnswerEntry
from .arguments import NewEntry
from .connections import Source
from .memory import Memories, Memory
from .nearest import BY_SIMILARITY, arguments, in_batches, nearest


class MemorySearchVectorStore(VectorStore):
    """Documents of one collection, which the application embeds, found by their similarity."""

    def __init__(self, source: Source, embedding: Embeddings, collection: str, *, store: str | None = None) -> None:
        """`source` is a connection, whose transactions belong to the caller, or a pool."""
        self._source = source
        self._embedding = embedding
        self._collection = collection
        self._store = store
        self._memory = Memory(source, collection, store=store)

    @property
    def embeddings(self) -> Embeddings:
        """The model for the embeddings of documents and queries."""
        return self._embedding

    @classmethod
    def from_texts(
        cls, texts: list[str], embedding: Embeddings, metadatas: list[dict[str, Any]] | None = None, **kwargs: Any
    ) -> "MemorySearchVectorStore":
        """A collection with these texts; `ids` and the constructor's arguments are given by name."""
        ids = kwargs.pop("ids", None)
        store = cls(embedding=embedding, **kwargs)
        store.add_texts(texts, metadatas, ids=ids)
        return store

    def add_texts(
        self,
        texts: Iterable[str],
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: Sequence[str | None] | None = None,
        **kwargs: Any,
    ) -> list[str]:
        """Stores texts, each under its id or a new one; a text whose id exists replaces the old one. All or none."""
        texts = list(texts)
        keys = [key or str(uuid.uuid4()) for key in ids or [None] * len(texts)]
        self._memory.add_many(
            NewEntry(raw_entry=text, metadata=metadata or {}, embedding=embedding, entry_key=key)
            for text, metadata, embedding, key in zip(
                texts, metadatas or [{}] * len(texts), self._embedding.embed_documents(texts), keys, strict=True
            )
        )
        return keys

    def delete(self, ids: list[str] | None = None, **kwargs: Any) -> bool:
        """Hides these documents, without ids all of them; `memory_purge` removes them permanently."""
        if ids is None:
            self._memory.delete_all()
        else:
            for batch in in_batches(ids):
                self._memory.delete_where({"entryKey": batch}, dry_run=False)
        return True

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """The documents with these ids; missing ones are left out."""
        return [
            Document(id=entry.entry_key, page_content=entry.raw_entry, metadata=entry.metadata)
            for batch in in_batches(ids)
            for entry in self._memory.page({"entryKey": batch}, page_size=len(batch))
        ]

    def similarity_search(
        self, query: str, k: int = 4, filter: dict[str, Any] | None = None, **kwargs: Any
    ) -> list[Document]:
        """The k most similar documents whose metadata pass the filter."""
        return [document for document, _ in self.similarity_search_with_score(query, k, filter)]

    def similarity_search_with_score(
        self, query: str, k: int = 4, filter: dict[str, Any] | None = None, **kwargs: Any
    ) -> list[tuple[Document, float]]:
        """These documents with their cosine similarities."""
        return self._nearest(query, self._embedding.embed_query(query), k, filter)

    def similarity_search_by_vector(
        self, embedding: list[float], k: int = 4, filter: dict[str, Any] | None = None, **kwargs: Any
    ) -> list[Document]:
        """The documents nearest to an embedding."""
        return [document for document, _ in self._nearest("", embedding, k, filter)]

    def max_marginal_relevance_search(
        self,
        query: str,
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        filter: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> list[Document]:
        """The k best that differ from each other, by the option `mmr`."""
        embedding = self._embedding.embed_query(query)
        options = BY_SIMILARITY | {"mmr": lambda_mult, "candidates": max(k, fetch_k)}
        return [document for document, _ in self._nearest(query, embedding, k, filter, options)]

    def _select_relevance_score_fn(self) -> Callable[[float], float]:
        return lambda similarity: (similarity + 1) / 2

    def _nearest(
        self,
        query: str,
        embedding: list[float],
        k: int,
        metadata: dict[str, Any] | None,
        options: dict[str, Any] = BY_SIMILARITY,
    ) -> list[tuple[Document, float]]:
        filters = {} if metadata is None else {"metadata": nested(metadata)}
        values = arguments(self._collection, query, k, embedding, filters, self._store, options=options)
        try:
            rows = nearest(self._source, values)
        except psycopg.errors.InvalidParameterValue as error:
            raise ValueError(error.diag.message_primary) from error
        return [
            (Document(id=row["entry_key"], page_content=row["raw_entry"], metadata=row["metadata"]), row["semantic"])
            for row in rows
        ]


class MemorySearchRetriever(BaseRetriever):
    """The entries that `memory_search` finds in one or several memories: by meaning, words, recency and importance."""

    memory: Memory | Memories
    k: int | None = None
    filters: dict[str, Any] | None = None
    options: dict[str, Any] | None = None
    # The model for embeddings of queries; without one, the server's embedder makes them.
    embedding: Embeddings | None = None

    model_config = ConfigDict(arbitrary_types_allowed=True)

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        embedding = self.embedding.embed_query(query) if self.embedding else None
        answer = self.memory.search(query, k=self.k, filters=self.filters, options=self.options, embedding=embedding)
        return [document_of(entry) for entry in answer.entries]


def document_of(entry: AnswerEntry) -> Document:
    """An entry as a document; the fields besides its metadata are there under `memory_search`."""
    about = {
        "entry_id": entry.entry_id,
        "memory_id": entry.memory_id,
        "score": entry.score,
        "creation_time": entry.creation_time and entry.creation_time.isoformat(),
    }
    metadata = {**(entry.metadata or {}), "memory_search": about}
    return Document(id=entry.entry_key or entry.entry_id, page_content=entry.raw_entry or "", metadata=metadata)


def nested(filters: Any) -> Any:
    """The filters with paths (`place.city`) as nested objects; other filters in the form of the filter `metadata`."""
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
