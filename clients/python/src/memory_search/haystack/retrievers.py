"""Haystack's components that search a MemorySearchDocumentStore."""

from typing import Any

from haystack import Document, component, default_from_dict, default_to_dict
from haystack.document_stores.types import FilterPolicy, apply_filter_policy

from ..awaited import beside_loop
from ..nearest import BY_SIMILARITY, BY_WORDS
from .store import MemorySearchDocumentStore


class Retriever:
    """The common part of the retrievers."""

    def __init__(
        self,
        document_store: MemorySearchDocumentStore,
        *,
        filters: dict[str, Any] | None = None,
        top_k: int = 10,
        filter_policy: str | FilterPolicy = FilterPolicy.REPLACE,
    ) -> None:
        if not isinstance(document_store, MemorySearchDocumentStore):
            raise TypeError(f"document_store is a MemorySearchDocumentStore, not {type(document_store).__name__}")
        if top_k <= 0:
            raise ValueError(f"top_k is greater than 0, not {top_k}")
        self.document_store = document_store
        self.filters = filters
        self.top_k = top_k
        self.filter_policy = FilterPolicy.from_str(filter_policy) if isinstance(filter_policy, str) else filter_policy

    def to_dict(self) -> dict[str, Any]:
        """The data from which a pipeline is restored."""
        return default_to_dict(self, **self._parameters())

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Any:
        """A retriever from the result of to_dict()."""
        parameters = data["init_parameters"]
        parameters["document_store"] = MemorySearchDocumentStore.from_dict(parameters["document_store"])
        return default_from_dict(cls, data)

    def _parameters(self) -> dict[str, Any]:
        return {
            "document_store": self.document_store.to_dict(),
            "filters": self.filters,
            "top_k": self.top_k,
            "filter_policy": self.filter_policy.value,
        }

    def _find(
        self,
        query: str,
        embedding: list[float] | None,
        filters: dict[str, Any] | None,
        top_k: int | None,
        options: dict[str, Any],
        score: str,
    ) -> dict[str, list[Document]]:
        asked = apply_filter_policy(self.filter_policy, self.filters, filters)
        k = self.top_k if top_k is None else top_k
        return {"documents": self.document_store.search(query, embedding, asked, k, options=options, score=score)}


@component
class MemorySearchEmbeddingRetriever(Retriever):
    """The documents most similar to an embedding; their score is the cosine similarity."""

    @component.output_types(documents=list[Document])
    def run(
        self, query_embedding: list[float], filters: dict[str, Any] | None = None, top_k: int | None = None
    ) -> dict[str, list[Document]]:
        """The documents, the best first."""
        return self._find("", query_embedding, filters, top_k, BY_SIMILARITY, "semantic")

    @component.output_types(documents=list[Document])
    async def run_async(
        self, query_embedding: list[float], filters: dict[str, Any] | None = None, top_k: int | None = None
    ) -> dict[str, list[Document]]:
        """Like `run`, without blocking the event loop."""
        return await beside_loop(self.run, query_embedding, filters, top_k)


@component
class MemorySearchKeywordRetriever(Retriever):
    """The documents that contain the query's words; their score is BM25."""

    @component.output_types(documents=list[Document])
    def run(
        self, query: str, filters: dict[str, Any] | None = None, top_k: int | None = None
    ) -> dict[str, list[Document]]:
        """The documents, the best first."""
        return self._find(query, None, filters, top_k, BY_WORDS, "bm25")

    @component.output_types(documents=list[Document])
    async def run_async(
        self, query: str, filters: dict[str, Any] | None = None, top_k: int | None = None
    ) -> dict[str, list[Document]]:
        """Like `run`, without blocking the event loop."""
        return await beside_loop(self.run, query, filters, top_k)


@component
class MemorySearchHybridRetriever(Retriever):
    """The best by memory_search's ranking: meaning, words, recency and importance; `options` are those of a search."""

    def __init__(
        self,
        document_store: MemorySearchDocumentStore,
        *,
        filters: dict[str, Any] | None = None,
        top_k: int = 10,
        filter_policy: str | FilterPolicy = FilterPolicy.REPLACE,
        options: dict[str, Any] | None = None,
    ) -> None:
        # component() makes another class from this one, which super() does not know.
        Retriever.__init__(self, document_store, filters=filters, top_k=top_k, filter_policy=filter_policy)
        self.options = options

    def _parameters(self) -> dict[str, Any]:
        return {**Retriever._parameters(self), "options": self.options}

    @component.output_types(documents=list[Document])
    def run(
        self,
        query: str,
        query_embedding: list[float],
        filters: dict[str, Any] | None = None,
        top_k: int | None = None,
    ) -> dict[str, list[Document]]:
        """The documents, the best first."""
        options = {"strategy": "hybrid", **(self.options or {})}
        return self._find(query, query_embedding, filters, top_k, options, "score")

    @component.output_types(documents=list[Document])
    async def run_async(
        self,
        query: str,
        query_embedding: list[float],
        filters: dict[str, Any] | None = None,
        top_k: int | None = None,
    ) -> dict[str, list[Document]]:
        """Like `run`, without blocking the event loop."""
        return await beside_loop(self.run, query, query_embedding, filters, top_k)
