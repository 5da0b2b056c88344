"""Haystack: a document store, and retrievers by meaning, by words, and by memory_search's own ranking of both.

store = MemorySearchDocumentStore(Secret.from_env_var("DATABASE_URL"), "articles", store="app")
store.write_documents(embedder.run(documents)["documents"])
pipeline.add_component("retriever", MemorySearchHybridRetriever(store, top_k=5))
"""

from .retrievers import MemorySearchEmbeddingRetriever, MemorySearchHybridRetriever, MemorySearchKeywordRetriever
from .store import MemorySearchDocumentStore

__all__ = [
    "MemorySearchDocumentStore",
    "MemorySearchEmbeddingRetriever",
    "MemorySearchHybridRetriever",
    "MemorySearchKeywordRetriever",
]
